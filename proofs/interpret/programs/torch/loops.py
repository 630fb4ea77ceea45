"""Loops over sizes as `lax.scan`: what a turn changes is carried from turn to turn, and what it adds is stacked.

`rewriting` makes a function of a loop's body. It is first run for its effects alone, until it is known what it writes.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import jax
from jax import lax
from jax import numpy as jnp

from ...questions import Unreadable, aside, listening, note
from .prefixes import Prefix, augmented
from .sequences import Appended, Items, turns
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


@contextmanager
def attempt() -> Iterator[None]:
    """Errors of this block are no affair of the interpretation's, but none is lost: the first comes out at its end."""
    try:
        with aside(), listening():
            yield
    except Unreadable:
        raise
    except Exception as error:  # such as a question of JAX's about sizes
        first = str(error).strip().split("\n", 1)[0]
        note(f"a loop over a size ended in {type(error).__name__}: {first}")
        raise


UNROLLED = 8
"""A loop with no more turns than this is unrolled where its length is a number."""


class Loop:
    """The body of a loop while it is read on symbols: what it writes that was there before."""

    def __init__(
        self, length: Any, number: Any, rows: Mapping[Any, Any] | None, once: Sequence[Tensor]
    ) -> None:
        self.turns, self.number, self.given = length, number, rows
        """How many turns there are, the number of this one, and what it is given of arrays (None in a trial)."""
        self.numbered = False
        """Whether anything depends on the number itself."""
        self.undecided = False
        """Whether the first or last turn may have to be told from the others."""
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
    items: Any,
    body: Callable[..., Any],
    names: tuple[str, ...],
    values: tuple[Any, ...],
    later: tuple[str, ...] = (),
) -> Any:
    """The values of the names after the loop.

    Args:
        items: what is run through.
        body: (item, *values) -> their values after a turn.
        names: those that the body gives values.
        values: callables that say what they are before, or raise NameError.
        later: those of the names that are read outside of the loop.
    """
    before = tuple(_value(name, one) for name, one in zip(names, values, strict=True))
    found = turns(items)
    if isinstance(found, range):
        found = Items(len(found), lambda turn, own=found: turn * own.step + own.start)
    if isinstance(found, Items) and not isinstance(found.length, int):
        return _over_a_size(found, body, names, before, later)
    if isinstance(found, Items) and found.length > UNROLLED:
        with suppress(Unreadable), attempt():
            return _scanned(found, body, names, before, later, every=True)
    for item in found:
        before = body(item, *before)
    return before


def comprehension(
    items: Any, make: Callable[[Any], Any], rows: Callable[[], Any] = Appended, over: Any = None
) -> Any:
    """`[make(item) for item in items]`, as a list of the kind of `rows`, by the loop `over` or this one."""
    found = rows()

    def body(item: Any) -> tuple[()]:
        found.append(make(item))
        return ()

    (over or loop)(items, body, (), ())
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


APART = 2
"""How many turns, first or last ones, are told from the others."""


def _over_a_size(
    items: Items,
    body: Callable[..., Any],
    names: tuple[str, ...],
    before: tuple[Any, ...],
    later: tuple[str, ...],
    apart: int = APART,
) -> tuple[Any, ...]:
    """The loop, of which the first or last turn goes before or after the others where it is another one."""
    if _is_empty(items):  # names stay as they are
        return before
    made: list[_Turn] = []
    try:
        with attempt():
            return _scanned(items, body, names, before, later, made)
    except Unreadable as error:
        if apart and made and made[0].loop.undecided:
            for way in (_first_apart, _last_apart):
                with suppress(Unreadable), attempt():
                    return way(items, body, names, before, later, apart - 1)
        note(str(error))
        raise


def _is_empty(items: Items) -> bool:
    """Whether there is no turn: a question about sizes, of which no `except` of the program's makes another one."""
    try:
        return bool(items.length <= 0)
    except Exception:
        note("whether a loop has a turn depends on the sizes")
        raise


def _first_apart(
    items: Items, body: Any, names: Any, before: Any, later: Any, apart: int
) -> tuple[Any, ...]:
    after = body(items.at(0), *before)
    rest = Items(items.length - 1, lambda turn: items.at(turn + 1))
    return _over_a_size(rest, body, names, after, later, apart)


def _last_apart(
    items: Items, body: Any, names: Any, before: Any, later: Any, apart: int
) -> tuple[Any, ...]:
    most = Items(items.length - 1, items.at)
    after = _over_a_size(most, body, names, before, names, apart)
    return body(items.at(items.length - 1), *after)


