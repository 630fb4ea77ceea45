"""A progress bar on standard error, for work that lasts, and only where somebody is looking."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

OnProgress = Callable[[str, int, int], None]
"""Called with what is at work, how many pieces are done and how many there are."""

PATIENCE = 0.7
"""Seconds before the bar appears."""
PAUSE = 0.1
"""Seconds between two drawings."""


class ProgressBar:
    """A progress bar; use it as `with ProgressBar("streaming", total) as bar: bar.advance(done)`.

    It is silent unless standard error is a terminal.

    Args:
        what: the words beside the bar.
        total: how many pieces there are, None if nobody knows.
        shown: False keeps it silent on a terminal too.
    """

    def __init__(self, what: str, total: int | None = None, *, shown: bool = True) -> None:
        self.what = what
        self.total = total
        self.shown = shown and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        self.drawn = time.monotonic() + PATIENCE - PAUSE
        self.bar: Any = None

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(self, *exception: object) -> None:
        if self.bar is not None:
            self.bar.stop()
            self.bar = None

    def advance(self, done: int, now_at: str = "") -> None:
        """Show that `done` pieces are finished, and what is at work, if it is time to draw."""
        now = time.monotonic()
        if not self.shown or now < self.drawn + PAUSE:
            return
        self.drawn = now
        if self.bar is None:
            self.bar = _open(self.what, self.total)
        # Drawn here, not by rich's own thread: the caller may fork, or print between two pieces.
        self.bar.update(0, completed=done, total=self.total, description=f"{self.what} {now_at}")
        self.bar.refresh()


def _open(what: str, total: int | None) -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.progress import TimeRemainingColumn as Remaining

    counted = [MofNCompleteColumn(), Remaining()] if total is not None else []
    bar = Progress(
        BarColumn(30),
        *counted,
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


@contextlib.contextmanager
def progress(what: str) -> Iterator[OnProgress | None]:
    """A bar for pieces whose number is known when they begin; None if nobody looks."""
    with ProgressBar(what) as bar:

        def advance(id: str, done: int, total: int) -> None:
            bar.total = total
            bar.advance(done, id)

        yield advance if bar.shown else None


@contextlib.contextmanager
def lasting(what: str) -> Iterator[Callable[[str], None]]:
    """A bar with the seconds that have passed, for work in this process that counts nothing.

    It gives a function by which the work says what it is at.
    """
    with ProgressBar(what) as bar:

        def tell(now: str) -> None:
            bar.what = f"{what}: {now}"

        if not bar.shown:
            yield tell
            return
        over = threading.Event()

        def draw() -> None:
            began = time.monotonic()
            while not over.wait(PAUSE):
                bar.advance(0, f"{time.monotonic() - began:.0f} s")

        drawing = threading.Thread(target=draw, daemon=True)
        drawing.start()
        try:
            yield tell
        finally:
            over.set()
            drawing.join()
