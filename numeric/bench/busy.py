"""The delta op beside `lax.scan` while the cores are idle, and while others keep all of them busy.

A program whose threads wait for each other is fast by itself and stalls beside others. Every call counts here, not the
fastest of a few. What keeps the cores busy is started here and ended here.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from .case import DELTA, SCAN

SECONDS = 10
"""For so long the two run in turns, and `LEAST` times in any case: single calls beside others scatter."""
LEAST = 5
LONGEST = 300
"""Seconds after which a process that keeps a core busy ends by itself, as it does when this one has ended."""
GOAL = 0.9
"""So many times the speed of `lax.scan` the delta op must have, busy or not."""
BUSY = f"""
import os, time
end = time.monotonic() + {LONGEST}
while time.monotonic() < end and os.getppid() == {{parent}}:
    for _ in range(100_000):
        pass
"""


def cores() -> int:
    """How many cores this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextlib.contextmanager
def busy(count: int) -> Iterator[list[subprocess.Popen[bytes]]]:
    """That many cores are kept busy inside the `with` block, each by a process, which the list holds."""
    program = [sys.executable, "-c", BUSY.format(parent=os.getpid())]
    running: list[subprocess.Popen[bytes]] = []
    try:
        for _ in range(count):
            # in a session of its own Ctrl-C does not reach it, of which it would tell
            running.append(subprocess.Popen(program, start_new_session=True))
        yield running
    finally:
        for process in running:
            process.kill()
            process.wait()


def beside_scan(
    programs: Mapping[str, Callable[[], Any]],
    wait: Callable[[Any], Any],
    tell: Callable[[str, int, int], None] | None = None,
) -> list[dict[str, Any]]:
    """`delta` and `lax.scan` over the delta rule in turns, idle and busy.

    Args:
        programs: the two by name, among others; they have been compiled.
        wait: called with a program's result; returns when it is there.
        tell: told what is timed, how much of it is done, and how much there is.

    Returns:
        For each, `busy_cores`, `calls`, `scan_seconds` and `delta_seconds` (a call, on average), `to_scan` (how many
        times faster than lax.scan) and `met`.
    """
    pair = [programs[name] for name in (f"{SCAN}, delta rule", DELTA)]
    found = []
    for done, count in enumerate((0, cores())):
        if tell is not None:
            tell(f"delta beside {SCAN}, {_when(count)}", done, 2)
        with busy(count):
            calls, (scan, delta) = _in_turns(pair, wait)
        found.append(
            {
                "busy_cores": count,
                "calls": calls,
                "scan_seconds": scan / calls,
                "delta_seconds": delta / calls,
                "to_scan": scan / delta,
                "met": scan / delta >= GOAL,
            }
        )
    return found


def _in_turns(
    programs: list[Callable[[], Any]], wait: Callable[[Any], Any]
) -> tuple[int, list[float]]:
    """How often each was called, and the seconds that all calls of each took."""
    calls, seconds = 0, [0.0 for _ in programs]
    while calls < LEAST or sum(seconds) < SECONDS:
        for place, program in enumerate(programs):
            started = time.perf_counter()
            wait(program())
            seconds[place] += time.perf_counter() - started
        calls += 1
    return calls, seconds


def as_lines(found: list[dict[str, Any]]) -> list[str]:
    """A line for each."""
    return [
        f"delta beside {SCAN}, {_when(one['busy_cores'])}: {1e3 * one['delta_seconds']:.2f} ms and "
        f"{1e3 * one['scan_seconds']:.2f} ms, means of {one['calls']:,} calls in turns: {one['to_scan']:.2f} times "
        f"its speed, ≥ {GOAL:g} {'met' if one['met'] else 'MISSED'}"
        for one in found
    ]


def _when(count: int) -> str:
    if not count:
        return "nothing else started"
    return f"{count} core{'s' * (count > 1)} kept busy"
