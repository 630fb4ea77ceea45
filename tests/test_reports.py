"""Reports as JSON, their schema, and the table for people."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from report_cases import every_kind, report_of
from rich.cells import cell_len

from scanproof.proofs import report as reports
from scanproof.proofs.report import story
from scanproof.proofs.report.findings import findings
from scanproof.proofs.report.github import commands
from scanproof.proofs.report.junit import junit
from scanproof.proofs.report.long_table import long_table
from scanproof.proofs.report.markdown import report_table
from scanproof.proofs.report.standing import blames
from scanproof.proofs.report.summary import job_summary
from scanproof.proofs.report.table import table

SCHEMA = json.loads(Path(reports.__path__[0], "report.schema.json").read_text(encoding="utf-8"))


@pytest.mark.long
def test_schema_is_a_schema():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.long
def test_report_with_every_verdict_validates():
    report = json.loads(json.dumps(every_kind()))
    jsonschema.Draft202012Validator(SCHEMA).validate(report)
    found = {v for v, count in report["summary"].items() if count}
    assert found == {"proved", "refuted", "unknown", "not-checkable", "error"}


@pytest.mark.long_cases("[<lambda>0]")
@pytest.mark.parametrize(
    "change",
    [
        lambda report: report.update(note="a field that the schema does not know"),
        lambda report: report["claims"][0].update(true=True),
        lambda report: report["claims"][0]["as_stated"].update(verdict="true"),
        lambda report: report["claims"][0]["as_stated"].update(evidence=[]),
        lambda report: report["claims"][0]["as_stated"].update(scope=None),
        lambda report: report["claims"][1]["as_stated"].update(counterexample=None),
        lambda report: report["claims"][1]["as_stated"].update(reason=None),
    ],
)
def test_schema_refuses_a_report_that_asserts_more_than_it_shows(change: Any):
    report = json.loads(json.dumps(every_kind()))
    change(report)
    assert not jsonschema.Draft202012Validator(SCHEMA).is_valid(report)


def test_keys_are_ordered_as_the_schema_lists_them():
    report = every_kind()
    assert list(report) == list(SCHEMA["properties"])
    for claim in report["claims"]:
        assert list(claim) == list(SCHEMA["$defs"]["claim"]["properties"])
        for found in (claim["as_stated"], *claim["amended"]):
            assert list(found) == [*SCHEMA["$defs"]["statement"]["required"], "mends"]


@pytest.mark.long
def test_two_runs_differ_only_under_timing():
    def run(seed: str) -> dict[str, Any]:
        done = subprocess.run(
            [sys.executable, "-m", "scanproof", "check", "gd-ssm.prop1*", "--format", "json"],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        )
        return {k: v for k, v in json.loads(done.stdout).items() if k != "timing"}

    assert run("1") == run("2")


def test_table_never_exceeds_100_columns():
    assert max(map(len, long_table(every_kind(), width=200).splitlines())) == 100


def test_table_of_the_known_row_fits_a_terminal_of_80_columns():
    report = {**every_kind(), "claims": every_kind()["claims"][-1:]}
    assert max(map(len, long_table(report, width=80).splitlines())) <= 80


def test_table_stars_what_is_proved_at_fixed_sizes_and_says_what_the_star_means():
    text = long_table(report_of(("proved", {})))
    assert re.search(r"^a +proved\*", text, re.MULTILINE)
    assert "* proved at fixed sizes" in text


def test_table_has_no_star_for_a_theorem():
    report = report_of(("proved", {}))
    report["claims"][0]["as_stated"]["scope"] = "all-sizes"
    assert "*" not in long_table(report)


def test_last_column_says_what_is_wrong_and_what_holds():
    text = long_table(report_of(("refuted", {"sign": "proved"}), ("refuted", {}), ("unknown", {})))
    rows = [line.split(maxsplit=2) for line in text.splitlines()[2:]]
    assert rows[0] == ["a", "refuted", "-1 against the claimed 1 at N = 1"]
    assert rows[1] == ["└", "+sign", "proved*             a+sign"]
    assert rows[2] == ["b", "refuted", "-1 against the claimed 1 at N = 1; no mend: none is known"]
    assert rows[3] == ["c", "unknown", "because"]


def test_unsettled_amendments_take_no_line():
    assert "+sign" not in long_table(report_of(("refuted", {"sign": "unknown"})))


def test_long_table_colours_the_verdict_only_if_asked():
    assert "\x1b" not in long_table(every_kind())
    assert "\x1b[31mrefuted\x1b[0m" in long_table(report_of(("refuted", {})), colour=True)


@pytest.mark.parametrize("width", [60, 80, 100, 140])
def test_table_cuts_each_claim_to_its_width_but_no_id(width: int):
    report = every_kind()
    text = table(report, {}, width=width)
    ids = [claim["id"] for claim in report["claims"]]
    too_long = [line for line in text.splitlines() if cell_len(line) > width]
    assert all(any(one in line for one in ids) for line in too_long)
    assert all("scanproof show" in line or width < 80 for line in too_long)
    above = text.split("Open or wrong:")[0].splitlines()
    assert [words[0] for line in above if (words := line.split()) and words[0] in ids] == ids


def test_table_explains_a_star_after_a_caveat():
    report = report_of(("refuted", {"sign": "proved"}))
    report["claims"][0]["as_stated"]["stale"] = True
    assert "* proved at fixed sizes" in table(report, {})


def test_table_counts_columns_of_the_terminal():
    report = report_of(("proved", {}), ("refuted", {"sign": "proved"}))
    report["claims"][0]["as_stated"].update(statement="\u5b66\u7fd2" * 60, reason=None)
    report["claims"][1]["amended"][0]["statement"] = "e\u0301" * 200
    lines = [line for line in table(report, {}, width=80).splitlines() if line.endswith("…")]
    assert [cell_len(line) for line in lines] == [79, 80]


def test_table_says_what_holds_in_place_of_what_is_refuted():
    report = report_of(("refuted", {"sign": "proved"}), ("refuted", {"s": "proved", "t": "proved"}))
    lines = table(report, {}).splitlines()
    assert lines[1].split() == ["a", "refuted", "what", "holds*:", "a+sign"]
    assert "* proved at fixed sizes" in "\n".join(lines)
    assert lines[2].split(maxsplit=2) == ["b", "refuted", "what holds* (1 of 2): b+s"]


def below(text: str) -> list[str]:
    """The lines of what is open or wrong."""
    return text.split("Open or wrong:\n")[1].split("\n\n")[0].splitlines()


def test_table_ends_with_a_line_for_each_that_is_open_or_wrong_and_what_to_run():
    report = report_of(("refuted", {"sign": "proved"}), ("unknown", {}), ("refuted", {}))
    failing = "-1 against the claimed 1 at N = 1"
    assert below(table(report, {})) == [
        "  scanproof show b  unknown  because",
        f"  scanproof show c  refuted  {failing}; no mend: none is known",
    ]
    own = below(table(report, blames(report, own=["a"])))
    assert own[0] == f"  scanproof show a  refuted  {failing}"
    report["claims"][1]["as_stated"]["reason"] = "because " * 300
    long = below(table(report, {}, width=100))
    assert len(long) == 2 and cell_len(long[0]) == 100 and long[0].endswith("…")
    assert below(table(report, {}, width=40))[0] == "  scanproof show b  unknown"


def test_table_tells_what_is_worse_than_it_was():
    report = report_of(("proved", {}))
    worse = {"a": "proved for all sizes, now at fixed sizes"}
    told = below(table(report, blames(report, worse=worse)))
    assert told == [f"  scanproof show a  proved*  {worse['a']}"]


def test_a_row_of_one_s_own_says_where_it_is_and_why_it_is_not_proved_for_all_sizes():
    report = report_of(("proved", {}), ("unknown", {}), ("proved", {}))
    for claim in report["claims"]:
        claim["as_stated"]["written"] = "mine.py:7"
    report["claims"][2]["as_stated"]["scope"] = "all-sizes"
    text = table(report, {}, own=["a", "b", "c"], files=["mine.py"])
    assert text.splitlines()[1:4] == [
        "  a  proved*  because",
        "  b  unknown  because",
        "  c  proved   c",
    ]
    assert below(text) == [
        "  scanproof show mine.py a  proved*  mine.py:7: because",
        "  scanproof show mine.py b  unknown  mine.py:7: because",
    ]
    many = below(table(report, {}, own=["a"], files=["mine.py", "one.py", "two.py"]))
    assert many[0].startswith("  scanproof show mine.py a  ")


def test_an_edit_that_mends_is_not_cut():
    report = report_of(("refuted", {}))
    edit = {"scope": "all-sizes", "file": "mine.py", "line": 3, "before": "a " * 50, "after": "b"}
    report["claims"][0]["as_stated"]["mends"] = [edit]
    line, *told = below(table(report, {}, width=80))
    assert "mend" not in line and len(told) == 2
    assert " ".join(" ".join(told).split()) == f"mend: mine.py:3: {'a ' * 50}→ b (proved)"


LIMITED = {"sizes": {"T": 70000}, "plus": 0, "at_most": 2147483647}


def test_every_report_says_for_which_sizes_a_proof_holds():
    report = report_of(("proved", {}), ("refuted", {"sign": "proved"}))
    for statement in (report["claims"][0]["as_stated"], report["claims"][1]["amended"][0]):
        statement.update(scope="all-sizes", evidence=[{"conditions": [LIMITED]}], reason=None)
    found = findings(report, blames(report, own=["b"]), None)
    said = (
        table(report, {}),
        long_table(report),
        junit(report, {}),
        report_table(report),
        job_summary(report, found),
        commands(found),
    )
    for text, count in zip(said, (2, 2, 3, 2, 1, 1), strict=True):
        flat = " ".join(text.split()).replace("└", "")
        assert flat.count("for all T with 70000·T ≤ 2147483647") == count, text


def test_table_groups_by_source_with_counts():
    blocks = [block.splitlines() for block in table(every_kind(), {}).split("\n\n")]
    assert blocks[0][0].startswith("kinds: One of each")
    assert blocks[0][1].startswith("  7 claims: ")
    assert blocks[1][:2] == [
        "gd-ssm: State-space models can learn in-context by gradient descent",
        "  1 claim: 1 refuted (1 mended), 1 of 1 amendments proved",
    ]


def test_table_colours_the_verdict_only_if_asked():
    assert "\x1b" not in table(every_kind(), {})
    assert "\x1b[31mrefuted\x1b[0m" in table(report_of(("refuted", {})), {}, colour=True)


def test_a_reason_that_is_a_sentence_ends_with_one_full_stop():
    statement = {"verdict": "error", "scope": None, "reason": "it raised. Mend it.", "evidence": []}
    statement |= {"tainted": False, "stale": False, "mends": []}
    assert story._verdict({"kind": "identity"}, statement, False) == "error: it raised. Mend it."