def _scanned(
    items: Items,
    body: Callable[..., Any],
    names: tuple[str, ...],
    before: tuple[Any, ...],
    later: tuple[str, ...],
    made: list[_Turn] | None = None,
    every: bool = False,
) -> tuple[Any, ...]:
    """The loop as one `lax.scan`, one turn or more.

    Args:
        items: what is run through.
        body: that of the loop.
        names: those that it gives values.
        before: what they are before.
        later: those of the names that are read outside of the loop.
        made: is given the turn, before anything is tried of it.
        every: whether each name that is read later has to have a value.
    """
    forms = [_form(one) for one in before]

    def parts(values: Sequence[Any]) -> list[Any]:
        for name, one, form in zip(names, values, forms, strict=True):
            if _form(one) != form and not isinstance(form, str):
                turn.loop.undecided = True
                raise refuse(f"{name}, which a loop over a size gives another form")
        return [leaf for pair in zip(values, forms, strict=True) for leaf in _leaves(*pair)]

    def by_parts(item: Any, *leaves: Any) -> tuple[Any, ...]:
        rest = iter(leaves)
        return tuple(parts(body(item, *(_together(form, rest) for form in forms))))

    named = [n for n, form in zip(names, forms, strict=True) for _ in _leaves(None, form)]
    turn = _Turn(items, by_parts, tuple(named), (), later)
    turn.begin(tuple(parts(before)))
    if made is not None:
        made.append(turn)
    while turn.learns():
        pass
    turn.expect_own_items()
    turn.find_last()
    turn.stack_what_is_written_once()
    final, rows = lax.scan(turn, turn.start(), turn.inputs())
    rest = iter(turn.after(final, rows, every))
    return tuple(_together(form, rest) for form in forms)


LEAF = "a value"
Form = str | tuple[Any, ...]
"""How a value is made of tuples."""


def _form(value: Any) -> Form:
    return tuple(map(_form, value)) if type(value) is tuple else LEAF


def _leaves(value: Any, form: Form) -> list[Any]:
    if isinstance(form, str):
        return [value]
    inner = [None] * len(form) if value is None else value
    return [leaf for pair in zip(inner, form, strict=True) for leaf in _leaves(*pair)]


def _together(form: Form, leaves: Iterator[Any]) -> Any:
    if isinstance(form, str):
        return next(leaves)
    return tuple(_together(one, leaves) for one in form)


