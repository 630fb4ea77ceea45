"""JAX's symbolic dimensions and the kernel's indices, each written as the other.

A dimension of JAX is read by its text, such as "2*T - 1", which is what its documentation shows.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any

from ...kernel import index as declarations
from ...kernel.index import Index, facts
from ...kernel.inequalities import implied
from ..questions import Unreadable
from ..size import Size, plain
from ..size import index as as_index
from . import areas
from .areas import Area, Length


class Dimensions:
    """The sizes of a session, under names that JAX can have for them."""

    def __init__(self, lengths: Sequence[Index], letter: str = "s") -> None:
        found = sorted({v for e in lengths for v in e.variables()})
        self.names = {v: f"{letter}{v}" for v in found}
        self._indices = {name: declarations.variable(v) for v, name in self.names.items()}

    def text(self, length: Length) -> str:
        """A length as JAX reads it."""
        if isinstance(length, Area):
            products = ("*".join([str(c), *(self.names[v] for v in m)]) for m, c in length.parts)
            return " + ".join(products)
        parts = [f"{c}*{self.names[v]}" for v, c in length.terms]
        return " + ".join([*parts, str(length.const)]) if parts else str(length.const)

    def named(self, text: str) -> str:
        """A text of JAX's about dimensions, with the sizes' own names."""
        for v in sorted(self.names, reverse=True):
            text = text.replace(self.names[v], declarations.name(v))
        return text

    def constraints(self) -> list[str]:
        """What is declared of the sizes, for JAX."""
        found = []
        for v in self.names:
            for fact in declarations.declared(v):
                if fact.variables() <= set(self.names):
                    found.append(f"{self.text(fact)} >= 0")
        return found

    def index(self, dimension: Any) -> Index:
        """A dimension of a jaxpr, a number or symbolic.

        Raises:
            Unreadable: if it is not linear in the sizes.
        """
        found = self.length(dimension)
        if isinstance(found, Area):
            raise Unreadable(f"the length {self.named(str(dimension))}, a product of sizes")
        return found

    def length(self, dimension: Any) -> Length:
        """The same, where it may be a product of sizes.

        Raises:
            Unreadable: if it is no polynomial in the sizes.
        """
        if isinstance(dimension, int):
            return Index(dimension)
        return as_length(_value(ast.parse(str(dimension), mode="eval").body, self._indices))


def as_length(value: Any) -> Length:
    return value if isinstance(value, Area) else as_index(value)


def _value(node: ast.expr, names: Mapping[str, Index]) -> Any:
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value
    if isinstance(node, ast.Name) and node.id in names:
        return Size(names[node.id])
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        found = areas.add(Index(0), as_length(_value(node.operand, names)), -1)
        return found if isinstance(found, Area) else plain(found)
    if isinstance(node, ast.BinOp):
        left, right = _value(node.left, names), _value(node.right, names)
        found = _polynomial(node.op, as_length(left), as_length(right))
        if found is not None:
            return found if isinstance(found, Area) else plain(found)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.args) == 2:
        left, right = (_value(one, names) for one in node.args)
        if isinstance(left, Area) or isinstance(right, Area):
            raise Unreadable(f"the length {ast.unparse(node)}, a quotient of products of sizes")
        if node.func.id in ("floordiv", "mod"):
            whole, rest = _divided(left, right)
            return whole if node.func.id == "floordiv" else rest
        if node.func.id in ("max", "min"):
            low, high = in_order(left, right)
            return high if node.func.id == "max" else low
    raise Unreadable(f"the length {ast.unparse(node)}, which is not linear in the sizes")


def _polynomial(operator: ast.operator, left: Length, right: Length) -> Length | None:
    if isinstance(operator, ast.Mult):
        return areas.times(left, right)
    if isinstance(operator, ast.Add | ast.Sub):
        return areas.add(left, right, 1 if isinstance(operator, ast.Add) else -1)
    if isinstance(operator, ast.Pow) and isinstance(right, Index) and not right.terms:
        return areas.product([left] * right.const)
    return None


def _divided(left: Any, right: Any) -> tuple[Any, Any]:
    """The whole part of a quotient and its remainder: where a multiple near 0 serves all sizes, or all is divisible."""
    for whole in (0, -1, 1, -2, 2):
        rest = as_index(left) - as_index(right) * whole
        gaps = (rest, as_index(right) - 1 - rest)
        if all(implied(gap, facts(gap.variables())) for gap in gaps):
            return whole, plain(rest)
    if type(right) is int and right > 0:  # 64 n + r = 64 · n + r
        terms = dict(as_index(left).terms)
        inner = Index(0, {v: c for v, c in terms.items() if c % right == 0})
        rest = as_index(left) - inner
        if inner.terms and rest != as_index(left):
            more, rest = _divided(plain(rest), right)
            return plain(as_index(plain(inner) // right) + as_index(more)), rest
    raise Unreadable("the whole part of a quotient of symbolic sizes")


def in_order(one: Any, other: Any) -> tuple[Any, Any]:
    """The two with the one first that is the smaller, or as large, at all sizes.

    Raises:
        Unreadable: if that depends on the sizes.
    """
    gap = as_index(other) - as_index(one)
    known = facts(gap.variables())
    if implied(gap, known):
        return one, other
    if implied(-gap, known):
        return other, one
    raise Unreadable(f"whether {plain(gap)!r} ≥ 0 depends on the sizes")
