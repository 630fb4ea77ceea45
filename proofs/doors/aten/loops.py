"""What rewritten code calls: loops of Python over sizes, each as one `scan` of PyTorch's graph.

A loop is first run as it is, at example sizes, to see what its turns do with names and tensors from before: which are
given other values, and which are written in place. Where its number of turns is a symbol, these are the loop's states.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any

from ...interpret.questions import place
from .refusal import Refused, beside, torch
from .scans import Symbols, scanned


class Unbound:
    """Stands for a name without a value."""

    def __repr__(self) -> str:
        return "a name without a value"


UNBOUND = Unbound()


@dataclass
class Seen:
    """What the turns of a loop did when it was run."""

    rebound: set[str] = field(default_factory=set)
    """Names that stand for something else after a turn."""
    written: set[tuple[str, int]] = field(default_factory=set)
    """Tensors that are written in place: a name, and the number of the leaf."""
    counters: set[str] = field(default_factory=set)
    """Names of whole numbers that turns change."""
    appended: set[str] = field(default_factory=set)
    """Names of lists that turns append to."""
    shared: set[frozenset[tuple[str, int]]] = field(default_factory=set)
    """Pairs of tensors that share memory before or after a turn and are different objects."""
    apart: set[frozenset[tuple[str, int]]] = field(default_factory=set)
    """Pairs that are one object before a turn and not after it, or the other way round."""
    kept: set[tuple[str, int]] = field(default_factory=set)
    """Tensors of which lists got items."""
    around: bool = False
    """Whether there are loops inside of it."""
    refused: str = ""
    """Why it cannot be one node, if that was seen."""


@dataclass
class Session:
    """A function that is run, and then traced."""

    tracing: bool = False
    seen: dict[Any, Seen] = field(default_factory=dict)
    """By the code of the loop's body."""
    turns: list[Any] = field(default_factory=list)
    """Symbols for the number of a turn that are not used yet."""
    used: list[tuple[Any, Any, Any]] = field(default_factory=list)
    """Those that are, with how many turns there are, and the loop."""
    apart: dict[Any, int] = field(default_factory=dict)
    """How many of the first turns of a loop are run by themselves, since the body asks which they are."""

    running: list[Any] = field(default_factory=list)
    """The loops that are run, one inside the other."""

    def reserved(self, loop: Any) -> list[Any]:
        """Symbols for loops inside of one: a graph of its own knows none of those around."""
        count = INSIDE if loop is None or self.seen[loop].around else 0
        found, self.turns = self.turns[:count], self.turns[count:]
        return found

    def turn(self, length: Any, loop: Any = None) -> Any:
        """A new symbol for the number of a turn."""
        if not self.turns:
            raise Refused(f"there are more than {TURNS} loops over sizes{place(beside())}")
        symbol = self.turns.pop(0)
        self.used.append((symbol, length, loop))
        return symbol


TURNS = 40
"""The most loops over sizes that one trace may meet."""
INSIDE = 9
"""The most that one loop may have inside; their derivatives count, too."""
_sessions: list[Session] = []


@contextmanager
def session(new: Session) -> Iterator[Session]:
    """Run rewritten code in this block."""
    _sessions.append(new)
    try:
        yield new
    finally:
        _sessions.pop()


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
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], Rows):
        return value[0]
    return None


# Functions of Python's.


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
    return Items(length, [start, step], lambda t, parts: parts[0] + parts[1] * t)


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
        return builtins.zip(*given, **options)
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


# Values with tensors in them.


def _flat(value: Any) -> tuple[list[Any], Any]:
    """A value's leaves: tensors and others; a module's are its parameters and buffers."""
    t = torch()
    if isinstance(value, t.nn.Module):
        held = {**dict(value.named_parameters()), **dict(value.named_buffers())}
        return list(held.values()), (value, list(held))
    if isinstance(value, Items):
        return list(value.parts), value
    from torch.utils import _pytree

    return _pytree.tree_flatten(value)


