"""Slices whose length depends on the turn of a loop over a size: `A[i, :i]`, as rows found one after the other take.

JAX has no such lengths. A prefix is kept as the whole axis with 0 beyond its end, and each operation gives that again:
sums and products over it are those of its own entries. Two prefixes go together if they end at the same place.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

from jax import numpy as jnp

from .tensors import LOOPS, Place, Refused, Tensor, entries, is_size, is_zero, refuse

Ends = dict[int, Place]
"""For axes, counted from the last as −1, how many entries there are."""
plainly_read, plainly_write = Tensor.__getitem__, Tensor.__setitem__


class Prefix(Refused):
    """Entries up to places that turns of a loop decide; what it does not know is refused."""

    def __init__(self, tensor: Tensor, ends: Ends) -> None:
        super().__init__(
            "this of a slice whose length depends on the turn of a loop over a size",
            "such a slice knows + - * @ with its like, sum(), clone(), unsqueeze() and transpose(); "
            "or use a mask, such as tril",
        )
        self._tensor, self._ends = tensor, ends

    def __getattr__(self, name: str) -> Any:
        if name == "dtype" or name.startswith("__"):
            raise AttributeError(name)
        return self._used()

    __iadd__ = __isub__ = __imul__ = __itruediv__ = __imatmul__ = Refused._used

    def __neg__(self) -> Any:
        return Prefix(Tensor(-self._tensor.array), self._ends)

    def __matmul__(self, other: Any) -> Any:
        return _product(self, other)

    def __rmatmul__(self, other: Any) -> Any:
        return _product(other, self)

    def __truediv__(self, other: Any) -> Any:
        if not isinstance(other, int | float):
            self._used()
        return _together(jnp.true_divide, self, other)

    def __getitem__(self, key: Any) -> Any:
        given = list(key) if isinstance(key, tuple) else [key]
        whole = [one for one in given if isinstance(one, slice) and one == slice(None)]
        if not all(one is None or one is Ellipsis or one in whole for one in given):
            self._used()
        if not any(one is Ellipsis for one in given):
            given.append(Ellipsis)
        where = next(k for k, one in enumerate(given) if one is Ellipsis)
        array = self._tensor.array
        given[where : where + 1] = [slice(None)] * (array.ndim - len(whole))
        kept = [axis for axis, one in enumerate(given) if one is not None]
        ends = {kept[key + array.ndim] - len(given): place for key, place in self._ends.items()}
        return Prefix(self._tensor._view(array[tuple(given)]), ends)

    def clone(self) -> Any:
        """A copy."""
        return Prefix(Tensor(self._tensor.array), self._ends)

    def unsqueeze(self, dim: int) -> Any:
        """A new axis of length 1."""
        ndim = self._tensor.array.ndim
        at = dim if dim >= 0 else dim + ndim + 1
        return self[(slice(None),) * at + (None, ...)]

    def transpose(self, dim0: int, dim1: int) -> Any:
        """Two axes change places."""
        array = self._tensor.array
        one, other = (dim if dim < 0 else dim - array.ndim for dim in (dim0, dim1))
        swap = {one: other, other: one}
        ends = {swap.get(key, key): place for key, place in self._ends.items()}
        return Prefix(self._tensor._view(jnp.swapaxes(array, one, other)), ends)

    def sum(self, dim: Any = None, keepdim: bool = False) -> Any:
        """Sums along axes; a tensor, if no prefix is left."""
        array = self._tensor.array
        dims = range(array.ndim) if dim is None else dim if isinstance(dim, Sequence) else [dim]
        gone = {one if one < 0 else one - array.ndim for one in dims}
        found = Tensor(jnp.sum(array, tuple(gone), keepdims=keepdim))
        ends = {
            key + (0 if keepdim else sum(one > key for one in gone)): place
            for key, place in self._ends.items()
            if key not in gone
        }
        return Prefix(found, ends) if ends else found


def _operator(function: Callable[[Any, Any], Any], swapped: bool = False) -> Any:
    def run(self: Prefix, other: Any) -> Any:
        return _together(function, *((other, self) if swapped else (self, other)))

    return run


for _name, _function in {"add": jnp.add, "sub": jnp.subtract, "mul": jnp.multiply}.items():
    setattr(Prefix, f"__{_name}__", _operator(_function))
    setattr(Prefix, f"__r{_name}__", _operator(_function, swapped=True))


def augmented(said: str, one: Prefix, other: Any) -> Any:
    """What `one += other` writes, or another operation, by the name of Python's syntax."""
    known = {"Add": operator.add, "Sub": operator.sub, "Mult": operator.mul}
    return known[said](one, other) if said in known else one._used()


def _array(one: Any) -> Any:
    return one._tensor.array if isinstance(one, Prefix) else entries(one)


def _ends_of(one: Any) -> Ends:
    return one._ends if isinstance(one, Prefix) else {}


def _end(key: int, several: Sequence[Any]) -> Place | None:
    """Where an axis of the result of broadcasting ends; refuses lengths that are not seen to be the same."""
    ends = [_ends_of(one)[key] for one in several if key in _ends_of(one)]
    lengths = []
    for one in several:
        shape = jnp.shape(_array(one))
        if len(shape) < -key or (key not in _ends_of(one) and is_zero(shape[key] - 1)):
            continue  # it has no such axis, or one that is repeated
        if ends and key not in _ends_of(one):
            raise _of_another_length()
        lengths.append(shape[key])
    alike = all(_same(one, ends[0]) for one in ends)
    if not alike or (ends and not all(is_zero(one - lengths[0]) for one in lengths)):
        raise _of_another_length()
    return ends[0] if ends else None


