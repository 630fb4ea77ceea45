"""JAX's symbolic dimensions and whole numbers of statements, each written as the other.

A dimension of JAX is read by its text, such as "2*T - 1", which is what its documentation shows. JAX takes each of its
letters for 1 or more: one stands for a size, or a position, less its least value, plus 1.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterable
from typing import Any

from ...statement.order import divided, nonnegative
from ...statement.whole import Axis, Number, Position, Size, Symbol, Whole, at, spelled, whole
from ..refused import Depends, Refused


class Dimensions:
    """The sizes and positions that lengths speak of, under names that JAX can have for them.

    Args:
        letter: with which the names begin; another one where JAX remembers what it was asked under the first.
    """

    def __init__(self, lengths: Iterable[Number], letter: str = "s") -> None:
        self.names: dict[Symbol, str] = {}
        self.numbers: dict[str, Number] = {}
        self._letter = letter
        for length in lengths:
            for symbol in length.symbols if isinstance(length, Whole) else ():
                self._add(symbol)

    def _add(self, symbol: Symbol) -> None:
        if symbol in self.names:
            return
        if isinstance(symbol, Axis):
            raise Refused("a length that differs from entry to entry")
        low = least(symbol)
        for other in low.symbols if isinstance(low, Whole) else ():
            self._add(other)
        name = self.names[symbol] = f"{self._letter}{len(self.names)}"
        self.numbers[name] = whole(symbol) - low + 1

    def another(self, symbol: Symbol) -> str:
        """The name of a size that no length speaks of."""
        self._add(symbol)
        return self.names[symbol]

    def text(self, length: Number) -> str:
        """A length as JAX reads it."""
        shifted: Any = at(length, self._shifted)
        return spelled(shifted, lambda name: self.names[name]).replace("·", "*").replace("−", "-")

    def _shifted(self, symbol: Symbol) -> Number:
        low = at(least(symbol), self._shifted)
        return whole(symbol) + low - 1

    def constraints(self) -> list[str]:
        """What JAX is told of positions: they end."""
        ends = [one for one in self.names if isinstance(one, Position)]
        return [f"{self.text(one.high - 1 - whole(one))} >= 0" for one in ends]

    def named(self, text: str) -> str:
        """A text of JAX's about dimensions, with the sizes' own names."""
        for symbol, name in reversed(list(self.names.items())):
            text = text.replace(name, spelled(self.numbers[name]) if symbol else "")
        return text

    def number(self, dimension: Any) -> Number:
        """A dimension of a jaxpr, a number or symbolic.

        Raises:
            Refused: if it is not a polynomial in the sizes.
        """
        if isinstance(dimension, int) and type(dimension) is not bool:
            return int(dimension)
        text = str(dimension)
        try:
            return self._value(ast.parse(text.replace("^", "**"), mode="eval").body)
        except (KeyError, TypeError, SyntaxError):
            raise Refused(
                f"the length {self.named(text)}, which is no polynomial in the sizes"
            ) from None

    def _value(self, tree: ast.AST) -> Number:
        match tree:
            case ast.Constant(value=int() as value):
                return value
            case ast.Name(id=name):
                return self.numbers[name]
            case ast.UnaryOp(op=ast.USub(), operand=inner):
                return -self._value(inner)
            case ast.BinOp(left=left, op=ast.Pow(), right=ast.Constant(value=int() as power)):
                found: Number = 1
                for _ in range(power):
                    found = found * self._value(left)
                return found
            case ast.BinOp(left=left, op=op, right=right) if type(op) in ARITHMETIC:
                return ARITHMETIC[type(op)](self._value(left), self._value(right))
            case ast.Call(func=ast.Name(id=name), args=[left, right]):
                return FUNCTIONS[name](self._value(left), self._value(right))
        raise TypeError(ast.dump(tree))


ARITHMETIC: dict[type[Any], Callable[[Any, Any], Number]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
}


def least(symbol: Symbol) -> Number:
    """The least value of a size or a position."""
    return symbol.least if isinstance(symbol, Size) else symbol.low  # type: ignore[union-attr]


def _parts(left: Number, right: Number) -> tuple[Number, Number]:
    found = divided(left, right)
    if found is None:
        raise Refused(
            f"the whole part of {spelled(left)} / {spelled(right)}, which depends on the sizes",
            Depends(left, right),
        )
    return found


def _ordered(one: Number, other: Number) -> tuple[Number, Number]:
    if nonnegative(other - one):
        return one, other
    if nonnegative(one - other):
        return other, one
    raise Refused(
        f"which of {spelled(one)} and {spelled(other)} is less depends on the sizes",
        Depends(one - other),
    )


FUNCTIONS: dict[str, Callable[[Number, Number], Number]] = {
    "floordiv": lambda left, right: _parts(left, right)[0],
    "mod": lambda left, right: _parts(left, right)[1],
    "min": lambda one, other: _ordered(one, other)[0],
    "max": lambda one, other: _ordered(one, other)[1],
}
"""What JAX writes as calls."""
