"""Programs that stop, or never do, are one line of `prove`, with the exit code of a mistake or of their verdict."""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
import threading
import time
from pathlib import Path
from textwrap import dedent

import pytest
from command_line import command

from scanproof import UsageError
from scanproof.proofs.decide.budget import Budget, Stopped, stopping
from scanproof.proofs.decide.proving import prove
from scanproof.proofs.language import place

pytest.importorskip("jax")
pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals and forks of POSIX")

MODULE = "jax_programs_that_stop"
TIME = "not decided within 15 s, the time limit: stopped at "
LATER = TIME.replace("15", "80")
MEMORY = "not decided within (500 MB of memory|the memory that the machine has).*: stopped at "
TRACED = rf"tracing {MODULE}:\w+, n = 3"
LINE = rf", {MODULE}.py:\d+; try smaller sizes, or a higher limit"
UNKNOWN, PROVED, REFUTED, MISTAKE = 0, 0, 1, 3
CASES = {
    "never_ends": (UNKNOWN, TIME + TRACED + LINE),
    "sleeps": (UNKNOWN, TIME + TRACED + LINE),
    "sleeps_at_two": (UNKNOWN, rf"{LATER}.*n = 2{LINE}"),
    "catches_all": (UNKNOWN, TIME + TRACED + LINE),
    "lets_no_thread_run": (UNKNOWN, TIME + TRACED),
    "grows": (UNKNOWN, MEMORY + TRACED + LINE),
    "is_large": (UNKNOWN, rf"{MEMORY}random numbers, n = 1"),
    "asks_for_numbers": (REFUTED, "asks_for_numbers = .*: refuted, in float64"),  # as it runs
    "leaves": (MISTAKE, rf"\(n = 3\) as JAX traces it: SystemExit: 0 at {MODULE}.py:\d+"),
    "ends_the_process": (
        MISTAKE,
        "the process in which they ran ended with exit code 0; a program",
    ),
    "is_killed": (MISTAKE, "the process in which they ran ended with signal SIGKILL; a program"),
    "interrupts": (MISTAKE, rf"it does not run: KeyboardInterrupt at {MODULE}.py:\d+"),
    "raises_its_own": (MISTAKE, rf"it does not run: Mine at {MODULE}.py:\d+"),
    "raises_at_two": (MISTAKE, "at n = 2 it does not run: ValueError: two rows at"),
    "prints": (MISTAKE, "prints while JAX traces it; a program that is proved must only compute"),
    "writes": (MISTAKE, r"\(n = 3\) as JAX traces it: TypeError: JAX arrays are immutable"),
    "number_at_one": (REFUTED, "the two return arrays of other shapes at n=1"),
    "text_at_two": (MISTAKE, "at n = 2 it does not run: it returns a str; expected arrays"),
    "nothing_at_two": (MISTAKE, "at n = 2 it does not run: it returns nothing; expected an array"),
    "object_at_two": (MISTAKE, "at n = 2 it does not run: it returns an object; expected arrays"),
    "pair_at_two": (MISTAKE, "returns 2 arrays, and .* 1"),
    "forks": (PROVED, "forks = .*: proved"),
    "starts_a_thread": (PROVED, "starts_a_thread = .*: proved"),
}


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(Path(__file__).parent)


@pytest.mark.sample(2)
@pytest.mark.long
@pytest.mark.parametrize("name", CASES)
def test_a_program_that_stops_is_one_line(name: str):
    code, said = CASES[name]
    line = command("prove", f"{MODULE}:{name}", "--equals", f"{MODULE}:twice", "--shapes", "x: n")
    seconds = "15" if TIME in said else "80" if LATER in said else "60"
    limits = ["--time-limit", seconds, "--memory-limit", "500M"]
    done = subprocess.run([*line, *limits], capture_output=True, text=True, timeout=240)
    shown = done.stdout + done.stderr
    assert (done.returncode, bool(re.search(said, shown))) == (code, True), shown
    assert len(shown.splitlines()) <= (1 if code == MISTAKE else 6)
    assert "Traceback" not in shown and "bug of scanproof" not in shown


@pytest.mark.long
@pytest.mark.parametrize("in_main", [True, False])
def test_prove_as_a_call_ends_in_time_in_any_thread(in_main: bool):
    found = []

    def call() -> None:
        options = {"shapes": "x: n", "equals": f"{MODULE}:twice"}
        found.append(prove(f"{MODULE}:never_ends", **options, time_limit=2).result)
        found.append(prove(f"{MODULE}:twice", **options, time_limit=50).result)

    began = time.monotonic()
    if in_main:
        call()
    else:
        thread = threading.Thread(target=call)
        thread.start()
        thread.join()
    assert time.monotonic() - began < 60
    assert [one.verdict for one in found] == ["unknown", "proved"]
    assert re.match(r"not decided within 2 s, .*:\d+; try", str(found[0].reason))


@pytest.mark.parametrize(
    "limit", [{"time_limit": 0}, {"memory_limit": "0"}, {"memory_limit": "much"}]
)
def test_limits_of_prove_must_be_amounts(limit: dict):
    with pytest.raises(UsageError, match=r"prove: (time|memory)_limit = .*: give"):
        prove(f"{MODULE}:twice", shapes="x: n", equals=f"{MODULE}:twice", **limit)


@pytest.mark.parametrize("in_main", [True, False])
def test_a_limit_that_is_hit_while_a_library_is_imported_breaks_no_later_import(
    in_main: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    folder = tmp_path / "slow_library"
    folder.mkdir()
    slowly = "import time\nend = time.monotonic() + 0.4\nwhile time.monotonic() < end: pass\n"
    (folder / "__init__.py").write_text(f"import slow_library.part\n{slowly}")
    (folder / "part.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(place, "_libraries", lambda: {tmp_path.resolve()})
    stopped = []

    def call() -> None:
        try:
            with stopping(Budget(0.05)):
                importlib.import_module("slow_library")
                while True:
                    pass
        except Stopped as error:
            stopped.append(error.hit)

    thread = threading.Thread(target=call)
    run = [call] if in_main else [thread.start, thread.join]
    for step in run:
        step()
    library = importlib.import_module("slow_library")
    assert stopped and hasattr(library, "part")
    for name in ("slow_library", "slow_library.part"):
        sys.modules.pop(name)


def test_a_block_that_was_limited_in_a_thread_leaves_nothing_on_which_a_debugger_hangs():
    """CPython 3.11 loops for ever in a traced call while it believes that a thread has to be interrupted."""
    text = """
        import sys, threading
        from scanproof.proofs.decide.budget import Budget, stopping

        def limited():
            with stopping(Budget(50)):
                pass

        thread = threading.Thread(target=limited)
        thread.start()
        thread.join()
        sys.setprofile(lambda *_: None)
        (lambda: None)()
    """
    subprocess.run([sys.executable, "-c", dedent(text)], check=True, timeout=60)
