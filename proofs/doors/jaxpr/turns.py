"""The number of a turn of a loop over a size: as far as one counts with it, it is a·t + b, whose a and b are known."""

from __future__ import annotations

from types import CodeType
from typing import Any

from ...language.libraries import jax as jax_for
from .asked import dimension_type

APART = 2
"""So many of the first turns of a loop may be told apart from the rest."""
QUESTION = "a question about the number of a turn of a loop over a size"


class Asked(Exception):
    """A question about the number of a turn, which the first turns may answer in another way than the rest."""

    def __init__(self, why: str, loop: CodeType) -> None:
        super().__init__(why)
        self.loop = loop


class Spelled(Asked):
    """The text of the number of a turn was asked, which is another text in each."""

    unsafe = True


class Turn:
    """factor · t + offset, where t = 0, 1, … is an array of JAX's that a scan gives.

    Args:
        number: t.
        loop: the code of the loop's body.
        where: the loop's line.
        first: how many turns came before t = 0.
        factor, offset: whole numbers or sizes.
    """

    def __init__(
        self,
        number: Any,
        loop: CodeType,
        where: str,
        first: int = 0,
        factor: Any = 1,
        offset: Any = 0,
    ) -> None:
        self.number, self.loop, self.where, self.first = number, loop, where, first
        self.factor, self.offset = factor, offset + first if factor == 1 and first else offset

    def _with(self, factor: Any, offset: Any) -> Any:
        if isinstance(factor, int) and factor == 0:
            return offset
        found = Turn(self.number, self.loop, self.where)
        found.first, found.factor, found.offset = self.first, factor, offset
        return found

    def __jax_array__(self) -> Any:
        jnp = jax_for("a program").numpy
        return jnp.asarray(self.factor) * self.number + jnp.asarray(self.offset)

    def __add__(self, other: Any) -> Any:
        if isinstance(other, Turn) and other.number is self.number:
            return self._with(self.factor + other.factor, self.offset + other.offset)
        if _is_whole(other):
            return self._with(self.factor, self.offset + other)
        return self.__jax_array__() + number_of(other)

    __radd__ = __add__

    def __neg__(self) -> Any:
        return self._with(-1 * self.factor, -1 * self.offset)

    def __sub__(self, other: Any) -> Any:
        return self + -1 * other

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __mul__(self, other: Any) -> Any:
        if _is_whole(other):
            return self._with(self.factor * other, self.offset * other)
        return self.__jax_array__() * number_of(other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        return self.__jax_array__() / number_of(other)

    def __rtruediv__(self, other: Any) -> Any:
        return number_of(other) / self.__jax_array__()

    def __pow__(self, other: Any) -> Any:
        return self.__jax_array__() ** number_of(other)

    def __rpow__(self, other: Any) -> Any:
        return number_of(other) ** self.__jax_array__()

    def __mod__(self, other: Any) -> Any:
        raise self._asked()

    __floordiv__ = __mod__

    def _asked(self) -> Asked:
        return Asked(f"{QUESTION}{self.where}", self.loop)

    def __eq__(self, other: object) -> Any:
        """Answered where the first turns, which are run by themselves, leave one answer."""
        gap = other - self if isinstance(other, int | Turn) else None
        if isinstance(gap, int):
            return gap == 0
        if isinstance(gap, Turn) and isinstance(gap.factor, int) and isinstance(gap.offset, int):
            wanted = gap.offset  # −t + offset = 0 at t = offset
            if gap.factor == -1 and wanted < 0:
                return False
        raise self._asked()

    def __ne__(self, other: object) -> Any:
        return not self == other

    def _above(self, other: Any) -> bool:
        """self > other."""
        gap = self - other
        if isinstance(gap, int):
            return gap > 0
        if isinstance(gap, Turn) and isinstance(gap.factor, int) and isinstance(gap.offset, int):
            if gap.factor > 0 and gap.offset > 0:
                return True
            if gap.factor < 0 and gap.offset <= 0:
                return False
        raise self._asked()

    def __gt__(self, other: Any) -> bool:
        return self._above(other)

    def __ge__(self, other: Any) -> bool:
        return self._above(other - 1)

    def __lt__(self, other: Any) -> bool:
        return not self._above(other - 1)

    def __le__(self, other: Any) -> bool:
        return not self._above(other)

    def __bool__(self) -> bool:
        return self != 0

    def __index__(self) -> int:
        raise self._asked()

    def __str__(self) -> str:
        raise Spelled(
            f"a text of the number of a turn of a loop over a size{self.where}", self.loop
        )

    def __format__(self, form: str) -> str:
        return str(self)

    def __hash__(self) -> int:
        raise self._asked()

    __repr__ = __str__
    __divmod__ = __rmod__ = __rfloordiv__ = __rdivmod__ = __mod__
    __int__ = __float__ = __complex__ = __round__ = __trunc__ = __floor__ = __ceil__ = __index__


def _is_whole(value: Any) -> bool:
    return type(value) is int or type(value) is dimension_type()


def number_of(value: Any) -> Any:
    """The number of a turn as an array; other values as they are."""
    return value.__jax_array__() if isinstance(value, Turn) else value


def item(of: Any, key: Any) -> Any:
    """`of[key]`, also where the number of a turn stands in the key."""
    keys = key if isinstance(key, tuple) else (key,)
    if not any(map(_has_turn, keys)):
        return of[key]
    if not any(isinstance(one, slice) and _has_turn(one) for one in keys):
        return of[tuple(map(number_of, keys)) if isinstance(key, tuple) else number_of(key)]
    if hasattr(of, "dtype"):
        return _window(of, keys)
    return _At(of.array, keys)


def _has_turn(key: Any) -> bool:
    if isinstance(key, slice):
        return any(isinstance(one, Turn) for one in (key.start, key.stop, key.step))
    return isinstance(key, Turn)


def _starts(array: Any, keys: tuple[Any, ...]) -> tuple[list[Any], list[Any], list[int]]:
    """Where a window begins along each axis, how long it is there, and the axes that a number takes away."""
    starts: list[Any] = [0] * array.ndim
    lengths, gone = list(array.shape), []
    for axis, key in enumerate(keys):
        if isinstance(key, slice) and key.step in (None, 1):
            begin = 0 if key.start is None else key.start
            end = array.shape[axis] if key.stop is None else key.stop
            starts[axis], lengths[axis] = number_of(begin), end - begin
            if isinstance(lengths[axis], Turn):
                raise lengths[axis]._asked()
        elif isinstance(key, int | Turn):
            starts[axis], lengths[axis] = number_of(key), 1
            gone.append(axis)
        else:
            raise IndexError(
                "an index beside a slice at the number of a turn of a loop over a size"
            )
    return starts, lengths, gone


def _window(array: Any, keys: tuple[Any, ...]) -> Any:
    jax = jax_for("a program")
    starts, lengths, gone = _starts(array, keys)
    return jax.numpy.squeeze(jax.lax.dynamic_slice(array, starts, lengths), gone)


class _At:
    """`x.at[key]`, with a slice that begins at the number of a turn."""

    def __init__(self, array: Any, keys: tuple[Any, ...]) -> None:
        self._array, self._keys = array, keys

    def get(self) -> Any:
        """The entries there."""
        return _window(self._array, self._keys)

    def set(self, values: Any) -> Any:
        """The array with these entries there."""
        jax = jax_for("a program")
        starts, lengths, gone = _starts(self._array, self._keys)
        kept = [n for k, n in enumerate(lengths) if k not in gone]
        new = jax.numpy.broadcast_to(jax.numpy.asarray(values, self._array.dtype), kept)
        return jax.lax.dynamic_update_slice(self._array, new.reshape(lengths), starts)

    def add(self, values: Any) -> Any:
        """The array with these added there."""
        return self.set(self.get() + values)

    def multiply(self, values: Any) -> Any:
        """The array with the entries there multiplied by these."""
        return self.set(self.get() * values)

    mul = multiply
