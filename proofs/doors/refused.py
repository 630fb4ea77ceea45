"""What a door does not let in."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

from ..statement.whole import Number


class Depends(NamedTuple):
    """What would have to be known of the sizes, which are to be told apart by it."""

    number: Number
    by: Number | None = None
    """Whether `number` is a multiple of this; None where its sign is the question."""


class Refused(Exception):
    """What a body or a program does has no nodes; the message says it by name, with the line."""

    unsafe: ClassVar[bool] = False
    """Whether what holds at a few sizes is likely to fail at others, as `Unreadable.unsafe` says."""

    def __init__(self, why: str, depends: Depends | None = None, placed: bool = False) -> None:
        super().__init__(why)
        self.placed = placed
        """Whether the message has the operation and the line."""
        self.depends = depends
        """What it hinges on, where that is known."""


class Spelled(Refused):
    """The text, or the hash, of a size is asked for, which is another at each."""

    unsafe = True


class KeepsState(Refused):
    """A turn of a loop over a size leaves to the next one what the loop does not follow, or asks for it."""

    unsafe = True
