"""The kernel by itself: `python -m scanproof_checker` checks written proofs in another process, without scanproof."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from scanproof.proofs import kernel
from scanproof.proofs.check.all_sizes import Found, find
from scanproof.proofs.check.certificate import Argument
from scanproof.proofs.check.certificate_file import written
from scanproof.proofs.decide.ledger import built_in

IDS = ("gril.eq10", "gril.prop4.1-construction", "ssd.thm5.2-eq12+P_Y")
CLAIMS = {c.id: c for row in built_in().rows for c in (row.claim, *row.amendments)}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("certificates")
    for id in IDS:
        found = find(CLAIMS[id])
        assert isinstance(found, Found), found
        (path / f"{id}.json").write_text(
            written(Argument(id, (found.certificate,))), encoding="utf-8"
        )
    return path


def checker(tmp_path: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    """The kernel's folder under its own name, run where no scanproof is to be found."""
    alone = tmp_path / "scanproof_checker"
    if not alone.exists():
        alone.symlink_to(Path(kernel.__file__).resolve().parent)
    run = (
        "import runpy, sys; sys.path.insert(0, sys.argv.pop(1)); "
        "runpy.run_module('scanproof_checker', run_name='__main__')"
    )
    command = [sys.executable, "-I", "-S", "-c", run, str(tmp_path), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True)


def test_it_shows_what_was_found_and_says_it_in_words(folder: Path, tmp_path: Path):
    done = checker(tmp_path, folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert "For all whole numbers N ≥ 1" in done.stdout
    assert done.stdout.splitlines()[-1] == "3 theorems shown, 0 proofs refused."


def test_it_refuses_a_proof_of_something_else(folder: Path, tmp_path: Path):
    value = json.loads((folder / "gril.eq10.json").read_text())
    (statement,) = value["by"][0]["equations"]["problem"]["statements"]
    statement[1][1][0][0] = "17"
    (tmp_path / "false.json").write_text(json.dumps(value))
    done = checker(tmp_path, "--quiet", tmp_path / "false.json", folder)
    assert done.returncode == 1
    assert "false.json: equations refused: theorem" in done.stdout
    assert done.stdout.splitlines()[-1] == "3 theorems shown, 1 proofs refused."


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "not JSON"),
        ("[]", "expected an object"),
        ("{}", "no written proof"),
        ("[" * 200, "nested"),
    ],
)
def test_a_file_that_is_no_proof_is_one_line(tmp_path: Path, text: str, why: str):
    (tmp_path / "broken.json").write_text(text)
    done = checker(tmp_path, tmp_path / "broken.json")
    assert (done.returncode, done.stderr) == (1, "")
    assert f"refused: {why}" in done.stdout or why in done.stdout


def test_a_mistake_in_the_call_exits_3(tmp_path: Path):
    assert checker(tmp_path).returncode == 3
    (tmp_path / "empty").mkdir()
    assert checker(tmp_path, tmp_path / "empty").returncode == 3
