"""The scripts of docs/examples run, and docs/export.md shows what they and the commands on it print."""

import contextlib
import importlib.util
import io
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from scanproof import _main

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "docs" / "examples"
SCRIPTS = sorted(set(EXAMPLES.glob("*.py")) - {EXAMPLES / "sharded.py"})
"""All but the one for several machines, which `tests/test_ops_sharded.py` runs in two processes."""
PAGE = (ROOT / "docs" / "export.md").read_text(encoding="utf-8")
SHOWN = dict(re.findall(r"```console\n\$ ([^\n]*)\n(.*?)```", PAGE, re.S))
DIGITS = 1e-5
"""By how much a number may be another on another machine: the prompts' predictions are of order 1."""


def run(command: str, folder: Path) -> str:
    """What a command prints, in the folder; `python docs/examples/…` is run where it is."""
    first, *words = shlex.split(command)
    if first == "scanproof":  # in this process, which has imported what it takes
        with contextlib.chdir(folder), contextlib.redirect_stdout(io.StringIO()) as told:
            assert _main.run(words) == 0, command
        return told.getvalue()
    words = [str(ROOT / word) if word.startswith("docs/") else word for word in words]
    done = subprocess.run(
        [sys.executable, *words], capture_output=True, encoding="utf-8", cwd=folder, check=False
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def commands(script: Path) -> list[str]:
    """The commands in the docstring of a script; the last runs it."""
    docstring = script.read_text(encoding="utf-8").split('"""')[1]
    return re.findall(r"^(?:scanproof|python) .*$", docstring, re.M)


def needs(script: Path) -> None:
    """Skip if a package is missing."""
    text = script.read_text(encoding="utf-8")
    for package in re.findall(r"^(?:import|from) (\w+)", text, re.M):
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"{script.name} needs {package}")


def same(printed: str, shown: str) -> bool:
    """Whether two texts have the same words, numbers up to `DIGITS`."""
    words, others = (re.split(r"[\s\[\](),;]+", text.strip()) for text in (printed, shown))
    return len(words) == len(others) and all(map(alike, words, others))


def bounds(text: str) -> list[str]:
    """The certificates' figures, which are the same everywhere."""
    return re.findall(r"bound(?: \|.*≤)? ([\d.]+(?:e[+-]\d+)?)", text)


def alike(word: str, other: str) -> bool:
    try:
        return abs(float(word) - float(other)) <= DIGITS
    except ValueError:
        return word == other


@pytest.mark.long
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_a_script_prints_what_the_page_shows_and_keeps_its_bound(script, tmp_path):
    needs(script)
    *before, last = commands(script)
    for command in before:
        run(command, tmp_path)
    printed = run(last, tmp_path)
    assert same(printed, SHOWN[last]) and bounds(printed) == bounds(SHOWN[last]), printed
    differences = re.findall(r"differ by\D*([\d.]+e[+-]\d+)", printed)
    assert all(
        float(found) <= float(bounds(printed)[0]) for found in differences if bounds(printed)
    )


@pytest.mark.long
@pytest.mark.parametrize("command", [c for c in SHOWN if c.startswith("scanproof")])
def test_a_command_prints_what_the_page_shows(command, tmp_path):
    for before in SHOWN:  # which makes the folder that it is about
        if "--output" in before and shlex.split(before)[-1] in shlex.split(command)[2:3]:
            run(before, tmp_path)
    printed = run(command, tmp_path)
    assert same(printed, SHOWN[command]) and bounds(printed) == bounds(SHOWN[command]), printed


def test_every_script_is_on_the_page():
    assert {commands(script)[-1] for script in SCRIPTS} == {
        command for command in SHOWN if command.startswith("python")
    }
    for script in SCRIPTS:
        assert f"docs/examples/{script.name} " in commands(script)[-1]


def test_versions_that_exports_name_are_those_of_make_test_export():
    from scanproof.numeric.export.targets import TARGETS

    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    pinned: dict[str, set[str]] = {}
    for package, version in re.findall(r"\b([a-z-]+)==([\w.]+)", makefile):
        pinned.setdefault(package, set()).add(version)
    for target in TARGETS.values():
        for package in target.tested.keys() & pinned:
            assert set(target.tested[package]) <= pinned[package], target.name
