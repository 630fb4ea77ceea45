"""What all tests share: what is short and what is long, one Hypothesis profile, and the verdicts on the ledger."""

from __future__ import annotations

import contextlib
import gc
import json
import os
import sqlite3
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from command_line import hears, run, write
from cpu_times import CpuTimes
from hypothesis import HealthCheck, settings

__all__ = ["hears", "run", "write"]

settings.register_profile(
    "seeded",
    deadline=None,
    derandomize=True,
    print_blob=True,
    max_examples=25,
    suppress_health_check=[HealthCheck.too_slow],  # what else runs on the machine decides it
)
settings.register_profile("short", settings.get_profile("seeded"), max_examples=8)


def is_short(config: pytest.Config) -> bool:
    """Whether these are the tests of `make test`, and not all of `make test-all`."""
    return config.getoption("markexpr") == "not long"


def pytest_configure(config: pytest.Config) -> None:
    """Where tests are to be short, fewer examples are drawn and JAX compiles sooner what then runs slower."""
    settings.load_profile("short" if is_short(config) else "seeded")
    if is_short(config):
        os.environ.setdefault("JAX_DISABLE_MOST_OPTIMIZATIONS", "1")
    if config.getoption("cpu_times") or hasattr(config, "workerinput"):
        config.pluginmanager.register(CpuTimes(config))


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--part K/N`: of the tests that are selected every Nth, from the Kth on, counted from 0."""
    parser.addoption(
        "--cpu-times",
        choices=("total", "files"),
        help="print the CPU seconds of all tests, or those of each file and of the dearest tests as well",
    )
    parser.addoption(
        "--part",
        type=_part,
        default=(0, 1),
        metavar="K/N",
        help="every Nth test, from the Kth on, counted from 0",
    )


def _part(text: str) -> tuple[int, int]:
    first, _, apart = text.partition("/")
    if not (first.isdecimal() and apart.isdecimal() and int(first) < int(apart)):
        raise ValueError
    return int(first), int(apart)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> Iterator[None]:
    """Mark as long the cases of tests of which only some are, and of what is then selected take a part.

    Raises:
        UsageError: if a mark names a case that there is not.
    """
    selected = any("::" in str(argument) for argument in config.args)
    for test, group in groupby(items, lambda item: item.nodeid.partition("[")[0]):
        cases = list(group)
        short, long = (cases[0].get_closest_marker(name) for name in ("short", "long_cases"))
        if short is None and long is None:
            continue
        ids = [case.nodeid.removeprefix(test) for case in cases]
        named = [*(short.args if short else ()), *(long.args if long else ())]
        missing = [n for n in named if isinstance(n, str) and not any(n in id for id in ids)]
        if missing and not selected:
            raise pytest.UsageError(f"{test} has no case {', '.join(missing)}; it has {ids}")
        for place, (case, id) in enumerate(zip(cases, ids, strict=True)):
            if short and not any(
                place % n == 0 if isinstance(n, int) else n in id for n in short.args
            ):
                case.add_marker("long")
            if long and any(n in id for n in long.args):
                case.add_marker("long")
    yield
    first, apart = config.option.part
    others = [item for place, item in enumerate(items) if place % apart != first]
    if others:
        config.hook.pytest_deselected(items=others)
        items[:] = items[first::apart]


def pytest_collection_finish() -> None:
    """What is imported by now is no garbage, and of what JAX keeps little is: searching it took a tenth of the time."""
    gc.freeze()
    gc.set_threshold(50_000, 10, 10)


LONG_ROWS = (Path(__file__).parent / "long_rows.txt").read_text(encoding="utf-8").split()
"""Rows of the ledger that take longer to decide than the others do together."""


ROWS = ["short rows", pytest.param("all rows", marks=pytest.mark.long)]


@pytest.fixture(scope="session", params=ROWS)
def report(
    tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> dict[str, Any]:
    """What `scanproof check` says of the ledger, to be read only: of the rows that take little time, and of all.

    The first process that asks checks them, the others wait and read what it has written.
    """
    from scanproof.proofs.decide.ledger import built_in
    from scanproof.proofs.decide.row_verdicts import check

    base = tmp_path_factory.getbasetemp()
    shared = (
        base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    )  # of all processes of this run
    file = shared / f"{request.param}.json"
    with contextlib.closing(sqlite3.connect(shared / "turn", timeout=3600)) as turn:
        turn.execute("BEGIN EXCLUSIVE")
        if not file.exists():
            rows = built_in().rows
            assert {row.claim.id for row in rows} >= set(LONG_ROWS)
            short = [row for row in rows if row.claim.id not in LONG_ROWS]
            rows = short if request.param == "short rows" else rows
            file.write_text(json.dumps(check(built_in(), rows)), encoding="utf-8")
    return json.loads(file.read_text(encoding="utf-8"))
