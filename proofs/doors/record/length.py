"""`Length`: a size, a position, or what is computed of them, in the hands of a body.

It answers what has one answer at all sizes. Every other question is refused with its line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ...interpret.questions import ARRAYS, numpy_call
from ...statement import binding
from ...statement.order import nonnegative, quotient, sign
from ...statement.whole import Number, Whole, spelled, whole
from .recording import Turns, current, here, refusal

TURNS = 2
"""A loop over `each` is recorded this often, to see that one turn leaves nothing to the next."""


class Length:
    """A whole number that depends on sizes or positions. Python is told that it is an int, as it is at every size."""

    __slots__ = ("number",)

    def __init__(self, number: Whole) -> None:
        object.__setattr__(self, "number", number)

    number: Whole
    __class__: Any = property(lambda self: int)

    def __getattr__(self, name: str) -> Any:
        if hasattr(int, name):
            raise _asked(self, f"{name} of {self.number}")
        raise AttributeError(f"'int' object has no attribute {name!r}")

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"'int' object has no attribute {name!r}")

    def symbolic_range(self, first: Any, last: Any) -> Iterator[Any]:
        """A position for each of first, …, last; see `constructs.arrays.ranges.each`."""
        ends = number_of(first), number_of(last) + 1
        if nonnegative(ends[0] - ends[1]):
            raise refusal("a loop over each(…) without a turn at any size, which says nothing")
        turns = Turns(tuple(binding.fresh(*ends) for _ in range(TURNS)), here())
        current().loops.append(turns)
        for position in turns.positions:
            yield Length(whole(position))
        turns.ended = True

    def _with(self, other: Any, sign: str, operation: Callable[[Any, Any], Number]) -> Any:
        if is_whole(other):
            return plain(operation(self.number, number_of(other)))
        if hasattr(type(other), "__array_namespace__"):
            return NotImplemented
        raise _asked(self, f"{self.number} {sign} {other!r}", AS_ARRAY)

    def __add__(self, other: Any) -> Any:
        return self._with(other, "+", lambda a, b: a + b)

    __radd__ = __add__

    def __mul__(self, other: Any) -> Any:
        return self._with(other, "·", lambda a, b: a * b)

    __rmul__ = __mul__

    def __sub__(self, other: Any) -> Any:
        return self._with(other, "−", lambda a, b: a - b)

    def __rsub__(self, other: Any) -> Any:
        return self._with(other, "−", lambda a, b: b - a)

    def __pos__(self) -> Any:
        return self

    def __neg__(self) -> Any:
        return plain(-self.number)

    def __abs__(self) -> Any:
        return self if self >= 0 else -self

    def __divmod__(self, other: Any) -> Any:
        found = quotient(self.number, other) if type(other) is int and other > 0 else None
        if found is None:
            raise _asked(self, f"the quotient and remainder of {self.number} by {shown(other)}")
        return plain(found[0]), plain(found[1])

    def __floordiv__(self, other: Any) -> Any:
        return divmod(self, other)[0]

    def __mod__(self, other: Any) -> Any:
        return divmod(self, other)[1]

    def __truediv__(self, other: Any) -> Any:
        if hasattr(type(other), "__array_namespace__"):
            return NotImplemented
        raise _asked(self, f"a quotient of {self.number}", AS_ARRAY)

    __rtruediv__ = __truediv__

    def __pow__(self, exponent: Any) -> Any:
        if type(exponent) is not int or exponent < 0:
            return self._no_number(exponent)
        power: Any = 1
        for _ in range(exponent):
            power = power * self
        return power

    def _no_number(self, *others: Any) -> Any:
        if any(hasattr(type(other), "__array_namespace__") for other in others):
            return NotImplemented
        call = numpy_call(ARRAYS)
        if call:
            why = f"{call} asks for the number that {self.number} is"
            raise refusal(why, "`from scanproof import numpy as np`")
        raise _asked(
            self,
            f"the number that {self.number} is",
            "loop with each or scan, or make an array of it: xp.asarray(N)",
        )

    __index__ = __int__ = __float__ = __complex__ = __trunc__ = __floor__ = __ceil__ = _no_number
    __round__ = __invert__ = __str__ = __repr__ = __hash__ = _no_number  # type: ignore[assignment]
    __format__ = __rpow__ = __rfloordiv__ = __rmod__ = __rdivmod__ = _no_number  # type: ignore[assignment]
    __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = _no_number
    __lshift__ = __rlshift__ = __rshift__ = __rrshift__ = _no_number
    __reduce_ex__ = __reduce__ = __array__ = _no_number  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        if not is_whole(other):
            if not isinstance(other, int | float | complex) and not hasattr(other, "__complex__"):
                return NotImplemented
            raise _asked(self, f"whether {self.number} == {other!r}")
        gap = self.number - number_of(other)
        if not isinstance(gap, Whole):
            return gap == 0
        if sign(gap) is False or sign(-gap) is False:
            return False
        raise _asked(self, f"whether {self.number} == {shown(other)}", AS_CASES)

    def __ne__(self, other: object) -> bool:
        found = Length.__eq__(self, other)
        return found if found is NotImplemented else not found

    def __bool__(self) -> bool:
        return self != 0

    def _ordered(self, other: Any, order: str, gap: Callable[[Any, Any], Number]) -> bool:
        found = sign(gap(self.number, number_of(other))) if is_whole(other) else None
        if found is None:
            raise _asked(self, f"whether {self.number} {order} {shown(other)}", AS_CASES)
        return found

    def __lt__(self, other: Any) -> bool:
        return self._ordered(other, "<", lambda a, b: b - a - 1)

    def __le__(self, other: Any) -> bool:
        return self._ordered(other, "<=", lambda a, b: b - a)

    def __gt__(self, other: Any) -> bool:
        return self._ordered(other, ">", lambda a, b: a - b - 1)

    def __ge__(self, other: Any) -> bool:
        return self._ordered(other, ">=", lambda a, b: a - b)


AS_CASES = "state what holds of some sizes alone as a claim of its own, with sizes="
AS_ARRAY = "make an array of the size first: xp.asarray(N)"


def _asked(one: Length, question: str, instead: str = "") -> Exception:
    return refusal(f"{question}, which depends on the sizes, was asked", instead)


def is_whole(value: Any) -> bool:
    """Whether this is a whole number, plain or of sizes."""
    return type(value) is int or type(value) is Length


def number_of(value: Any) -> Number:
    """A whole number as statements have it."""
    return value.number if type(value) is Length else value


def plain(number: Number) -> Any:
    """A whole number as bodies have it."""
    return Length(number) if isinstance(number, Whole) else number


def shown(value: Any) -> str:
    """A whole number as messages have it; the repr of anything else."""
    return spelled(number_of(value)) if is_whole(value) else repr(value)