def _rebuilt(leaves: Sequence[Any], spec: Any, entered: ExitStack) -> Any:
    """The value with other leaves; a module has them until the block ends."""
    from torch.utils import _pytree

    if isinstance(spec, tuple):
        module, names = spec
        from torch.nn.utils import stateless

        given = dict(zip(names, leaves, strict=True))
        entered.enter_context(stateless._reparametrize_module(module, given))
        return module
    if isinstance(spec, Items):
        if isinstance(spec, Rows):
            return Rows(leaves[0])
        return Items(spec.length, leaves, spec.item)
    return _pytree.tree_unflatten(leaves, spec)


def _value(make: Callable[[], Any]) -> Any:
    try:
        return make()
    except NameError:
        return UNBOUND


# Loops.


def loop(
    given: Any,
    body: Callable[..., Any],
    names: tuple[str, ...],
    values: tuple[Callable[[], Any], ...],
    first: tuple[str, ...],
    later: tuple[str, ...],
) -> tuple[Any, ...]:
    """A `for` statement: the values of the names after it.

    Args:
        given: what it goes through.
        body: one turn, of its item and the values of the names.
        names: those that the body speaks of.
        values: what they stand for before.
        first: those that each turn gives a value before it reads them.
        later: those that are read outside of the loop.
    """
    before = tuple(map(_value, values))
    now = _sessions[-1] if _sessions else Session()
    items = items_of(given) if now.tracing else None
    if items is None or not is_symbol(items.length):
        turns = given if items is None else _each(items)
        if not now.tracing:
            for one in now.running:
                now.seen[one].around = True
            now.seen.setdefault(_key(body), Seen())
            now.running.append(_key(body))
        for item in turns:
            start = None if now.tracing else Snapshot(names, before)
            after = body(item, *before)
            if start is not None:
                start.note(now.seen[_key(body)], after)
            before = after
        if not now.tracing:
            now.running.pop()
        return before
    return _Turns(now, items, body, names, before, first, later).run()


def _each(items: Items) -> Iterator[Any]:
    return (items.item(k, items.parts) for k in builtins.range(int(items.length)))


def comprehension(
    given: Any,
    item: Callable[..., Any],
    names: tuple[str, ...],
    values: tuple[Callable[[], Any], ...],
) -> Any:
    """`[f(x) for x in xs]`."""
    made: Any = Listed()

    def body(one: Any, made: Any, *known: Any) -> Any:
        made.append(item(one, *known))
        return (made, *known)

    body.key = item.__code__  # type: ignore[attr-defined]
    loop(given, body, (MADE, *names), (lambda: made, *values), (), ())
    return made


MADE = "the list that is made"


def _key(body: Any) -> Any:
    """What tells a loop of the source from others."""
    return getattr(body, "key", body.__code__)


def _tensors(value: Any) -> list[tuple[int, Any]]:
    """A value's tensors, with their numbers among its leaves."""
    if value is UNBOUND:
        return []
    t = torch()
    return [(k, one) for k, one in enumerate(_flat(value)[0]) if isinstance(one, t.Tensor)]


def _inner(tensor: Any) -> Any:
    """What a tensor of a transformation, such as `vmap`, holds."""
    functorch = torch()._C._functorch
    while functorch.is_functorch_wrapped_tensor(tensor):
        tensor = functorch.get_unwrapped(tensor)
    return tensor


def _version(tensor: Any) -> int:
    """How often a tensor, or what it is of inside, was written in place."""
    functorch = torch()._C._functorch
    found = tensor._version
    while functorch.is_functorch_wrapped_tensor(tensor):
        tensor = functorch.get_unwrapped(tensor)
        found += tensor._version
    return found


def _memory(tensor: Any) -> int:
    return _inner(tensor).untyped_storage()._cdata


Slot = tuple[str, int]
"""A name, and the number of a leaf of what it stands for."""


