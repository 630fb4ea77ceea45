"""Python's operators on tensors: new tensors, and those that change the one on their left in place."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from jax import numpy as jnp

from . import formats
from .tensors import Place, Tensor, entries, is_size, kind, refuse

Operation = Callable[[Any, Any], Any]


def _is_operand(one: Any) -> bool:
    plain = Tensor | Place | bool | int | float | complex
    return isinstance(one, plain) or hasattr(one, "dtype") or is_size(one)


def array_or_number(one: Any) -> Any:
    """What an operand is for JAX."""
    found = entries(one)
    return jnp.asarray(found) if is_size(found) and type(found) is not int else found


def computed(function: Operation, one: Any, other: Any) -> Tensor:
    """A new tensor of two operands, in torch's format."""
    found = function(array_or_number(one), array_or_number(other))
    return formats.settled(Tensor(found), (one, other))


def arithmetic(function: Operation, swapped: bool = False) -> Any:
    """An operator of tensors."""

    def run(self: Tensor, other: Any) -> Any:
        if not _is_operand(other):
            return NotImplemented
        return computed(function, *((other, self) if swapped else (self, other)))

    return run


def in_place(function: Operation) -> Any:
    """`x += y` changes the tensor that x is."""
    return lambda self, other: self._write(computed(function, self, other).array)


def kinds(*operands: Any) -> set[str]:
    """The kinds of numbers that operands hold."""
    return {kind(jnp.asarray(one)) for one in operands}


def _of_whole_numbers(function: Operation) -> Operation:
    def run(one: Any, other: Any) -> Any:
        if not kinds(one, other) <= {"i"}:
            raise refuse("// or % of what are not whole numbers")
        return function(one, other)

    return run


def divided(one: Any, other: Any) -> Any:
    """one / other, of whole numbers a real one."""
    if not kinds(one, other) & set("fc"):
        one = jnp.asarray(one, formats.default())
    return jnp.true_divide(one, other)


def subtracted(one: Any, other: Any) -> Any:
    """one − other, of numbers alone."""
    if "b" in kinds(one, other):
        raise refuse("a subtraction of truth values", "use logical_not, or ~")
    return jnp.subtract(one, other)


def power(one: Any, other: Any) -> Any:
    """one to the power of other, where whole numbers are not divided."""
    if not kinds(one, other) & set("fc") and not (isinstance(other, int) and other >= 0):
        raise refuse("a power of whole numbers with an exponent that may be negative")
    return one**other


def multiplied(one: Any, other: Any) -> Any:
    """The product of matrices or vectors, whose entries are of one format."""
    if len({jnp.asarray(each).dtype for each in (one, other)}) > 1 or kinds(one, other) == {"b"}:
        raise refuse("a product of matrices of two formats, or of truth values", "cast them")
    return jnp.matmul(one, other)


def _bits(function: Operation) -> Operation:
    def run(one: Any, other: Any) -> Any:
        if "f" in kinds(one, other):
            raise refuse("& | or ^ of real numbers")
        return function(one, other)

    return run


OPERATORS: dict[str, Operation] = {
    "add": jnp.add,
    "sub": subtracted,
    "mul": jnp.multiply,
    "truediv": divided,
    "floordiv": _of_whole_numbers(jnp.floor_divide),
    "mod": _of_whole_numbers(jnp.remainder),
    "pow": power,
    "matmul": multiplied,
    "and": _bits(operator.and_),
    "or": _bits(operator.or_),
    "xor": _bits(operator.xor),
}
for _name, _function in OPERATORS.items():
    setattr(Tensor, f"__{_name}__", arithmetic(_function))
    setattr(Tensor, f"__r{_name}__", arithmetic(_function, swapped=True))
    setattr(Tensor, f"__i{_name}__", in_place(_function))
for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    setattr(Tensor, f"__{_name}__", arithmetic(getattr(operator, _name)))


def negated(array: Any) -> Any:
    """−x, of numbers alone."""
    if kind(array) == "b":
        raise refuse("the negative of truth values", "use logical_not, or ~")
    return -array


def inverted(array: Any) -> Any:
    """~x, of truth values and whole numbers."""
    if kind(array) == "f":
        raise refuse("~ of real numbers")
    return ~array


Tensor.__neg__ = lambda self: Tensor(negated(self.array))  # type: ignore[attr-defined]
Tensor.__pos__ = lambda self: self  # type: ignore[attr-defined]
Tensor.__invert__ = lambda self: Tensor(inverted(self.array))  # type: ignore[attr-defined]
