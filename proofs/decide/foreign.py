"""Running a user's file in this process: one that never ends is ended, and one that forks goes on once."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from .budget import Budget, stopping

ERROR = 3


@contextmanager
def foreign(name: str, budget: Budget | None = None) -> Iterator[None]:
    """Run a user's file in this block, in one process, and within a budget.

    Where there is one, a file that does not let itself be stopped takes this process along, which says so.

    Raises:
        Stopped: if it takes more.
    """
    me = os.getpid()
    last = None if budget is None else lambda hit: _end(f"{name}: {hit.of_file()}.", ERROR)
    try:
        with stopping(budget or Budget(math.inf), last):
            yield
    finally:
        if os.getpid() != me:  # the file forked, and this is the copy
            _end(f"{name} forked while it was read; the copy of this process is ended.", 0)


def _end(words: str, code: int) -> None:
    try:
        sys.stderr.write(f"scanproof: {words}\n")
        sys.stderr.flush()
    finally:
        os._exit(code)
