"""Recorded arithmetic: scalars that remember how they were computed, so that a computation can be written down.

Running a claim on these arrays yields, for every entry of its two sides, the arithmetic that the definitions did,
with the inputs by name: the stand-alone script of a counterexample is this record, not a second formula.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from scanproof.constructs.errors import UsageError

from ...exact.entries import arranged
from ...exact.field import Field
from ...exact.instance import shapes
from ...exact.scalar import as_fraction
from ...language.claim import Claim
from ...language.sizes import Sizes
from ...language.statements import Statement
from .evaluate import evaluate


class Node:
    """One arithmetic result: an operation on other nodes, a constant, or an input."""

    __slots__ = ("arguments", "operation", "value")

    def __init__(self, operation: str, arguments: tuple[Node, ...] = (), value: Any = None) -> None:
        self.operation = operation
        self.arguments = arguments
        self.value = value
        """The number of a constant, the text of an input."""

    def _is(self, number: int) -> bool:
        return self.operation == "constant" and self.value == number

    def __add__(self, other: Node) -> Node:
        if self._is(0):
            return other
        return self if other._is(0) else _node("+", self, other)

    def __sub__(self, other: Node) -> Node:
        if self._is(0):
            return -other
        return self if other._is(0) else _node("-", self, other)

    def __neg__(self) -> Node:
        return _node("neg", self)

    def __mul__(self, other: Node) -> Node:
        if self._is(0) or other._is(1):
            return self
        if other._is(0) or self._is(1):
            return other
        return _node("*", self, other)

    def __truediv__(self, other: Node) -> Node:
        return self if self._is(0) or other._is(1) else _node("/", self, other)

    def __repr__(self) -> str:
        return f"Node({self.operation}, {self.value})"


def _node(operation: str, *arguments: Node) -> Node:
    if all(a.operation == "constant" for a in arguments):
        a, b = arguments[0].value, arguments[-1].value
        if operation != "/" or b != 0:
            folded = {
                "+": lambda: a + b,
                "-": lambda: a - b,
                "*": lambda: a * b,
                "/": lambda: a / b,
                "neg": lambda: -a,
            }
            return Node("constant", value=folded[operation]())
    return Node(operation, arguments)


class RecordedField(Field):
    """Scalars are `Node`s; nothing is evaluated."""

    name = "recorded"

    def number(self, value: Any) -> Node:
        """The given number as a node of the record."""
        if isinstance(value, Node):
            return value
        return Node("constant", value=as_fraction(value))

    def exp(self, scalar: Node) -> Node:
        """The node of an exponential; of 0 it is 1."""
        return Node("constant", value=Fraction(1)) if scalar._is(0) else Node("exp", (scalar,))

    def log(self, scalar: Node) -> Node:
        """The node of a logarithm; of 1 it is 0."""
        return Node("constant", value=Fraction(0)) if scalar._is(1) else Node("log", (scalar,))

    def abs(self, scalar: Node) -> Node:
        """The node of an absolute value."""
        return Node("abs", (scalar,))

    def sqrt(self, scalar: Node) -> Node:
        """The node of a square root."""
        return Node("sqrt", (scalar,))

    def largest_eigenvalue(self, gram: Any) -> Node:
        """Refused: there is no formula to write down."""
        raise UsageError(
            "the operator norm of a matrix of three rows and columns or more has no formula to write into a script; "
            "`scanproof show` prints its value."
        )


def recorded(claim: Claim, sizes: Sizes, prefix: str = "") -> list[Statement]:
    """The claim's statements with every entry of its inputs a named node, such as x[0][1]."""
    field = RecordedField()
    arrays = {}
    for name, dims in shapes(claim, sizes).items():
        places = ["".join(f"[{i}]" for i in index) for index in np.ndindex(dims)]
        nodes = [Node("input", value=f"{prefix}{name}{place}") for place in places]
        arrays[name] = arranged(nodes, dims)
    return evaluate(claim, field, sizes, arrays)


def in_order(nodes: list[Node]) -> Iterator[Node]:
    """Every node that `nodes` are computed from, each after its arguments, once."""
    done: set[int] = set()
    pending = [(node, False) for node in reversed(nodes)]
    while pending:
        node, ready = pending.pop()
        if id(node) in done:
            continue
        if ready:
            done.add(id(node))
            yield node
        else:
            pending.append((node, True))
            pending.extend((a, False) for a in reversed(node.arguments))
