"""What all tests share: what is short and what is long, one Hypothesis profile, JAX's cache, the ledger's verdicts."""

import contextlib
import ctypes
import gc
import json
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from command_line import hears, run, write
from cpu_times import CpuTimes
from hypothesis import HealthCheck, settings

__all__ = ["hears", "run", "write"]

STARTED = time.monotonic()
RESIDENT = pytest.StashKey[int]()

settings.register_profile(
    "seeded",
    deadline=None,
    derandomize=True,
    print_blob=True,
    max_examples=25,
    suppress_health_check=[HealthCheck.too_slow],  # what else runs on the machine decides it
)
settings.register_profile("short", settings.get_profile("seeded"), max_examples=8)


HALF_WRITTEN = "ignore:Error reading persistent compilation cache entry:UserWarning"
JAX_CACHE = {
    "JAX_COMPILATION_CACHE_DIR": str(Path(__file__).parents[1] / "build" / "jax"),
    "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
    "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1",
    "PYTHONWARNINGS": HALF_WRITTEN,  # where two processes compile one program, which JAX then does anew
}
"""What is compiled is kept between processes and runs, for all processes that tests start."""


def is_short(config: pytest.Config) -> bool:
    """Whether these are the tests of `make test`, and not all of `make test-all`."""
    return config.getoption("markexpr") == "not long"


def pytest_configure(config: pytest.Config) -> None:
    """Where tests are to be short, fewer examples are drawn and JAX compiles sooner what then runs slower."""
    settings.load_profile("short" if is_short(config) else "seeded")
    if is_short(config):
        os.environ.setdefault("JAX_DISABLE_MOST_OPTIMIZATIONS", "1")
    for name, value in JAX_CACHE.items():
        os.environ.setdefault(name, value)
    if config.getoption("cpu_times") or hasattr(config, "workerinput"):
        config.pluginmanager.register(CpuTimes(config))


def pytest_addoption(parser: pytest.Parser) -> None:
    """What is told of times, and how long tests may begin."""
    parser.addoption(
        "--cpu-times",
        choices=("total", "files"),
        help="print the CPU seconds of all tests, or those of each file and of the dearest tests as well",
    )
    parser.addoption(
        "--minutes",
        type=float,
        default=float("inf"),
        help="skip each test that would begin later than so many minutes after the first",
    )
    parser.addoption(
        "--every-case",
        action="store_true",
        help="run every case of the tables of which otherwise a sample runs",
    )
    parser.addoption(
        "--ledger",
        metavar="FILE",
        help="keep what checking the ledger gave in FILE, where the next part of `make test-all` reads it",
    )


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Begin no test when the time that was given is over."""
    minutes: float = item.config.option.minutes
    if time.monotonic() - STARTED > 60 * minutes:
        pytest.skip("the time was over")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark as long the cases of tests of which only some are, and leave out those that are not in a sample.

    Raises:
        UsageError: if a mark names a case that there is not.
    """
    selected = any("::" in str(argument) for argument in config.args)
    every_case = selected or config.option.keyword or config.option.every_case
    left_out: list[pytest.Item] = []
    for test, group in groupby(items, lambda item: item.nodeid.partition("[")[0]):
        cases = list(group)
        short, long, sample = (
            cases[0].get_closest_marker(name) for name in ("short", "long_cases", "sample")
        )
        if sample is not None and not every_case:
            (n,) = sample.args
            left_out += [case for place, case in enumerate(cases) if place % n]
        if short is None and long is None:
            continue
        ids = [case.nodeid.removeprefix(test) for case in cases]
        named = [*(short.args if short else ()), *(long.args if long else ())]
        missing = [n for n in named if isinstance(n, str) and not any(n in id for id in ids)]
        if missing and not selected:
            raise pytest.UsageError(f"{test} has no case {', '.join(missing)}; it has {ids}")
        for place, (case, id) in enumerate(zip(cases, ids, strict=True)):
            picked = short and any(
                place % n == 0 if isinstance(n, int) else n in id for n in short.args
            )
            if short and (not picked or any(n in id for n in short.kwargs.get("without", ()))):
                case.add_marker("long")
            if long and any(n in id for n in long.args):
                case.add_marker("long")
    gone = {case for case in left_out if case.get_closest_marker("long")}
    items[:] = [case for case in items if case not in gone]
    config.hook.pytest_deselected(items=list(gone))


def pytest_collection_finish() -> None:
    """What is imported by now is no garbage, and of what JAX keeps little is: searching it took a tenth of the time."""
    gc.freeze()
    gc.set_threshold(200_000, 20, 100)


MEGABYTE = 2**20
GROWN = 600 * MEGABYTE
"""After how much more memory it is given back."""


def resident() -> int:
    """The bytes of memory that this process has; 0 where Linux does not say so."""
    try:
        pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    except OSError:
        return 0
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item) -> None:
    """Give memory back: what JAX keeps of programs makes each later fork of the process take ten times as long."""
    before = item.config.stash.setdefault(RESIDENT, resident())
    if resident() < before + GROWN:
        return
    if "jax" in sys.modules:
        sys.modules["jax"].clear_caches()
    gc.collect()
    with contextlib.suppress(OSError, AttributeError):  # another C library
        ctypes.CDLL("libc.so.6").malloc_trim(0)
    item.config.stash[RESIDENT] = resident()


@pytest.fixture
def only_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """What `prove` reads decides alone: a false proof is not mended by running both programs."""
    from scanproof.proofs.decide import proving
    from scanproof.proofs.decide.as_it_runs.comparing import Runs

    class NotRun:
        def __init__(self, _: Any, frameworks: tuple[str, str], *rest: Any) -> None:
            self.frameworks = frameworks

        def answer(self, result: Any, *_: Any) -> tuple[Any, Runs]:
            return result, Runs()

        def end(self) -> None:
            pass

    monkeypatch.setattr(proving, "Running", NotRun)


@pytest.fixture(autouse=True)
def gradients() -> Iterator[None]:
    """A test that leaves PyTorch without gradients fails, and not a later one."""
    yield
    torch: Any = sys.modules.get("torch")
    if torch is not None and not torch.is_grad_enabled():
        torch.set_grad_enabled(True)
        pytest.fail("PyTorch takes no gradients any more after this test", pytrace=False)


@pytest.fixture(scope="session")
def checked(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Any]:
    """What `scanproof check --offline` says of all rows of the ledger, and of their certificates, to be read only.

    The first process that asks has them checked, the others wait and read what was written.
    """
    base = tmp_path_factory.getbasetemp()
    shared = (
        base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    )  # of all processes of this run
    kept: str | None = request.config.option.ledger
    file = request.config.rootpath / kept if kept else shared / "ledger.json"
    with contextlib.closing(sqlite3.connect(shared / "turn", timeout=3600)) as turn:
        turn.execute("BEGIN EXCLUSIVE")
        if not file.exists():
            # A process that holds what tests import takes half as long again to be copied for workers.
            subprocess.run(
                [sys.executable, Path(__file__).with_name("checked_ledger.py"), file], check=True
            )
    return json.loads(file.read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def report(checked: dict[str, Any]) -> dict[str, Any]:
    """The report alone."""
    return checked["report"]
