"""Lists, dictionaries, ranges and their like, where as many items may be in them as a size says."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from jax import numpy as jnp

from .tensors import LOOPS, Family, Place, Tensor, entries, is_size, is_zero, refuse


class Items:
    """As many items as a size says, each made when its turn comes."""

    def __init__(self, length: Any, at: Callable[[Any], Any]) -> None:
        self.length, self.at = length, at

    def __iter__(self) -> Iterator[Any]:
        if not isinstance(self.length, int):
            raise refuse(
                "a loop over a size in a form that is not followed",
                "write it as a for statement without return, break or continue",
            )
        return map(self.at, range(self.length))

    def __getitem__(self, place: Any) -> Any:
        return self.at(place)


class Appended(list):  # type: ignore[type-arg]
    """A list to which loops over sizes append tensors."""

    def __init__(self, items: Any = ()) -> None:
        super().__init__(items)
        self.depth = len(LOOPS)
        self.rows: Any = None
        """What a loop over a size has appended, stacked."""
        self.watched: list[tuple[Family, int]] = []
        """Families of what is in the rows, with how often they had been written."""

    def append(self, item: Any) -> None:
        if len(LOOPS) == self.depth:
            self._expect_plain()
            super().append(item)
        elif len(LOOPS) > self.depth + 1 or not isinstance(item, Tensor):
            raise refuse("appending from within two loops over sizes, or what is no tensor")
        else:
            LOOPS[-1].appended.append((self, item))

    def extend(self, items: Any) -> None:
        for item in items:
            self.append(item)

    def __iadd__(self, items: Any) -> Appended:  # type: ignore[override,misc]
        self.extend(items)
        return self

    def _changed(name: str) -> Any:  # type: ignore[misc]
        def run(self: Appended, *given: Any) -> Any:
            for one in (self, *given):
                if isinstance(one, Appended):
                    one._expect_plain()
            found = getattr(list, name)(self, *given)
            return Appended(found) if type(found) is list else found

        return run

    for _name in (
        "insert", "pop", "remove", "clear", "sort", "reverse", "copy", "index", "count", "__setitem__",
        "__delitem__", "__add__", "__imul__", "__contains__", "__eq__", "__len__",
        "__reversed__",
    ):  # fmt: skip
        vars()[_name] = _changed(_name)

    def stacked(self) -> Any:
        """The items as one array."""
        if any(family.writes != writes for family, writes in self.watched):
            raise refuse(
                "a list with a tensor that was written in place since", "append its clone()"
            )
        return (
            jnp.stack([entries(t) for t in list.__iter__(self)]) if self.rows is None else self.rows
        )

    def add_rows(self, array: Any) -> None:
        """Take in what a loop has appended; later writes to what was there before are noticed."""
        before = list(list.__iter__(self))
        if before or self.rows is not None:
            array = jnp.concatenate([self.stacked(), array])
        own = [one._family for one in before if isinstance(one, Tensor)]
        self.watched += [(family, family.writes) for family in own]
        list.clear(self)
        self.rows = array

    def __iter__(self) -> Iterator[Any]:
        self._expect_plain()
        return super().__iter__()

    def __getitem__(self, place: Any) -> Any:
        there = self.rows is not None and len(LOOPS) == self.depth
        if there and type(place) is int and place in (0, -1):  # which are there after one turn
            parts = [*(family for family, _ in self.watched), Family()]
            return Tensor(self.stacked()[place], Family(parts))
        self._expect_plain()
        return super().__getitem__(place)

    def __mul__(self, count: Any) -> Any:
        self._expect_plain()
        if not isinstance(count, int):
            raise refuse("a list as long as a size", "let it be empty, and append to it")
        return Appended(super().__mul__(count))

    __rmul__ = __mul__

    def _expect_plain(self) -> None:
        if self.rows is not None or len(LOOPS) != self.depth:
            raise refuse(
                "a list that a loop over a size appends to, other than by torch.stack or torch.cat"
            )


def spread(*ends: Any) -> Any:
    """`range`, also of sizes."""
    if all(isinstance(end, int) for end in ends):
        return range(*ends)
    if not all(map(is_size, ends)):
        raise refuse("range of what is not a whole number", "let the loop start at 0")
    start, stop, step = (0, ends[0], 1) if len(ends) == 1 else (*ends, 1)[:3]
    length = start - stop if is_zero(step + 1) else (stop - start) // step
    if not is_zero(length * step - (stop - start)) or not (is_zero(step + 1) or step >= 1):
        raise refuse(
            "range over sizes with a step that leaves a rest, or below -1",
            "say in --shapes that the axis is a multiple, such as n*C",
        )
    return Items(length, lambda turn: turn * step + start)


def backwards(items: Any) -> Any:
    """`reversed`, also of as many items as a size says."""
    found = turns(items)
    if not isinstance(found, Items):
        return reversed(found)
    return Items(found.length, lambda turn: found.at(found.length - 1 - turn))


def joined(*several: Any, strict: bool = False) -> Any:
    """`zip`, also of as many items as a size says."""
    found = [turns(one) for one in several]
    if not any(isinstance(one, Items) and not isinstance(one.length, int) for one in found):
        return zip(*several, strict=strict)
    if not all(isinstance(one, Items) and is_zero(one.length - found[0].length) for one in found):
        raise refuse("zip of different lengths")
    return Items(found[0].length, lambda turn: tuple(one.at(turn) for one in found))


def counted(items: Any, start: Any = 0) -> Any:
    """`enumerate`, also of as many items as a size says."""
    found = turns(items)
    if isinstance(found, Items) and not isinstance(found.length, int):
        return Items(found.length, lambda turn: (turn + start, found.at(turn)))
    return enumerate(items, start)


Tensor.__iter__ = lambda self: iter(Items(self.array.shape[0], self.__getitem__))  # type: ignore[attr-defined]


def turns(items: Any) -> Any:
    """What a loop runs over: a tensor's rows are items."""
    return Items(items.array.shape[0], items.__getitem__) if isinstance(items, Tensor) else items


