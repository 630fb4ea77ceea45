"""Tensors as torch has them, over JAX arrays: a name stands for an object that can be changed in place.

JAX arrays do not change, and torch's views do: `a = S[0]; a += 1` changes S. Tensors that may share memory are of one
family here, and a write through one of them makes all others stale: reading a stale one is refused. So in-place code
is followed where it is plain, and never read as something else.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import jax
from jax import lax
from jax import numpy as jnp

from ...questions import Unreadable
from . import modes

with suppress(ImportError, AttributeError):  # JAX's equations are of the user's lines, not of these
    from jax._src.source_info_util import register_exclusion

    register_exclusion(str(Path(__file__).parent))


def refuse(what: str, instead: str = "") -> Unreadable:
    """The error that says what code does that is not read, and what to write instead."""
    return Unreadable(
        f"the program uses {what}{_line()}, which is not read" + (f"; {instead}" if instead else "")
    )


def _line() -> str:
    """The line of the user's that is being run."""
    frame = sys._getframe(2)
    while frame is not None and "_scanproof_loop" not in frame.f_globals:
        frame = frame.f_back
    return f" ({Path(frame.f_code.co_filename).name}:{frame.f_lineno})" if frame else ""


class Refused:
    """Stands for what is not read, until it is used."""

    def __init__(self, what: str, instead: str = "") -> None:
        self.what, self.instead = what, instead

    def _used(self, *_: Any, **__: Any) -> Any:
        raise refuse(self.what, self.instead)

    __getattr__ = __getitem__ = __setitem__ = __call__ = __iter__ = __bool__ = __len__ = _used
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = (
        _used
    )
    __matmul__ = __rmatmul__ = __neg__ = __pow__ = __index__ = __float__ = __int__ = _used
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _used  # type: ignore[assignment]
    __hash__ = object.__hash__


class ReadBack(Exception):
    """A tensor of which a turn of a loop writes one place is read in the loop as well."""

    def __init__(self, tensor: Any) -> None:
        self.tensor = tensor


class Family:
    """Tensors that may share memory: how often it was written, and in how many loops over sizes it was made."""

    def __init__(self, parts: Sequence[Family] = ()) -> None:
        self.own = 0
        self.depth = len(LOOPS)
        self.parts = list({id(one): one for one in parts}.values())
        """Those whose memory it may be, where turns of a loop decide it: it is read until one of them is written."""
        self.constant = modes.stopped()
        """Whether it was made where no derivative is recorded."""
        self.before: Family | None = None
        """In a turn of a loop, that of what a name stood for before the loop."""

    @property
    def writes(self) -> int:
        """How often memory of its tensors was written."""
        return self.own + sum(one.writes for one in self.parts)


KINDS = "bifc"
"""Truth values, whole, real and complex numbers: each kind holds those before it."""
LOOPS: list[Any] = []
"""The loops over sizes whose bodies are being read, outermost first; each notes what is written."""


