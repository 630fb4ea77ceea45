"""Workers: what a claim's body does to its process costs its own row alone."""

import faulthandler
import multiprocessing
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import command_line
import numpy as np
import pytest
from command_line import TRUE, UNKNOWN, Run, Write, command

from scanproof import Ledger, Source, UsageError, definition, equal
from scanproof.proofs.decide import budget, workers
from scanproof.proofs.decide.budget import GRACE
from scanproof.proofs.decide.row_verdicts import check
from scanproof.proofs.decide.workers import run as run_tasks

pytestmark = pytest.mark.skipif(os.name == "nt", reason="workers are forked")


@definition
def total(x):
    return x.sum(0)


def doing(**deeds: Callable[[], object]) -> Ledger:
    """A true claim for each deed, whose body does the deed first."""
    source = Source("does", title="What bodies do")
    for name, deed in deeds.items():

        def body(x, deed=deed):
            deed()
            return equal(total(2 * x), 2 * total(x))

        source.claim(f"does.{name}", says=name, given={"x": "N"})(body)
    return Ledger([source])


def found(ledger: Ledger, **options: object) -> dict[str, tuple[str, str | None]]:
    """Each claim's verdict and reason."""
    report = check(ledger, **options)  # type: ignore[arg-type]
    statements = [claim["as_stated"] for claim in report["claims"]]
    return {s["id"].removeprefix("does."): (s["verdict"], s["reason"]) for s in statements}


def nothing() -> None: ...


def forever() -> None:
    while True:
        try:
            time.sleep(60)
        except BaseException:
            continue


def end_by(number: int) -> None:
    faulthandler.disable()  # pytest's, which would tell of it
    os.kill(os.getpid(), number)


def forking_once() -> Callable[[], object]:
    """Forks when it is first called; each call would double the processes, and a body is called nine times."""
    deeds = iter([os.fork])
    return lambda: next(deeds, nothing)()


PROVED = ("proved", None)


@pytest.mark.long
@pytest.mark.parametrize("jobs", [1, 3])
def test_body_that_ends_its_process_is_an_error_and_the_others_are_decided(jobs):
    ended = "the process that checked it ended with "
    deeds = {
        "left": (partial(os._exit, 0), "exit code 0"),
        "segfault": (partial(end_by, signal.SIGSEGV), "signal SIGSEGV"),
        "killed": (
            partial(end_by, signal.SIGKILL),
            "signal SIGKILL; did memory run out? Give smaller sizes=",
        ),
        "closed": (partial(os.closerange, 3, 256), "exit code 1"),
    }
    culprits = {name: deed for name, (deed, _) in deeds.items()}
    expected = {name: ("error", ended + reason) for name, (_, reason) in deeds.items()}
    assert found(doing(before=nothing, **culprits, after=nothing), jobs=jobs) == {
        "before": PROVED,
        **expected,
        "after": PROVED,
    }


@pytest.mark.long
def test_body_without_end_is_unknown_and_the_others_are_decided():
    answers = found(doing(endless=forever, after=nothing), jobs=1, time_limit=3)
    verdict, reason = answers.pop("endless")
    assert answers == {"after": PROVED}
    said = r"not decided within 3 s, the time limit: stopped at .*test_workers.py:\d+; try"
    assert verdict == "unknown" and re.match(said, str(reason)), reason


def growing() -> None:
    held = []
    while True:
        held.append(bytes(10**6))


def at_once() -> None:
    np.ones(2 * 10**9)


def without_threads() -> None:
    """One product of whole numbers, during which no other thread of Python runs, and no signal is heard."""
    7 ** (10**9)


@pytest.mark.long
@pytest.mark.parametrize("deed", [growing, at_once])
def test_body_that_takes_all_memory_is_unknown_and_the_others_are_decided(deed):
    answers = found(doing(hungry=deed, after=nothing), jobs=1, memory_limit="1.5 GB")
    verdict, reason = answers.pop("hungry")
    assert answers == {"after": PROVED}
    said = (
        r"not decided within 1.5 GB of memory, the memory limit: stopped at .*workers.py:\d+; try"
    )
    assert verdict == "unknown" and re.match(said, str(reason)), reason


