"""Verdicts that are expected: as expected they fail nothing, in any format; any other one is news, and fails."""

import json
import re
import textwrap
import xml.etree.ElementTree as ET
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jsonschema
import pytest
from command_line import FALSE, HEADER, TRUE, UNKNOWN, Run, Write
from report_cases import report_of

from scanproof import Source, UsageError, _prove, equal
from scanproof.proofs import report as reports
from scanproof.proofs.decide import lock
from scanproof.proofs.language.expect import ALLOWED
from scanproof.proofs.report.baseline import changes
from scanproof.proofs.report.findings import findings
from scanproof.proofs.report.github import commands
from scanproof.proofs.report.junit import junit
from scanproof.proofs.report.long_table import counts
from scanproof.proofs.report.sarif import sarif
from scanproof.proofs.report.standing import FAILED, blames
from scanproof.proofs.report.table import table
from scanproof.proofs.report.words import one_line

pytest_plugins = ["pytester"]

SCHEMA = json.loads(Path(reports.__path__[0], "report.schema.json").read_text("utf-8"))

EXPECTED = 'given={{"x": "N"}}, expect="refuted")\n    def square'
FALSE_AS_EXPECTED = FALSE.replace('given={{"x": "N"}})\n    def square', EXPECTED)
TRUE_UNLIKE_EXPECTED = TRUE.replace('"c": ""}})', '"c": ""}}, expect="refuted")')
UNKNOWN_AS_EXPECTED = UNKNOWN.replace("missing=", 'expect="unknown", missing=')
AMENDED = """
    square.amend("twice", "the same doubled", expect="refuted")
    square.amend("one", "the same for N = 1", given={{"x": "1"}})
"""
NEWS = 'expected refuted, came proved; if that is right, take out expect="refuted"'


def expecting(*wanted: tuple[str, str]) -> dict[str, Any]:
    """A report of claims a, b, …, each with a verdict and what is expected; "proved" is for all sizes."""
    report = report_of(*((verdict, {}) for verdict, _ in wanted))
    for claim, (_, expect) in zip(report["claims"], wanted, strict=True):
        if expect:
            claim["as_stated"]["expect"] = expect
        if claim["as_stated"]["verdict"] == "proved":
            claim["as_stated"]["scope"] = "all-sizes"
    report["tool"] = {"version": "0"}
    return report


def blamed(report: dict[str, Any], **more: Any) -> Any:
    return blames(report, own={c["id"] for c in report["claims"]}, strict=True, **more)


GREEN = expecting(("refuted", "refuted"), ("unknown", "unknown"), ("proved", "proved"))
NEW = expecting(("proved", "refuted"), ("refuted", "unknown"), ("unknown", "proved"))


# What is as expected, and what is not


@pytest.mark.parametrize("expect", ALLOWED)
@pytest.mark.parametrize("verdict", ALLOWED)
def test_only_the_verdict_that_is_expected_is_blamed_for_nothing(expect, verdict):
    found = blamed(expecting((verdict, expect)))
    assert (found == {}) == (expect == verdict)
    assert all(b.code == FAILED and b.why.startswith("expected ") for b in found.values())


def test_a_proof_at_fixed_sizes_is_not_the_proof_that_is_expected():
    report = expecting(("proved", "proved"))
    report["claims"][0]["as_stated"]["scope"] = "fixed-size"
    assert "came proved at fixed sizes" in blamed(report)["a"].why


def test_an_error_is_an_error_whatever_is_expected():
    (blame,) = blamed(expecting(("error", "refuted"))).values()
    assert (blame.code, blame.why) == (3, "because")


def test_what_is_wrong_with_an_expectation_says_what_may_be_expected():
    source = Source("s", title="S")
    with pytest.raises(UsageError, match=r"s\.a: expect='wrong' .* allowed: proved, refuted, unkn"):
        source.claim("s.a", says="x", given={"x": "N"}, expect="wrong")(lambda x: equal(x, x))


def test_an_amendment_does_not_inherit_what_is_expected_of_the_claim():
    source = Source("s", title="S")
    decorate = source.claim("s.a", says="x", given={"x": "N"}, expect="refuted")
    row = decorate(lambda x: equal(x, -x)).amend("b", "y").amend("c", "z", expect="unknown")
    assert [c.expect for c in row.amendments] == [None, "unknown"]


# Formats


