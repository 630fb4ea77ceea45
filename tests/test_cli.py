"""The command line: what its commands do, and what it answers to a user's mistakes."""

from __future__ import annotations

import hashlib
import json
import os
import re
import signal
import stat
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from scanproof import _main, constructs
from scanproof.proofs.report import baseline

KNOWN = "gd-ssm.prop1-construction"  # refuted as printed; its amendment +sign is proved
HEADER = """
    from scanproof import Source, definition, equal

    paper = Source("{name}", title="A layer of mine")

    @definition
    def total(x):
        return x.sum(0)
"""
TRUE = """
    @paper.claim("{name}.linear", where="eq. 1", says="Σ c x_i = c Σ x_i", given={{"x": "N", "c": ""}})
    def linear(x, c):
        return equal(total(x * c), total(x) * c)
"""
FALSE = """
    @paper.claim("{name}.square", where="eq. 2", says="Σ x_i² = (Σ x_i)²", given={{"x": "N"}})
    def square(x):
        return equal(total(x * x), total(x) * total(x))
"""
MENDED = (
    FALSE
    + """
    square.amend("one", "the same for N = 1", sizes={{"N": (1,)}})
"""
)
BADLY_MENDED = (
    FALSE
    + """
    square.amend("two", "the same for N = 2", sizes={{"N": (2,)}})
"""
)
UNKNOWN = """
    paper.unchecked("{name}.open", says="it is optimal", missing="nobody has a proof")
"""
RAISING = """
    @paper.claim("{name}.raises", says="x", given={{"x": "N"}})
    def raises(x):
        raise ValueError("first line\\nsecond line")
"""
EXITING = """
    @paper.claim("{name}.exits", says="x", given={{"x": "N"}})
    def exits(x):
        raise SystemExit(0)
"""
UNMEETABLE = """
    @paper.claim("{name}.never", says="x", given={{"x": "N"}}, assuming={{"N < 0": lambda N: N < 0}})
    def never(x):
        return equal(total(x), total(x))
"""


class Answer(NamedTuple):
    """What a run of the command line left behind."""

    code: int
    out: str
    err: str


Run = Callable[..., Answer]
Write = Callable[..., str]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs the command line in this process."""

    def run(*arguments: str | Path) -> Answer:
        capsys.readouterr()
        code = _main.run([str(a) for a in arguments])
        out, err = capsys.readouterr()
        assert "Traceback" not in out + err
        return Answer(code, out, err)

    return run


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Writes a claim file into the current folder and returns its name."""
    monkeypatch.chdir(tmp_path)

    def write(*parts: str, name: str = "mine", file: str | None = None) -> str:
        text = "".join(textwrap.dedent(part) for part in (HEADER, *parts)).format(name=name)
        path = Path(file or f"{name}.py")
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return str(path)

    return write


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "scanproof", *arguments]


def ids(report: str) -> list[str]:
    return [claim["id"] for claim in json.loads(report)["claims"]]


def untimed(text: str) -> str:
    """The text without the seconds that it tells."""
    return re.sub(r"\d+\.\d+", "", text)


def left_behind() -> set[str]:
    """The files in the current folder, without what Python itself keeps there."""
    return set(os.listdir()) - {"__pycache__"}


def one_line(answer: Answer) -> str:
    """The only line on standard error of a run that failed with exit code 3 and printed nothing else."""
    assert answer.code == 3
    assert answer.out == ""
    (line,) = answer.err.splitlines()
    assert line.startswith("scanproof: ")
    return line


# What the commands do.


def test_help_names_every_command_with_examples(run: Run):
    answer = run("--help")
    assert answer.code == 0
    for name in ("check", "show", "list", "trust", "attack", "errata"):
        assert f"\n  {name} " in answer.out
        assert "Examples:" in run(name, "--help").out


def test_no_command_prints_the_help(run: Run):
    assert run() == run("--help")


def test_version_is_the_package_version(run: Run):
    from scanproof import __version__

    assert run("--version") == (0, f"scanproof {__version__}\n", "")