@pytest.mark.long
def test_task_during_which_no_thread_runs_is_ended_from_outside():
    (answer,) = run_tasks([without_threads], jobs=1, time_limit=1)
    assert answer.hit is not None and answer.hit.most.startswith("1 s")
    assert answer.seconds < 1 + 2 * GRACE


@pytest.mark.parametrize("given", ["0", "-1G", "much", "4X"])
def test_memory_limit_must_be_an_amount(given: str):
    with pytest.raises(UsageError, match=f"--memory-limit {given}: give an amount of memory"):
        found(doing(), memory_limit=given)


@pytest.mark.parametrize(
    ("given", "meant"), [("4G", 4e9), ("1.5 gb", 1.5e9), ("500M", 5e8), ("2GiB", 2**31), ("7", 7)]
)
def test_memory_is_said_with_units(given: str, meant: float):
    assert budget.memory("", given) == meant


@pytest.mark.long
def test_body_that_ignores_ctrl_c_and_forks_answers_once():
    ledger = doing(interrupts=partial(end_by, signal.SIGINT), forks=forking_once())
    assert found(ledger, jobs=1) == dict.fromkeys(["interrupts", "forks"], PROVED)


@pytest.mark.long
def test_victim_of_an_earlier_task_is_tried_again(tmp_path: Path):
    """The first task's alarm ends the second one's process."""

    def patient() -> str:
        time.sleep(0.6)
        return "done"

    tasks = [lambda: signal.setitimer(signal.ITIMER_REAL, 0.3) and None, patient]
    answers = {answer.index: answer for answer in run_tasks(tasks, jobs=1)}
    assert answers[1].value == "done"
    assert answers[1].ended is None


@pytest.mark.long
def test_no_task_runs_in_this_process():
    for count in (1, 9):
        pids = {answer.value for answer in run_tasks([os.getpid] * count, jobs=1)}
        assert len(pids) == 1
        assert os.getpid() not in pids


@pytest.mark.long
def test_no_worker_outlives_its_tasks():
    before = set(multiprocessing.active_children())
    answers = run_tasks([nothing, forever, nothing], jobs=2)
    next(answers)
    assert set(multiprocessing.active_children()) > before
    answers.close()
    assert set(multiprocessing.active_children()) == before


@pytest.mark.long
def test_task_that_raises_raises_here_and_says_where():
    def culpable() -> None:
        raise ValueError("no good")

    with pytest.raises(ValueError, match="no good") as caught:
        list(run_tasks([culpable]))
    assert "in culpable" in "".join(caught.value.__notes__)


@pytest.mark.long
def test_answer_that_cannot_be_pickled_is_an_exception():
    with pytest.raises(TypeError, match="cannot be pickled"):
        list(run_tasks([lambda: nothing.__get__(lambda: 0)]))


