"""Loops over sizes as `lax.scan`: what a turn changes is carried from turn to turn, and what it adds is stacked.

`rewriting` makes a function of a loop's body. It is first run for its effects alone, until it is known what it writes.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import jax
from jax import lax
from jax import numpy as jnp

from ...questions import Unreadable, aside
from .prefixes import Prefix, augmented
from .tensors import (
    LOOPS,
    Family,
    Place,
    ReadBack,
    Refused,
    Tensor,
    entries,
    is_size,
    is_zero,
    refuse,
)


def unbound(name: str) -> Refused:
    """What a name stands for before it has a value, and after a loop over a size that alone gave it one."""
    return Refused(
        f"{name} after a loop over a size, or before it has a value",
        "give it a value before the loop",
    )


UNROLLED = 8
"""A loop with no more turns than this is unrolled where its length is a number."""


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
        "__delitem__", "__add__", "__mul__", "__rmul__", "__imul__", "__contains__", "__eq__", "__len__",
        "__reversed__",
    ):  # fmt: skip
        vars()[_name] = _changed(_name)

    def stacked(self) -> Any:
        """The items as one array."""
        if any(family.writes != writes for family, writes in self.watched):
            raise refuse(
                "a list with a tensor that was written in place since", "append its clone()"
            )
        return jnp.stack([t.array for t in list.__iter__(self)]) if self.rows is None else self.rows

    def add_rows(self, array: Any) -> None:
        """Take in what a loop has appended; later writes to what was there before are noticed."""
        before = list(list.__iter__(self))
        if before or self.rows is not None:
            array = jnp.concatenate([self.stacked(), array])
        self.watched += [(one._family, one._family.writes) for one in before]
        list.clear(self)
        self.rows = array

    def __iter__(self) -> Iterator[Any]:
        self._expect_plain()
        return super().__iter__()

    def __getitem__(self, place: Any) -> Any:
        self._expect_plain()
        return super().__getitem__(place)

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


class Loop:
    """The body of a loop while it is read on symbols: what it writes that was there before."""

    def __init__(
        self, length: Any, number: Any, rows: Mapping[Any, Any] | None, once: Sequence[Tensor]
    ) -> None:
        self.turns, self.number, self.given = length, number, rows
        """How many turns there are, the number of this one, and what it is given of arrays (None in a trial)."""
        self.numbered = False
        """Whether anything depends on the number itself."""
        self.rows: dict[tuple[int, int], tuple[Any, int]] = {}
        """Arrays that the loop runs through, with the axis, by identity and axis."""
        self.once = once
        """Tensors of which each turn writes one place, and nothing reads."""
        self.kept: dict[int, tuple[Tensor, Any, int, int]] = {}
        """What the tensors that are written were before: by identity, with entries and states of their families."""
        self.places: dict[int, list[Any]] = {}
        """Where they are written; None for everywhere."""
        self.appended: list[tuple[Appended, Tensor]] = []

    def runs_through(self, tensor: Tensor, axis: int, start: Place) -> bool:
        """Whether turn t takes place t of an axis as long as the loop, of a tensor that no turn writes."""
        return (
            id(tensor) not in self.kept
            and isinstance(start.factor, int)
            and start.factor == 1
            and is_zero(start.offset)
            and is_zero(tensor._array.shape[axis] - self.turns)
        )

    def row(self, array: Any, axis: int) -> Any:
        """What this turn is given of an array that the loop runs through."""
        key = id(array), axis
        if self.given is not None and key in self.given:
            return self.given[key]
        self.rows[key] = array, axis
        return lax.dynamic_index_in_dim(array, self.number, axis, keepdims=False)

    def keep(self, tensor: Tensor) -> None:
        """Remember what a tensor is, to be restored when the turn has been read."""
        if id(tensor) not in self.kept:
            held = tensor._array, tensor._seen, tensor._family.own
            self.kept[id(tensor)] = (tensor, *held)

    def written(self, tensor: Tensor, place: Any) -> None:
        """Note a write, before it is done."""
        self.keep(tensor)
        self.places.setdefault(id(tensor), []).append(place)

    def restore(self) -> None:
        """Undo what the turn did to tensors from before it."""
        for tensor, array, seen, writes in self.kept.values():
            tensor._array, tensor._seen, tensor._family.own = array, seen, writes


def loop(
    items: Any, body: Callable[..., Any], names: tuple[str, ...], values: tuple[Any, ...]
) -> Any:
    """The values of the names after the loop.

    Args:
        items: what is run through.
        body: (item, *values) -> their values after a turn.
        names: those that the body gives values.
        values: callables that say what they are before, or raise NameError.
    """
    before = tuple(_value(name, one) for name, one in zip(names, values, strict=True))
    found = turns(items)
    if isinstance(found, range) and found.step == 1:
        found = Items(len(found), lambda turn, start=found.start: turn + start)
    if isinstance(found, Items) and not isinstance(found.length, int):
        return _scanned(found, body, names, before)
    if isinstance(found, Items) and found.length > UNROLLED:
        with aside(), suppress(Unreadable):
            return _scanned(found, body, names, before)
    for item in found:
        before = body(item, *before)
    return before


def comprehension(items: Any, make: Callable[[Any], Any]) -> Any:
    """`[make(item) for item in items]`."""
    found = Appended()

    def body(item: Any) -> tuple[()]:
        found.append(make(item))
        return ()

    loop(items, body, (), ())
    return found


def store(of: Any, key: Any, value: Any) -> None:
    """`of[key] = value`."""
    if LOOPS and not isinstance(of, Tensor):
        raise refuse(
            f"writing an item of a {type(of).__name__} in a loop over a size",
            "write to a tensor, or append to a list",
        )
    of[key] = value


def augment(said: str, of: Any, key: Any, value: Any) -> None:
    """`of[key] += value`, or another operation."""
    if isinstance(of, Tensor):
        old = of[key]
        if isinstance(old, Prefix):
            of[key] = augmented(said, old, value)
        else:
            of[key] = AUGMENTED[said](Tensor(old.array), value)
    else:
        store(of, key, AUGMENTED[said](of[key], value))


AUGMENTED: dict[str, Callable[[Any, Any], Any]] = {
    "Add": operator.iadd,
    "Sub": operator.isub,
    "Mult": operator.imul,
    "Div": operator.itruediv,
    "FloorDiv": operator.ifloordiv,
    "Mod": operator.imod,
    "Pow": operator.ipow,
    "MatMult": operator.imatmul,
    "BitAnd": operator.iand,
    "BitOr": operator.ior,
    "BitXor": operator.ixor,
}
"""By the name of Python's syntax."""


