"""Symbolic sizes and positions over the kernel's indices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..kernel.errors import KernelError
from ..kernel.index import Index, as_index
from . import areas
from .questions import Unreadable, numpy_call, place


class Size:
    """A size or a position in a range, given by an index of the kernel. It is not an array and not a scalar.

    Python gets int where it queries its class, since that is what it is at every size. It is compared
    where the answer is the same at all sizes; every other question is noted and refused.
    """

    __slots__ = ("_index",)

    def __init__(self, index: Index) -> None:
        _keep(self, index)

    def __getattribute__(self, name: str) -> Any:
        if name == "__class__":
            return int
        if name in OWN:
            raise _asked(self, f"{name} of {spelled(self)}")
        raise AttributeError(f"'int' object has no attribute {name!r}")

    def __add__(self, other: Any) -> Any:
        if not _meets(self, other, "+"):
            return NotImplemented
        return plain(_index_of(self) + index(other))

    __radd__ = __add__

    def __pos__(self) -> Any:
        return self

    def __neg__(self) -> Any:
        return plain(_index_of(self) * -1)

    def __sub__(self, other: Any) -> Any:
        if not _meets(self, other, "−"):
            return NotImplemented
        return plain(_index_of(self) - index(other))

    def __rsub__(self, other: Any) -> Any:
        if not _meets(self, other, "−"):
            return NotImplemented
        return plain(index(other) - _index_of(self))

    def __mul__(self, other: Any) -> Any:
        if not _meets(self, other, "·"):
            return NotImplemented
        if type(other) is not int:
            raise Unreadable(f"a product of two symbolic sizes{place()}")
        return plain(_index_of(self) * other)

    __rmul__ = __mul__

    def __floordiv__(self, other: Any) -> Any:
        if not _meets(self, other, "//"):
            return NotImplemented
        found = _divided(self, other)
        if found is None:
            raise Unreadable(f"the whole part of a quotient of symbolic sizes{place()}")
        return found[0]

    def __mod__(self, other: Any) -> Any:
        if not _meets(self, other, "%"):
            return NotImplemented
        found = _divided(self, other)
        if found is None:
            raise _asked(self, f"the remainder of {spelled(self)} by {spelled(other)}")
        return found[1]

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    def __abs__(self) -> Any:
        return self if self >= 0 else -self

    def __truediv__(self, other: Any) -> Any:
        if _meets(self, other, "/"):
            instead = "make an array of the size first: xp.asarray(N) / 2"
            raise _asked(self, f"the quotient of {spelled(self)} and {spelled(other)}", instead)
        return NotImplemented

    __rtruediv__ = __truediv__

    def _no_number(self, *others: Any) -> Any:
        if any(hasattr(type(other), "__array_namespace__") for other in others):
            return NotImplemented
        call = numpy_call()
        if call:
            question = f"{call} asks for the number that {spelled(self)} is"
            raise Unreadable(f"{question}{place()}; `from scanproof import numpy as np`", question)
        raise _asked(
            self,
            f"the number that {spelled(self)} is",
            "loop with `each` or `scan`, or make an array of it: xp.asarray(N)",
        )

    __index__ = __int__ = __float__ = __complex__ = __trunc__ = __floor__ = __ceil__ = _no_number
    __round__ = __invert__ = __str__ = __repr__ = __hash__ = _no_number  # type: ignore[assignment]
    __format__ = __pow__ = __rpow__ = __rfloordiv__ = __rmod__ = __rdivmod__ = _no_number  # type: ignore[assignment]
    __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = _no_number
    __lshift__ = __rlshift__ = __rshift__ = __rrshift__ = _no_number
    __reduce_ex__ = __reduce__ = __getnewargs__ = __array__ = _no_number
    __dir__ = __sizeof__ = __setattr__ = __delattr__ = _no_number  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        if not is_whole(other):
            if not isinstance(other, int | float | complex) and not hasattr(other, "__complex__"):
                return NotImplemented  # equal at no size
            raise _asked(self, f"whether {spelled(self)} == {other!r}")
        gap = _index_of(self) - index(other)
        if not gap.terms:
            return gap.const == 0
        if areas.sign(gap) is False or areas.sign(gap * -1) is False:
            return False
        raise _asked(self, f"whether {spelled(self)} == {spelled(other)}")

    def __ne__(self, other: object) -> bool:
        found = Size.__eq__(self, other)
        return found if found is NotImplemented else not found

    def __bool__(self) -> bool:
        return self != 0

    def __lt__(self, other: Any) -> bool:
        return _ordered(self, "<", other, lambda a, b: b - a - 1)

    def __le__(self, other: Any) -> bool:
        return _ordered(self, "<=", other, lambda a, b: b - a)

    def __gt__(self, other: Any) -> bool:
        return _ordered(self, ">", other, lambda a, b: a - b - 1)

    def __ge__(self, other: Any) -> bool:
        return _ordered(self, ">=", other, lambda a, b: a - b)

    del _no_number


_index_of, _keep = Size._index.__get__, Size._index.__set__
del Size._index  # no code but this module's gets it
OWN = frozenset(dir(int)) | frozenset(dir(Size))
"""Attributes that whole numbers have, and what a size has in their stead."""


def _asked(one: Size, question: str, instead: str = "") -> Unreadable:
    question, hint = f"{question} depends on the sizes", f"; {instead}" if instead else ""
    return Unreadable(f"{question} (asked{place()}){hint}", question)


def _meets(one: Size, other: Any, operation: str) -> bool:
    """Whether the other is a whole number; NotImplemented is for arrays alone.

    Raises:
        Unreadable: if it is neither.
    """
    if is_whole(other):
        return True
    if hasattr(type(other), "__array_namespace__"):
        return False
    raise _asked(
        one,
        f"what {spelled(one)} {operation} {other!r} comes to",
        "make an array of the size first: xp.asarray(N)",
    )


def _divided(one: Size, other: Any) -> tuple[Any, Any] | None:
    """The whole part and the remainder of a quotient by a number, where they are the same at all sizes."""
    try:
        found = areas.divided(_index_of(one), Index(other)) if type(other) is int else None
    except KernelError:  # too hard to see
        return None
    return None if found is None else (plain(index(found[0])), plain(index(found[1])))


def _ordered(one: Size, order: str, other: Any, gap: Callable[[Index, Index], Index]) -> bool:
    """Whether the gap, a function of this number and the other, is ≥ 0."""
    found = areas.sign(gap(_index_of(one), index(other))) if is_whole(other) else None
    if found is None:
        raise _asked(one, f"whether {spelled(one)} {order} {spelled(other)}")
    return found


def is_whole(value: Any) -> bool:
    """Whether the value is a whole number, plain or symbolic."""
    return type(value) is int or issubclass(type(value), Size)


def index(value: Any) -> Index:
    """A size or a number as an index of the kernel."""
    return _index_of(value) if type(value) is Size else as_index(value)


def plain(value: Index) -> int | Size:
    """A size, or the whole number that it is."""
    return Size(value) if value.terms else value.const


def spelled(value: Any) -> str:
    """A whole number as one writes it: "2·N − 1"; the repr of anything else."""
    if not is_whole(value):
        return repr(value)
    return areas.spelled(index(value))
