"""CONTRIBUTING's worked examples, followed step by step: a paper in two files, a kind of node."""

import re
from pathlib import Path

import pytest

from scanproof.proofs.decide.ledger import Ledger, from_file
from scanproof.proofs.decide.row_verdicts import check
from scanproof.proofs.readings.program import WRITERS
from scanproof.proofs.readings.reading import METHODS, Reading
from scanproof.proofs.statement.text import TEXTS

PAGE = (Path(__file__).resolve().parent.parent / "CONTRIBUTING.md").read_text(encoding="utf-8")
PAPER, NODE = PAGE.split("## A kind of node")
PYTHON, OF_NODE = (re.findall(r"```python\n(.*?)```", part, re.S) for part in (PAPER, NODE))
ANSWER = re.findall(r"```text\n(.*?)```", PAGE, re.S)
NAMES = re.findall(r"This is `(\w+\.py)`", PAGE)


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """The two files, where Python finds them."""
    for name, code in zip(NAMES, PYTHON[:-1], strict=True):
        (tmp_path / name).write_text(code, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def test_the_paper_is_two_files_and_what_runs_them():
    assert NAMES == ["memory.py", "claims.py"] and len(PYTHON) == 3 and len(ANSWER) == 1


@pytest.mark.long
def test_its_claims_get_the_verdicts_printed_under_them_for_all_sizes(folder):
    report = check(Ledger(from_file(folder / "claims.py")), jobs=1)
    statements = [s for row in report["claims"] for s in (row["as_stated"], *row["amended"])]
    assert [f"{s['id']} {s['verdict']}" for s in statements] == ANSWER[0].strip().splitlines()
    assert statements[-1]["scope"] == "all-sizes"


def test_its_construction_runs(folder):
    exec(compile(PYTHON[-1], "step 4", "exec"), {})


def test_its_kind_of_node_is_read_printed_and_run_as_numpy_has_it(monkeypatch):
    kinds = len(METHODS)
    names: dict = {}
    monkeypatch.setattr(Reading, "running_maximum", None, raising=False)
    for k, code in enumerate(OF_NODE):
        exec(compile(code, f"step {k + 1}", "exec"), names)
    kind = names["RunningMaximum"]
    assert len(METHODS) == kinds + 1
    for table in (METHODS, TEXTS, WRITERS):
        del table[kind]
