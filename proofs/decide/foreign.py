"""Running a user's file in this process: one that never ends is ended, and one that forks goes on once."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class TooSlow(BaseException):
    """It takes longer than it may; no `except Exception` of the file stands in its way."""


@contextmanager
def foreign(name: str, time_limit: float | None = None) -> Iterator[None]:
    """Run a user's file in this block, in one process and for so many seconds, where signals can tell.

    Raises:
        TooSlow: if it takes longer.
    """
    me = os.getpid()
    try:
        with _alarm(time_limit):
            yield
    finally:
        if os.getpid() != me:  # the file forked, and this is the copy
            _end_copy(name)


def _end_copy(name: str) -> None:
    words = f"scanproof: {name} forked while it was read; the copy of this process is ended.\n"
    try:
        sys.stderr.write(words)
        sys.stderr.flush()
    finally:
        os._exit(0)


@contextmanager
def _alarm(time_limit: float | None) -> Iterator[None]:
    in_main = threading.current_thread() is threading.main_thread()
    if time_limit is None or not in_main or not hasattr(signal, "setitimer"):
        yield
        return

    def ring(number: int, frame: FrameType | None) -> None:
        raise TooSlow(f"reading it takes longer than {time_limit:g} s (--time-limit)")

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, time_limit)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
