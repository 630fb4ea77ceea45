"""Axes whose length is a product of sizes, such as the n·C tokens of n chunks of C, apart.

The kernel's lengths are linear. A statement in which a reshape joins axes n and C says the same with these axes apart:
entry by entry nothing changes, a sum over the long axis is one over both, and a loop of n·C turns is n loops of C, each
from where the last one stopped. Where an operation looks at the long axis in another way, it stays as it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from ..statement import binding, making, nodes
from ..statement.nodes import Loop, Node, Recursion, Shape
from ..statement.order import divided
from ..statement.reshaping import groups_of, reshaped
from ..statement.statement import Relation, Statement, every_node
from ..statement.whole import Axis, Number, Whole, substituted, whole


class Together(Exception):
    """An axis that is looked at as a whole."""


Run = tuple[Number, ...] | None
"""The lengths of the axes that an axis is; None for one along which all entries are the same, of length 1 here."""


class Apart(NamedTuple):
    """An array with axes apart."""

    node: Node
    runs: tuple[Run, ...]

    def at(self, axis: int) -> int:
        """The first of the axes that an axis of the array is."""
        return sum(1 if run is None else len(run) for run in self.runs[:axis])


class Turned(NamedTuple):
    """A recursion whose states have axes apart."""

    recursion: Recursion
    states: list[Apart]
    """At the start."""


class Nested(NamedTuple):
    """A recursion of n·C turns as loops within loops."""

    outer: Recursion
    start: Recursion
    """The inner one, in the outer one's time and states."""
    run: tuple[Number, ...]


def apart(statement: Statement) -> Statement:
    """The statement with joined axes apart, where that is seen to say the same."""
    every = every_node(statement.nodes)
    if not any(map(_is_long, (n for node in every for n in node.shape))):
        return statement
    splitting = _Splitting(every)
    said, owed = (
        tuple(map(splitting.relation, every)) for every in (statement.relations, statement.owed)
    )
    return replace(statement, relations=said, owed=owed)


def _is_long(length: Number) -> bool:
    return isinstance(length, Whole) and any(len(m) > 1 for m, _ in length.parts)