class Snapshot:
    """What names stand for before a turn."""

    def __init__(self, names: Sequence[str], values: Sequence[Any]) -> None:
        self.names, self.values = names, values
        self.tensors: dict[Slot, Any] = {
            (n, k): one for n, v in zip(names, values, strict=True) for k, one in _tensors(v)
        }
        self.versions = {slot: _version(one) for slot, one in self.tensors.items()}
        lists = ((n, v) for n, v in zip(names, values, strict=True) if isinstance(v, list))
        self.lists = {n: (v, builtins.len(v), list(v)) for n, v in lists}

    def shared(self) -> set[frozenset[Slot]]:
        """Pairs of tensors that are different objects and share memory."""
        groups: dict[int, list[Slot]] = {}
        for slot, one in self.tensors.items():
            groups.setdefault(_memory(one), []).append(slot)
        return {
            frozenset((a, b))
            for group in groups.values()
            for a in group
            for b in group
            if a < b and self.tensors[a] is not self.tensors[b]
        }

    def same(self) -> set[frozenset[Slot]]:
        """Pairs of names for one object."""
        slots = sorted(self.tensors)
        return {
            frozenset((a, b))
            for a in slots
            for b in slots
            if a < b and self.tensors[a] is self.tensors[b]
        }

    def note(self, seen: Seen, after: Sequence[Any]) -> None:
        """Note what a turn did."""
        seen.written |= {s for s, one in self.tensors.items() if _version(one) != self.versions[s]}
        for name, one, other in zip(self.names, self.values, after, strict=True):
            if one is not other:
                whole = type(one) is int and type(other) is int
                (seen.counters if whole else seen.rebound).add(name)
        later = Snapshot(self.names, after)
        seen.shared |= self.shared() | later.shared()
        seen.apart |= self.same() ^ later.same()
        for name, (held, count, items) in self.lists.items():
            if list(held[:count]) != items if builtins.len(held) < count else False:
                seen.refused = f"{name}, a list of which a turn takes items away"
            if builtins.len(held) > count:
                seen.appended.add(name)
                for one in held[count:]:
                    for _, tensor in _tensors(one):
                        same = {
                            s for s, x in later.tensors.items() if _memory(x) == _memory(tensor)
                        }
                        seen.kept |= {s for s in same if s[0] != name}


