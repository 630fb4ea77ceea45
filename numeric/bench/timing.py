"""Timing programs in turns, so that whatever else the machine does falls on all of them alike."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

BURST = 3
"""Calls of a program in its turn."""


class Timing(NamedTuple):
    """Seconds of one program."""

    first: float
    """The first call, which compiles."""
    rounds: tuple[float, ...]
    """The fastest call of each later turn, in order."""

    @property
    def median(self) -> float:
        """The middle one of the rounds' times, in seconds."""
        return statistics.median(self.rounds)

    @property
    def spread(self) -> float:
        """(third quartile − first quartile) / median, 0 for fewer than 4 rounds."""
        if len(self.rounds) < 4:
            return 0.0
        low, _, high = statistics.quantiles(self.rounds, n=4)
        return (high - low) / self.median


def interleaved(
    programs: Mapping[str, Callable[[], Any]],
    wait: Callable[[Any], Any],
    rounds: int,
    tell: Callable[[str, int, int], None] | None = None,
    slow: float = 1.0,
    end: float = math.inf,
    left_out: dict[str, str] | None = None,
) -> dict[str, Timing]:
    """Call every program once to compile it, then all of them in turn, `rounds` times.

    In its turn a program runs `BURST` times and the fastest counts: the first finds the caches full of what the
    program before it used.

    Args:
        programs: what to call, by name.
        wait: called with a program's result; returns when it is there.
        rounds: ≥ 1.
        tell: told the name of the program, how many calls are done, and how many there will be.
        slow: a program that takes longer than so many seconds runs once in the first round, and not again.
        end: when, on the monotonic clock, no program is called for the first time any more, and no further round begun.
        left_out: takes the names of programs that were not called, or raised an exception in their first call, with the
            reason; None: the exception is raised.

    Returns:
        A timing for each other program.
    """
    total, done = len(programs) * (rounds + 1), 0
    firsts: dict[str, float] = {}
    seconds: dict[str, list[float]] = {name: [] for name in programs}
    for turn in range(rounds + 1):
        if turn > 1 and time.monotonic() >= end:
            break
        for name, program in programs.items():
            done += 1
            if turn and name not in firsts:
                continue
            if not turn and time.monotonic() >= end:
                if left_out is not None:
                    left_out[name] = "no time is left"
                continue
            if turn > 1 and seconds[name][0] > slow:
                continue
            if tell is not None:
                tell(name, done, total)
            if turn:
                seconds[name].append(min(_timed(program, wait, slow)))
                continue
            try:
                (firsts[name],) = _timed(program, wait, 0.0)
            except Exception as error:
                if left_out is None:
                    raise
                left_out[name] = f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"
    return {name: Timing(first, tuple(seconds[name])) for name, first in firsts.items()}


def _timed(program: Callable[[], Any], wait: Callable[[Any], Any], slow: float) -> list[float]:
    """Seconds of `BURST` calls, or of one that takes longer than `slow` seconds."""
    seconds: list[float] = []
    while len(seconds) < BURST and (not seconds or seconds[0] <= slow):
        started = time.perf_counter()
        wait(program())
        seconds.append(time.perf_counter() - started)
    return seconds


def ratio(above: Timing, below: Timing) -> float:
    """The median over the rounds of how many times longer `above` takes than `below` in the same round."""
    return statistics.median(a / b for a, b in zip(above.rounds, below.rounds, strict=False))