def test_python_dash_m_scanproof_is_the_command():
    done = subprocess.run(command("--version"), capture_output=True, text=True, check=True)
    assert done.stdout.startswith("scanproof ")


def test_true_claim_of_a_file_is_proved_at_fixed_sizes(run: Run, write: Write):
    answer = run("check", write(TRUE))
    assert answer.code == 0
    assert "mine.linear  proved*" in answer.out
    assert "* proved at fixed sizes" in answer.out


def test_false_claim_of_a_file_exits_1_even_if_mended(run: Run, write: Write):
    answer = run("check", write(TRUE, MENDED))
    assert answer.code == 1
    assert "2 against the claimed 4 at N = 2" in answer.out
    assert "└ +one" in answer.out


def test_line_that_a_source_gets_wrong_exits_0_if_mended(run: Run):
    assert run("check", KNOWN, "--strict").code == 0


def test_unknown_claim_exits_2_only_with_strict(run: Run, write: Write):
    file = write(TRUE, UNKNOWN)
    assert run("check", file).code == 0
    assert run("check", file, "--strict").code == 2


def test_refuted_amendment_exits_1(run: Run, write: Write):
    assert run("check", write(BADLY_MENDED)).code == 1


def test_file_alone_brings_no_built_in_claims(run: Run, write: Write):
    answer = run("check", write(TRUE, UNKNOWN), "--format", "json")
    assert ids(answer.out) == ["mine.linear", "mine.open"]


def test_built_in_source_that_a_file_imports_is_not_the_files_own(run: Run, write: Write):
    imported = "from scanproof.proofs.claims.gd_ssm import SOURCE\n"
    assert ids(run("check", write(TRUE, imported), "--format", "json").out) == ["mine.linear"]
    Path("mine.py").write_text(imported, encoding="utf-8")
    assert "mine.py defines no source of its own" in one_line(run("check", "mine.py"))


def test_file_and_built_in_ids_are_checked_together(run: Run, write: Write):
    answer = run("check", write(TRUE), KNOWN, "--format", "json")
    assert ids(answer.out) == ["mine.linear", KNOWN]


def test_pattern_picks_among_the_claims_of_a_file(run: Run, write: Write):
    answer = run("check", write(TRUE, UNKNOWN), "mine.l*", "--format", "json")
    assert ids(answer.out) == ["mine.linear"]


def test_amendment_id_selects_its_claim(run: Run):
    assert ids(run("check", f"{KNOWN}+sign", "--format", "json").out) == [KNOWN]


def test_source_option_keeps_that_source_only(run: Run, write: Write):
    answer = run("check", write(TRUE), KNOWN, "--source", "mine", "--format", "json")
    assert ids(answer.out) == ["mine.linear"]


def test_importable_module_is_a_target(run: Run, write: Write):
    write(TRUE, name="inpackage", file="somepackage/claims.py")
    assert ids(run("check", "somepackage.claims", "--format", "json").out) == ["inpackage.linear"]


def test_prints_of_a_claim_file_do_not_mix_with_the_report(run: Run, write: Write):
    answer = run("check", write(TRUE, "print('hello')\n"), "--format", "json")
    assert ids(answer.out) == ["mine.linear"]
    assert answer.err == "hello\n"


def test_engine_option_chooses_the_engine(run: Run, write: Write):
    answer = run("check", write(TRUE), "--engine", "sympy", "--format", "json")
    (claim,) = json.loads(answer.out)["claims"]
    assert {entry["engine"] for entry in claim["as_stated"]["evidence"]} == {"sympy"}


@pytest.mark.parametrize("format", ["table", "json", "junit", "markdown"])
def test_output_file_holds_what_would_have_been_printed(run: Run, write: Write, format: str):
    file = write(UNKNOWN)
    printed = run("check", file, "--format", format)
    written = run("check", file, "--format", format, "--output", "report")
    assert (written.code, written.out) == (0, "")
    assert untimed(Path("report").read_text("utf-8")) == untimed(printed.out)
    assert left_behind() == {"mine.py", "report"}


