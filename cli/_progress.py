"""The progress of a command: what is at work, and how much is done."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator

from scanproof.proofs.report.progress import PAUSE, ProgressBar

Tell = Callable[[str, int, int], None]


@contextlib.contextmanager
def progress(what: str) -> Iterator[Tell | None]:
    """A function to be told of each claim's id, how many are done and how many there are; None if nobody looks."""
    with ProgressBar(what) as bar:

        def tell(id: str, done: int, total: int) -> None:
            bar.total = total
            bar.tell(done, id)

        yield tell if bar.shown else None


@contextlib.contextmanager
def lasting(what: str) -> Iterator[None]:
    """A bar with the seconds that have passed, for work in this process that counts nothing."""
    with ProgressBar(what) as bar:
        if not bar.shown:
            yield
            return
        over = threading.Event()

        def draw() -> None:
            began = time.monotonic()
            while not over.wait(PAUSE):
                bar.tell(0, f"{time.monotonic() - began:.0f} s")

        drawing = threading.Thread(target=draw, daemon=True)
        drawing.start()
        try:
            yield
        finally:
            over.set()
            drawing.join()
