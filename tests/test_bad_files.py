"""Claim files that misbehave: one clear line each, the other claims still run, and the exit code tells."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from command_line import TRUE, Write, command, interrupted

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals and forks of POSIX")

BODY = """
    @paper.claim("{{name}}.bad", says="x", given={{{{"x": "N", "c": ""}}}})
    def bad(x, c):
        {deed}
        return equal(total(x), total(x))
"""


def checked(*arguments: str) -> subprocess.CompletedProcess[str]:
    """What a process of its own answers; its report is one JSON text, whatever is printed."""
    line = command("check", *arguments, "--format", "json")
    done = subprocess.run(line, capture_output=True, text=True, timeout=120)
    assert "Traceback" not in done.stderr
    return done


def verdicts(done: subprocess.CompletedProcess[str]) -> dict[str, str]:
    return {c["id"]: c["as_stated"]["verdict"] for c in json.loads(done.stdout)["claims"]}


FILES = {
    "raises": ("raise KeyError('a\\nb')", 3, ["bad.py line 1 raised KeyError: 'a\\nb'"]),
    "raises what has no text": (
        "class Bad(Exception):\n    def __str__(self):\n        raise ValueError\nraise Bad",
        3,
        ["bad.py line 4 raised Bad: (its text raised ValueError)"],
    ),
    "exits": ("raise SystemExit(0)", 3, ["bad.py line 1 raised SystemExit: 0"]),
    "is no Python": ("def f(:", 3, ["bad.py line 1 raised SyntaxError"]),
    "is empty": ("", 3, ["bad.py defines no claim; write"]),
    "loops": ("while True:\n    pass", 3, ["not read within 3 s, the time limit; compute less"]),
    "sleeps": ("import time\ntime.sleep(1000)", 3, ["bad.py line 2: not read within 3 s"]),
    "prints": (
        "import os, sys\nprint('one')\nos.system('echo two')\nsys.__stdout__.write('three')\n"
        "os.write(1, b'four')",
        3,
        ["one", "two", "three", "four", "bad.py defines no claim"],
    ),
    "forks": ("import os\nos.fork()", 3, ["bad.py forked while it was read", "defines no claim"]),
}


@pytest.mark.long
@pytest.mark.parametrize(("text", "code", "said"), FILES.values(), ids=FILES)
def test_bad_file_beside_a_good_one(write: Write, text: str, code: int, said: list[str]):
    good = write(TRUE)
    Path("bad.py").write_text(f"{text}\n", encoding="utf-8")
    done = checked("bad.py", good, "--time-limit", "3")
    assert (done.returncode, verdicts(done)) == (code, {"mine.linear": "proved"})
    assert all(words in done.stderr for words in said), done.stderr


BODIES = {
    "raises": ("raise ValueError('no')", "error", "ValueError at mine.py:12: no"),
    "raises an interrupt": ("raise KeyboardInterrupt", "error", "raised KeyboardInterrupt at"),
    "raises its own": ("raise type('Mine', (BaseException,), dict())", "error", "raised Mine at"),
    "loops": ("while True: pass", "unknown", "not decided within 4 s, the time limit: stopped at"),
    "takes all memory": (
        "import itertools; [bytes(10**6) for _ in itertools.count()]",
        "unknown",
        "not decided within 500 MB of memory, the memory limit: stopped at",
    ),
    "asks for more than there is": (
        "import numpy; numpy.ones(10**13)",
        "unknown",
        "not decided within the memory that the machine has: stopped at",
    ),
    "quits": ("quit()", "error", "the claim raised SystemExit at mine.py:12"),
    "recurses": ("f = lambda x: f(x); f(x)", "error", "recurse"),
    "starts a thread": (
        "import threading, time; threading.Thread(target=time.sleep, args=(99,)).start()",
        "proved",
        "",
    ),
    "answers a number at one size": ("if x.shape[0] == 2: return 2.0", "error", "returned float"),
    "answers nothing at one size": ("if x.shape[0] == 2: return None", "error", "NoneType"),
    "exits": ("import os; os._exit(3)", "error", "ended with exit code 3"),
    "dies": ("import os; os.kill(os.getpid(), 11)", "error", "ended with signal SIGSEGV"),
    "forks": ("import os; os.fork()", "proved", ""),
    "prints": ("import os; print('one'); os.system('echo two')", "proved", "one"),
    "answers nothing": (
        "return None",
        "error",
        "returned NoneType at mine.py:12; return equal(left, right)",
    ),
    "takes an array for a key": ("{{x: 1}}", "error", "an array of symbols is no key"),
    "compares": ("assert c > 0", "error", "state the condition in assuming="),
    "asks for a number": ("float(c)", "error", "leave out float(), int() and the math module"),
    "writes into an array": ("x[0] = c", "error", "collect rows in a list and np.stack them"),
    "calls an array": ("c(x)", "error", "an operator is missing"),
    "asks for what there is not": ("x.nosuch()", "error", "arrays of a claim have"),
}


@pytest.mark.long
@pytest.mark.parametrize(("deed", "verdict", "said"), BODIES.values(), ids=BODIES)
def test_bad_body_beside_a_good_one(write: Write, deed: str, verdict: str, said: str):
    file = write(BODY.format(deed=deed), TRUE)
    limits = ["--time-limit", "4" if "while" in deed else "60", "--memory-limit", "500M"]
    done = checked(file, *limits)
    assert verdicts(done) == {"mine.bad": verdict, "mine.linear": "proved"}
    assert done.returncode == (3 if verdict == "error" else 0)
    assert said in done.stderr + done.stdout, done.stderr
    assert "Recorded" not in done.stderr


@pytest.mark.long
def test_second_claim_of_an_id_is_left_out_and_those_after_it_run(write: Write):
    third = TRUE.replace("linear", "third")
    done = checked(write(TRUE, TRUE, third))
    assert (done.returncode, set(verdicts(done))) == (3, {"mine.linear", "mine.third"})
    assert "claim mine.linear is defined twice in source mine" in done.stderr


@pytest.mark.long
def test_second_file_with_an_id_keeps_its_other_claims(write: Write):
    one = write(TRUE)
    third = TRUE.replace("linear", "third")
    other = write(TRUE, third, file="other.py")
    done = checked(one, other)
    assert (done.returncode, set(verdicts(done))) == (3, {"mine.linear", "mine.third"})
    assert "claim mine.linear is defined in two sources, mine and mine" in done.stderr


@pytest.mark.long
def test_claim_with_a_slip_is_left_out_and_the_others_run(write: Write):
    slip = TRUE.replace("linear", "slip").replace("def slip(x, c)", "def slip(x, c, z)")
    done = checked(write(slip, TRUE))
    assert (done.returncode, verdicts(done)) == (3, {"mine.linear": "proved"})
    assert "claim mine.slip: the body asks for 'z'" in done.stderr


HEARS = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
WAITS = "import pathlib, time; pathlib.Path('started').touch(); time.sleep(100)"


@pytest.mark.long
@pytest.mark.parametrize("what", ["check", "show"])
@pytest.mark.parametrize("where", ["reads", "body", "hears"])
def test_interrupt_leaves_no_traceback(write: Write, what: str, where: str):
    deeds = {"reads": WAITS, "body": "pass", "hears": "pass"}
    body = {"reads": "pass", "body": WAITS, "hears": f"{HEARS}; {WAITS}"}[where]
    file = write(BODY.format(deed=body), TRUE, f"\n{deeds[where]}\n")
    id = ["mine.bad"] if what == "show" else []
    assert interrupted(what, *id, file, after=0.1) == (130, "", "")


CONDITIONS = """
    def fill(x):
        if hasattr(x, "fill"):
            x.fill(0)
        return True

    @paper.claim(
        "{name}.fills",
        says="x",
        given={{"x": "N"}},
        assuming={{"it may write": fill, "x is not 0": lambda x: bool((x != 0).any())}},
    )
    def fills(x):
        return equal(total(x), 0 * total(x))
"""


@pytest.mark.long
def test_condition_that_writes_into_its_inputs_changes_them_for_nobody_else(write: Write):
    """Were they 0 from then on, no inputs would meet the other condition."""
    assert verdicts(checked(write(CONDITIONS))) == {"mine.fills": "refuted"}
