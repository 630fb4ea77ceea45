"""What loops over sizes go through, and Python's functions of such: `range`, `len`, `zip`, `enumerate`, `reversed`."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ...interpret.questions import place
from .refusal import Refused, beside, torch


def is_real_of_sizes(value: Any) -> bool:
    """Whether a value is a real number that is computed of sizes."""
    return type(value).__name__ == "SymFloat"


def is_symbol(value: Any) -> bool:
    """Whether a value is a size of which the number is not known."""
    return type(value).__name__ == "SymInt" and value.node.expr.free_symbols != set()


class Items:
    """What a loop over a size goes through: `item` makes the one of a turn from its number, and from parts."""

    def __init__(
        self, length: Any, parts: Sequence[Any], item: Callable[[Any, Sequence[Any]], Any]
    ) -> None:
        self.length, self.parts, self.item = length, list(parts), item

    def __iter__(self) -> Iterator[Any]:
        raise Refused(f"a loop over a size that may be left before its end{place(beside())}")

    def __len__(self) -> int:
        return self.length.__index__()

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, builtins.slice) and (key.start, key.stop, key.step) == (None, None, -1):
            return reversed_(self)
        if isinstance(key, int) and key < 0:
            key = self.length + key
        return self.item(key, self.parts)


class Rows(Items):
    """Items of a list that a loop over a size made: arrays, stacked along a first axis."""

    def __init__(self, stacked: Any) -> None:
        super().__init__(stacked.shape[0], [stacked], lambda t, parts: parts[0].select(0, t))

    @property
    def stacked(self) -> Any:
        """All of them."""
        return self.parts[0]

    @classmethod
    def __torch_function__(
        cls, function: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        """`torch.stack` and `torch.cat` of lists with such items."""
        t, options = torch(), dict(kwargs or {})
        if function not in (t.stack, t.cat, t.concat):
            raise Refused(
                f"{function.__name__} of a list that a loop over a size made{place(beside())}"
            )
        dim = args[1] if builtins.len(args) > 1 else options.get("dim", 0)
        parts = []
        for one in args[0]:
            if function is t.stack:
                whole = one.stacked if isinstance(one, Rows) else one.unsqueeze(0)
                axis = dim % whole.dim()
                parts.append(whole.movedim(0, axis))
            elif isinstance(one, Rows):
                axis = dim % (one.stacked.dim() - 1)
                parts.append(one.stacked.movedim(0, axis).flatten(axis, axis + 1))
            else:
                axis = dim % one.dim()
                parts.append(one)
        return parts[0] if builtins.len(parts) == 1 else t.cat(parts, axis)


class Range(Items):
    """`range` over a size."""

    def __init__(self, length: Any, start: Any, step: Any) -> None:
        super().__init__(length, [start, step], lambda t, parts: parts[0] + parts[1] * t)

    @property
    def numbers(self) -> Any:
        """Its numbers as a tensor."""
        return self.item(torch().arange(self.length), self.parts)


class Listed(list):
    """A list, of which some items may be all those that a loop over a size appended."""

    def __getitem__(self, key: Any) -> Any:
        found = super().__getitem__(key)
        has_rows = any(isinstance(one, Rows) for one in self)
        if not has_rows:
            return found
        if key == -1 and isinstance(found, Rows):
            return found[-1]
        if isinstance(key, builtins.slice) and (key.start, key.stop, key.step) == (None, None, -1):
            return Listed([reversed_rows(one) for one in found])
        raise Refused(f"an item of a list that a loop over a size made{place(beside())}")


def reversed_rows(one: Any) -> Any:
    """The items of a loop in reverse order."""
    return Rows(one.stacked.flip(0)) if isinstance(one, Rows) else one


def items_of(value: Any) -> Items | None:
    """What a loop goes through where it has a number of turns that is a size; None where it is Python's own."""
    if isinstance(value, Items):
        return value
    t = torch()
    if isinstance(value, t.Tensor) and value.dim() and is_symbol(value.shape[0]):
        return Rows(value)
    if isinstance(value, list) and len(value) == 1:
        (one,) = value
        return one if isinstance(one, Rows) else None
    return None


def range_(*given: Any) -> Any:
    """`range`."""
    if not any(map(is_symbol, given)):
        return builtins.range(*given)
    start, stop, step = (0, given[0], 1) if len(given) == 1 else (*given, 1)[:3]
    if isinstance(step, int) and step < 0:
        length = (start - stop - step - 1) // -step
    else:
        length = (
            stop - start if type(step) is int and step == 1 else (stop - start + step - 1) // step
        )
    if not is_symbol(length):
        return [start + step * k for k in builtins.range(int(length))]
    return Range(length, start, step)


def len_(value: Any) -> Any:
    """`len`."""
    if isinstance(value, torch().Tensor):
        return value.shape[0]
    if isinstance(value, Items):
        return value.length
    if isinstance(value, list) and any(isinstance(one, Rows) for one in value):
        return sum(one.length if isinstance(one, Rows) else 1 for one in value)
    return builtins.len(value)


def zip_(*given: Any, **options: Any) -> Any:
    """`zip`."""
    every = [items_of(one) for one in given]
    if all(one is None for one in every):
        return builtins.zip(*given, **options)  # noqa: B905  the caller's options
    if None in every:
        raise Refused(
            f"a zip of what has a size as its length with what has a number{place(beside())}"
        )
    known: list[Items] = every  # type: ignore[assignment]
    for one in known[1:]:
        if not one.length == known[0].length:
            raise Refused(f"a zip of things with different lengths{place(beside())}")
    parts = [part for one in known for part in one.parts]

    def item(t: Any, parts: Sequence[Any]) -> Any:
        found, start = [], 0
        for one in known:
            found.append(one.item(t, parts[start : start + len(one.parts)]))
            start += len(one.parts)
        return tuple(found)

    return Items(known[0].length, parts, item)


def enumerate_(given: Any, start: Any = 0) -> Any:
    """`enumerate`."""
    one = items_of(given)
    if one is None:
        return builtins.enumerate(given, start)
    return Items(
        one.length, [start, *one.parts], lambda t, parts: (parts[0] + t, one.item(t, parts[1:]))
    )


def reversed_(given: Any) -> Any:
    """`reversed`."""
    one = items_of(given)
    if isinstance(one, Rows):
        return Rows(one.stacked.flip(0))
    if one is None:
        return builtins.reversed(given)
    return Items(
        one.length,
        [one.length, *one.parts],
        lambda t, parts: one.item(parts[0] - 1 - t, parts[1:]),
    )


def list_(*given: Any) -> Any:
    """`list`."""
    one = items_of(given[0]) if given else None
    return builtins.list(*given) if one is None else one


def sum_(given: Any, start: Any = 0) -> Any:
    """`sum`."""
    one = items_of(given)
    if not isinstance(one, Rows):
        return builtins.sum(given, start)
    return start + one.stacked.sum(0)


def root(function: Callable[[Any], Any], value: Any) -> Any:
    """`math.sqrt` and its like, which would ask for the number of a size."""
    return value**0.5 if is_symbol(value) or is_real_of_sizes(value) else function(value)


BUILTINS: dict[str, Callable[..., Any]] = {
    "range": range_,
    "len": len_,
    "zip": zip_,
    "enumerate": enumerate_,
    "reversed": reversed_,
    "list": list_,
    "tuple": lambda *given: given[0] if given and items_of(given[0]) else builtins.tuple(*given),
    "sum": sum_,
}
"""What stands in their place in rewritten code."""
