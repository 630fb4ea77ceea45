"""Programs run in a process of their own, while this one reads them; it can be ended."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from typing import Any

from ..budget import Budget
from ..workers import TICK, Answer, Worker, can_fork


class Beside:
    """A task in a process of its own, or in this one where that cannot be copied.

    JAX's threads do not survive a copy, so that a process in which JAX has computed runs the task itself, when its
    answer is asked for.

    Args:
        task: called with the seconds of a processor that it may take.
        seconds: these, in a process of its own.
        budget: what that process may take.
    """

    def __init__(self, task: Callable[[float], Any], seconds: float, budget: Budget) -> None:
        self._task = task
        self._worker: Worker | None = None
        if can_fork() and not has_threads():
            self._worker = Worker([lambda: task(seconds)], budget)
            self._worker.begin(0)

    @property
    def is_apart(self) -> bool:
        """Whether the task is in a process of its own."""
        return self._worker is not None

    def answer(self, seconds: float, here: float) -> Answer:
        """What the task returned.

        Args:
            seconds: no longer than these is waited for another process.
            here: what the task may take in this one.
        """
        if self._worker is None:
            began = time.monotonic()
            return Answer(0, self._task(here), time.monotonic() - began)
        try:
            limit = Budget(math.ceil(self._worker.seconds + seconds))
            while (found := self._worker.answer()) is None:
                hit = limit.hit(self._worker.seconds, 0)
                if hit is not None:
                    return Answer(0, None, self._worker.seconds, hit=hit)
                self._worker.pipe.poll(TICK)
            return found
        finally:
            self.end()

    def end(self) -> None:
        """End the process, if it still runs."""
        if self._worker is not None:
            self._worker.kill()
            self._worker = None


def has_threads() -> bool:
    """Whether JAX has computed in this process; torch computes small arrays in one thread."""
    if "jax" not in sys.modules:
        return False
    try:
        from jax._src.xla_bridge import backends_are_initialized

        return backends_are_initialized()
    except ImportError:
        return True
