"""Operations are counted, so that what is tried does not depend on how fast a machine is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

CALL = 20
"""What a call, or a node of a statement, costs besides its operations on scalars."""


class TooLong(BaseException):
    """More operations than were allowed; no `except Exception` of a claim's body stands in its way."""


class Meter:
    """Counts operations, so that what is tried does not depend on how fast a machine is."""

    def __init__(self, operations: int) -> None:
        self.left = self._now = operations

    def spend(self, operations: int) -> None:
        """Raises TooLong when there are none left."""
        self.left -= operations
        self._now -= operations
        if self._now < 0 or self.left < 0:
            raise TooLong

    def check(self) -> None:
        """Raise TooLong if it has been raised before, whoever caught it."""
        if self._now < 0 or self.left < 0:
            raise TooLong

    @contextmanager
    def at_most(self, operations: int) -> Iterator[None]:
        """Allow no more than these inside the block."""
        self._now = operations
        yield
        self.check()
