"""Claim files that misbehave: one clear line each, the other claims still run, and the exit code tells."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from command_line import TRUE, Run, Write, command, ids, interrupted

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals and forks of POSIX")

BODY = """
    @paper.claim("{{name}}.{id}", says="x", given={{{{"x": "N", "c": ""}}}})
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
    "raises": ("raise KeyError('a\\nb')", "line 1 raised KeyError: 'a\\nb'"),
    "raises what has no text": (
        "class Bad(Exception):\n    def __str__(self):\n        raise ValueError\nraise Bad",
        "line 4 raised Bad: (its text raised ValueError)",
    ),
    "exits": ("raise SystemExit(0)", "line 1 raised SystemExit: 0"),
    "is_no_Python": ("def f(:", "line 1 raised SyntaxError"),
    "is_empty": ("", "defines no claim; write"),
    "loops": ("while True:\n    pass", "line 1: not read within 3 s, the time limit; compute less"),
    "sleeps": ("import time\ntime.sleep(1000)", "line 2: not read within 3 s"),
    "prints": (
        "import os, sys\nprint('one')\nos.system('echo two')\nsys.__stdout__.write('three')\n"
        "os.write(1, b'four')",
        "defines no claim",
    ),
    "forks": ("import os\nos.fork()", "forked while it was read"),
}


@pytest.mark.long
def test_bad_files_beside_a_good_one(write: Write):
    good = write(TRUE)
    for name, (text, _) in FILES.items():
        Path(f"{name}.py").write_text(f"{text}\n", encoding="utf-8")
    done = checked(*(f"{name}.py" for name in FILES), good, "--time-limit", "3")
    assert (done.returncode, verdicts(done)) == (3, {"mine.linear": "proved"})
    for name, (_, said) in FILES.items():
        assert f"{name}.py {said}" in done.stderr, done.stderr
    for words in ("one", "two", "three", "four", "forks.py defines no claim"):
        assert words in done.stderr


BODIES = {
    "raises": ("raise ValueError('no')", "error", "the claim raised ValueError at mine.py:12: no"),
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
    "quits": ("quit()", "error", "the claim raised SystemExit at mine.py:"),
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
        "; return equal(left, right)",
    ),
    "takes an array for a key": ("{{x: 1}}", "error", "an array of symbols is no key"),
    "compares": ("assert c > 0", "error", "state the condition in assuming="),
    "asks for a number": ("float(c)", "error", "leave out float(), int() and the math module"),
    "writes into an array": ("x[0] = c", "error", "collect rows in a list and np.stack them"),
    "calls an array": ("c(x)", "error", "an operator is missing"),
    "asks for what there is not": ("x.nosuch()", "error", "arrays of a claim have"),
}


@pytest.mark.long
def test_bad_bodies_beside_a_good_one(write: Write):
    bodies = {name.replace(" ", "-"): body for name, body in BODIES.items()}
    file = write(*(BODY.format(id=id, deed=deed) for id, (deed, *_) in bodies.items()), TRUE)
    done = checked(file, "--time-limit", "4", "--memory-limit", "500M")
    assert verdicts(done) == {
        **{f"mine.{id}": verdict for id, (_, verdict, _) in bodies.items()},
        "mine.linear": "proved",
    }
    assert done.returncode == 3
    reasons = {c["id"]: c["as_stated"]["reason"] or "" for c in json.loads(done.stdout)["claims"]}
    for id, (_, verdict, said) in bodies.items():
        if verdict != "proved":
            assert said in reasons[f"mine.{id}"]
        if verdict == "error":
            assert f"scanproof: mine.{id}: {reasons[f'mine.{id}']}" in done.stderr
    assert "one" in done.stderr and "Recorded" not in done.stderr


@pytest.mark.long
def test_second_claim_of_an_id_is_left_out_and_those_after_it_run(run: Run, write: Write):
    third = TRUE.replace("linear", "third")
    answer = run("check", write(TRUE, TRUE, third), "--format", "json")
    assert (answer.code, ids(answer.out)) == (3, ["mine.linear", "mine.third"])
    assert "claim mine.linear is defined twice in source mine" in answer.err


@pytest.mark.long
def test_second_file_with_an_id_keeps_its_other_claims(run: Run, write: Write):
    one = write(TRUE)
    third = TRUE.replace("linear", "third")
    other = write(TRUE, third, file="other.py")
    answer = run("check", one, other, "--format", "json")
    assert (answer.code, ids(answer.out)) == (3, ["mine.linear", "mine.third"])
    assert "claim mine.linear is defined in two sources, mine and mine" in answer.err


@pytest.mark.long
def test_claim_with_a_slip_is_left_out_and_the_others_run(run: Run, write: Write):
    slip = TRUE.replace("linear", "slip").replace("def slip(x, c)", "def slip(x, c, z)")
    answer = run("check", write(slip, TRUE), "--format", "json")
    assert (answer.code, ids(answer.out)) == (3, ["mine.linear"])
    assert "claim mine.slip: the body asks for 'z'" in answer.err


HEARS = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
WAITS = "import pathlib, time; pathlib.Path('started').touch(); time.sleep(100)"


@pytest.mark.long
@pytest.mark.parametrize(
    ("what", "where"), [("check", "reads"), ("show", "body"), ("check", "hears")]
)
def test_interrupt_leaves_no_traceback(write: Write, what: str, where: str):
    deeds = {"reads": WAITS, "body": "pass", "hears": "pass"}
    body = {"reads": "pass", "body": WAITS, "hears": f"{HEARS}; {WAITS}"}[where]
    file = write(BODY.format(id="bad", deed=body), TRUE, f"\n{deeds[where]}\n")
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
def test_condition_that_writes_into_its_inputs_changes_them_for_nobody_else(run: Run, write: Write):
    """Were they 0 from then on, no inputs would meet the other condition."""
    assert "mine.fills  refuted" in run("check", write(CONDITIONS)).out
