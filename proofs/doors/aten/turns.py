"""A loop over a size as one scan: its states are what its turns were seen to change."""

from __future__ import annotations

import builtins
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any

from ...interpret.questions import place
from ..loops.growing import Growing
from ..loops.items import UNBOUND, Items
from ..loops.keeping import Kept
from ..refused import KeepsState
from .memory import Shared
from .observing import Seen, flat, key_of, opening, rebuilt, tensors
from .reached import instead, reached
from .refusal import FirstTurn, Refused, beside, torch
from .scans import Symbols, scanned
from .tensors import TENSORS, Rows, is_real_of_sizes, is_symbol


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
    shared: Shared = field(default_factory=Shared)
    """Memory that turns make arrays share, which are arrays of their own after a scan."""
    apart: dict[Any, int] = field(default_factory=dict)
    """How many of the first turns of a loop are run by themselves, since the body asks which they are."""

    running: list[Any] = field(default_factory=list)
    """The loops that are run, one inside the other."""

    held: list[dict[int, Any]] = field(default_factory=list)
    """For each loop whose turn is traced what stands in for tensors of the trace, by their identities."""

    def stand_in(self, value: Any) -> Any:
        """What stands for a value in the turns that are traced."""
        for known in self.held:
            value = known.get(id(value), value)
        return value

    @contextmanager
    def holding(self, known: dict[int, Any]) -> Iterator[None]:
        """A block in which these stand in."""
        self.held.append(known)
        try:
            yield
        finally:
            self.held.pop()

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


APART = 2
"""So many of the first turns of a loop may be told apart from the rest."""
TURNS = 40
"""The most loops over sizes that one trace may meet."""
INSIDE = 9
"""The most that one loop may have inside; their derivatives count, too."""
_sessions: list[Session] = []


def running() -> Session:
    """The session that rewritten code runs in; a new one where there is none."""
    return _sessions[-1] if _sessions else Session()


@contextmanager
def session(new: Session) -> Iterator[Session]:
    """Run rewritten code in this block."""
    _sessions.append(new)
    try:
        yield new
    finally:
        _sessions.pop()


