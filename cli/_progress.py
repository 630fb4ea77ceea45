"""A progress bar on standard error, for work that lasts, and only where somebody is looking."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

PATIENCE = 0.7
"""Seconds before the bar appears."""
PAUSE = 0.1
"""Seconds between two drawings."""

Tell = Callable[[str, int, int], None]


@contextlib.contextmanager
def progress(what: str) -> Iterator[Tell | None]:
    """A function to be told of each claim's id, how many are done and how many there are; None if nobody looks."""
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield None
        return
    bar = _Bar(what)
    try:
        yield bar.tell
    finally:
        bar.close()


@contextlib.contextmanager
def lasting(what: str) -> Iterator[None]:
    """A bar with the seconds that have passed, for work in this process that counts nothing."""
    with progress(what) as tell:
        if tell is None:
            yield
            return
        over = threading.Event()

        def draw() -> None:
            began = time.monotonic()
            while not over.wait(PAUSE):
                tell(f"{time.monotonic() - began:.0f} s", 0, 1)

        drawing = threading.Thread(target=draw, daemon=True)
        drawing.start()
        try:
            yield
        finally:
            over.set()
            drawing.join()


class _Bar:
    def __init__(self, what: str) -> None:
        self.what = what
        self.drawn = time.monotonic() + PATIENCE - PAUSE
        self.bar: Any = None

    def tell(self, id: str, done: int, total: int) -> None:
        now = time.monotonic()
        if now < self.drawn + PAUSE:
            return
        self.drawn = now
        if self.bar is None:
            self.bar = _open(self.what, total)
        # Drawn here, not by rich's own thread: the workers are forked from this process.
        self.bar.update(0, completed=done, description=f"{self.what} {id}")
        self.bar.refresh()

    def close(self) -> None:
        if self.bar is not None:
            self.bar.stop()


def _open(what: str, total: int) -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    bar = Progress(
        BarColumn(30),
        MofNCompleteColumn(),
        TextColumn("{task.description}", markup=False),
        console=Console(file=sys.stderr),
        auto_refresh=False,
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    )
    bar.add_task(what, total=total)
    bar.start()
    return bar