class Place:
    """The number of a turn of a loop over a size, times a factor, plus an offset."""

    __slots__ = ("factor", "offset", "turn")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, turn: Any, factor: Any = 1, offset: Any = 0) -> None:
        self.turn, self.factor, self.offset = turn, factor, offset

    @property
    def value(self) -> Any:
        """The number, for arithmetic with tensors."""
        for loop in LOOPS:
            loop.numbered = loop.numbered or loop.number is self.turn
        return self.turn * self.factor + self.offset

    def _moved(self, other: Any, sign: int = 1) -> Any:
        if isinstance(other, Place):
            if other.turn is not self.turn:
                return self.value + sign * other.value
            factor = self.factor + sign * other.factor
            offset = self.offset + sign * other.offset
            return offset if is_zero(factor) else Place(self.turn, factor, offset)
        if not is_size(other):
            return NotImplemented if isinstance(other, Tensor) else self.value + sign * other
        return Place(self.turn, self.factor, self.offset + sign * other)

    def __add__(self, other: Any) -> Any:
        return self._moved(other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self._moved(other, -1)

    def __rsub__(self, other: Any) -> Any:
        return (self * -1)._moved(other)

    def __mul__(self, other: Any) -> Any:
        if not is_size(other):
            return NotImplemented if isinstance(other, Tensor) else self.value * entries(other)
        return Place(self.turn, self.factor * other, self.offset * other)

    __rmul__ = __mul__

    def __neg__(self) -> Any:
        return self * -1

    def __truediv__(self, other: Any) -> Any:
        return NotImplemented if isinstance(other, Tensor) else self._real / entries(other)

    def __rtruediv__(self, other: Any) -> Any:
        return entries(other) / self._real

    def __pow__(self, other: Any) -> Any:
        if isinstance(other, Tensor):
            return NotImplemented
        whole = isinstance(other, int) and other >= 0
        return (self.value if whole else self._real) ** entries(other)

    def __rpow__(self, other: Any) -> Any:
        return other**self.value

    @property
    def _real(self) -> Any:
        return jnp.asarray(self.value, float)

    def last(self) -> Any:
        """What it is in the loop's last turn."""
        return self.factor * (self._loop.turns - 1) + self.offset

    @property
    def _loop(self) -> Any:
        return next(loop for loop in LOOPS if loop.number is self.turn)

    def _sign(self) -> tuple[int, ...]:
        """The signs that it is seen to have: in every turn one of these."""
        ends = [self.offset, self.last()]
        if all(seen(operator.gt, one) for one in ends):
            return (1,)
        if all(seen(operator.lt, one) for one in ends):
            return (-1,)
        at_least = (0, 1) if all(seen(operator.ge, one) for one in ends) else (-1, 0, 1)
        return (-1, 0) if all(seen(operator.le, one) for one in ends) else at_least

    def _question(self, *_: Any) -> Any:
        for loop in LOOPS:
            loop.undecided = loop.undecided or loop.number is self.turn
        raise refuse(
            "a question about the number of a turn of a loop over a size",
            "use torch.where, or a mask",
        )

    def _number(self, *_: Any) -> Any:
        if of_jax():
            raise TypeError("the number of a turn of a loop is not known")  # JAX tries, and goes on
        return self._question()

    __bool__ = __floordiv__ = __mod__ = _question
    __index__ = __int__ = __float__ = _number


def of_jax() -> bool:
    """Whether JAX called the method that calls this: it asks of anything whether it is a number."""
    return "site-packages" in sys._getframe(2).f_code.co_filename


def seen(compare: Callable[[Any, int], Any], size: Any) -> bool:
    """Whether a size is seen to lie so to 0, at all sizes."""
    try:
        return bool(compare(size, 0))
    except Exception:  # JAX cannot tell
        return False


def _comparison(compare: Callable[[Any, Any], Any]) -> Any:
    def run(self: Place, other: Any) -> Any:
        if isinstance(other, Tensor):
            return NotImplemented
        if hasattr(other, "dtype"):
            return compare(self.value, other)
        gap = self - other if isinstance(other, Place) or is_size(other) else NotImplemented
        if gap is NotImplemented:
            return self._question()
        gap = gap if isinstance(gap, Place) else Place(self.turn, 0, gap)
        found = {compare(sign, 0) for sign in gap._sign()}
        return found.pop() if len(found) == 1 else self._question()

    return run


for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    setattr(Place, f"__{_name}__", _comparison(getattr(operator, _name)))


def kind(array: Any) -> str:
    """The letter of `KINDS` for an array's numbers."""
    for letter, name in zip(KINDS, ("bool_", "integer", "floating"), strict=False):
        if jnp.issubdtype(array.dtype, getattr(jnp, name)):
            return letter
    return KINDS[-1]


def is_size(one: Any) -> bool:
    """Whether it is a whole number, or a dimension of JAX's that stands for one."""
    return (isinstance(one, int) and not isinstance(one, bool)) or jax.export.is_symbolic_dim(one)


def is_zero(size: Any) -> bool:
    """Whether a length is seen to be 0."""
    return isinstance(size, int) and size == 0


class Tensor:
    """A tensor of torch over an array of JAX; `table` has its methods, and `loops` how it is run through."""

    __hash__ = object.__hash__

    def __init__(self, array: Any, family: Family | None = None) -> None:
        self._array = lax.stop_gradient(array) if modes.stopped() else array
        self._family = Family() if family is None else family
        self._seen = self._family.writes
        self.repeats = False
        """Whether several of its entries may be one number in memory."""

    @property
    def array(self) -> Any:
        """The entries now.

        Raises:
            Unreadable: if memory that it may share was written through another tensor since.
        """
        if LOOPS and any(self is one for loop in LOOPS for one in loop.once):
            raise ReadBack(self)
        if self._seen != self._family.writes:
            raise refuse(
                "a tensor that may share memory with one that was written in place",
                "clone() one of them first",
            )
        return self._array

    def _view(self, array: Any) -> Tensor:
        """A tensor with these entries that may share this one's memory."""
        self.array  # noqa: B018  a stale tensor has no views
        found = Tensor(array, self._family)
        found.repeats = self.repeats
        return found

    def spread(self, array: Any) -> Tensor:
        """A view whose entries repeat this one's."""
        found = self._view(array)
        found.repeats = True
        return found

    def _write(self, new: Any, place: tuple[Any, ...] | None = None) -> Tensor:
        """Change the tensor in place.

        Args:
            new: the entries that it has from now on.
            place: (axis, place, entries) where only the entries at one place of one axis are others.
        """
        old = self.array
        if jnp.shape(new) != jnp.shape(old):
            raise refuse(f"an in-place change of shape {jnp.shape(old)} to {jnp.shape(new)}")
        new = jnp.asarray(new)
        if KINDS.index(kind(new)) > KINDS.index(kind(old)):
            raise refuse(f"an in-place change of {old.dtype} to {new.dtype}")
        if self.repeats:
            raise refuse("an in-place change of a tensor whose entries repeat", "clone() it first")
        if self._family.parts:
            raise refuse(
                "an in-place change of what a loop over a size gave its name, or a derivative is taken at",
                "clone() it first",
            )
        if modes.stopped():
            if not self._family.constant:
                raise refuse(
                    "an in-place change, where no gradient is recorded, of a tensor from elsewhere"
                )
            new = lax.stop_gradient(new)
        for loop in LOOPS[self._family.depth :]:
            loop.written(self, place)
        self._family.own += 1
        self._seen = self._family.writes
        self._array = new.astype(old.dtype)
        return self

    def __getitem__(self, key: Any) -> Tensor:
        array = self.array
        plain, slabs = _parts(array, key)
        for axis, start, length in slabs:
            array = _cut(self, array, axis, start, length)
        return self._view(array[tuple(plain)])

    def __setitem__(self, key: Any, value: Any) -> None:
        if LOOPS and any(self is one for one in LOOPS[-1].once):
            place = _part(self._array, key, entries(value))
            LOOPS[-1].written(self, place)
        else:
            new = entries(value)
            self._write(_written(self.array, key, new), _part(self.array, key, new))

    def __len__(self) -> int:
        raise refuse("len() of a tensor in this place", "use x.shape[0]")

    def __bool__(self) -> bool:
        raise refuse("a question about a tensor's numbers", "use torch.where")

    def _number(self, *_: Any) -> Any:
        if of_jax():
            raise TypeError("a tensor is no number of Python's")  # JAX tries, and goes on
        raise refuse("a tensor as a number of Python's", "keep it a tensor")

    __float__ = __int__ = __index__ = _number


def entries(value: Any) -> Any:
    """What an operand is in arithmetic: an array, or a number."""
    if isinstance(value, Tensor):
        return value.array
    if isinstance(value, Refused):
        value._used()
    return value.value if isinstance(value, Place) else value


# Indexing


def _parts(array: Any, key: Any) -> tuple[list[Any], list[tuple[int, Any, Any]]]:
    """The index without what depends on turns of loops, and (axis, start, length) of each slab that does."""
    given = list(key) if isinstance(key, tuple) else [key]
    taken = sum(one is not None and one is not Ellipsis for one in given)
    if Ellipsis not in [one for one in given if one is Ellipsis]:
        given.append(Ellipsis)
    where = next(k for k, one in enumerate(given) if one is Ellipsis)
    given[where : where + 1] = [slice(None)] * (array.ndim - taken)
    plain: list[Any] = []
    slabs, axis = [], 0
    for one in given:
        if one is None:
            plain.append(None)
            continue
        one = one.array if isinstance(one, Tensor) else one
        if isinstance(one, Place):
            slabs.append((axis, one, None))
            plain.append(0)
        elif isinstance(one, slice) and any(
            isinstance(end, Place) for end in (one.start, one.stop)
        ):
            slabs.append((axis, *_slab(one, array.shape[axis])))
            plain.append(slice(None))
        elif isinstance(one, slice) or is_size(one):
            length = array.shape[axis]
            step = getattr(one, "step", None)
            if isinstance(step, int) and step < 1:
                raise refuse("a slice that goes backwards", "use flip")
            if is_size(one) and not isinstance(one, int):
                one = one - length  # from the end
                if not isinstance(one, int):
                    raise refuse("an index that depends on a size", "use a slice, or a mask")
            if isinstance(one, int) and isinstance(length, int) and not -length <= one < length:
                raise IndexError(f"index {one} of an axis of length {length}")
            plain.append(one)
        elif hasattr(one, "dtype"):
            raise refuse("an index that is a tensor", "use slices, torch.where or masked_fill")
        else:
            raise refuse(f"the index {one!r}")
        axis += 1
    return plain, slabs


def _slab(one: slice, axis: Any) -> tuple[Place, Any]:
    """Start and length of a slice whose start and stop move alike with the turn."""
    start, stop = one.start, one.stop
    length = None if start is None or stop is None else stop - start
    if (
        not (one.step is None or one.step == 1)
        or not is_size(length)
        or not isinstance(one.start, Place)
    ):
        raise refuse(
            "a slice whose length depends on the turn of a loop over a size",
            "use a mask, such as tril",
        )
    if not (one.start.factor >= 0 and one.start.offset >= 0):
        raise refuse("a slice that may begin before 0")
    start = one.start
    turns = next(loop.turns for loop in LOOPS if loop.number is start.turn)
    if not start.factor * (turns - 1) + start.offset + length <= axis:
        raise refuse("a slice that may end after its axis")
    return one.start, length


def _cut(tensor: Tensor, array: Any, axis: int, start: Place, length: Any) -> Any:
    """One place of an axis, or a slab from it on; where a loop runs through the axis, what the turn is given of it."""
    for depth, loop in enumerate(LOOPS):
        whole = array is tensor._array and tensor._family.depth <= depth and length is None
        if whole and start.turn is loop.number and loop.runs_through(tensor, axis, start):
            return jnp.expand_dims(loop.row(array, axis), axis)
    return lax.dynamic_slice_in_dim(array, start.value, 1 if length is None else length, axis)


def _written(array: Any, key: Any, new: Any) -> Any:
    """The array with other entries at an index."""
    if isinstance(key, Tensor) and key.array.dtype == bool:
        if jnp.ndim(new):
            raise refuse("writing several numbers through a mask", "use torch.where")
        mask = key.array.reshape(key.array.shape + (1,) * (array.ndim - key.array.ndim))
        return jnp.where(mask, new, array)
    plain, slabs = _parts(array, key)
    if not slabs:
        return array.at[tuple(plain)].set(new)
    starts: list[Any] = [0] * array.ndim
    slab = array
    for axis, start, length in slabs:
        starts[axis] = start.value
        slab = lax.dynamic_slice_in_dim(slab, start.value, 1 if length is None else length, axis)
    return lax.dynamic_update_slice(array, slab.at[tuple(plain)].set(new), starts)


def _part(array: Any, key: Any, new: Any) -> tuple[Any, ...] | None:
    """(axis, start, length, entries) where only one place, or one slab, of one axis gets others; else None."""
    if isinstance(key, Tensor):
        return None
    plain, slabs = _parts(array, key)
    if len(slabs) != 1 or None in plain:
        return None
    ((axis, start, length),) = slabs
    if any(one != slice(None) for k, one in enumerate(plain) if k != axis):
        return None
    shape = list(array.shape)
    shape[axis : axis + 1] = [] if length is None else [length]
    return axis, start, length, jnp.broadcast_to(jnp.asarray(new).astype(array.dtype), tuple(shape))