def length(one: Any) -> Any:
    """`len`, also of a tensor with a symbolic number of rows."""
    if isinstance(one, Tensor):
        return one.array.shape[0]
    if isinstance(one, Appended) and one.rows is not None and len(LOOPS) == one.depth:
        return one.rows.shape[0]
    return one.length if isinstance(one, Items) else len(one)


def joined_rows(items: Appended, axis: int = 0) -> Any:
    """What loops over sizes have appended, one after the other along an axis."""
    rows = items.stacked()
    axis %= rows.ndim - 1
    found = jnp.moveaxis(rows, 0, axis)
    shape = list(found.shape)
    shape[axis : axis + 2] = [shape[axis] * shape[axis + 1]]
    return found.reshape(shape)


def total(items: Any, start: Any = 0) -> Any:
    """`sum`, also of what loops over sizes have appended."""
    if isinstance(items, Appended) and items.rows is not None and len(LOOPS) == items.depth:
        return start + Tensor(items.stacked().sum(0))
    return sum(items, start)


def as_number(kind: Any, one: Any) -> Any:
    """`float(one)` or `int(one)`, also of a size and of the number of a turn."""
    if kind in (float, int) and (isinstance(one, Place) or (is_size(one) and type(one) is not int)):
        return one if kind is int else jnp.asarray(entries(one), float)
    return kind(one)


def alone(what: str) -> None:
    """Refuse what changes Python's own objects in a loop over a size, whose body is not run once a turn."""
    if LOOPS:
        raise refuse(
            f"{what} in a loop over a size", "return it, and give it to a name in the loop"
        )


def following(items: Any, *default: Any) -> Any:
    """`next`."""
    alone("next()")
    return next(items, *default)


class Table(dict):  # type: ignore[type-arg]
    """A dictionary that loops over sizes do not change."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.depth = len(LOOPS)

    def _changed(name: str) -> Any:  # type: ignore[misc]
        def run(self: Table, *given: Any, **named: Any) -> Any:
            if len(LOOPS) > self.depth:
                alone("changing a dictionary")
            return getattr(dict, name)(self, *given, **named)

        return run

    for _name in (
        "update", "pop", "popitem", "setdefault", "clear", "__setitem__", "__delitem__", "__ior__"
    ):  # fmt: skip
        vars()[_name] = _changed(_name)
