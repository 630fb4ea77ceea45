"""A statement at given sizes and inputs, on arrays of any kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ..statement.statement import Relation, Statement, Turns, in_turns
from .reading import Reading

Sides = tuple[Relation, Any, Any]
"""A relation with the arrays that its sides are."""


def relations(
    statement: Statement,
    xp: Any,
    sizes: Mapping[str, int],
    inputs: Mapping[str, Any],
    parameters: Mapping[str, Callable[[Any], Any]] | None = None,
) -> Iterator[Sides]:
    """The sides of each relation, once for all values of the positions that it is said of; as a body yields them.

    Args:
        statement: the statement.
        xp: the namespace of the arrays.
        sizes: a number for each size.
        inputs: an array for each input.
        parameters: changes of the construction's parameters, by their paths.
    """
    return of(statement, Reading(xp, sizes, inputs, parameters))


def of(statement: Statement, reading: Reading) -> Iterator[Sides]:
    """The same by a reading."""
    yield from _said(in_turns(statement.relations), reading)


def _said(every: Sequence[Relation | Turns], reading: Reading) -> Iterator[Sides]:
    for one in every:
        if isinstance(one, Relation):
            yield one, reading(one.left), reading(one.right)
            continue
        for value in reading.positions(one.position):
            with reading.bound({one.position: value}):
                yield from _said(one.inside, reading)