def test_where_processes_cannot_fork_the_tasks_run_here(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(multiprocessing, "get_all_start_methods", lambda: ["spawn"])
    assert [answer.value for answer in run_tasks([os.getpid])] == [os.getpid()]


@pytest.mark.long
def test_workers_end_with_a_parent_that_is_killed(tmp_path: Path):
    script = tmp_path / "parent.py"
    script.write_text(
        "import os, pathlib, time\n"
        "from scanproof.proofs.decide.workers import run\n"
        "def task():\n"
        f"    pathlib.Path({str(tmp_path)!r}, str(os.getpid())).touch()\n"
        "    while True: time.sleep(0.1)\n"
        "list(run([task] * 2, jobs=2))\n",
        encoding="utf-8",
    )
    parent = subprocess.Popen([command()[0], str(script)])
    pids = waited_for(lambda: [int(p.name) for p in tmp_path.iterdir() if p.name.isdigit()], 2)
    parent.kill()
    parent.wait()
    waited_for(lambda: [pid for pid in pids if not is_running(pid)], 2)


def waited_for(what: Callable[[], list[int]], count: int) -> list[int]:
    deadline = time.monotonic() + 30
    while len(what()) < count:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return what()


def is_running(pid: int) -> bool:
    """Whether a process with this number still does something (one that has ended may wait to be collected)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


# Progress.


@pytest.mark.long
def test_progress_names_what_takes_long_and_nothing_that_is_done(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(workers, "TICK", 0.05)
    monkeypatch.setattr(sys.modules["scanproof.proofs.decide.row_verdicts"], "PATIENCE", 1.5)
    told: list[tuple[str, int, int]] = []
    ledger = doing(quick=nothing, slow=partial(time.sleep, 0.2), last=nothing)
    found(ledger, jobs=1, progress=lambda *what: told.append(what))
    texts = [text for text, _, _ in told]
    assert texts[0] == "does.quick" and texts[-1] == "does.last"
    named = [text for text in texts if "(" in text]
    assert named and all(text.startswith("does.slow (") for text in named)
    assert {done for text, done, _ in told if "(" in text} == {1}
    assert {total for _, _, total in told} == {3}


# On the command line.

ENDLESS = """
    import time

    @definition
    def wait(x):
        time.sleep(60)
        return x

    @paper.claim("{name}.endless", says="x", given=dict(x=""))
    def endless(x):
        return equal(wait(x), x)
"""
ENDING = """
    import os

    @paper.claim("{name}.ends", says="x", given=dict(x=""))
    def ends(x):
        os._exit(3)
"""


@pytest.mark.long
def test_time_limit_option_gives_up_on_a_claim(run: Run, write: Write):
    answer = run("check", write(ENDLESS), "--time-limit", "1")
    assert answer.code == 0
    assert answer.err == ""  # nobody looks at a pipe
    assert "mine.endless  unknown  not decided within 1 s" in answer.out


@pytest.mark.long
def test_claim_that_ends_its_process_exits_3_with_its_id(run: Run, write: Write):
    answer = run("check", write(ENDING))
    assert answer.code == 3
    reason = "the process that checked it ended with exit code 3"
    assert answer.err == f"scanproof: mine.ends: {reason}\n"


@pytest.mark.long
@pytest.mark.parametrize("arguments", [[], ["--script"]])
def test_show_survives_a_claim_that_ends_its_process(run: Run, write: Write, arguments: list[str]):
    answer = run("show", write(ENDING), "mine.ends", *arguments)
    assert answer.code == (3 if arguments else 0)
    assert "ended with exit code 3" in answer.out + answer.err


@pytest.mark.parametrize("limit", ["0", "-1", "nan"])
def test_time_limit_must_be_a_time(run: Run, write: Write, limit: str):
    line = command_line.one_line(run("check", write(TRUE), "--time-limit", limit))
    assert f"--time-limit {limit}: give a number of seconds greater than 0" in line


@pytest.mark.long
def test_terminal_is_told_what_takes_long(write: Write):
    pty = pytest.importorskip("pty")
    file = write(ENDLESS, UNKNOWN)
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        command("check", file, "--time-limit", "3.5", "--jobs", "1"),
        stdout=subprocess.PIPE,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "80"},
    )
    os.close(theirs)
    out, _ = process.communicate(timeout=60)
    told = read_all(ours)
    assert process.returncode == 0
    assert re.search(r"mine\.endless \(\d s\)", told)
    assert "0/2" in told
    assert b"not decided within 3.5 s" in out


def read_all(handle: int) -> str:
    """What was written to the other side of a terminal that is closed by now."""
    parts = []
    try:
        while part := os.read(handle, 4096):
            parts.append(part)
    except OSError:  # how Linux says that the other side is closed
        pass
    finally:
        os.close(handle)
    return b"".join(parts).decode()