class _Splitting:
    def __init__(self, every: Sequence[Node]) -> None:
        self.runs: dict[Number, tuple[Number, ...]] = {}
        """The axes that a long length is joined of, as reshapes say."""
        for node in every:
            if isinstance(node, nodes.Reshape):
                for old, new in groups_of(node.of.shape, node.lengths) or ():
                    if len(new) == 1 < len(old) and _is_long(new[0]):
                        self.runs.setdefault(new[0], tuple(old))
        self.known: dict[Node, Apart | Together] = {}
        self.recursions: dict[Recursion, Any] = {}

    def relation(self, one: Relation) -> Relation:
        try:
            left, right = self.of(one.left), self.of(one.right)
        except Together:
            return one
        if left.runs != right.runs or None in left.runs:
            return one
        return replace(one, left=left.node, right=right.node)

    def of(self, node: Node) -> Apart:
        """The node with its axes apart.

        Raises:
            Together: if it looks at a long axis as a whole.
        """
        for one in nodes.operands_first(node, lambda one: one not in self.known):
            try:
                self.known[one] = self._made(one)
            except Together as error:
                self.known[one] = error
        found = self.known[node]
        if isinstance(found, Together):
            raise found
        return found

    def plain(self, node: Node) -> Node:
        """A node whose own axes are not long, with what is inside of it apart."""
        found = self.of(node)
        if any(run is None or len(run) > 1 for run in found.runs):
            raise Together
        return found.node

    def _made(self, node: Node) -> Apart:
        match node:
            case nodes.Map() | nodes.Opaque():
                return self._map(node)
            case nodes.Contract():
                return self._contract(node)
            case nodes.Take():
                loop = node.of
                if isinstance(loop, Loop) and _is_long(loop.recursion.turns):
                    return self._of_loop(node, loop)
                return self._take(node, self.of(loop))
            case nodes.Reshape():
                return self._reshape(node)
            case nodes.Join():
                return self._join(node)
            case nodes.Build():
                return self._build(node)
            case Loop():
                made = self._recursion(node.recursion)
                if isinstance(made, Nested):
                    raise Together
                loop = Loop(made.recursion, node.number)
                return Apart(loop, ((loop.shape[0],), *made.states[node.number].runs))
            case nodes.Lookup():
                return self._lookup(node)
            case nodes.Fold():
                return self._fold(node)
            case nodes.Parameter() | nodes.Held():
                found = self.of(node.of)
                fields = [found.node if one is node.of else one for one in nodes.arguments(node)]
                return Apart(type(node)(*fields), found.runs)
        if any(map(_is_long, node.shape)):
            raise Together
        if not node.operands:
            return _as_it_is(node)
        parts = {one: self.plain(one) for one in node.operands}
        return _as_it_is(type(node)(*(_put(one, parts) for one in nodes.arguments(node))))

    def _map(self, node: nodes.Map | nodes.Opaque) -> Apart:
        every = [self.of(one) for one in node.arguments]
        rank = len(node.lengths)
        runs: list[Run] = []
        for k in range(rank):
            found: set[Run] = set()
            for one, own in zip(node.arguments, every, strict=True):
                axis = k - rank + len(one.shape)
                if axis >= 0 and one.shape[axis] != 1 and own.runs[axis] is not None:
                    found.add(own.runs[axis])
            if len(found) > 1:
                raise Together
            if found:
                runs.append(found.pop())
            elif not _is_long(node.lengths[k]):
                runs.append((node.lengths[k],))
            else:  # once for all of the axis, but of what may have no value where the axis is empty
                runs.append(self._run(node.lengths[k]) if _may_have_no_value(node) else None)
        lengths = tuple(n for run in runs for n in (run or (1,)))
        arguments = tuple(_under(own, runs[rank - len(own.runs) :]) for own in every)
        kind = (node.name, node.laws) if isinstance(node, nodes.Opaque) else (node.function,)
        return Apart(type(node)(*kind, arguments, lengths), tuple(runs))

    def _contract(self, node: nodes.Contract) -> Apart:
        every = [self.of(one) for one in node.factors]
        runs: dict[int, Run] = {}
        for own, names in zip(every, node.axes, strict=True):
            for name, run in zip(names, own.runs, strict=True):
                if runs.setdefault(name, run) is None:
                    runs[name] = run
                if run is not None and runs[name] != run:
                    raise Together
        if None in runs.values():
            raise Together
        first = {name: 10 * name for name in runs}
        factors, axes = [], []
        for own, names in zip(every, node.axes, strict=True):
            places: list[Number] = []
            kept: list[int] = []
            for name, run in zip(names, own.runs, strict=True):
                if run is None:
                    places.append(0)
                    continue
                for k in range(len(run)):
                    places.append(whole(Axis(len(kept))))
                    kept.append(first[name] + k)
            shape = tuple(n for run in own.runs if run is not None for n in run)
            factors.append(making.take(own.node, places, shape))
            axes.append(kept)
        result = [first[name] + k for name in node.result for k in range(len(runs[name] or ()))]
        found = making.contracted(factors, axes, result)
        return Apart(found, tuple(runs[name] for name in node.result))

    def _lookup(self, node: nodes.Lookup) -> Apart:
        of, places = self.of(node.of), self.of(node.places)
        first = of.runs[0]
        if first is None or len(first) > 1:
            raise Together
        return Apart(nodes.Lookup(of.node, places.node), (*places.runs, *of.runs[1:]))

    def _fold(self, node: nodes.Fold) -> Apart:
        """Along a long axis: of what is along each of the axes that it is."""
        of = self.of(node.of)
        if of.runs[0] is None:
            raise Together
        found = of.node
        for _ in of.runs[0]:
            found = nodes.Fold(node.operation, found)
        return Apart(found, of.runs[1:])

    def _take(self, node: nodes.Take, of: Apart) -> Apart:
        runs: list[Run] = [None if _is_long(n) else (n,) for n in node.lengths]
        spread: list[tuple[int, tuple[Number, ...], int, bool]] = []
        for j, (place, run) in enumerate(zip(node.places, of.runs, strict=True)):
            if run is None or len(run) == 1:
                continue
            axis, backwards = self._along(place, node.lengths)
            if axis is not None:
                if runs[axis] not in (None, run):
                    raise Together
                runs[axis] = run
                spread.append((j, run, axis, backwards))
        images, start = _images(runs)
        long = {Axis(k) for k, run in enumerate(runs) if run is None or len(run) > 1}
        if any(not long.isdisjoint(_symbols(g)) for g in node.guards):
            raise Together
        lengths = tuple(n for run in runs for n in (run or (1,)))
        places: list[Number] = []
        for j, (place, run) in enumerate(zip(node.places, of.runs, strict=True)):
            found = next(((r, k, back) for i, r, k, back in spread if i == j), None)
            if found is not None:
                for n, length in enumerate(found[0]):
                    here = whole(Axis(start[found[1]] + n))
                    places.append(length - 1 - here if found[2] else here)
                continue
            if run is None:
                places.append(0)
                continue
            if not long.isdisjoint(_symbols(place)):
                raise Together
            places += _in_run(substituted(place, images), run, lengths)
        guards = [substituted(g, images) for g in node.guards]
        return Apart(making.take(of.node, places, lengths, guards), tuple(runs))

    def _along(self, place: Number, lengths: Shape) -> tuple[int | None, bool]:
        """The long axis of the result that a place runs along, forwards or backwards."""
        for k, length in enumerate(lengths):
            if _is_long(length) and place in (whole(Axis(k)), length - 1 - whole(Axis(k))):
                return k, place != whole(Axis(k))
        return None, False

    def _reshape(self, node: nodes.Reshape) -> Apart:
        of = self.of(node.of)
        if None in of.runs:
            raise Together
        groups = groups_of(of.node.shape, node.lengths)
        if groups is None:
            raise Together
        runs: list[Run] = []
        for old, new in groups:
            if len(new) == 1 and _is_long(new[0]):
                runs.append(tuple(old))
            elif any(map(_is_long, (*old, *new))):
                raise Together
            else:
                runs += [(n,) for n in new]
        lengths = tuple(n for run in runs for n in (run or ()))
        return Apart(reshaped(of.node, lengths), tuple(runs))

    def _join(self, node: nodes.Join) -> Apart:
        every = [self.of(one) for one in node.parts]
        runs = list(every[0].runs)
        for k in range(len(runs)):
            found = {own.runs[k] for own in every}
            if k == node.axis:
                if any(run is None or len(run) > 1 for run in found):
                    raise Together
            elif len(found) > 1 or None in found:
                raise Together
        runs[node.axis] = (node.shape[node.axis],)
        joined = making.joined([own.node for own in every], every[0].at(node.axis))
        return Apart(joined, tuple(runs))

    def _build(self, node: nodes.Build) -> Apart:
        position, entry = binding.opened(node)
        if not _is_long(position.length):
            inside = self.of(entry)
            return Apart(binding.build(position, inside.node), ((position.length,), *inside.runs))
        run = self._run(position.length)
        times = [binding.fresh(0, n) for n in run]
        inside = self.of(binding.replaced(entry, {position: _row_major(times, run)}))
        found = inside.node
        for time in reversed(times):
            found = binding.build(time, found)
        return Apart(found, (run, *inside.runs))

    def _run(self, length: Number) -> tuple[Number, ...]:
        if length not in self.runs or len(self.runs[length]) != 2:
            raise Together
        return self.runs[length]

    def _recursion(self, r: Recursion) -> Turned | Nested:
        if r not in self.recursions:
            self.recursions[r] = self._loop(r)
        return self.recursions[r]

    def _loop(self, r: Recursion) -> Turned | Nested:
        time, states, steps = binding.opened_turns(r)
        if not _is_long(r.turns):
            begun = [self._spread(self.of(one), one.shape) for one in r.start]
            given = binding.placeholders([own.node.shape for own in begun])
            for state, new, own in zip(states, given, begun, strict=True):
                self.known[state] = Apart(new, own.runs)
            after = [self._spread(self.of(one), one.shape) for one in steps]
            if [own.runs for own in after] != [own.runs for own in begun]:
                raise Together
            nodes_of = [[own.node for own in every] for every in (begun, after)]
            return Turned(binding.recursion(time, given, *nodes_of), begun)
        start = [self.plain(one) for one in r.start]
        run = self._run(r.turns)
        outer, inner = (binding.fresh(0, n) for n in run)
        images = {time: _row_major((outer, inner), run)}
        turned = [self.plain(binding.replaced(one, images)) for one in steps]
        before = binding.placeholders([one.shape for one in states])
        within = binding.recursion(inner, states, before, turned)
        ends = [making.row(Loop(within, k), run[1]) for k in range(len(states))]
        return Nested(binding.recursion(outer, before, start, ends), within, run)

    def _spread(self, own: Apart, shape: Shape) -> Apart:
        """The array with each axis along which all entries are the same as the axes that its length is joined of."""
        runs = tuple(
            self._run(n) if run is None else run for run, n in zip(own.runs, shape, strict=True)
        )
        lengths = tuple(n for run in runs for n in run)
        return Apart(making.spread(_under(own, runs), lengths), runs)

    def _of_loop(self, node: nodes.Take, loop: Loop) -> Apart:
        """Entries of the states of n·C turns: at one time, or at all before or after a turn."""
        made = self._recursion(loop.recursion)
        assert isinstance(made, Nested)
        (n, c), turns = made.run, loop.recursion.turns
        first, *rest = node.places
        if first == turns:
            ends = making.row(Loop(made.outer, loop.number), n)
            return self._take(_without_first(node, ends), _as_it_is(ends))
        later = next((k for k, m in enumerate(node.lengths) if _is_long(m)), None)
        if later is None:
            found = divided(first, c, node.lengths)
            if found is None or any(isinstance(s, Axis) for m in found for s in _symbols(m)):
                raise Together
            state = making.row(self._inner(made, loop.number, found[0]), found[1])
            return self._take(_without_first(node, state), _as_it_is(state))
        here = whole(Axis(later))
        along = next((one for one in (here, turns - 1 - here) if first - one in (0, 1)), None)
        if node.lengths[later] != turns or along is None:
            raise Together
        shift = first - along
        time = binding.fresh(0, n)
        rows = making.rows(self._inner(made, loop.number, whole(time)), shift, c)
        every = Apart(binding.build(time, rows), (made.run, *((m,) for m in rows.shape[1:])))
        places = (along, *rest)
        shaped = nodes.Take(
            nodes.Input("", (turns, *rows.shape[1:])), places, node.guards, node.lengths
        )
        return self._take(shaped, every)

    def _inner(self, made: Nested, number: int, time: Number) -> Node:
        """The states of the inner loop at a time of the outer one."""
        states = [making.row(Loop(made.outer, k), time) for k in range(len(made.outer.states))]
        r = made.outer
        inner = next(
            one
            for one in every_node(r.steps)
            if isinstance(one, Loop) and one.recursion.start == r.states
        )
        images: Mapping[Any, Any] = {r.time: time, **dict(zip(r.states, states, strict=True))}
        return binding.replaced(Loop(inner.recursion, number), images)


