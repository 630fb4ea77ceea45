"""JAX's symbolic dimensions and the kernel's indices, each written as the other.

A dimension of JAX is read by its text, such as "2*T - 1", which is what its documentation shows.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from ...kernel import index as declarations
from ...kernel.index import Index
from ...language.sizes import arithmetic
from .. import areas
from ..areas import Area, Length
from ..questions import Unreadable


class Dimensions:
    """The sizes of a session, under names that JAX can have for them."""

    def __init__(self, lengths: Sequence[Index], letter: str = "s") -> None:
        found = sorted({v for e in lengths for v in e.variables()})
        self.names = {v: f"{letter}{v}" for v in found}
        self._letter = letter
        self._lengths = {name: areas.of(declarations.variable(v)) for v, name in self.names.items()}

    def another(self, scope: Any) -> Any:
        """A dimension of JAX's of which nothing is known but that it is 1 or more."""
        import jax

        (v,) = declarations.position("m", 1).variables()
        self.names[v] = f"{self._letter}{v}"
        self._lengths[self.names[v]] = areas.of(declarations.variable(v))
        (made,) = jax.export.symbolic_shape(self.names[v], scope=scope)
        return made

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
            Unreadable: if it is not a polynomial in the sizes.
        """
        if isinstance(dimension, int):
            return Index(dimension)
        text = str(dimension)
        try:
            found = arithmetic(ast.parse(text, mode="eval").body, self._lengths, FUNCTIONS)
        except (KeyError, TypeError):
            raise Unreadable(
                f"the length {self.named(text)}, which is not linear in the sizes"
            ) from None
        return areas.of(found).length


def _divided(left: Area | int, right: Area | int) -> tuple[Area, Area]:
    found = areas.divided(areas.of(left).length, areas.of(right).length)
    if found is None:
        raise Unreadable("the whole part of a quotient of symbolic sizes")
    return areas.of(found[0]), areas.of(found[1])


def _ordered(one: Area | int, other: Area | int) -> tuple[Area, Area]:
    small, large = areas.in_order(areas.of(one).length, areas.of(other).length)
    return areas.of(small), areas.of(large)


FUNCTIONS = {
    "floordiv": lambda left, right: _divided(left, right)[0],
    "mod": lambda left, right: _divided(left, right)[1],
    "min": lambda one, other: _ordered(one, other)[0],
    "max": lambda one, other: _ordered(one, other)[1],
}
"""What JAX writes as calls."""