class _Turn:
    """A turn of a loop as a function of arrays: (what is carried, its number) -> (what is carried, what is stacked)."""

    def __init__(
        self,
        items: Items,
        body: Callable[..., Any],
        names: tuple[str, ...],
        before: tuple[Any, ...],
        later: tuple[str, ...] = (),
    ) -> None:
        self.items, self.body, self.names, self.before = items, body, names, before
        self.later = later
        """Names that are read outside of the loop."""
        self.written: dict[int, Tensor] = {}
        """Tensors from before the loop that are written in it."""
        self.rebound: dict[int, Any] = {}
        """Names, by number, that stand for another tensor after a turn, with its shape and format."""
        self.once: dict[int, tuple[Tensor, tuple[Any, ...]]] = {}
        """Tensors of which each turn writes one place that nothing reads, and where: (axis, start, length)."""
        self.numbers: set[int] = set()
        """Names, by number, that stood for a number and are given that of the turn: no turn may read the last one's."""
        self.counters: dict[int, Any] = {}
        """Names, by number, that stand for a whole number, with what a turn adds to it."""
        self.last: list[int] = []
        """Names, by number, that get a value in the loop alone, and are read after it."""
        self.sources: list[Family] = []
        """Memory from before the loop that a turn gives a name."""
        self.loop = Loop(items.length, None, None, [])
        self.rows: list[tuple[Any, int]] | None = None
        """Arrays that are handed to the turns place by place, with the axis; None while they are looked for."""
        self.results: tuple[Any, ...] = before

    def begin(self, before: tuple[Any, ...]) -> None:
        """Say what names stand for before the loop."""
        self.before = self.results = before

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
        known = self._known()
        self.written |= {k: self.loop.kept[k][0] for k in self.loop.places}
        self.rebound |= after
        families = [self.results[k]._family for k in after]
        self.sources += [
            one
            for one in families
            if one.depth <= len(LOOPS) and one.before is None and one not in self.sources
        ]
        self.numbers |= self._numbered
        self.counters |= self._counted
        return self._known() != known

    def _known(self) -> Any:
        sets = set(self.numbers), set(self.counters)
        return len(self.written), dict(self.rebound), len(self.sources), sets

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
            last = [one.array for one in self._last()]
            return (carried, after), (stacked, written, last)
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
        for k, step in self.counters.items():
            given[k] = Place(self.loop.number, step, self.before[k])
        for k, array, one in zip(self.rebound, named, old, strict=True):
            family = Family(parts)
            family.depth, family.before = len(LOOPS) - 1, one
            given[k] = Tensor(array, family)
        return tuple(given)

    def _classify(self, given: tuple[Any, ...]) -> None:
        """Which names stand for something else after the turn; refuses what cannot be carried."""
        self._changed: list[int] = []
        self._numbered: set[int] = set()
        self._counted: dict[int, Any] = {}
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
                self._expect_shape(k, after)
                self._changed.append(k)
            elif (step := self._step(k, one, after)) is not None:
                if not is_zero(step):
                    self._counted[k] = step
            elif isinstance(after, Place) and is_size(self.before[k]) and k not in self.counters:
                self._numbered.add(k)
            elif after is not self.before[k] and not _equal(after, self.before[k]):
                self.loop.undecided = True
                raise refuse(
                    f"{self.names[k]}, which a loop over a size changes and which is no tensor",
                    "keep it a tensor, or compute it from the number of the turn",
                )

    def _expect_shape(self, k: int, after: Tensor) -> None:
        """Refuse a tensor that a turn replaces by one of another shape; a number may become a tensor."""
        if not isinstance(self.before[k], Tensor):
            return
        shapes = jnp.shape(self.before[k]._array), jnp.shape(after._array)
        same = len(shapes[0]) == len(shapes[1])
        if not (same and all(is_zero(a - b) for a, b in zip(*shapes, strict=True))):
            self.loop.undecided = True
            raise refuse(f"{self.names[k]}, to which a loop over a size gives another shape")

    def _step(self, k: int, one: Any, after: Any) -> Any:
        """What a turn adds to a whole number, the same in each turn; None if it is none, or not seen to be so."""
        if not is_size(self.before[k]) or not (is_size(one) or isinstance(one, Place)):
            return None
        if not is_size(after) and not (isinstance(after, Place) and isinstance(one, Place)):
            return None
        step = after - one
        if not is_size(step) or (k in self.counters and not is_zero(step - self.counters[k])):
            return None
        return step

    def expect_own_items(self) -> None:
        """Watch what lists hold that was there before the loop, once or several times: it must not be written."""
        for items, tensor in self.loop.appended:
            family = tensor._family
            before = family.before  # what a name stood for, which no turn writes
            if before is None and family.depth <= len(LOOPS):
                before = family
            if before is not None:
                items.watched.append((before, before.writes))

    def find_last(self) -> None:
        """Find the names that get a value in the loop alone, and are read after it."""
        for k, after in enumerate(self.results):
            fresh = isinstance(self.before[k], Refused) and after is not self.before[k]
            if fresh and self.names[k] in self.later and _is_kept(after):
                self.last.append(k)

    def _last(self) -> Iterator[Tensor]:
        """The tensors that these names stand for."""
        for k in self.last:
            for leaf in _leaves(self.results[k], _form(self.results[k])):
                if isinstance(leaf, Tensor):
                    yield leaf

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

    def after(self, final: Any, rows: Any, every: bool) -> tuple[Any, ...]:
        """Write what the turns have written, and say what the names stand for."""
        arrays, named = final
        stacked, parts, last = rows
        lost = [n for k, n in enumerate(self.names) if n in self.later and self._is_lost(k)]
        if every and lost:
            raise refuse(f"{lost[0]} after a loop")
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
            if k in self.counters:
                found[k] = self.before[k] + self.counters[k] * self.items.length
            elif isinstance(self.before[k], Refused) or after is not self.before[k]:
                found[k] = unbound(self.names[k])
        families: dict[int, Family] = {}

        def own(tensor: Tensor, array: Any) -> Tensor:
            family = tensor._family
            if family.depth >= len(LOOPS) + 1 or family.parts:  # made in the turn, or by it
                family = families.setdefault(id(family), Family(family.parts))
            return Tensor(array, family)

        for k, array in zip(self.rebound, named, strict=True):
            found[k] = own(self.results[k], array)
        kept = (own(one, array[-1]) for one, array in zip(self._last(), last, strict=True))
        for k in {*self.last, *self.numbers}:
            form = _form(self.results[k])
            leaves = (
                next(kept) if isinstance(one, Tensor) else _at_the_end(one, self.items.length)
                for one in _leaves(self.results[k], form)
            )
            found[k] = _together(form, leaves)
        for items, tensor in self.loop.appended:  # a name's tensor may be in a list as well
            if id(tensor._family) in families:
                one = families[id(tensor._family)]
                items.watched.append((one, one.writes))
        return tuple(found)

    def _is_lost(self, k: int) -> bool:
        changed = isinstance(self.before[k], Refused) and self.results[k] is not self.before[k]
        return changed and k not in self.last


def _is_kept(value: Any) -> bool:
    """Whether what it is in the last turn can be told: it is made of tensors, numbers of turns, and constants."""
    kinds = Tensor | Place | int | float | str | None
    leaves = _leaves(value, _form(value))
    return all(isinstance(one, kinds) or is_size(one) for one in leaves)


def _at_the_end(value: Any, length: Any) -> Any:
    """What it is in the last of so many turns."""
    return value.factor * (length - 1) + value.offset if isinstance(value, Place) else value


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