def _same(one: Place, other: Place) -> bool:
    return one.turn is other.turn and is_zero(one - other)


def _of_another_length() -> Exception:
    return refuse(
        "a slice whose length depends on the turn of a loop over a size beside one of another length",
        "use a mask, such as tril",
    )


def _together(function: Callable[[Any, Any], Any], *pair: Any) -> Any:
    """An operation entry by entry, of which what is beyond the ends is 0."""
    if not all(
        isinstance(one, Prefix | Tensor | Place | int | float) or is_size(one) for one in pair
    ):
        return NotImplemented
    found = function(*(jnp.asarray(_array(one)) for one in pair))
    keys = {key for one in pair for key in _ends_of(one)}
    return _cut_off(found, {key: end for key in keys if (end := _end(key, pair)) is not None})


def _cut_off(array: Any, ends: Ends) -> Any:
    return Prefix(Tensor(jnp.where(_inside(array, ends), array, jnp.zeros((), array.dtype))), ends)


def _inside(array: Any, ends: Ends) -> Any:
    """Which entries lie before the ends."""
    found = jnp.ones((), bool)
    for key, end in ends.items():
        before = jnp.arange(array.shape[key]) < end.value
        found = found & before.reshape(before.shape + (1,) * (-key - 1))
    return found


def _product(one: Any, other: Any) -> Any:
    """A matrix product: the axis summed over ends at the same place in both."""
    if not all(isinstance(side, Prefix | Tensor) for side in (one, other)):
        return NotImplemented
    ranks = [jnp.ndim(_array(side)) for side in (one, other)]
    if ranks[0] == 1:
        return _taken(_product(one[None], other), -2)
    if ranks[1] == 1:
        return _taken(_product(one, other[..., None]), -1)
    one_end, other_end = _ends_of(one).get(-1), _ends_of(other).get(-2)
    if one_end is None or other_end is None:
        if one_end is not other_end:
            raise _of_another_length()
    elif not _same(one_end, other_end):
        raise _of_another_length()
    found = jnp.matmul(_array(one), _array(other))
    ends = {}
    for key in {key for side in (one, other) for key in _ends_of(side)}:
        end = (
            _end(key, (one, other)) if key < -2 else _ends_of(one if key == -2 else other).get(key)
        )
        if end is not None:
            ends[key] = end
    return _cut_off(found, ends) if ends else Tensor(found)


def _taken(one: Any, key: int) -> Any:
    """Without an axis of length 1."""
    return one.sum(key) if isinstance(one, Prefix) else Tensor(one.array.squeeze(key))


# Reading and writing tensors at such slices


def _apart(ndim: int, key: Any) -> tuple[tuple[Any, ...], Ends] | None:
    """An index with whole axes in place of prefixes, and where these end; None if there are none."""
    given = list(key) if isinstance(key, tuple) else [key]
    if not any(map(_is_prefix, given)):
        return None
    if not any(one is Ellipsis for one in given):
        given.append(Ellipsis)
    where = next(k for k, one in enumerate(given) if one is Ellipsis)
    taken = sum(one is not None and one is not Ellipsis for one in given)
    given[where : where + 1] = [slice(None)] * (ndim - taken)
    inner = [slice(None) if _is_prefix(one) else one for one in given]
    axes = [one for one in given if one is None or isinstance(one, slice)]
    ends = {
        k - len(axes): one.stop
        for k, one in enumerate(axes)
        if isinstance(one, slice) and _is_prefix(one)
    }
    return tuple(inner), ends


def _is_prefix(one: Any) -> bool:
    return (
        isinstance(one, slice)
        and isinstance(one.stop, Place)
        and (one.start is None or is_zero(one.start))
        and (one.step is None or is_zero(one.step - 1))
    )


def _within(array: Any, ends: Ends) -> None:
    """Refuse ends that may lie outside of their axes."""
    for key, end in ends.items():
        turns = next(loop.turns for loop in LOOPS if loop.number is end.turn)
        if not (end.factor >= 0 and end.offset >= 0):
            raise refuse("a slice that may end before 0")
        if not end.factor * (turns - 1) + end.offset <= array.shape[key]:
            raise refuse("a slice that may end after its axis")


def _read(self: Tensor, key: Any) -> Any:
    found = _apart(self.array.ndim, key)
    if found is None:
        return plainly_read(self, key)
    inner, ends = found
    view = plainly_read(self, inner)
    _within(view.array, ends)
    padded = _cut_off(view.array, ends)._tensor.array
    return Prefix(view._view(padded), ends)


def _write(self: Tensor, key: Any, value: Any) -> None:
    found = _apart(self._array.ndim, key)
    if found is None:
        plainly_write(self, key, value)  # which refuses a prefix
        return
    inner, ends = found
    old = plainly_read(self, inner)
    _within(old.array, ends)
    place = Prefix(old, ends)
    for key in {*ends, *_ends_of(value)}:
        if key not in ends or len(jnp.shape(_array(value))) > old.array.ndim:
            raise _of_another_length()
        _end(key, (place, value))
    new = jnp.where(_inside(old.array, ends), _array(value), old.array)
    plainly_write(self, inner, Tensor(new))


Tensor.__getitem__ = _read  # type: ignore[method-assign]
Tensor.__setitem__ = _write  # type: ignore[method-assign]
