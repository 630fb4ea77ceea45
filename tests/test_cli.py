"""The command line: its help, and the commands `list`, `trust`, `attack` and `errata`."""

import hashlib
import json
import subprocess
from pathlib import Path

import pytest
from command_line import KNOWN, MENDED, RAISING, TRUE, Run, Write, command
from rich.cells import cell_len

from scanproof import constructs


@pytest.mark.long
def test_help_names_every_command_with_examples(run: Run):
    answer = run("--help")
    assert answer.code == 0
    for name in ("check", "show", "list", "trust", "attack", "errata", "bench"):
        assert f"\n  {name} " in answer.out
        assert "Examples:" in run(name, "--help").out


def test_no_command_prints_the_help(run: Run):
    assert run() == run("--help")


def test_version_is_the_package_version(run: Run):
    from scanproof import __version__

    assert run("--version") == (0, f"scanproof {__version__}\n", "")


@pytest.mark.long
def test_python_dash_m_scanproof_is_the_command():
    done = subprocess.run(command("--version"), capture_output=True, text=True, check=True)
    assert done.stdout.startswith("scanproof ")


@pytest.mark.long
def test_list_runs_no_claim(run: Run, write: Write):
    answer = run("list", write(RAISING, MENDED))
    assert answer.code == 0
    assert [line.split()[0] for line in answer.out.splitlines()] == [
        "mine.raises",
        "mine.square",
        "mine.square+one",
    ]


def test_list_says_in_a_line_where_and_what_a_claim_says(run: Run):
    lines = run("list", "--source", "gd-ssm").out.splitlines()
    (known,) = [line for line in lines if line.startswith(f"{KNOWN} ")]
    assert known.split(maxsplit=1)[1].startswith("eqs. 12–16: ")
    (claim,) = json.loads(run("list", KNOWN, "--format", "json").out)["claims"][:1]
    assert known.endswith(claim["says"]) and claim["where"] == "eqs. 12–16"


@pytest.mark.parametrize("width", [100, 60, 50])
def test_list_cuts_lines_at_the_terminal_and_no_ids(
    run: Run, monkeypatch: pytest.MonkeyPatch, width: int
):
    whole = run("list", "--source", "gd-ssm").out.splitlines()
    monkeypatch.setattr("scanproof._output.terminal_columns", lambda: width)
    narrow = run("list", "--source", "gd-ssm").out.splitlines()
    assert max(map(cell_len, narrow)) <= width
    ids = [line.split()[0] for line in whole]
    assert [line.split()[0] for line in narrow if not line.startswith(" ")] == ids


@pytest.mark.long
def test_trust_prints_lines_and_hash_of_the_definitions(run: Run):
    content = Path(constructs.__path__[0], "arrays", "scan.py").read_bytes()
    lines, digest = str(content.count(b"\n")), hashlib.sha256(content).hexdigest()[:12]
    answer = run("trust")
    assert answer.code == 0
    assert [lines, digest, "constructs/arrays/scan.py"] in [
        line.split() for line in answer.out.splitlines()
    ]
    for reader in (
        "proofs/kernel/rules.py",
        "proofs/interpret/array.py",
        "proofs/doors/jaxpr/lowering.py",
    ):
        assert reader in answer.out
    assert "Axioms: d exp(z) = exp(z) dz; " in answer.out
    assert max(map(len, answer.out.splitlines())) <= 100


def test_attack_counts_the_mutants(run: Run, write: Write):
    answer = run("attack", write(TRUE))
    assert answer.code == 0
    assert "1 statements: " in answer.out
    assert answer.out.rstrip().endswith("0 undecided.")


@pytest.mark.long
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
    monkeypatch.setattr("scanproof.proofs.decide.attack.attack", lambda rows, progress: [record])
    answer = run("attack", write(TRUE))
    assert answer.code == 1
    assert "p × 2" in answer.out


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
    from scanproof.proofs.decide import ledger

    whole = ledger.built_in()
    for source in whole.sources:
        rows = [row for row in source.rows if row.claim.id in wanted]
        monkeypatch.setattr(source, "rows", rows)