def test_what_is_as_expected_is_in_no_annotation_no_alert_and_no_failure_of_junit():
    found = findings(GREEN, blamed(GREEN), None)
    assert (found, commands(found), sarif(GREEN, found)["runs"][0]["results"]) == ([], "", [])
    suite = ET.fromstring(junit(GREEN, blamed(GREEN)).partition("\n")[2])
    assert {one.tag for case in suite.iter("testcase") for one in case} == {"system-out"}
    assert "verdict: refuted, as expected" in junit(GREEN, {})


def test_news_is_an_error_in_annotations_an_alert_and_a_failure_of_junit():
    found = findings(NEW, blamed(NEW), None)
    assert commands(found).count("::error ") == 3
    assert "title=a is proved%2C expected refuted::" in commands(found)
    assert commands(found).count("; if that is right, ") == 3
    results = sarif(NEW, found)["runs"][0]["results"]
    assert {(r["ruleId"], r["kind"], r["level"]) for r in results} == {
        ("unexpected", "fail", "error")
    }
    suite = ET.fromstring(junit(NEW, blamed(NEW)).partition("\n")[2])
    assert [one.get("message", "")[:9] for one in suite.iter("failure")] == ["expected "] * 3


def test_the_table_lists_news_as_wrong_and_nothing_that_is_expected():
    assert "Open or wrong" not in table(GREEN, blamed(GREEN))
    said = one_line(table(NEW, blamed(NEW)))
    happened, to_do = NEWS.split("; ")
    assert f"scanproof show a proved {happened} {to_do}" in said
    assert "scanproof show b refuted expected unknown, came refuted" in said
    assert 'if that is right, write expect="refuted"' in said


def test_counts_say_how_many_are_as_expected_and_are_the_same_without_expectations():
    report = expecting(("refuted", "refuted"), ("refuted", ""), ("unknown", "unknown"))
    assert (
        counts(report["claims"]) == "3 claims: 2 refuted (1 as expected), 1 unknown (1 as expected)"
    )
    assert counts(report_of(("refuted", {}))["claims"]) == "1 claim: 1 refuted (0 mended)"


# Against a baseline


def against(former: dict[str, Any], now: dict[str, Any]) -> Any:
    found = changes(former, now, lambda id, source: True)
    worse = {id: str(change) for id, change in found.items() if change.worse}
    return findings(now, blamed(now, changed=found, worse=worse), found)


def test_what_became_refuted_as_expected_is_not_worse_than_the_baseline():
    (one,) = against(expecting(("proved", "")), expecting(("refuted", "refuted")))
    assert (one.blame, one.level) == (None, "note")
    assert one.headline == "a was proved, is refuted, as expected"
    assert sarif(GREEN, [one])["runs"][0]["results"] == []


def test_a_baseline_forgives_no_verdict_that_is_not_as_expected():
    same = expecting(("proved", "refuted"))
    (one,) = against(same, same)
    assert one.blame is not None and one.level == "error" and not one.known


# The lock file


def test_the_lock_file_records_what_is_expected_and_nothing_where_nothing_is(tmp_path):
    plain = lock.Entry(None, {}, None, "refuted")
    expecting = lock.Entry(None, {}, None, "refuted", "refuted")
    lock.write(tmp_path / lock.FILE, {"a": plain, "b": expecting})
    claims = json.loads((tmp_path / lock.FILE).read_text())["claims"]
    assert "expect" not in claims["a"] and claims["b"]["expect"] == "refuted"
    assert lock.read(tmp_path / lock.FILE) == {"a": plain, "b": expecting}
    assert (plain.words, expecting.words) == ("refuted", "refuted, as expected")


@pytest.mark.parametrize("wrong", ["wrong", None, 1])
def test_a_lock_file_that_expects_anything_else_is_damaged(tmp_path, wrong):
    entry = {"certificate": None, "reaches": {}, "scope": None, "verdict": "refuted"}
    text = {"format": lock.FORMAT, "claims": {"a": {**entry, "expect": wrong}}}
    (tmp_path / lock.FILE).write_text(json.dumps(text))
    with pytest.raises(lock.Unusable, match="expected"):
        lock.read(tmp_path / lock.FILE)


# Commands


