"""A statement with a size in place of a number: what holds of chunks of any length holds of chunks of 16.

Where 16·n tokens go through in chunks, loops of 16 turns would be unrolled; with C for 16 they stay loops. What holds
for all C ≥ 16 holds at 16 if the statement there is, node by node, the one that is asked about. That alone is checked:
which numbers become sizes is a guess.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

from . import nodes
from .errors import IllFormed
from .statement import Relation, Statement, every_node
from .whole import Number, Position, Size, Symbol, Whole, parts, whole

LEAST = 8
"""Smaller numbers are too near to those that are numbers for another reason."""
NEAR = 3
"""A number that is no farther from a multiple of the length is taken to be counted from it, as 15 from 16."""
COUNTED = ("lengths", "length", "places", "guards")
"""The fields of nodes that hold whole numbers of sizes and positions."""


def lengths_in(statement: Statement) -> list[int]:
    """The numbers by which a size is multiplied in some length, from `LEAST` on."""
    found = {
        c
        for node in every_node(statement.nodes)
        for length in node.shape
        for m, c in parts(length)
        if len(m) == 1 and isinstance(m[0], Size) and c >= LEAST
    }
    return sorted(found)


def general(statement: Statement, number: int) -> Statement:
    """The statement with a size, at least that number, in place of the number.

    Raises:
        IllFormed: if the result is not, at that number, the statement; or the statement says more than equations.
    """
    is_plain = not (statement.hypotheses or statement.parameters or statement.at)
    if number < LEAST or not is_plain or any(r.kind != "equal" for r in statement.relations):
        raise IllFormed(f"a size in place of {number}")
    taken = {*(one.name for one in (*statement.sizes, *statement.inputs))}
    size = Size(
        next(f"C{'_' * k}" for k in range(len(taken) + 1) if f"C{'_' * k}" not in taken), number
    )
    counted = _Renumbered(lambda c: _counted(c, number, whole(size)), whole)
    found = replace(counted.statement(statement), sizes=(*statement.sizes, size), steps=())
    at_number = _Renumbered(lambda c: c, lambda one: number if one is size else whole(one))
    if replace(at_number.statement(found), sizes=statement.sizes) != statement:
        raise IllFormed(f"with a size in place of {number} it is another statement at {number}")
    return found


def _counted(value: int, number: int, size: Whole) -> Number:
    """A number in multiples of another, and a rest, where it is near to one of these."""
    if value < 0:
        return -_counted(-value, number, size)
    times, rest = divmod(value + NEAR, number)
    if not times or rest > 2 * NEAR:
        return value
    return _counted(times, number, size) * size + (rest - NEAR)


class _Renumbered:
    """Statements with other whole numbers, by what becomes of their coefficients and symbols."""

    def __init__(
        self, coefficient: Callable[[int], Number], symbol: Callable[[Symbol], Number]
    ) -> None:
        self.coefficient, self.symbol = coefficient, symbol
        self.known: dict[Any, Any] = {}

    def statement(self, one: Statement) -> Statement:
        for node in every_node([*one.nodes, *one.inputs]):
            self.of(node)
        said, owed = (tuple(map(self._relation, every)) for every in (one.relations, one.owed))
        return replace(one, inputs=self.of(one.inputs), relations=said, owed=owed)

    def _relation(self, one: Relation) -> Relation:
        changed = {name: self.of(getattr(one, name)) for name in ("left", "right", "each", "label")}
        return replace(one, **changed)

    def of(self, value: Any, counted: bool = False) -> Any:
        """What a node is made of, with other numbers where it is counted."""
        match value:
            case nodes.Node() | nodes.Recursion():
                if value not in self.known:
                    self.known[value] = self._made(value)
                return self.known[value]
            case Position():
                return Position(value.mark, self.of(value.low, True), self.of(value.high, True))
            case tuple() | frozenset():
                return type(value)(self.of(one, counted) for one in value)
            case Whole():
                return self._number(value)
            case int() if counted:
                return self._number(value)
        return value

    def _made(self, one: nodes.Node | nodes.Recursion) -> Any:
        names = [field.name for field in fields(one) if field.init]
        return type(one)(*(self.of(getattr(one, name), name in COUNTED) for name in names))

    def _number(self, value: Number) -> Number:
        total: Number = 0
        for m, c in parts(value):
            term = self.coefficient(c)
            for symbol in m:
                moved = self.of(symbol)
                term = term * (whole(moved) if isinstance(moved, Position) else self.symbol(moved))
            total = total + term
        return total
