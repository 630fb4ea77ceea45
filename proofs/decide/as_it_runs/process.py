"""Programs run in a process of their own, while this one reads them; it can be ended."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

from ...language.libraries import has_threads
from ..budget import Budget
from ..workers import TICK, Answer, Worker, can_fork


class Beside:
    """Tasks in a process of their own, the first in this one where that cannot be copied.

    JAX's threads do not survive a copy, so that a process in which JAX has computed runs a task of JAX itself, when
    its answer is asked for.

    Args:
        task: called with the seconds of a processor that it may take.
        seconds: these, in a process of its own.
        budget: what that process may take.
        later: another one, which is run when its answer is asked for, in a process of its own or not at all.
        for_jax: whether a task has JAX compute.
    """

    def __init__(
        self,
        task: Callable[[float], Any],
        seconds: float,
        budget: Budget,
        later: Callable[[], Any] | None = None,
        for_jax: bool = True,
    ) -> None:
        self._task = task
        self._worker: Worker | None = None
        if can_fork() and not (for_jax and has_threads()):
            self._worker = Worker([lambda: task(seconds), *([later] if later else [])], budget)
            self._worker.begin(0)

    @property
    def is_apart(self) -> bool:
        """Whether the tasks are in a process of their own."""
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
        return self._awaited(self._worker, seconds)

    def later(self, seconds: float) -> Answer | None:
        """What the later task returned; None where there is no process for it, or not any more."""
        if self._worker is None:
            return None
        self._worker.begin(1)
        return self._awaited(self._worker, seconds)

    def _awaited(self, worker: Worker, seconds: float) -> Answer:
        """The answer of a process, which is ended where none comes."""
        answer = None
        try:
            limit = Budget(math.ceil(worker.seconds + seconds))
            while (answer := worker.answer()) is None:
                hit = limit.hit(worker.seconds, 0)
                if hit is not None:
                    return Answer(worker.index, None, worker.seconds, hit=hit)
                worker.pipe.poll(TICK)
            return answer
        finally:
            if answer is None or answer.missing:
                self.end()

    def end(self) -> None:
        """End the process, if it still runs."""
        if self._worker is not None:
            self._worker.kill()
            self._worker = None
