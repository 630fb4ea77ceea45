"""Running the command line in this process, on claim files written for the occasion."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from scanproof import _main
from scanproof.proofs.decide.ledger import PREFIX

KNOWN = "gd-ssm.prop1-construction"  # refuted as printed; its amendment +sign is proved
HEADER = """
    from scanproof import Source, definition, equal

    paper = Source("{name}", title="A layer of mine")

    @definition
    def total(x):
        return x.sum(0)
"""
TRUE = """
    @paper.claim("{name}.linear", where="eq. 1", says="Σ c x_i = c Σ x_i", given={{"x": "N", "c": ""}})
    def linear(x, c):
        return equal(total(x * c), total(x) * c)
"""
FALSE = """
    @paper.claim("{name}.square", where="eq. 2", says="Σ x_i² = (Σ x_i)²", given={{"x": "N"}})
    def square(x):
        return equal(total(x * x), total(x) * total(x))
"""
MENDED = (
    FALSE
    + """
    square.amend("one", "the same for N = 1", sizes={{"N": (1,)}})
"""
)
BADLY_MENDED = (
    FALSE
    + """
    square.amend("two", "the same for N = 2", sizes={{"N": (2,)}})
"""
)
UNKNOWN = """
    paper.unchecked("{name}.open", says="it is optimal", missing="nobody has a proof")
"""
RAISING = """
    @paper.claim("{name}.raises", says="x", given={{"x": "N"}})
    def raises(x):
        raise ValueError("first line\\nsecond line")
"""
EXITING = """
    @paper.claim("{name}.exits", says="x", given={{"x": "N"}})
    def exits(x):
        raise SystemExit(0)
"""
UNMEETABLE = """
    @paper.claim("{name}.never", says="x", given={{"x": "N"}}, assuming={{"N < 0": lambda N: N < 0}})
    def never(x):
        return equal(total(x), total(x))
"""


class Answer(NamedTuple):
    """What a run of the command line left behind."""

    code: int
    out: str
    err: str


Run = Callable[..., Answer]
Write = Callable[..., str]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Runs the command line in this process, which has forgotten the modules that other tests wrote."""
    written = str(tmp_path_factory.getbasetemp().resolve())
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None) or ""
        if name.startswith(PREFIX) or str(file).startswith(written):
            del sys.modules[name]

    def run(*arguments: str | Path) -> Answer:
        capsys.readouterr()
        code = _main.run([str(a) for a in arguments])
        out, err = capsys.readouterr()
        assert "Traceback" not in out + err
        return Answer(code, out, err)

    return run


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Writes a claim file into the current folder and returns its name."""
    monkeypatch.chdir(tmp_path)

    def write(*parts: str, name: str = "mine", file: str | None = None) -> str:
        text = "".join(textwrap.dedent(part) for part in (HEADER, *parts)).format(name=name)
        path = Path(file or f"{name}.py")
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return str(path)

    return write


@contextlib.contextmanager
def hearing() -> Iterator[None]:
    """Ctrl-C raises here and in what is started here, also where the tests run in the background and it is ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.fixture
def hears() -> Iterator[None]:
    """A test that hears Ctrl-C."""
    with hearing():
        yield


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "scanproof", *arguments]


def interrupted(*arguments: str, after: float = 0.0) -> tuple[int, str, str]:
    """Exit code, output and errors of a command that gets Ctrl-C `after` seconds from when its file touches "started".

    As a terminal does, the signal goes to the process and to its workers.
    """
    with hearing():
        process = subprocess.Popen(
            command(*arguments),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
    deadline = time.monotonic() + 300
    while not Path("started").exists():
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.02)
    time.sleep(after)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=300)
    return process.returncode, out, err


def ids(report: str) -> list[str]:
    return [claim["id"] for claim in json.loads(report)["claims"]]


def untimed(text: str) -> str:
    """The text without the seconds that it tells."""
    return re.sub(r"\d+\.\d+", "", text)


def left_behind() -> set[str]:
    """The files in the current folder, without what Python itself keeps there."""
    return set(os.listdir()) - {"__pycache__"}


def one_line(answer: Answer) -> str:
    """The only line on standard error of a run that failed with exit code 3 and printed nothing else."""
    assert answer.code == 3
    assert answer.out == ""
    (line,) = answer.err.splitlines()
    assert line.startswith("scanproof: ")
    return line
