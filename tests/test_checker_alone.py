"""The kernel by itself: `python -m scanproof_checker` checks written proofs in another process, without scanproof."""

import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from scanproof.proofs import inequalities, kernel

CLAIMS = Path(kernel.__file__).parents[1] / "claims"
IDS = ("gril.eq10", "gril.prop4.1-construction", "ssd.thm5.2-eq12+P_Y")
PATIENCE = 120
"""Seconds after which a check of a few small proofs does not end."""
BOUNDS = ("open.mask-decays-at-most-1", "ssd.thm5.2-qnorm")


def stored(ids: Iterable[str], path: Path) -> Path:
    """The folder, with the certificates of these claims."""
    for id in ids:
        (stored_file,) = CLAIMS.glob(f"*/certificates/{id}.json")
        (path / stored_file.name).write_bytes(stored_file.read_bytes())
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return stored(IDS, tmp_path_factory.mktemp("certificates"))


def checker(tmp_path: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    """The kernel's folder under its own name, run where no scanproof is to be found."""
    return alone(tmp_path, "scanproof_checker", {"scanproof_checker": kernel}, *arguments)


def with_bounds(tmp_path: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    """The two folders beside each other."""
    folders = {"two/kernel": kernel, "two/inequalities": inequalities}
    return alone(tmp_path, "two.inequalities", folders, *arguments)


def alone(
    tmp_path: Path, module: str, folders: dict[str, Any], *arguments: object
) -> subprocess.CompletedProcess[str]:
    for name, package in folders.items():
        place = tmp_path / name
        place.parent.mkdir(exist_ok=True)
        if not place.exists():
            place.symlink_to(Path(package.__file__).resolve().parent)
    run = (
        "import runpy, sys; sys.path.insert(0, sys.argv.pop(1)); "
        f"runpy.run_module({module!r}, run_name='__main__')"
    )
    command = [sys.executable, "-I", "-S", "-c", run, str(tmp_path), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)


def test_it_shows_what_was_found_and_says_it_in_words(folder: Path, tmp_path: Path):
    done = checker(tmp_path, folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert "For all whole numbers N ≥ 1" in done.stdout
    assert done.stdout.splitlines()[-1] == "3 theorems shown, 0 proofs refused."


@pytest.fixture(scope="module")
def bounds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return stored(BOUNDS, tmp_path_factory.mktemp("bounds"))


def test_bounds_are_shown_and_said_in_words(folder: Path, bounds: Path, tmp_path: Path):
    done = with_bounds(tmp_path, folder, bounds)
    assert (done.returncode, done.stderr) == (0, "")
    assert "if ‖x[i₄, i₅]‖_{i₅} ≤ C   (0 ≤ i₄ < m, 0 ≤ i₅ < d) — ‖x_i‖ ≤ C" in done.stdout
    assert "1/'9: what it is the inverse of is not 0" in done.stdout
    assert "⊢ |" in done.stdout and "⊢ ‖" in done.stdout
    assert done.stdout.splitlines()[-1] == "5 theorems shown, 0 proofs refused."


@pytest.mark.long
def test_without_inequalities_the_equations_of_bounds_are_shown(bounds: Path, tmp_path: Path):
    done = checker(tmp_path, "--quiet", bounds)
    assert done.returncode == 0
    assert done.stdout.count("equations of bounds") == len(BOUNDS)


def test_a_bound_that_is_half_of_it_is_refused(bounds: Path, tmp_path: Path):
    value = json.loads((bounds / "ssd.thm5.2-qnorm.json").read_text())
    value["by"][-1]["bounds"]["goals"][0][3][1][0][0] = "1/2"
    (tmp_path / "false.json").write_text(json.dumps(value))
    done = with_bounds(tmp_path, "--quiet", tmp_path / "false.json")
    assert (done.returncode, done.stderr) == (1, "")
    assert "false.json: bounds refused: bounds: another inequality" in done.stdout


@pytest.mark.long
def test_a_certificate_that_settles_a_claim_otherwise_is_no_proof_and_no_mistake(tmp_path: Path):
    text = '{"format":"scanproof.certificate/2","is":"refutation","claim":"a.b","by":{},"near_misses":[]}'
    (tmp_path / "a.b.json").write_text(text)
    done = checker(tmp_path, tmp_path / "a.b.json")
    assert done.returncode == 0
    assert "nothing is said of all sizes" in done.stdout


def test_it_refuses_a_proof_of_something_else(folder: Path, tmp_path: Path):
    value = json.loads((folder / "gril.eq10.json").read_text())
    (statement,) = value["by"][-1]["equations"]["problem"]["statements"]
    statement[1][1][0][0] = "17"
    (tmp_path / "false.json").write_text(json.dumps(value))
    done = checker(tmp_path, "--quiet", tmp_path / "false.json", folder)
    assert done.returncode == 1
    assert "false.json: equations refused: theorem" in done.stdout
    assert done.stdout.splitlines()[-1] == "3 theorems shown, 1 proof refused."


@pytest.mark.long
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


@pytest.mark.long
def test_a_mistake_in_the_call_exits_3(tmp_path: Path):
    assert checker(tmp_path).returncode == 3
    (tmp_path / "empty").mkdir()
    assert checker(tmp_path, tmp_path / "empty").returncode == 3


@pytest.mark.long
def test_it_is_one_file_that_any_python_runs(folder: Path, bounds: Path, tmp_path: Path):
    root = Path(__file__).resolve().parents[1]
    subprocess.run(["make", "checker"], cwd=root, check=True, capture_output=True)
    packed = tmp_path / "checker.pyz"
    packed.write_bytes((root / "build" / "scanproof_checker.pyz").read_bytes())

    def run(*arguments: object) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-I", "-S", str(packed), *map(str, arguments)]
        return subprocess.run(
            command, capture_output=True, text=True, cwd=tmp_path, timeout=PATIENCE
        )

    done = run("--quiet", folder, bounds)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-1] == "5 theorems shown, 0 proofs refused."
    cut = tmp_path / "cut.json"
    cut.write_bytes((folder / f"{IDS[0]}.json").read_bytes()[:-100])
    assert run(cut).returncode == 1
    missing = run(tmp_path / "missing.json")
    assert (missing.returncode, missing.stderr.count("\n")) == (3, 1)
