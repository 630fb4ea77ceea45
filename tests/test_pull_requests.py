"""What a pull request is told: SARIF, GitHub's annotations, the job's summary, and what changed against a baseline."""

import gzip
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from command_line import FALSE, RAISING, TRUE, UNKNOWN, Run, Write, one_line
from report_cases import every_kind, report_of

from scanproof.proofs import report as reports
from scanproof.proofs.report.baseline import Change, changes
from scanproof.proofs.report.findings import findings, spot
from scanproof.proofs.report.github import commands
from scanproof.proofs.report.sarif import sarif
from scanproof.proofs.report.standing import blames
from scanproof.proofs.report.summary import job_summary

SCHEMA = Path(__file__).parent / "sarif" / "sarif-schema-2.1.0.json.gz"
"""The schema of the standard; see NOTICE beside it."""
MENDED = f'{FALSE}\n    square.amend("one", "the same for N = 1", given={{{{"x": "1"}}}})\n'
TURNED = FALSE.replace("square", "linear")  # the claim's id is that of TRUE


@pytest.fixture(scope="module")
def standard() -> jsonschema.Draft4Validator:
    return jsonschema.Draft4Validator(json.loads(gzip.decompress(SCHEMA.read_bytes())))


def changed(former: Any, now: Any) -> dict[str, Change]:
    return changes(report_of(*former), report_of(*now), lambda id, source: True)


def of(*now: Any, former: Any = None) -> list[Any]:
    """What is to be said of a report made to measure, in which a refuted claim is to blame."""
    report = report_of(*now)
    own = {claim["id"] for claim in report["claims"]}
    found = None if former is None else changed(former, now)
    worse = {id: str(change) for id, change in (found or {}).items() if change.worse}
    return findings(report, blames(report, own=own, worse=worse, changed=found), found)


def compared(run: Run, write: Write, before: str, after: str) -> Any:
    """The SARIF of a file against the report of what it was before."""
    run("check", write(before), "--format", "json", "--output", "former.json")
    answer = run("check", write(after), "--baseline", "former.json", "--format", "sarif")
    return json.loads(answer.out)


def results(log: Any) -> list[Any]:
    (run,) = log["runs"]
    return run["results"]


# What changed


def test_changes_are_what_is_other_new_or_missing():
    former = [("proved", {}), ("refuted", {"x": "proved"}), ("unknown", {})]
    now = [("proved", {}), ("refuted", {"y": "unknown"}), ("refuted", {})]
    assert {id: str(change) for id, change in changed(former, now).items()} == {
        "b+y": "is new: unknown",
        "c": "was unknown, is refuted",
        "b+x": "was proved at fixed sizes, is missing",
    }


@pytest.mark.parametrize(
    ("change", "worse"),
    [
        (Change("proved", "proved at fixed sizes"), True),
        (Change("proved", None), True),
        (Change(None, "refuted"), False),
        (Change("unknown", "proved"), False),
        (Change("refuted", "error"), True),
        (Change("refuted", None), False),
        (Change("error", None), False),
    ],
)
def test_what_is_missing_is_worse_unless_it_failed_and_what_is_new_is_not(
    change: Change, worse: bool
):
    assert change.worse is worse


# SARIF


