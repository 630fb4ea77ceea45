"""Programs run in a process of their own, while this one reads them; it can be ended."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

from ..workers import Answer, Worker, can_fork


class Beside:
    """A task in a process of its own, or in this one where that cannot be copied.

    JAX's threads do not survive a copy, so that a process in which JAX has computed runs the task itself, when its
    answer is asked for.

    Args:
        task: called with the seconds of a processor that it may take.
        seconds: these, in a process of its own.
    """

    def __init__(self, task: Callable[[float], Any], seconds: float) -> None:
        self._task = task
        self._worker: Worker | None = None
        if can_fork() and not _has_threads():
            self._worker = Worker([lambda: task(seconds)])
            self._worker.begin(0)

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
            limit = self._worker.seconds + seconds
            while True:
                found = self._worker.answer(limit)
                if found is not None:
                    return found
                self._worker.pipe.poll(max(0.0, min(0.5, limit - self._worker.seconds)))
        finally:
            self.end()

    def end(self) -> None:
        """End the process, if it still runs."""
        if self._worker is not None:
            self._worker.kill()
            self._worker = None


def _has_threads() -> bool:
    """Whether JAX has computed in this process; torch computes small arrays in one thread."""
    if "jax" not in sys.modules:
        return False
    try:
        from jax._src.xla_bridge import backends_are_initialized

        return backends_are_initialized()
    except ImportError:
        return True