def _value(name: str, read: Callable[[], Any]) -> Any:
    try:
        return read()
    except NameError:
        return unbound(name)


def _scanned(
    items: Items, body: Callable[..., Any], names: tuple[str, ...], before: tuple[Any, ...]
) -> tuple[Any, ...]:
    """The loop as one `lax.scan` over a symbolic number of turns."""
    if (
        items.length <= 0
    ):  # a question about sizes: where there may be no turn, names stay as they are
        return before
    turn = _Turn(items, body, names, before)
    while turn.learns():
        pass
    turn.expect_own_items()
    turn.stack_what_is_written_once()
    final, rows = lax.scan(turn, turn.start(), turn.inputs())
    return turn.after(final, rows)


class _Turn:
    """A turn of a loop as a function of arrays: (what is carried, its number) -> (what is carried, what is stacked)."""

    def __init__(
        self,
        items: Items,
        body: Callable[..., Any],
        names: tuple[str, ...],
        before: tuple[Any, ...],
    ) -> None:
        self.items, self.body, self.names, self.before = items, body, names, before
        self.written: dict[int, Tensor] = {}
        """Tensors from before the loop that are written in it."""
        self.rebound: dict[int, Any] = {}
        """Names, by number, that stand for another tensor after a turn, with its shape and format."""
        self.once: dict[int, tuple[Tensor, tuple[Any, ...]]] = {}
        """Tensors of which each turn writes one place that nothing reads, and where: (axis, start, length)."""
        self.numbers: set[int] = set()
        """Names, by number, that stood for a number and are given that of the turn: no turn may read the last one's."""
        self.sources: list[Family] = []
        """Memory from before the loop that a turn gives a name."""
        self.loop = Loop(items.length, None, None, [])
        self.rows: list[tuple[Any, int]] | None = None
        """Arrays that are handed to the turns place by place, with the axis; None while they are looked for."""
        self.results: tuple[Any, ...] = before

    def start(self) -> Any:
        """What is carried into the first turn."""
        named = [
            jnp.broadcast_to(jnp.asarray(entries(self.before[k])).astype(like.dtype), like.shape)
            for k, like in self.rebound.items()
        ]
        return [t.array for t in self.written.values()], named

    def learns(self) -> bool:
        """Read a turn for its effects; whether more turned out to be carried."""
        _, after = jax.eval_shape(self._effects, self.start(), (jnp.asarray(0), []))
        known = len(self.written), dict(self.rebound), len(self.sources), set(self.numbers)
        self.written |= {k: self.loop.kept[k][0] for k in self.loop.places}
        self.rebound |= after
        families = [self.results[k]._family for k in after]
        self.sources += [
            one
            for one in families
            if one.depth <= len(LOOPS) and one.before is None and one not in self.sources
        ]
        self.numbers |= self._numbered
        return (len(self.written), self.rebound, len(self.sources), self.numbers) != known

    def inputs(self) -> Any:
        """What the turns are given one after the other: their numbers, if they need them, and rows of arrays."""
        jax.eval_shape(self, self.start(), (jnp.asarray(0), []))
        self.rows = list(self.loop.rows.values())
        needed = self.loop.numbered or not self.rows  # how many turns there are is to be seen
        numbers = jnp.arange(self.items.length) if needed else None
        return numbers, [jnp.moveaxis(array, axis, 0) for array, axis in self.rows]

    def _effects(self, state: Any, given: Any) -> Any:
        _, _ = self(state, given)
        named = {k: entries(self.results[k]) for k in self._changed}
        return (), {k: jnp.asarray(one) for k, one in named.items()}

    def __call__(self, state: Any, given: Any) -> Any:
        (arrays, named), (number, parts) = state, given
        number = object() if number is None else number  # of which nothing is asked
        rows = None
        if self.rows is not None:
            keys = ((id(array), axis) for array, axis in self.rows)
            rows = dict(zip(keys, parts, strict=True))
        self.loop = Loop(self.items.length, number, rows, [t for t, _ in self.once.values()])
        LOOPS.append(self.loop)
        try:
            for tensor in [*self.written.values(), *(t for t, _ in self.once.values())]:
                self.loop.keep(tensor)
                # What else shares its memory is another thing after the first turn.
                tensor._family.own += 1
                tensor._seen = tensor._family.writes
            for tensor, array in zip(self.written.values(), arrays, strict=True):
                tensor._array = array
            stands = self._given(named)
            self.results = self.body(self.items.at(Place(number)), *stands)
            self._classify(stands)
            carried = [t.array for t in self.written.values()]
            after = [
                jnp.asarray(entries(self.results[k])).astype(like.dtype)
                for k, like in self.rebound.items()
            ]
            stacked = [tensor.array for _, tensor in self.loop.appended]
            written = [self.loop.places[k][0][-1] for k in self.once]
            return (carried, after), (stacked, written)
        finally:
            LOOPS.pop()
            self.loop.restore()

    def _given(self, named: list[Any]) -> tuple[Any, ...]:
        """What names stand for when a turn begins: memory of what any of them was before, or was in a turn before."""
        old = [getattr(self.before[k], "_family", None) for k in self.rebound]
        parts = [one for one in (*old, *self.sources) if one is not None]
        given = [
            unbound(self.names[k]) if k in self.numbers else one
            for k, one in enumerate(self.before)
        ]
        for k, array, one in zip(self.rebound, named, old, strict=True):
            family = Family(parts)
            family.depth, family.before = len(LOOPS) - 1, one
            given[k] = Tensor(array, family)
        return tuple(given)

    def _classify(self, given: tuple[Any, ...]) -> None:
        """Which names stand for something else after the turn; refuses what cannot be carried."""
        self._changed: list[int] = []
        self._numbered: set[int] = set()
        fresh = {id(given[k]._family) for k in self.rebound}
        for one in self.loop.places:
            if id(self.loop.kept[one][0]._family) in fresh:
                raise refuse(
                    "a tensor that a loop over a size writes in place and also replaces under its name",
                    "do one of the two",
                )
        for k, (one, after) in enumerate(zip(given, self.results, strict=True)):
            if after is one or isinstance(self.before[k], Refused):
                continue
            if isinstance(after, Tensor) and isinstance(self.before[k], Tensor | int | float):
                self._changed.append(k)
            elif isinstance(after, Place) and type(self.before[k]) is int:
                self._numbered.add(k)
            elif after is not self.before[k] and not _equal(after, self.before[k]):
                raise refuse(
                    f"{self.names[k]}, which a loop over a size changes and which is no tensor",
                    "keep it a tensor, or compute it from the number of the turn",
                )

    def expect_own_items(self) -> None:
        """Refuse lists that would hold one tensor several times, which a later turn or line may write."""
        for items, tensor in self.loop.appended:
            before = tensor._family.before
            if before is not None:  # what a name stood for, which no turn writes
                items.watched.append((before, before.writes))
            elif tensor._family.depth <= len(LOOPS):
                raise refuse(
                    "appending a tensor that was there before the loop over a size",
                    "append its clone()",
                )

    def stack_what_is_written_once(self) -> None:
        """Find tensors of which each turn writes one place of its own, and nothing reads: their parts are stacked."""
        for key, tensor in list(self.written.items()):
            places = self.loop.places.get(key, [])
            if len(places) == 1 and places[0] is not None and _own_place(places[0]):
                self.once[key] = tensor, places[0][:3]
                del self.written[key]
        while self.once:
            try:
                jax.eval_shape(self, self.start(), (jnp.asarray(0), []))
                return
            except ReadBack as error:
                key = id(error.tensor)
                self.written[key] = self.once.pop(key)[0]

    def after(self, final: Any, rows: Any) -> tuple[Any, ...]:
        """Write what the turns have written, and say what the names stand for."""
        arrays, named = final
        stacked, parts = rows
        lists = [items for items, _ in self.loop.appended]
        if len(set(map(id, lists))) < len(lists):
            raise refuse("a list that a loop over a size appends to more than once")
        for tensor, array in zip(self.written.values(), arrays, strict=True):
            tensor._write(array)
        for (tensor, (axis, start, length)), part in zip(self.once.values(), parts, strict=True):
            tensor._write(_placed(tensor.array, part, axis, start, length))
        for items, array in zip(lists, stacked, strict=True):
            items.add_rows(array)
        found = list(self.before)
        for k, after in enumerate(self.results):
            if isinstance(self.before[k], Refused) or after is not self.before[k]:
                found[k] = unbound(self.names[k])
        families: dict[int, Family] = {}
        for k, array in zip(self.rebound, named, strict=True):
            family = self.results[k]._family
            if family.depth >= len(LOOPS) + 1 or family.parts:  # made in the turn, or by it
                family = families.setdefault(id(family), Family(family.parts))
            found[k] = Tensor(array, family)
        return tuple(found)


def _own_place(place: tuple[Any, ...]) -> bool:
    """Whether different turns write different parts: the one place t + o, or the slab from tC on of length C."""
    _, start, length, _ = place
    if length is None:
        return is_zero(start.factor - 1) and start.offset >= 0
    return is_zero(start.factor - length) and is_zero(start.offset)


def _placed(old: Any, parts: Any, axis: int, start: Place, length: Any) -> Any:
    """The array with the parts that all turns have written: (n, …)."""
    rows = jnp.moveaxis(parts, 0, axis)
    if length is not None:
        shape = list(rows.shape)
        shape[axis : axis + 2] = [shape[axis] * shape[axis + 1]]
        rows = rows.reshape(shape)
    if is_zero(start.offset) and is_zero(rows.shape[axis] - old.shape[axis]):
        return rows
    return lax.dynamic_update_slice_in_dim(old, rows, start.offset, axis)


def _equal(one: Any, other: Any) -> bool:
    return type(one) is type(other) and isinstance(one, int | float | str | None) and one == other
