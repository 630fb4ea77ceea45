"""The pages that a reader meets first are true: their output, findings, code and links, and the errata."""

import re
import shlex
import sys
from pathlib import Path

import pytest
from command_line import Run

import scanproof
from scanproof.numeric.bench.report import ACCURACY

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
PROVE, RUN, EXPORT, COMMANDS, FINDINGS, CI, TUTORIAL, LANGUAGE = (
    (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
    for name in ("prove", "run", "export", "commands", "findings", "ci", "tutorial", "language")
)
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
CONSOLE = re.findall(
    r"```console\n\$ (scanproof [^\n]*)\n(.*?)```", README + PROVE + CI + TUTORIAL, re.S
)


FILES = (
    ("attention", README, "def recurrent("),
    ("mypaper", LANGUAGE, "mypaper.eq2"),
    ("mymodule", PROVE, "def forward("),
    ("mystep", TUTORIAL, "def layer("),
    ("mylayer", TUTORIAL, "Source("),
)
"""The files that console examples speak of, each with the page that shows it, and a word in it."""


def python_of(page: str, marker: str) -> str:
    """The one block of Python on the page with this text in it."""
    blocks = re.findall(r"```python\n(.*?)```", page, re.S)
    (block,) = [code for code in blocks if marker in code]
    return block


def without_seconds(text: str) -> str:
    """The words of a text, without running times and line numbers, which move."""
    text = re.sub(r"\(\d+\.\d s\)", "(… s)", " ".join(text.split()))
    return re.sub(r"\.py:\d+", ".py", text)


@pytest.mark.long
@pytest.mark.parametrize(("command", "printed"), CONSOLE)
def test_a_page_s_output_is_what_the_command_prints(
    command, printed, tmp_path, run: Run, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    for name, page, marker in FILES:
        (tmp_path / f"{name}.py").write_text(python_of(page, marker), encoding="utf-8")
    monkeypatch.setitem(sys.modules, "mymodule", None)  # and is forgotten after the test
    del sys.modules["mymodule"]
    answer = run(*shlex.split(command)[1:])
    assert without_seconds(answer.out) == without_seconds(printed)


def test_readme_s_summary_is_that_of_the_whole_ledger(report):
    found = without_seconds(README)
    summary = report["summary"]
    scopes = [row["as_stated"]["scope"] for row in report["claims"]]
    everywhere = scopes.count("all-sizes")
    assert (
        f"{sum(summary.values())} claims: {everywhere} proved, {summary['proved'] - everywhere} proved*, "
        f"{summary['supported']} supported, {summary['refuted']} refuted" in found
    )
    amendments = sum(len(row["amended"]) for row in report["claims"])
    assert f"{amendments} of {amendments} amendments proved" in found


def test_findings_are_refuted_and_their_amendments_proved(report):
    rows = {row["id"]: row for row in report["claims"]}
    findings = re.findall(r"^\| `([a-z0-9-]+\.[^`]+)` \|.*\| ([^|]*)\|$", FINDINGS, re.M)
    assert len(findings) > 5
    for id, mends in findings:
        assert rows[id]["as_stated"]["verdict"] == "refuted", id
        proved = {a["id"] for a in rows[id]["amended"] if a["verdict"] == "proved"}
        assert {f"{id}{suffix}" for suffix in re.findall(r"`(\+[^`]+)`", mends)} <= proved, id


def test_rows_that_the_findings_say_hold_are_proved(report):
    rows = {row["id"]: row["as_stated"]["verdict"] for row in report["claims"]}
    ids = re.findall(r"\(`([a-z0-9-]+\.[^`]+)`", FINDINGS)
    assert len(ids) > 3
    for id in ids:
        assert rows[id] == "proved", id


def printed(code: str, capsys: pytest.CaptureFixture[str]) -> list[str]:
    exec(compile(code, "page", "exec"), {})
    return capsys.readouterr().out.splitlines()


@pytest.mark.long
def test_the_page_s_fast_form_agrees_with_the_scan(capsys):
    (difference,) = printed(python_of(RUN, "import chunked"), capsys)
    assert 0 < float(difference) < 2 * ACCURACY["float32"]  # both lanes are that close to float64


def test_the_page_s_construction_is_printed(capsys):
    shapes, mixing = printed(python_of(COMMANDS, "scanproof.construct("), capsys)
    assert "'gate': (8, 8)" in shapes
    assert mixing == "Matrix([[0, 0, 0], [1, 0, 0], [0, 0, 0]])"


def test_the_page_s_export_predicts_what_gradient_descent_does(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (difference,) = printed(python_of(EXPORT, 'scanproof.export("gril'), capsys)
    assert float(difference) < 1e-14


def test_the_page_of_the_api_has_every_public_name():
    page = (ROOT / "docs" / "_site" / "texts" / "api.md").read_text(encoding="utf-8")
    named = set(re.findall(r"^\.\. auto\w+:: scanproof\.(\w+)$", page, re.M))
    assert named == set(scanproof.__all__) - {"__version__"}


def test_the_tutorial_s_mend_makes_its_claim_true(tmp_path, run: Run, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = python_of(TUTORIAL, "Source(")
    assert "state = state - eta * y * x" in text
    mended = text.replace("state - eta * y * x", "state + eta * y * x")
    (tmp_path / "mylayer.py").write_text(mended, encoding="utf-8")
    answer = run("check", "mylayer.py")
    assert answer.code == 0 and "mine.one-step  proved" in answer.out
    assert "Σ_{i < t} x[i, a] y[i]" in run("show", "mylayer.py", "mine.one-step").out


@pytest.mark.long
def test_the_tutorial_s_mend_makes_its_program_what_it_is_to_be(tmp_path, run: Run, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = python_of(TUTORIAL, "def layer(")
    assert "w - eta * y * x" in text
    Path("mystep.py").write_text(text.replace("w - eta * y * x", "w + eta * y * x"), "utf-8")
    shapes = "x: N f, y: N, eta:"
    answer = run("prove", "mystep.py:layer", "--shapes", shapes, "--equals", "mystep.py:descent")
    assert f"```text\n{answer.out}```" in TUTORIAL


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_lead_to_files(page: Path):
    prose = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", prose):
        assert (page.parent / target).exists(), target