@pytest.mark.long
def test_sarif_of_every_kind_of_statement_is_valid(standard: jsonschema.Draft4Validator):
    report = every_kind()
    blamed = blames(report, strict=True, worse={"gone": "was proved, is missing"})
    before = {
        s["id"]: Change("supported", s["verdict"])
        for c in report["claims"]
        for s in (c["as_stated"],)
    }
    before["gone"] = Change("proved", None, "old/claims.py:3")
    for against in (None, before):
        found = findings(report, blamed, against)
        log = sarif(
            report, found, ["x.py: no such file"], "a folder/é", compared=bool(against), exit_code=1
        )
        standard.validate(json.loads(json.dumps(log)))
        for result in results(log):
            assert (result["level"] == "none") == (result["kind"] != "fail")  # § 3.27.10
    gone = next(r for r in results(log) if r["ruleId"] == "missing")
    place = gone["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "a%20folder/%C3%A9/old/claims.py"


@pytest.mark.long
def test_sarif_has_one_result_for_each_changed_verdict_and_its_flow_ends_with_the_counterexample(
    run: Run, write: Write, standard: jsonschema.Draft4Validator
):
    log = compared(run, write, TRUE + FALSE, TURNED + FALSE)
    standard.validate(log)
    (result,) = results(log)
    assert result["ruleId"] == "refuted"
    assert (result["kind"], result["level"], result["baselineState"]) == (
        "fail",
        "error",
        "updated",
    )
    assert "mine.linear was proved, is refuted." in result["message"]["text"]
    (location,) = result["locations"]
    place = location["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "mine.py", "uriBaseId": "%SRCROOT%"}
    lines = Path("mine.py").read_text("utf-8").splitlines()
    assert lines[place["region"]["startLine"] - 1].startswith("@paper.claim")

    (flow,) = result["codeFlows"]
    (thread,) = flow["threadFlows"]
    said = [step["location"]["message"]["text"] for step in thread["locations"]]
    assert any("left − right" in text for text in said)
    assert said[-1].startswith("claimed:")
    assert "N = 2" in said
    assert result["properties"]["smallestFailingSize"] == {"N": 2}


@pytest.mark.long
def test_a_step_that_is_a_definition_stands_at_its_line(run: Run, write: Write):
    scanned = """
        from scanproof import scan

        def step(c, s, x):
            return s + c * x, s

        @paper.claim("{name}.linear", says="c Σ x", given={{"x": "N", "c": ""}})
        def run(x, c):
            return equal(scan(step, c, 0 * c, x).final_state, {factor} * c * total(x))
    """
    before, after = (scanned.replace("{factor}", factor) for factor in "12")
    (result,) = results(compared(run, write, before, after))
    steps = result["codeFlows"][0]["threadFlows"][0]["locations"]
    lines = Path("mine.py").read_text("utf-8").splitlines()
    places = [step["location"]["physicalLocation"]["region"]["startLine"] for step in steps]
    assert any(lines[line - 1].startswith("def step") for line in places)


@pytest.mark.long
def test_what_is_proved_now_passes_and_shows_its_derivation(run: Run, write: Write):
    (result,) = results(compared(run, write, TURNED, TRUE))
    assert (result["kind"], result["level"], result["ruleId"]) == ("pass", "none", "proved")
    steps = result["codeFlows"][0]["threadFlows"][0]["locations"]
    assert any("the equation holds" in step["location"]["message"]["text"] for step in steps)


@pytest.mark.long
def test_a_report_with_derivations_is_a_report(run: Run, write: Write):
    run("check", write(TURNED), "--also", "sarif=a.sarif", "--also", "json=a.json")
    report = json.loads(Path("a.json").read_text("utf-8"))
    assert report["claims"][0]["as_stated"]["derivation"]
    schema = Path(reports.__path__[0], "report.schema.json").read_text("utf-8")
    jsonschema.Draft202012Validator(json.loads(schema)).validate(report)


@pytest.mark.long
def test_offline_nothing_is_searched_for_derivations(run: Run, write: Write):
    file = write(TURNED)
    run("check", file, "--save")
    (result,) = results(json.loads(run("check", file, "--offline", "--format", "sarif").out))
    steps = result["codeFlows"][0]["threadFlows"][0]["locations"]
    assert steps[0]["location"]["message"]["text"] == "N = 2"


@pytest.mark.long
def test_fingerprints_survive_moves_and_new_words(run: Run, write: Write):
    moved = UNKNOWN + TURNED.replace('where="eq. 2"', 'where="eq. 7"')
    first, second = (
        next(
            result
            for result in results(json.loads(run("check", write(text), "--format", "sarif").out))
            if result["ruleId"] == "refuted"
        )
        for text in (TURNED, moved)
    )
    assert first["locations"] != second["locations"]
    assert first["partialFingerprints"] == second["partialFingerprints"]


def test_fingerprints_of_different_statements_differ():
    found = of(("refuted", {"x": "refuted"}), ("refuted", {}))
    report = {**report_of(), "tool": {"version": "1.0.0"}}
    prints = [tuple(r["partialFingerprints"].values()) for r in results(sarif(report, found))]
    assert len(set(prints)) == len(prints) == 3


@pytest.mark.long
def test_without_a_baseline_sarif_has_what_is_open_or_wrong(run: Run, write: Write):
    log = json.loads(run("check", write(TRUE, MENDED, UNKNOWN), "--format", "sarif").out)
    told = {r["locations"][0]["logicalLocations"][0]["fullyQualifiedName"]: r for r in results(log)}
    assert set(told) == {"mine.square", "mine.open"}
    assert told["mine.square"]["kind"] == "fail"
    assert told["mine.open"]["kind"] == "open"
    assert "baselineState" not in told["mine.open"]
    assert "what holds (+one" in told["mine.square"]["message"]["text"]


def test_a_file_that_cannot_be_read_is_a_notification(
    run: Run, write: Write, standard: jsonschema.Draft4Validator
):
    answer = run("check", write(TRUE), "absent.py", "--format", "sarif")
    assert answer.code == 3
    log = json.loads(answer.out)
    standard.validate(log)
    (invocation,) = log["runs"][0]["invocations"]
    assert invocation["executionSuccessful"] is False
    assert (
        "absent.py: no such file" in invocation["toolExecutionNotifications"][0]["message"]["text"]
    )


def test_nothing_in_a_message_is_taken_for_a_placeholder_or_a_link():
    (found,) = of(("refuted", {}))
    said = {**found.statement, "statement": "S_{0} = S_{t+1}, see [eq](1) and [b][c]"}
    report = {**report_of(), "tool": {"version": "1.0.0"}}
    (result,) = results(sarif(report, [found._replace(statement=said)]))
    assert "S_{{0}} = S_{t+1}, see \\[eq\\](1) and [b][c]" in result["message"]["text"]


# Annotations


def test_annotations_are_escaped_as_github_reads_them():
    (found,) = of(("refuted", {}))
    said = {**found.statement, "statement": "50 % :: of,\nthem", "written": "a,b:c.py:7"}
    (line,) = commands([found._replace(id="a,b:c", statement=said)]).splitlines()
    assert line.startswith(
        "::error file=a%2Cb%3Ac.py,line=7,title=a%2Cb%3Ac is refuted::50 %25 :: of, them%0A"
    )


def test_annotations_are_ten_at_most_the_gravest_first():
    found = of(*[("refuted", {str(k): "refuted" for k in range(3)})] * 3, ("unknown", {}))
    assert len(found) == 13
    lines = commands(found, ["broken.py:3 raised ValueError: x"]).splitlines()
    assert len(lines) == 10
    assert lines[0].startswith("::error file=broken.py,line=3,title=scanproof::broken.py:3 raised")
    assert lines[-1].startswith("::error title=scanproof::5 more are not shown here")
    assert len(commands(found[:10]).splitlines()) == 10
    assert "more" not in commands(found[:10])


@pytest.mark.parametrize(
    ("former", "now", "command"),
    [
        ("proved", "refuted", "error"),
        ("proved", "unknown", "error"),
        ("refuted", "unknown", "notice"),
        ("unknown", "proved", "notice"),
        (None, "unknown", "warning"),
        ("refuted", "refuted", "notice"),  # it did not change
    ],
)
def test_an_annotation_is_as_grave_as_the_change(former: str | None, now: str, command: str):
    found = of((now, {}), former=[] if former is None else [(former, {})])
    (line,) = commands(found).splitlines()
    assert line.startswith(f"::{command} ")


@pytest.mark.long
def test_annotations_name_files_from_the_root_of_the_repository(
    run: Run, write: Write, monkeypatch: pytest.MonkeyPatch
):
    file = write(FALSE, file="sub/mine.py")
    for root in ("GITHUB_WORKSPACE", ".git"):
        if root == ".git":
            monkeypatch.delenv("GITHUB_WORKSPACE")
            Path(".git").mkdir()
        else:
            monkeypatch.setenv(root, str(Path.cwd()))
        assert "::error file=sub/mine.py,line=" in run("check", file, "--format", "github").out
    monkeypatch.chdir("sub")
    assert "::error file=sub/mine.py,line=" in run("check", "mine.py", "--format", "github").out


@pytest.mark.long
def test_a_claim_that_raises_is_an_annotation_at_its_line(run: Run, write: Write):
    answer = run("check", write(RAISING), "--format", "github")
    assert answer.code == 3
    assert answer.out.startswith("::error file=mine.py,line=")
    assert "title=mine.raises is error::x%0Athe claim raised ValueError" in answer.out


# The summary


@pytest.mark.long
def test_the_summary_says_what_was_and_is_at_which_size_and_what_holds(run: Run, write: Write):
    run("check", write(TRUE, UNKNOWN), "--format", "json", "--output", "former.json")
    now = write(TURNED, MENDED, UNKNOWN)
    answer = run("check", now, "--baseline", "former.json", "--format", "summary")
    changed, same = answer.out.split("### Still open or wrong")
    assert "| ❌ | `mine.linear` (`mine.py:" in changed
    assert "| proved → refuted | N = 2 |" in changed
    assert "what holds (+one, proved at fixed sizes): the same for N = 1 |" in changed
    assert "mine.open" not in changed
    assert "mine.open" in same


def test_the_summary_is_short_however_much_there_is():
    found = of(("refuted", {})) * 5000
    report = report_of(("refuted", {}))
    text = job_summary(report, found)
    assert len(text.encode()) < 2**20
    assert "… and 4900 more." in text


def test_without_changes_the_summary_says_so():
    report = report_of(("proved", {}))
    assert "No verdict has changed." in job_summary(report, [], compared=True)


# Where claims are written down


@pytest.mark.parametrize("written", [None, "", "mine.py", "mine.py:x", ":3"])
def test_what_names_no_file_and_line_has_no_place(written: str | None):
    assert spot(written) is None


@pytest.mark.long
def test_a_claim_made_of_a_body_of_the_package_is_placed_where_it_is_made(run: Run, write: Write):
    text = """
        from scanproof.proofs.language.learns import learns
        from scanproof.constructs.constructions import linear_attention

        def make(body):
            return paper.claim("{name}.made", says="made", given={{"x": "N"}})(body)

        row = make(lambda x: equal(total(x), total(x)))
        row.amend("more", "the same")
    """
    claim = json.loads(run("check", write(text), "--format", "json").out)["claims"][0]
    lines = Path("mine.py").read_text("utf-8").splitlines()
    at = [s["written"].split(":") for s in (claim["as_stated"], *claim["amended"])]
    assert [file for file, _ in at] == ["mine.py", "mine.py"]
    assert "paper.claim" in lines[int(at[0][1]) - 1]
    assert "row.amend" in lines[int(at[1][1]) - 1]


# Options


@pytest.mark.long
def test_several_formats_are_written_by_one_check(run: Run, write: Write):
    answer = run("check", write(FALSE), "--also", "sarif=a.sarif", "--also", "junit=b.xml")
    assert answer.code == 1
    assert "mine.square" in answer.out
    assert results(json.loads(Path("a.sarif").read_text("utf-8")))
    assert 'file="mine.py" line="' in Path("b.xml").read_text("utf-8")


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        (["--also", "sarif"], "--also sarif: give FORMAT=FILE"),
        (["--also", "sarif="], "give FORMAT=FILE"),
        (["--also", "xml=a"], "formats: table, json, junit, markdown, sarif, github, summary"),
        (["--also", "json=a", "--also", "sarif=a"], "a is named twice"),
        (["--also", "json=absent/a"], "absent/a: cannot write there"),
        (["--format", "sarif", "--output", "."], "it is a directory"),
        (["--format", "sarif", "--long"], "--long is for the table"),
    ],
)
def test_options_that_cannot_be_followed_are_one_line(
    run: Run, write: Write, given: list[str], complaint: str
):
    assert complaint in one_line(run("check", write(TRUE), *given))