@pytest.mark.long
def test_a_file_whose_false_claims_are_expected_is_green_and_its_lock_file_current(
    run: Run, write: Write
):
    file = write(TRUE, FALSE_AS_EXPECTED, AMENDED, UNKNOWN_AS_EXPECTED)
    answer = run("check", file, "--strict", "--lock", "--also", "json=report.json")
    assert answer.code == 0 and "Open or wrong" not in answer.out
    report = json.loads(Path("report.json").read_text("utf-8"))
    jsonschema.Draft202012Validator(SCHEMA).validate(report)
    (square,) = (c for c in report["claims"] if c["id"] == "mine.square")
    assert square["as_stated"]["expect"] == square["as_stated"]["verdict"] == "refuted"
    assert [a["verdict"] for a in square["amended"]] == ["refuted", "proved"]
    assert run("check", file, "--locked", "--offline").code == 0


@pytest.mark.long
def test_an_expectation_that_is_taken_out_shows_against_the_lock_file(run: Run, write: Write):
    assert run("check", write(FALSE_AS_EXPECTED), "--lock").code == 0
    answer = run("check", write(FALSE), "--locked")
    assert answer.code == 1
    assert "was refuted, as expected, is refuted" in one_line(answer.err)


@pytest.mark.long
def test_a_claim_that_no_longer_fails_is_exit_code_1_and_a_line_that_says_what_to_do(
    run: Run, write: Write
):
    answer = run("check", write(TRUE_UNLIKE_EXPECTED))
    assert answer.code == 1
    happened, to_do = NEWS.split("; ")
    assert f"{happened} {to_do}" in one_line(answer.out)


def test_a_mistyped_expectation_is_a_mistake_in_the_call(run: Run, write: Write):
    answer = run("check", write(TRUE.replace('"c": ""}})', '"c": ""}}, expect="refuteed")')))
    assert answer.code == 3
    assert "claim mine.linear: expect='refuteed' is no verdict to expect" in one_line(answer.err)


@pytest.mark.long
def test_the_tutorial_s_claim_that_is_known_to_be_false_is_as_the_page_says(
    run: Run, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    page = (Path(__file__).parents[1] / "docs" / "tutorial.md").read_text("utf-8")
    blocks = re.findall(r"```python\n(.*?)```(?:\n\n```text\n(.*?)```)?", page, re.S)
    _, (layer, _), (claim, printed) = blocks
    layer = layer.replace("state - eta * y * x", "state + eta * y * x")  # as the page mends it
    Path("mylayer.py").write_text(f"{layer}\n\n{claim}", "utf-8")
    answer = run("check", "mylayer.py", "mine.last-token")
    assert answer.code == 0 and one_line(printed) in one_line(answer.out)


def test_in_pytest_a_verdict_as_expected_passes_and_another_one_fails(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p no:cacheprovider -W default")
    parts = (HEADER, TRUE_UNLIKE_EXPECTED, FALSE_AS_EXPECTED, UNKNOWN_AS_EXPECTED)
    text = "".join(map(textwrap.dedent, parts)).format(name="foreseen")
    (pytester.path / "claims_foreseen.py").write_text(text)
    result = pytester.runpytest("-rA", "--scanproof-fail", "unknown")
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["*FAILED claims_foreseen.py::foreseen.linear*expected refuted*"])


@pytest.mark.parametrize("expect", [None, *ALLOWED])
@pytest.mark.parametrize("verdict", ALLOWED)
def test_prove_exits_with_1_for_any_verdict_but_the_one_that_is_expected(expect, verdict):
    scope = "all-sizes" if verdict == "proved" else None
    result = SimpleNamespace(verdict=verdict, scope=scope, evidence=[])
    outcome: Any = SimpleNamespace(result=result)
    code, said = _prove._code(outcome, False, expect), _prove._said(outcome, expect)
    if expect is None:
        assert (code, said) == (int(verdict == "refuted"), "")
    else:
        assert (code == 0, said == "  as expected\n") == (expect == verdict, expect == verdict)
        assert code == 0 or f"--expect {expect}" in said or f"--expect {verdict}" in said


@pytest.mark.long
def test_prove_of_a_program_that_is_known_to_be_wrong_is_green(run: Run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "wrong_sums.py").write_text(
        "def f(x):\n    return x + x\n\ndef g(x):\n    return x\n"
    )
    call = ("prove", "wrong_sums:f", "--equals", "wrong_sums:g", "--shapes", "x: n", "--expect")
    as_expected, news, wrong = (run(*call, one) for one in ("refuted", "proved", "false"))
    assert (as_expected.code, news.code, wrong.code) == (0, 1, 3)
    assert as_expected.out.endswith("  as expected\n")
    assert "expected proved, came refuted; if that is right, write --expect refuted" in news.out
    assert "--expect false: no such value; allowed: proved, refuted, unknown" in one_line(wrong.err)
