"""Where a report stands: exit codes, who is to blame in JUnit, and what is worse than before."""

import xml.etree.ElementTree as ET
from typing import Any

import pytest
from report_cases import KNOWN, every_kind, report_of

from scanproof.proofs.report.baseline import changes, worse
from scanproof.proofs.report.junit import junit
from scanproof.proofs.report.standing import blames, exit_code


@pytest.mark.parametrize(
    ("claim", "own", "strict", "code"),
    [
        (("proved", {}), True, True, 0),
        (("supported", {}), True, True, 0),
        (("not-checkable", {}), True, True, 0),
        (("unknown", {}), True, False, 0),
        (("unknown", {}), False, True, 2),
        (("refuted", {}), False, False, 0),
        (("refuted", {}), False, True, 2),
        (("refuted", {"x": "unknown"}), False, True, 2),
        (("refuted", {"x": "proved"}), False, True, 0),
        (("refuted", {"x": "proved"}), True, False, 1),
        (("refuted", {"x": "refuted", "y": "proved"}), False, False, 1),
        (("proved", {"x": "error"}), False, False, 3),
        (("error", {}), False, False, 3),
    ],
)
def test_exit_code_of_one_claim(claim: Any, own: bool, strict: bool, code: int):
    found = blames(report_of(claim), own={"a"} if own else (), strict=strict)
    assert exit_code(found) == code


def test_error_counts_before_failure_and_failure_before_unsettled():
    report = report_of(("unknown", {}), ("refuted", {}), ("error", {}))
    assert exit_code(blames(report, own={"b"}, strict=True)) == 3
    report["claims"].pop()
    assert exit_code(blames(report, own={"b"}, strict=True)) == 1


@pytest.mark.long
def test_junit_fails_exactly_the_statements_to_blame():
    report = every_kind()
    for strict in (False, True):
        found = blames(report, strict=strict, worse={"gone": "was proved, is missing"})
        root = ET.fromstring(junit(report, found))
        failed = [
            case.attrib["name"]
            for case in root.iter("testcase")
            if case.find("failure") is not None or case.find("error") is not None
        ]
        assert sorted(failed) == sorted(found)


def test_junit_has_a_case_for_each_statement_and_counts_them():
    report = every_kind()
    root = ET.fromstring(junit(report, blames(report)))
    statements = [s["id"] for c in report["claims"] for s in (c["as_stated"], *c["amended"])]
    assert sorted(statements) == sorted(case.attrib["name"] for case in root.iter("testcase"))
    for suite in root:
        assert suite.get("tests") == str(len(suite.findall("testcase")))
        assert suite.get("errors") == str(len(suite.findall("testcase/error")))


def test_junit_shows_the_counterexample_of_a_line_that_the_source_gets_wrong():
    report = every_kind()
    root = ET.fromstring(junit(report, blames(report)))
    (case,) = (case for case in root.iter("testcase") if case.get("name") == KNOWN)
    assert case.find("failure") is None
    assert "comes out: -24\nclaimed:   24\namended +sign: proved" in case.findtext("system-out", "")


def everywhere(_id: str, _source: str) -> bool:
    return True


ORDER = ["error", "refuted", "unknown", "supported", "proved"]


@pytest.mark.parametrize("before", ORDER)
@pytest.mark.parametrize("now", ORDER)
def test_verdict_is_worse_if_it_comes_earlier_in_the_order(before: str, now: str):
    found = worse(changes(report_of((before, {})), report_of((now, {})), everywhere))
    assert bool(found) == (ORDER.index(now) < ORDER.index(before))


def test_theorem_that_holds_only_at_fixed_sizes_now_is_worse():
    former = report_of(("proved", {}))
    former["claims"][0]["as_stated"]["scope"] = "all-sizes"
    found = worse(changes(former, report_of(("proved", {})), everywhere))
    assert found == {"a": "was proved, is proved at fixed sizes"}


def test_amendment_that_is_gone_is_worse():
    former = report_of(("refuted", {"sign": "proved"}))
    found = worse(changes(former, report_of(("refuted", {})), everywhere))
    assert found == {"a+sign": "was proved at fixed sizes, is missing"}


def test_claims_that_were_not_selected_are_not_compared():
    assert changes(report_of(("proved", {})), report_of(), lambda id, source: False) == {}
