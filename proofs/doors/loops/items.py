"""What loops over sizes go through, and Python's functions of such: `range`, `len`, `zip`, `enumerate`, `reversed`."""

from __future__ import annotations

import builtins
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ..refused import Refused


class Unbound:
    """Stands for a name without a value."""

    def __repr__(self) -> str:
        return "a name without a value"


UNBOUND = Unbound()


class Items:
    """What a loop over a size goes through: `item` makes the one of a turn from its number, and from parts."""

    def __init__(
        self,
        of: Arrays,
        length: Any,
        parts: Sequence[Any],
        item: Callable[[Any, Sequence[Any]], Any],
    ) -> None:
        self.of, self.length, self.parts, self.item = of, length, list(parts), item

    def __iter__(self) -> Iterator[Any]:
        raise Refused(f"a loop over a size that may be left before its end{self.of.place()}")

    def __len__(self) -> int:
        return self.length.__index__()

    def __getitem__(self, key: Any) -> Any:
        if is_reversal(key):
            return self.of.reversed_(self)
        if isinstance(key, int) and key < 0:
            key = self.length + key
        return self.item(key, self.parts)


def is_reversal(key: Any) -> bool:
    """Whether it is the slice [::-1]."""
    return isinstance(key, builtins.slice) and (key.start, key.stop, key.step) == (None, None, -1)


class Rows(Items):
    """Items of a list that a loop over a size made: arrays, stacked along a first axis."""

    def __init__(self, of: Arrays, stacked: Any) -> None:
        super().__init__(of, stacked.shape[0], [stacked], lambda t, parts: of.row(parts[0], t))

    @property
    def stacked(self) -> Any:
        """All of them."""
        return self.parts[0]


class Range(Items):
    """`range` over a size."""

    def __init__(self, of: Arrays, length: Any, start: Any, step: Any) -> None:
        super().__init__(of, length, [start, step], lambda t, parts: parts[0] + parts[1] * t)

    @property
    def numbers(self) -> Any:
        """Its numbers as an array."""
        return self.item(self.of.numbers(self.length), self.parts)


class Listed(list):
    """A list, of which some items may be all those that a loop over a size appended."""

    def __getitem__(self, key: Any) -> Any:
        found = super().__getitem__(key)
        rows = [one for one in self if isinstance(one, Rows)]
        if not rows:
            return found
        if key == -1 and isinstance(found, Rows):
            return found[-1]
        if is_reversal(key):
            return Listed(
                [one.of.reversed_(one) if isinstance(one, Rows) else one for one in found]
            )
        if isinstance(key, builtins.slice) and key.step is None and (kept := self._cut(key)):
            return Listed(kept)
        raise Refused(f"an item of a list that a loop over a size made{rows[0].of.place()}")

    def _cut(self, key: builtins.slice) -> builtins.list[Any] | None:
        """All from one of the first items on, which no loop made, up to the end or the last item; else None."""
        items = builtins.list(list.__iter__(self))
        plain = next(k for k, one in builtins.enumerate(items) if isinstance(one, Rows))
        start = 0 if key.start is None else key.start
        if not (isinstance(start, int) and 0 <= start <= plain and key.stop in (None, -1)):
            return None
        if key.stop is None:
            return items[start:]
        last = items[-1]
        if not isinstance(last, Rows):
            return items[start:-1]
        if not last.length >= 1:
            return None
        return [*items[start:-1], last.of.rows(last.of, last.stacked[:-1])]


