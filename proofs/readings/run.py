"""A statement at given sizes and inputs, on arrays of any kind."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ..statement.statement import Relation, Statement
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
    for group in _groups(statement.relations):
        yield from _turns(group, reading, 0)


def _groups(every: tuple[Relation, ...]) -> Iterator[list[Relation]]:
    """Neighbours that are said of the same first position: what one loop of a body yields in each turn."""
    for _, group in itertools.groupby(every, key=lambda one: one.each[:1]):
        yield list(group)


def _turns(group: list[Relation], reading: Reading, depth: int) -> Iterator[Sides]:
    if depth >= max(len(one.each) for one in group):
        for one in group:
            yield one, reading(one.left), reading(one.right)
        return
    for _, inner in itertools.groupby(group, key=lambda one: one.each[depth : depth + 1]):
        same = list(inner)
        if depth >= len(same[0].each):
            for one in same:
                yield one, reading(one.left), reading(one.right)
            continue
        position = same[0].each[depth]
        for value in reading.positions(position):
            with reading.bound({position: value}):
                yield from _turns(same, reading, depth + 1)
