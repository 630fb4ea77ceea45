"""Relations at given sizes and inputs, by a reading of their nodes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..statement.statement import Relation, Turns, in_turns
from .reading import Reading

Sides = tuple[Relation, Any, Any]
"""A relation with the arrays that its sides are."""


def of(every: Sequence[Relation], reading: Reading) -> Iterator[Sides]:
    """The sides of each relation, once for all values of the positions that it is said of; as a body yields them."""
    yield from _said(in_turns(every), reading)


def _said(every: Sequence[Relation | Turns], reading: Reading) -> Iterator[Sides]:
    for one in every:
        if isinstance(one, Relation):
            yield one, reading(one.left), reading(one.right)
            continue
        for value in reading.positions(one.position):
            with reading.bound({one.position: value}):
                yield from _said(one.inside, reading)