class _Turns:
    """A loop over a size, as one scan."""

    def __init__(
        self,
        now: Session,
        items: Items,
        body: Any,
        names: Sequence[str],
        before: Sequence[Any],
        first: Sequence[str],
        later: Sequence[str],
    ) -> None:
        self.now, self.items, self.body, self.names = now, items, body, list(names)
        self.before, self.first, self.later = list(before), set(first), set(later)
        self.where = place(beside())
        found = now.seen.get(_key(body))
        if found is None:
            raise Refused(f"a loop that was not run at example sizes{self.where}")
        self.seen = found
        self.steps: dict[str, Any] = {}
        self.offset = 0
        self.first |= {n for n, one in zip(names, before, strict=True) if one is UNBOUND}

    def run(self) -> tuple[Any, ...]:
        """The values of the names after all turns."""
        self._expect_followed()
        for k in builtins.range(self.now.apart.get(_key(self.body), 0)):
            if not self.items.length >= k + 1:
                raise Refused(f"a loop with fewer than {k + 1} turns{self.where}")
            self.before = list(self.body(self.items.item(k, self.items.parts), *self.before))
            self.offset = k + 1
        t = torch()
        trial = self._trial()
        self.flats = [_flat(v) for v in self.before]
        self.carried = [
            k for k, n in enumerate(self.names) if n in self.seen.rebound and n not in self.first
        ]
        self.written: list[Any] = []
        for k, (leaves, _) in enumerate(self.flats):
            for j, one in enumerate(leaves):
                inside = (self.names[k], j) in self.seen.written and k not in self.carried
                if inside and self.names[k] not in self.first and not _has(self.written, one):
                    self.written.append(one)
        start = [*self.written]
        for k in self.carried:
            leaves = _flat(trial[k])[0] if trial is not None else self.flats[k][0]
            if builtins.len(leaves) != builtins.len(self.flats[k][0]):
                raise self._refuse(self.names[k], "to which a turn gives another form")
            start += [
                self._as(one, like) for one, like in zip(self.flats[k][0], leaves, strict=True)
            ]
        fixed = [
            one
            for leaves, _ in (*self.flats, (self.items.parts, None))
            for one in leaves
            if (isinstance(one, t.Tensor) and not _has(self.written, one)) or is_symbol(one)
        ]
        self.fixed = list({id(one): one for one in fixed}.values())
        length = self.items.length - self.offset
        symbols = Symbols(self._symbol, lambda: self.now.reserved(_key(self.body)), self._inside)
        last, made = scanned(self._turn, length, symbols, start, self.fixed)
        return self._after(last, made, length)

    @contextmanager
    def _inside(self, symbols: list[Any]) -> Iterator[None]:
        """Loops in this block find their symbols here."""
        before, self.now.turns = self.now.turns, list(symbols)
        try:
            yield
        finally:
            self.now.turns = before

    def _symbol(self, length: Any) -> Any:
        return self.now.turn(length, _key(self.body))

    def _refuse(self, name: str, why: str) -> Refused:
        return Refused(f"{name}, {why}, in a loop over a size{self.where}")

    def _expect_followed(self) -> None:
        """Refuse what one turn does to memory that another sees by another name."""
        seen = self.seen
        if seen.refused:
            raise Refused(f"{seen.refused}{self.where}")
        for name, one in zip(self.names, self.before, strict=True):
            if isinstance(one, dict) and name in seen.rebound | seen.appended:
                raise self._refuse(name, "a dict that turns change")
        for pair in seen.shared | seen.apart:
            if not pair.isdisjoint(seen.written):
                names = " and ".join(sorted({n for n, _ in pair}))
                raise self._refuse(names, "which share memory that is written in place")
        for name, _ in seen.kept & seen.written:
            raise self._refuse(name, "which is put into a list and written in place")

    def _trial(self) -> list[Any] | None:
        """What names stand for after one turn, where their kinds before it do not say enough."""
        t = torch()
        states = [
            k for k, n in enumerate(self.names) if n in self.seen.rebound and n not in self.first
        ]
        plain = all(isinstance(x, t.Tensor) for k in states for x in _flat(self.before[k])[0])
        every = [*self.items.parts, *(x for v in self.before for _, x in _tensors(v))]
        mapped = any(map(t._C._functorch.is_batchedtensor, filter(t.is_tensor, every)))
        if plain and not self.seen.counters and not mapped:
            return None
        now = self._symbol(self.items.length)
        values = []
        for name, one in zip(self.names, self.before, strict=True):
            if name in self.first:
                one = UNBOUND
            elif isinstance(one, list) and name in self.seen.appended:
                one = Listed(one)
            elif not isinstance(one, t.nn.Module | Items) and _tensors(one):
                leaves, spec = _flat(one)
                copies = [x.clone() if isinstance(x, t.Tensor) else x for x in leaves]
                one = _rebuilt(copies, spec, ExitStack())
            values.append(one)
        after = self.body(self.items.item(now + self.offset, self.items.parts), *values)
        for name, one, other in zip(self.names, values, after, strict=True):
            if name in self.seen.counters and name not in self.first:
                self.steps[name] = other - one
        return list(after)

    def _as(self, one: Any, like: Any) -> Any:
        """A state's start in the form that it has after a turn."""
        t = torch()
        if not isinstance(like, t.Tensor):
            if isinstance(one, t.Tensor):
                raise Refused(f"a tensor that becomes a {type(like).__name__} in a loop over a size{self.where}")
            if isinstance(like, float | int) and isinstance(one, float | int):
                return t.scalar_tensor(
                    one, dtype=t.get_default_dtype() if isinstance(like, float) else t.int64
                )
            raise Refused(f"a {type(like).__name__} that a loop over a size changes{self.where}")
        batched = t._C._functorch.is_batchedtensor
        if isinstance(one, t.Tensor):
            one = one.to(like.dtype)
            if batched(like) and not batched(one):  # one for each function that `vmap` runs
                one = one + 0 * like
            return one if one.dim() == like.dim() else one.expand(like.shape)
        if not isinstance(one, int | float):
            raise Refused(
                f"a {type(one).__name__} that becomes a tensor in a loop over a size{self.where}"
            )
        found = t.full(like.shape, one, dtype=like.dtype)
        return found + 0 * like if isinstance(like, t.Tensor) and batched(like) else found

    def _turn(
        self, number: Any, states: list[Any], fixed: list[Any]
    ) -> tuple[list[Any], list[Any]]:
        """One turn, of tensors."""
        count = builtins.len(self.written)
        memory = [one.clone() for one in states[:count]]
        given = iter(states[count:])
        known = {id(one): new for one, new in zip(self.fixed, fixed, strict=True)}
        known |= {id(one): new for one, new in zip(self.written, memory, strict=True)}
        turn = number + self.offset
        with ExitStack() as entered:
            values: list[Any] = []
            lists: dict[str, Any] = {}
            for k, name in enumerate(self.names):
                leaves, spec = self.flats[k]
                if name in self.first:
                    values.append(UNBOUND)
                elif k in self.carried:
                    own = [next(given).clone() for _ in leaves]
                    values.append(_rebuilt(own, spec, entered))
                elif name in self.seen.counters:
                    values.append(self.before[k] + self.steps[name] * number)
                elif name in self.seen.appended:
                    lists[name] = Listed()
                    values.append(lists[name])
                elif any(id(one) in known for one in leaves):
                    values.append(_rebuilt([known.get(id(x), x) for x in leaves], spec, entered))
                else:
                    values.append(self.before[k])
            parts = [known.get(id(x), x) for x in self.items.parts]
            after = self.body(self.items.item(turn, parts), *values)
        result = [*memory]
        for k in self.carried:
            result += [self._tensor(x) for x in _flat(after[k])[0]]
        self.forms = [(n, [_flat(one)[1] for one in v]) for n, v in lists.items()]
        made = [self._tensor(x) for v in lists.values() for one in v for x in _flat(one)[0]]
        self.last = [
            (k, _flat(after[k])[1])
            for k, n in enumerate(self.names)
            if n in self.later and n in self.first and after[k] is not UNBOUND
        ]
        made += [self._tensor(x) for k, _ in self.last for x in _flat(after[k])[0]]
        return result, made

    def _tensor(self, value: Any) -> Any:
        t = torch()
        if isinstance(value, t.Tensor):
            return value
        if isinstance(value, int | float | t.SymInt):
            kind = t.get_default_dtype() if isinstance(value, float) else t.int64
            return t.scalar_tensor(value, dtype=kind)
        raise Refused(f"a {type(value).__name__} that a loop over a size makes{self.where}")

    def _after(self, last: list[Any], made: list[Any], length: Any) -> tuple[Any, ...]:
        """Write what the turns have written, and say what the names stand for."""
        count = builtins.len(self.written)
        for one, new in zip(self.written, last[:count], strict=True):
            one.copy_(new)
        given, rows = iter(last[count:]), iter(made)
        found = list(self.before)
        for k, name in enumerate(self.names):
            if k in self.carried:
                leaves, spec = self.flats[k]
                found[k] = _rebuilt([next(given) for _ in leaves], spec, ExitStack())
            elif name in self.first:
                found[k] = UNBOUND
            elif name in self.seen.counters:
                found[k] = self.before[k] + self.steps[name] * length
        for name, forms in self.forms:
            if builtins.len(forms) != 1 or forms[0].num_leaves != 1:
                raise self._refuse(name, "a list to which a turn appends other than one tensor")
            self.before[self.names.index(name)].append(Rows(next(rows)))
        for k, spec in self.last:
            leaves = [next(rows).select(0, length - 1) for _ in builtins.range(spec.num_leaves)]
            found[k] = _rebuilt(leaves, spec, ExitStack())
        return tuple(found)


def _has(every: Sequence[Any], one: Any) -> bool:
    return any(one is other for other in every)
