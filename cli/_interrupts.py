"""Ctrl-C while JAX runs: it must not get lost in a callback."""

from __future__ import annotations

import _thread
import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType

AGAIN = 0.01
"""Seconds until an interrupt that came in a callback is tried again."""


@contextlib.contextmanager
def heard() -> Iterator[None]:
    """Ctrl-C raises KeyboardInterrupt, but not inside a callback of the garbage collector, or of a weak reference.

    JAX has such callbacks, and what a callback raises Python prints and forgets: the run would go on.
    """
    main = threading.current_thread() is threading.main_thread()
    if not main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    signal.signal(signal.SIGINT, _interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _interrupt(number: int, frame: FrameType | None) -> None:
    from scanproof.proofs.decide.budget import in_callback

    if in_callback(frame):
        threading.Timer(AGAIN, _thread.interrupt_main).start()
        return
    signal.default_int_handler(number, frame)