class SizedLoop:
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
        found = now.seen.get(key_of(body))
        if found is None:
            raise Refused(f"a loop that was not run at example sizes{self.where}")
        self.seen = found
        self.steps: dict[str, Any] = {}
        self.offset = 0

    def run(self) -> tuple[Any, ...]:
        """The values of the names after all turns."""
        opening()
        self._expect_followed()
        for k in builtins.range(self.now.apart.get(key_of(self.body), 0)):
            if not self.items.length >= k + 1:
                raise Refused(f"a loop with fewer than {k + 1} turns{self.where}")
            self.before = list(self.body(self.items.item(k, self.items.parts), *self.before))
            self.offset = k + 1
        self.first |= {n for n, one in zip(self.names, self.before, strict=True) if one is UNBOUND}
        t = torch()
        trial = self._trial()
        self.flats = [flat(v) for v in self.before]
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
            leaves = flat(trial[k])[0] if trial is not None else self.flats[k][0]
            if builtins.len(leaves) != builtins.len(self.flats[k][0]):
                raise self._begins_otherwise(
                    f"{self.names[k]}, to which a turn gives another form,"
                )
            start += [
                self._as(one, like) for one, like in zip(self.flats[k][0], leaves, strict=True)
            ]
        fixed = [
            one
            for leaves in (*self._kept(), self.items.parts)
            for one in leaves
            if (isinstance(one, t.Tensor) and not _has(self.written, one)) or is_symbol(one)
        ]
        known = [*fixed, *self.written, *(x for leaves, _ in self.flats for x in leaves)]
        fixed += reached(kept_before(self.body, self.names, self.before, []), known)
        self.fixed = list({id(one): one for one in fixed}.values())
        reals = [x for leaves, _ in self.flats for x in leaves if is_real_of_sizes(x)]
        self.reals = list({id(x): x for x in reals}.values())
        length = self.items.length - self.offset
        symbols = Symbols(self._symbol, lambda: self.now.reserved(key_of(self.body)), self._inside)
        kind = t.get_default_dtype()  # which a number without axes does not give to others
        given = [
            *map(self.now.stand_in, self.fixed),
            *(t.scalar_tensor(x, dtype=kind) for x in self.reals),
        ]
        last, made = scanned(self._turn, length, symbols, start, given)
        return self._after(last, made, length)

    def _kept(self) -> Iterator[list[Any]]:
        """The leaves of what names stand for that turns give nothing else."""
        for k, (leaves, _) in enumerate(self.flats):
            if k not in self.carried:
                yield leaves

    @contextmanager
    def _inside(self, symbols: list[Any]) -> Iterator[None]:
        """Loops in this block find their symbols here."""
        before, self.now.turns = self.now.turns, list(symbols)
        try:
            yield
        finally:
            self.now.turns = before

    def _symbol(self, length: Any) -> Any:
        return self.now.turn(length, key_of(self.body))

    def _refuse(self, name: str, why: str) -> Refused:
        return Refused(f"{name}, {why}, in a loop over a size{self.where}")

    def _expect_followed(self) -> None:
        """Refuse what one turn does to memory that another sees by another name."""
        seen = self.seen
        if seen.refused:
            raise Refused(f"{seen.refused}{self.where}")
        if seen.changed:
            raise KeepsState(seen.changed)
        for name, steps in seen.counters.items():
            if builtins.len(steps) > 1 and name not in self.first:
                raise self._refuse(name, "a whole number that turns change by different amounts")
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
        plain = all(isinstance(x, t.Tensor) for k in states for x in flat(self.before[k])[0])
        every = [*self.items.parts, *(x for v in self.before for _, x in tensors(v))]
        mapped = any(map(t._C._functorch.is_batchedtensor, filter(t.is_tensor, every)))
        if plain and not self.seen.counters and not mapped:
            return None
        now = self._symbol(self.items.length)
        values = []
        for name, one in zip(self.names, self.before, strict=True):
            if name in self.first:
                one = UNBOUND
            elif isinstance(one, list) and name in self.seen.appended:
                one = Growing(self._asked, name)
            elif not isinstance(one, t.nn.Module | Items) and tensors(one):
                leaves, spec = flat(one)
                copies = [x.clone() if isinstance(x, t.Tensor) else x for x in leaves]
                one = rebuilt(copies, spec, ExitStack())
            values.append(one)
        after = self._body(self.items.item(now + self.offset, self.items.parts), values)
        for name, one, other in zip(self.names, values, after, strict=True):
            if name in self.seen.counters and name not in self.first:
                self.steps[name] = other - one
        return list(after)

    def _body(self, item: Any, values: Sequence[Any]) -> Any:
        """What the names stand for after a turn; one that has no value yet may be read after the first turn.

        Raises:
            Refused: if the turn changes what the loop does not follow.
        """
        lists = [one for one in values if isinstance(one, Growing)]
        kept = kept_before(self.body, self.names, values, lists)
        try:
            after = self.body(item, *values)
        except TypeError as error:
            if type(UNBOUND).__name__ not in str(error):
                raise
            raise self._begins_otherwise("a name without a value before it") from error
        for one in lists:
            one.expect_unasked()
        changed = kept.change(self.where)
        if changed:
            raise KeepsState(changed)
        return after

    def _asked(self, what: str) -> Refused:
        return KeepsState(f"{what}, in a loop over a size{place(beside())}")

    def _begins_otherwise(self, why: str) -> Refused:
        return FirstTurn(f"{why} in a loop over a size{self.where}", key_of(self.body))

    def _as(self, one: Any, like: Any) -> Any:
        """A state's start in the form that it has after a turn."""
        t = torch()
        if not isinstance(like, t.Tensor):
            if isinstance(one, t.Tensor):
                raise Refused(
                    f"a tensor that becomes a {type(like).__name__} in a loop over a size{self.where}"
                )
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
            raise self._begins_otherwise(f"a {type(one).__name__} that becomes a tensor")
        found = t.full(like.shape, one, dtype=like.dtype)
        return found + 0 * like if isinstance(like, t.Tensor) and batched(like) else found

    def _turn(
        self, number: Any, states: list[Any], fixed: list[Any]
    ) -> tuple[list[Any], list[Any]]:
        """One turn, of tensors."""
        count = builtins.len(self.written)
        memory = [one.clone() for one in states[:count]]
        given = iter(states[count:])
        every = [*self.fixed, *self.reals]
        known = {id(one): new for one, new in zip(every, fixed, strict=True)}
        known |= {id(one): new for one, new in zip(self.written, memory, strict=True)}
        turn = number + self.offset
        inputs = {id(one): new for one, new in zip(self.fixed, fixed, strict=False)}
        held = {k: one for k, one in inputs.items() if isinstance(one, torch().Tensor)}
        with ExitStack() as entered:
            entered.enter_context(self.now.holding(held))
            entered.enter_context(instead(held, self.where))
            values: list[Any] = []
            lists: dict[str, Growing] = {}
            for k, name in enumerate(self.names):
                leaves, spec = self.flats[k]
                if name in self.first:
                    values.append(UNBOUND)
                elif k in self.carried:
                    own = [next(given).clone() for _ in leaves]
                    values.append(rebuilt(own, spec, entered))
                elif name in self.seen.counters:
                    values.append(self.before[k] + self.steps[name] * number)
                elif name in self.seen.appended:
                    lists[name] = Growing(self._asked, name)
                    values.append(lists[name])
                elif any(id(one) in known for one in leaves):
                    values.append(rebuilt([known.get(id(x), x) for x in leaves], spec, entered))
                else:
                    values.append(self.before[k])
            parts = [known.get(id(x), x) for x in self.items.parts]
            after = self._body(self.items.item(turn, parts), values)
        result = [*memory]
        for k in self.carried:
            result += [self._tensor(x) for x in flat(after[k])[0]]
        self.forms = [(n, [flat(one)[1] for one in v.added]) for n, v in lists.items()]
        made = [self._tensor(x) for v in lists.values() for one in v.added for x in flat(one)[0]]
        self.last = [
            (k, flat(after[k])[1])
            for k, n in enumerate(self.names)
            if n in self.later and n in self.first and after[k] is not UNBOUND
        ]
        made += [self._tensor(x) for k, _ in self.last for x in flat(after[k])[0]]
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
                found[k] = rebuilt([next(given) for _ in leaves], spec, ExitStack())
            elif name in self.first:
                found[k] = UNBOUND
            elif name in self.seen.counters:
                found[k] = self.before[k] + self.steps[name] * length
        for name, forms in self.forms:
            if builtins.len(forms) != 1 or forms[0].num_leaves != 1:
                raise self._refuse(name, "a list to which a turn appends other than one tensor")
            self.before[self.names.index(name)].append(Rows(TENSORS, next(rows)))
        for k, spec in self.last:
            leaves = [next(rows).select(0, length - 1) for _ in builtins.range(spec.num_leaves)]
            found[k] = rebuilt(leaves, spec, ExitStack())
        self._keep_as_it_is(found)
        return tuple(found)

    def _keep_as_it_is(self, found: list[Any]) -> None:
        """Let nothing be written any more into what shares memory with what the turns have made."""
        made = {*(self.names[k] for k in self.carried), *(self.names[k] for k, _ in self.last)}
        slots = {(slot,) for slot in self.seen.kept}
        slots |= {tuple(pair) for pair in self.seen.after if any(n in made for n, _ in pair)}
        for name, j in {slot for group in slots for slot in group}:
            for k, one in tensors(found[self.names.index(name)]):
                if k == j:
                    self.now.shared.add([one], "memory that arrays share after a loop")


def kept_before(
    body: Any, names: Sequence[str], values: Sequence[Any], growing: Sequence[Any]
) -> Kept:
    """What a turn may reach, before it; of the names' tensors it is known otherwise what is written."""
    roots = dict(zip(names, values, strict=True))
    followed = [x for one in values for _, x in tensors(one)]
    return Kept({**roots, "the body of the loop": body}, followed, growing)


def _has(every: Sequence[Any], one: Any) -> bool:
    return any(one is other for other in every)