class Arrays(ABC):
    """A framework's arrays and sizes, and Python's functions of what loops go through."""

    rows = Rows

    @abstractmethod
    def is_array(self, value: Any) -> bool:
        """Whether a value is an array."""

    @abstractmethod
    def is_symbol(self, value: Any) -> bool:
        """Whether a value is a size of which the number is not known."""

    @abstractmethod
    def row(self, array: Any, t: Any) -> Any:
        """The entries at a place of the first axis."""

    @abstractmethod
    def backwards(self, array: Any) -> Any:
        """An array with its first axis reversed."""

    @abstractmethod
    def numbers(self, length: Any) -> Any:
        """0, 1, … as an array."""

    @abstractmethod
    def place(self) -> str:
        """The user's line."""

    def items_of(self, value: Any) -> Items | None:
        """What a loop goes through where its number of turns is a size; None where it is Python's own."""
        if isinstance(value, Items):
            return value
        if self.is_array(value) and builtins.len(value.shape) and self.is_symbol(value.shape[0]):
            return self.rows(self, value)
        if isinstance(value, list) and builtins.len(value) == 1:
            (one,) = value
            return one if isinstance(one, Rows) else None
        return None

    def range_(self, *given: Any) -> Any:
        """`range`."""
        if not any(map(self.is_symbol, given)):
            return builtins.range(*given)
        start, stop, step = (0, given[0], 1) if builtins.len(given) == 1 else (*given, 1)[:3]
        if isinstance(step, int) and step < 0:
            length = (start - stop - step - 1) // -step
        elif type(step) is int and step == 1:
            length = stop - start
        else:
            length = (stop - start + step - 1) // step
        if not self.is_symbol(length):
            return [start + step * k for k in builtins.range(int(length))]
        return Range(self, length, start, step)

    def len_(self, value: Any) -> Any:
        """`len`."""
        if self.is_array(value) and builtins.len(value.shape):
            return value.shape[0]
        if isinstance(value, Items):
            return value.length
        if isinstance(value, list):
            items = builtins.list(list.__iter__(value))
            if any(isinstance(one, Rows) for one in items):
                return builtins.sum(one.length if isinstance(one, Rows) else 1 for one in items)
        return builtins.len(value)

    def zip_(self, *given: Any, **options: Any) -> Any:
        """`zip`."""
        every = [self.items_of(one) for one in given]
        if all(one is None for one in every):
            return builtins.zip(*given, **options)  # noqa: B905  the caller's options
        if None in every:
            raise Refused(
                f"a zip of what has a size as its length with what has a number{self.place()}"
            )
        known: list[Items] = every  # type: ignore[assignment]
        for one in known[1:]:
            if not one.length == known[0].length:
                raise Refused(f"a zip of things with different lengths{self.place()}")
        parts = [part for one in known for part in one.parts]

        def item(t: Any, parts: Sequence[Any]) -> Any:
            found, start = [], 0
            for one in known:
                found.append(one.item(t, parts[start : start + builtins.len(one.parts)]))
                start += builtins.len(one.parts)
            return tuple(found)

        return Items(self, known[0].length, parts, item)

    def enumerate_(self, given: Any, start: Any = 0) -> Any:
        """`enumerate`."""
        one = self.items_of(given)
        if one is None:
            return builtins.enumerate(given, start)

        def item(t: Any, parts: Sequence[Any]) -> Any:
            return parts[0] + t, one.item(t, parts[1:])

        return Items(self, one.length, [start, *one.parts], item)

    def reversed_(self, given: Any) -> Any:
        """`reversed`."""
        one = self.items_of(given)
        if isinstance(one, Rows):
            return self.rows(self, self.backwards(one.stacked))
        if one is None:
            return builtins.reversed(given)

        def item(t: Any, parts: Sequence[Any]) -> Any:
            return one.item(parts[0] - 1 - t, parts[1:])

        return Items(self, one.length, [one.length, *one.parts], item)

    def list_(self, *given: Any) -> Any:
        """`list`."""
        one = self.items_of(given[0]) if given else None
        return builtins.list(*given) if one is None else one

    def tuple_(self, *given: Any) -> Any:
        """`tuple`."""
        one = self.items_of(given[0]) if given else None
        return builtins.tuple(*given) if one is None else one

    def sum_(self, given: Any, start: Any = 0) -> Any:
        """`sum`."""
        one = self.items_of(given)
        if not isinstance(one, Rows):
            return builtins.sum(given, start)
        return start + one.stacked.sum(0)

    @property
    def functions(self) -> dict[str, Callable[..., Any]]:
        """What stands for Python's functions in rewritten code."""
        return {
            "range": self.range_,
            "len": self.len_,
            "zip": self.zip_,
            "enumerate": self.enumerate_,
            "reversed": self.reversed_,
            "list": self.list_,
            "tuple": self.tuple_,
            "sum": self.sum_,
        }


def last_of(items: Any) -> Any:
    """The last item of a list, if it has any."""
    return items[-1] if builtins.len(items) else UNBOUND


def value_of(make: Callable[[], Any]) -> Any:
    """What a name stands for, from a function that reads it."""
    try:
        return make()
    except NameError:
        return UNBOUND


def collecting(loop: Callable[..., Any]) -> Callable[..., Any]:
    """`[f(x) for x in xs]` by a loop that puts each item into a list.

    Args:
        loop: what a `for` statement over a size is run by.
    """

    def collected(
        given: Any,
        make: Callable[..., Any],
        names: tuple[str, ...],
        values: tuple[Callable[[], Any], ...],
    ) -> Any:
        items: Any = Listed()

        def body(item: Any, items: Any, *known: Any) -> Any:
            items.append(make(item, *known))
            return (items, *known)

        body.key = make.__code__  # type: ignore[attr-defined]
        loop(given, body, ("the list that is made", *names), (lambda: items, *values), (), ())
        return items

    return collected