def test_output_keeps_the_mode_of_the_file_it_replaces(run: Run, write: Write):
    Path("report").write_text("old", encoding="utf-8")
    Path("report").chmod(0o640)
    assert run("check", write(UNKNOWN), "--output", "report").code == 0
    assert stat.S_IMODE(Path("report").stat().st_mode) == 0o640


def test_output_may_be_a_device(run: Run, write: Write):
    assert run("check", write(UNKNOWN), "--output", os.devnull).code == 0
    assert not Path(os.devnull).is_file()


def test_nothing_is_coloured_when_piped(run: Run, write: Write):
    assert "\x1b" not in run("check", write(TRUE, MENDED)).out


def test_list_runs_no_claim(run: Run, write: Write):
    answer = run("list", write(RAISING, MENDED))
    assert answer.code == 0
    assert [line.split()[0] for line in answer.out.splitlines()[2:]] == [
        "mine.raises",
        "mine.square",
        "mine.square+one",
    ]


def test_list_names_the_known_row(run: Run):
    lines = run("list", "--source", "gd-ssm").out.splitlines()
    assert [line.split() for line in lines if line.startswith(f"{KNOWN} ")] == [
        [KNOWN, "construction", "eqs.", "12–16"]
    ]


def test_trust_prints_lines_and_hash_of_the_definitions(run: Run):
    content = Path(constructs.__path__[0], "scan.py").read_bytes()
    lines, digest = str(content.count(b"\n")), hashlib.sha256(content).hexdigest()[:12]
    answer = run("trust")
    assert answer.code == 0
    assert [lines, digest, "constructs/scan.py"] in [
        line.split() for line in answer.out.splitlines()
    ]
    assert "Axioms: none so far." in answer.out
    assert max(map(len, answer.out.splitlines())) <= 100


def test_attack_counts_the_mutants(run: Run, write: Write):
    answer = run("attack", write(TRUE))
    assert answer.code == 0
    assert "1 statements: " in answer.out
    assert answer.out.rstrip().endswith("0 undecided.")


def test_attack_exits_1_if_a_mutant_is_undecided(
    run: Run, write: Write, monkeypatch: pytest.MonkeyPatch
):
    record = {
        "id": "mine.linear",
        "mutants": 2,
        "refuted": 1,
        "equivalent": [],
        "undecided": ["p × 2"],
    }
    monkeypatch.setattr("scanproof.proofs.evidence.attack.attack", lambda rows, progress: [record])
    answer = run("attack", write(TRUE))
    assert answer.code == 1
    assert "p × 2" in answer.out


@pytest.mark.parametrize("format", ["text", "markdown", "latex"])
def test_show_tells_the_story_in_every_format(run: Run, format: str):
    answer = run("show", KNOWN, "--format", format)
    assert answer.code == 0
    for words in ("refuted", "The source says", "Counterexample", "12", "+sign"):
        assert words in answer.out


def test_show_of_an_amendment_shows_that_statement(run: Run):
    answer = run("show", f"{KNOWN}+sign")
    assert answer.out.startswith(f"{KNOWN}+sign: proved at fixed sizes\n")
    assert "Counterexample" not in answer.out


def test_show_json_is_the_claim_of_the_report(run: Run):
    shown = json.loads(run("show", KNOWN, "--format", "json").out)
    (claim,) = json.loads(run("check", KNOWN, "--format", "json").out)["claims"]
    assert shown == claim
    amendment = json.loads(run("show", f"{KNOWN}+sign", "--format", "json").out)
    assert amendment == claim["amended"][0]


def test_show_finds_a_claim_of_a_file_and_where_it_is_written(run: Run, write: Write):
    answer = run("show", "mine.linear", write(TRUE))
    assert answer.code == 0
    assert "Written down in\n    mine.py:" in answer.out


