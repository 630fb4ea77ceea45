"""The language page's examples are complete claim files, and the checker answers what the page says."""

import re
from pathlib import Path

import pytest

from scanproof.proofs.decide.ledger import Ledger, from_file
from scanproof.proofs.decide.row_verdicts import check

PAGE = Path(__file__).resolve().parent.parent / "docs" / "language.md"
EXAMPLES = re.findall(
    r"```python\n(.*?)```\n+```text\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S
)


def test_the_page_has_eight_worked_examples():
    assert len(EXAMPLES) == 8


@pytest.mark.long
@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_an_example_gets_the_verdicts_printed_under_it(number, tmp_path):
    code, answer = EXAMPLES[number]
    path = tmp_path / f"example{number + 1}.py"
    path.write_text(code, encoding="utf-8")
    report = check(Ledger(from_file(path)), jobs=1)
    verdicts = [
        f"{statement['id']} {statement['verdict']}"
        for row in report["claims"]
        for statement in (row["as_stated"], *row["amended"])
    ]
    assert verdicts == answer.strip().splitlines()
