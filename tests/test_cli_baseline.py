"""`scanproof check --baseline`: what is worse than in a former report."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import TRUE, UNKNOWN, Run, Write, one_line

from scanproof.proofs.report import baseline


def test_same_report_as_baseline_exits_0(run: Run, write: Write):
    file = write(TRUE, UNKNOWN)
    run("check", file, "--format", "json", "--output", "former.json")
    assert run("check", file, "--baseline", "former.json").code == 0


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