@pytest.mark.parametrize("own", [False, True])
def test_script_runs_alone_and_exits_0(run: Run, write: Write, own: bool):
    target = ["mine.square", write(FALSE)] if own else [KNOWN]
    answer = run("show", *target, "--script")
    assert answer.code == 0
    alone = [sys.executable, "-I", "-S", "-"]
    done = subprocess.run(alone, input=answer.out, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "differ" in done.stdout


def test_errata_are_written_and_then_current(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    only(monkeypatch, KNOWN)
    arguments = ("errata", "--source", "gd-ssm", "--output", "pages")
    assert "is not current" in run(*arguments, "--check").err
    assert run(*arguments) == (0, f"{Path('pages', 'gd-ssm.md')}\n", "")
    assert run(*arguments, "--check") == (0, "", "")
    Path("pages", "gd-ssm.md").write_text("old", encoding="utf-8")
    assert run(*arguments, "--check").code == 1


def only(monkeypatch: pytest.MonkeyPatch, *wanted: str) -> None:
    """Make the built-in ledger a small one, since the whole takes its time."""
    from scanproof.proofs import ledger

    whole = ledger.built_in()
    for source in whole.sources:
        rows = [row for row in source.rows if row.claim.id in wanted]
        monkeypatch.setattr(source, "rows", rows)


# Comparing with a former report.


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
    assert (
        "mine.linear is worse than in former.json: was proved at fixed sizes, is unknown"
        in answer.err
    )


def test_better_verdict_than_in_the_baseline_exits_0(run: Run, write: Write):
    run("check", write(UNKNOWN), "--format", "json", "--output", "former.json")
    now = write(TRUE.replace("linear", "open"))
    assert run("check", now, "--baseline", "former.json").code == 0


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


# What it answers to mistakes.


@pytest.mark.parametrize(
    ("arguments", "complaints"),
    [
        (["check", "gd-ssm.prop1-constructio"], ["'gd-ssm.prop1-constructio'", KNOWN]),
        (["show", "gd-ssm.prop1-constructio"], ["'gd-ssm.prop1-constructio'", KNOWN]),
        (["list", "nothing-like-it"], ["no claim matches 'nothing-like-it'"]),
        (["check", "no/such/file"], ["'no/such/file'"]),
        (["check", "nosuch.py"], ["nosuch.py: no such file"]),
        (["check", "--engine", "foo"], ["--engine foo", "all, sympy, flint"]),
        (["check", "--format", "foo"], ["--format foo", "table, json, junit, markdown"]),
        (["show", KNOWN, "--format", "foo"], ["--format foo", "text, markdown, latex, json"]),
        (["check", "--source", "foo"], ["--source foo", "gd-ssm, gril, ssd, ch9"]),
        (["check", KNOWN, "--source", "gril"], ["--source gril", "none of the claims named"]),
        (["errata", "--output", "pages", "--source", "foo"], ["--source foo"]),
        (["check", "--jobs", "0"], ["--jobs 0", "at least 1"]),
        (["check", "--jobs", "many"], ["--jobs"]),
        (["check", "--nosuch"], ["--nosuch"]),
        (["nosuch"], ["nosuch"]),
        (["show"], ["ID"]),
        (["show", "gd-ssm.*"], ["gd-ssm.*", "not a pattern"]),
        (["show", KNOWN, "--script", "--format", "json"], ["--script", "--format json"]),
        (["show", f"{KNOWN}+sign", "--script"], ["no counterexample", "proved"]),
        (["errata"], ["--output"]),
        (["errata", "--output", "pages", KNOWN], [KNOWN]),
    ],
)
def test_mistaken_call_gets_one_line_that_names_it(
    run: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    complaints: list[str],
):
    monkeypatch.chdir(tmp_path)
    line = one_line(run(*arguments))
    assert all(complaint in line for complaint in complaints), line


@pytest.mark.parametrize("output", ["no/such/folder/report", "."])
def test_output_that_cannot_be_written_is_refused_before_the_work(
    run: Run, write: Write, output: str
):
    file = write(TRUE, "import pathlib; pathlib.Path('ran').touch()\n")
    assert f"--output {output}" in one_line(run("check", file, "--output", output))
    assert not Path("ran").exists()


def test_errata_folder_that_is_a_file_is_refused(run: Run, write: Write):
    line = one_line(run("errata", "--output", write(TRUE)))
    assert "--output mine.py" in line
    assert "it is a file" in line


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("1 / 0\n", "broken.py line 1 raised ZeroDivisionError"),
        ("def f(:\n", "broken.py line 1 raised SyntaxError"),
        ("import nosuchmodule\n", "broken.py line 1 raised ModuleNotFoundError"),
        ("raise SystemExit(0)\n", "broken.py line 1 raised SystemExit"),
        ("x = 1\n", "broken.py defines no claim"),
        (
            "import scanproof\nscanproof.Source('a', title='b').claim('c', says='d')(len)\n",
            "line 2",
        ),
    ],
)
def test_broken_claim_file_is_one_line_and_the_others_run(
    run: Run, write: Write, text: str, complaint: str
):
    file = write(TRUE)
    Path("broken.py").write_text(text, encoding="utf-8")
    assert complaint in one_line(run("check", "broken.py"))
    answer = run("check", "broken.py", file, "--format", "json")
    assert answer.code == 3
    assert ids(answer.out) == ["mine.linear"]
    assert complaint in answer.err