def _row_major(times: Sequence[Any], run: Sequence[Number]) -> Number:
    place: Number = 0
    for time, length in zip(times, run, strict=True):
        place = place * length + whole(time)
    return place


def _in_run(place: Number, run: tuple[Number, ...], shape: Shape) -> list[Number]:
    """The places on the axes of a run that one on the long axis is."""
    found: list[Number] = []
    for length in reversed(run[1:]):
        parts = divided(place, length, shape)
        if parts is None:
            raise Together
        place, rest = parts
        found.append(rest)
    return [place, *reversed(found)]


def _images(runs: Sequence[Run]) -> tuple[dict[Any, Number], list[int]]:
    """Where each axis that is no run has come to, and the first of the axes that each is."""
    start, count = [], 0
    for run in runs:
        start.append(count)
        count += 1 if run is None else len(run)
    return {Axis(k): whole(Axis(n)) for k, n in enumerate(start)}, start


def _symbols(number: Number) -> set[Any]:
    return set(number.symbols) if isinstance(number, Whole) else set()


def _may_have_no_value(node: nodes.Map | nodes.Opaque) -> bool:
    """Whether something is divided by that is no number, or a logarithm is taken."""
    if isinstance(node, nodes.Opaque):
        return False
    divides = node.function == "divide" and making.constant(node.arguments[1]) is None
    return divides or node.function in ("log", "power")


def _as_it_is(node: Node) -> Apart:
    return Apart(node, tuple((n,) for n in node.shape))


def _put(value: Any, parts: Mapping[Node, Node]) -> Any:
    if isinstance(value, tuple):
        return tuple(_put(one, parts) for one in value)
    return parts.get(value, value) if isinstance(value, Node) else value


def _without_first(node: nodes.Take, of: Node) -> nodes.Take:
    return nodes.Take(of, node.places[1:], node.guards, node.lengths)


def _under(own: Apart, runs: Sequence[Run]) -> Node:
    """An operand with as many axes of length 1 as the result has axes in a run."""
    places: list[Number] = []
    shape: list[Number] = []
    for run, wanted in zip(own.runs, runs, strict=True):
        if run == wanted and run is not None:
            for n in run:
                places.append(whole(Axis(len(shape))))
                shape.append(n)
            continue
        places.append(0)  # of length 1
        shape += [1] * len(wanted or (1,))
    return making.take(own.node, places, tuple(shape))
