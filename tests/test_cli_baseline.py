"""`scanproof check --baseline`: what is worse than in a former report."""

import json
from pathlib import Path

import pytest
from command_line import FALSE, RAISING, TRUE, UNKNOWN, Run, Write, one_line

from scanproof.proofs.report import baseline


@pytest.mark.long
def test_same_report_as_baseline_exits_0(run: Run, write: Write):
    file = write(TRUE, UNKNOWN)
    run("check", file, "--format", "json", "--output", "former.json")
    assert run("check", file, "--baseline", "former.json").code == 0


@pytest.mark.long
def test_what_was_refuted_before_is_forgiven_and_what_is_new_is_not(run: Run, write: Write):
    new = FALSE.replace("square", "other")
    run("check", write(FALSE, TRUE), "--format", "json", "--output", "former.json")
    for parts, code in (
        ((FALSE, TRUE), 0),
        ((FALSE, new), 1),
        ((FALSE.replace("square", "linear"),), 1),
        ((TRUE,), 0),  # it is taken back
        ((FALSE, TRUE, RAISING), 3),
    ):
        assert run("check", write(*parts), "--baseline", "former.json").code == code, parts


@pytest.mark.long
def test_what_could_not_be_checked_before_is_not_forgiven(run: Run, write: Write):
    file = write(RAISING)
    run("check", file, "--format", "json", "--output", "former.json")
    assert run("check", file, "--baseline", "former.json").code == 3


@pytest.mark.long
@pytest.mark.parametrize("strict", [[], ["--strict"]])
def test_formats_agree_that_nothing_has_changed(run: Run, write: Write, strict: list[str]):
    file = write(FALSE, UNKNOWN)
    run("check", file, "--format", "json", "--output", "former.json")
    answer = run(
        *("check", file, "--baseline", "former.json", *strict, "--format", "github"),
        *("--also", "sarif=a.sarif", "--also", "summary=a.md", "--also", "junit=a.xml"),
    )
    said = "::notice title=scanproof::open or wrong as in the baseline: mine.square, mine.open\n"
    assert (answer.code, answer.out) == (0, said)
    assert json.loads(Path("a.sarif").read_text("utf-8"))["runs"][0]["results"] == []
    summary = Path("a.md").read_text("utf-8")
    assert "No verdict has changed." in summary
    assert "| ⚠️ | `mine.square`" in summary.partition("### Still open or wrong")[2]
    assert "<failure" not in Path("a.xml").read_text("utf-8")


@pytest.mark.long
def test_worse_verdict_than_in_the_baseline_exits_1(run: Run, write: Write):
    former = write(TRUE)
    run("check", former, "--format", "json", "--output", "former.json")
    now = write(UNKNOWN.replace("open", "linear"))
    answer = run("check", now, "--baseline", "former.json")
    assert answer.code == 1
    assert "mine.linear is worse than in former.json: was proved, is unknown" in answer.err


@pytest.mark.long
def test_better_verdict_than_in_the_baseline_exits_0(run: Run, write: Write):
    run("check", write(UNKNOWN), "--format", "json", "--output", "former.json")
    now = write(TRUE.replace("linear", "open"))
    assert run("check", now, "--baseline", "former.json").code == 0


@pytest.mark.long
def test_row_missing_since_the_baseline_counts_if_it_was_asked_for(run: Run, write: Write):
    run("check", write(TRUE, UNKNOWN), "--format", "json", "--output", "former.json")
    now = write(TRUE)
    answer = run("check", now, "--baseline", "former.json")
    assert answer.code == 1
    assert "mine.open is worse than in former.json: was unknown, is missing" in answer.err
    assert run("check", now, "mine.linear", "--baseline", "former.json").code == 0


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (None, "No such file"),
        (b"{", "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"[]", "its schema is 'list'"),
        (b'{"schema": "other/1"}', "its schema is 'other/1'"),
        (b'{"schema": "scanproof.report/1"}', "no list of claims"),
        (b'{"schema": "scanproof.report/1", "claims": [{}]}', "claims[0] has no id"),
        (
            b'{"schema": "scanproof.report/1", "claims": [{"id": "a", "source": "s", "amended": [],'
            b' "as_stated": {"id": "a", "scope": null, "verdict": "true"}}]}',
            "a has the verdict 'true'",
        ),
    ],
)
def test_baseline_that_is_no_report_is_refused(
    run: Run, write: Write, content: bytes | None, complaint: str
):
    file = write(TRUE)
    if content is not None:
        Path("former.json").write_bytes(content)
    line = one_line(run("check", file, "--baseline", "former.json"))
    assert "--baseline former.json: " in line
    assert complaint in line


def test_baseline_of_an_absurd_size_is_not_read(
    run: Run, write: Write, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(baseline, "LIMIT", 10)
    file = write(TRUE)
    Path("former.json").write_text("x" * 11, encoding="utf-8")
    assert "11 bytes" in one_line(run("check", file, "--baseline", "former.json"))