def test_claims_before_the_fault_of_a_file_still_run(run: Run, write: Write):
    answer = run("check", write(TRUE, "1 / 0\n"), "--format", "json")
    assert answer.code == 3
    assert ids(answer.out) == ["mine.linear"]
    assert "raised ZeroDivisionError" in answer.err


@pytest.mark.parametrize(
    ("claim", "complaint"),
    [
        (RAISING, "mine.raises: the claim raised ValueError: first line second line"),
        (EXITING, "mine.exits: the claim raised SystemExit: 0"),
        (UNMEETABLE, "mine.never: no inputs were found that meet: N < 0"),
    ],
)
def test_claim_in_error_is_one_line_and_the_others_run(
    run: Run, write: Write, claim: str, complaint: str
):
    answer = run("check", write(claim, TRUE), "--format", "json")
    assert answer.code == 3
    assert answer.err == f"scanproof: {complaint}\n"
    verdicts = [c["as_stated"]["verdict"] for c in json.loads(answer.out)["claims"]]
    assert verdicts == ["error", "proved"]


def test_nothing_to_check_leaves_a_former_output_as_it_was(run: Run, write: Write):
    write(TRUE)
    Path("report").write_text("old", encoding="utf-8")
    assert run("check", "nosuch.py", "--output", "report").code == 3
    assert Path("report").read_text("utf-8") == "old"


def test_bug_in_the_tool_is_one_line_too(run: Run, write: Write, monkeypatch: pytest.MonkeyPatch):
    def broken(*args: object, **options: object) -> None:
        raise RuntimeError("something\nbroke")

    monkeypatch.delenv("SCANPROOF_TRACEBACK", raising=False)
    monkeypatch.setattr("scanproof.proofs.check.check", broken)
    line = one_line(run("check", write(TRUE)))
    assert "a bug of scanproof: RuntimeError: something broke" in line


# Signals and pipes.

SLOW = """
    import pathlib, time

    @definition
    def wait(x):
        pathlib.Path("started").touch()
        time.sleep(60)
        return x

    for number in range(COUNT):
        @paper.claim("{name}." + str(number), says="x", given=dict(x=""))
        def body(x):
            return equal(wait(x), x)
"""


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize("count", [1, 8], ids=["one process", "workers"])
def test_interrupt_exits_130_without_a_word_or_a_file(write: Write, count: int):
    file = write(SLOW.replace("COUNT", str(count)))
    process = subprocess.Popen(
        command("check", file, "--jobs", "2", "--output", "report"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    deadline = time.monotonic() + 60
    while not Path("started").exists():
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to the parent and its workers
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (130, "", "")
    assert left_behind() == {file, "started"}


@pytest.mark.skipif(os.name == "nt", reason="pipes of POSIX")
def test_reader_that_stops_reading_is_no_error(write: Write):
    process = subprocess.Popen(
        command("check", write(TRUE)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()
    assert process.stderr.read() == ""
    process.stderr.close()
    assert process.wait(timeout=60) == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("option", [[], ["--output", "/dev/full"]])
def test_full_disk_is_one_line(write: Write, option: list[str]):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            command("check", write(TRUE), *option), stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert done.returncode == 3
    (line,) = done.stderr.splitlines()
    assert "No space left" in line
