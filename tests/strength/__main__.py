"""`make test-strength`: plants single faults in a copy of the tree, one at a time, and asks whether `make test` fails.

Usage: python -m strength [NUMBER ...]: all faults, or those of these numbers; 0 is none, with which the tests pass.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from strength.faults import SEED, Fault, drawn
from strength.related import ROOMS, nearest

ROOT = Path(__file__).resolve().parents[2]
COUNT, GOAL = 40, 37
PATIENCE = 1800
"""Seconds after which the tests of a tree with a fault count as failed."""
NOTHING_RUN = 5
"""Exit code of pytest where all that was named is long."""
NO_CHANGE = Path(__file__).parent / "no_change.txt"
"""Faults that change nothing that anybody can see, each with the reason: `fault # reason`."""


def main(numbers: list[int]) -> int:
    """Tell of each fault whether it was caught, and by what; 0 if enough were."""
    faults: list[Fault | None] = [None, *drawn(ROOT, COUNT)]
    excused = _excused()
    caught = harmless = tried = 0
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "scanproof"
        _copy(tree)
        for number in numbers or range(COUNT + 1):
            fault = faults[number]
            started = time.monotonic()
            failed = _failed(tree, fault)
            seconds = time.monotonic() - started
            if fault is None:
                print(f"{number:2} no fault: {failed or 'passed'} ({seconds:.0f} s)", flush=True)
                if failed:
                    print("The tests fail as they are: nothing can be said of faults.")
                    return 1
                continue
            tried += 1
            caught += failed is not None
            harmless += failed is None and fault.name in excused
            said = f"caught by {failed}" if failed else excused.get(fault.name, "NOT CAUGHT")
            print(
                f"{number:2} {fault.name} (line {fault.line})\n   {said} ({seconds:.0f} s)",
                flush=True,
            )
    print(f"seed {SEED}: {caught} of {tried} caught, {harmless} change nothing")
    return int(tried - caught - harmless > COUNT - GOAL)


def _excused() -> dict[str, str]:
    lines = NO_CHANGE.read_text(encoding="utf-8").splitlines()
    pairs = (line.split(" # ", 1) for line in lines if line)
    return {name: f"changes nothing: {reason}" for name, reason in pairs}


def _copy(tree: Path) -> None:
    """The files that git knows, as they are here, and the package as links to its folders, as it is installed."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    for name in filter(None, listed.stdout.decode().split("\0")):
        if (ROOT / name).is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, tree / name)
    package = tree / "build" / "package" / "scanproof"
    package.mkdir(parents=True)
    for part in (*(tree / "cli").iterdir(), *(tree / room for room in sorted(ROOMS))):
        (package / part.name).symlink_to(part)


def _failed(tree: Path, fault: Fault | None) -> str | None:
    """The first test that fails with the fault, if one does."""
    if fault is None:
        return _first_failure(tree, ["-n", "auto"])
    path = tree / fault.path
    text = path.read_bytes()
    first, every = nearest(tree, fault.path)
    try:
        path.write_bytes(fault.planted(text))
        return _first_failure(tree, first) or _first_failure(tree, ["-n", "auto", *every])
    finally:
        path.write_bytes(text)


def _first_failure(tree: Path, arguments: list[str]) -> str | None:
    command = [sys.executable, "-m", "pytest", "-x", "-q", "--no-header", *arguments]
    package = os.pathsep.join([str(tree / "build" / "package"), str(tree / "tests")])
    try:
        done = subprocess.run(
            command,
            cwd=tree,
            env={**os.environ, "PYTHONPATH": package},
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
    except subprocess.TimeoutExpired:
        return f"the tests, which do not end in {PATIENCE} s"
    if done.returncode in (0, NOTHING_RUN):
        return None
    lines = done.stdout.splitlines() + done.stderr.splitlines()
    told = [line for line in lines if line.startswith(("FAILED ", "ERROR "))]
    return (told or lines or ["no word"])[0 if told else -1][:200]


if __name__ == "__main__":
    sys.exit(main([int(number) for number in sys.argv[1:]]))
