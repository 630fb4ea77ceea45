"""A statement as formulas of the kernel, with symbols for sizes: what a proof for all sizes is about."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from scanproof.constructs.arrays.gradient import Dual

from ..interpret import claims as read
from ..interpret.array import KernelArray, comprehension
from ..interpret.array import function as named
from ..interpret.namespace import Namespace
from ..interpret.session import Session
from ..interpret.size import Size
from ..interpret.terms import share
from ..kernel import index as declarations
from ..kernel.index import Index, as_index, position, reach, variable
from ..kernel.index import size as kernel_size
from ..kernel.recursion import Recursion, State, new_state
from ..language import statements as said
from ..statement import nodes
from ..statement.statement import Relation, Statement, every_node
from ..statement.whole import Axis, Symbol, Whole, at, whole
from ..statement.whole import Number as WholeNumber
from .derivative import without_gradients
from .reading import Reading

KINDS: dict[str, type[Any]] = {
    "equal": said.Equal,
    "at_most": said.AtMost,
    "differs": said.Differs,
    "determines": said.Determines,
    "undetermined": said.Undetermined,
}


class NoProblem(Exception):
    """The kernel's formulas do not have what a statement says."""


def problem(statement: Statement, session: Session) -> read.Interpretation:
    """The statement's relations and bounds as arrays of terms, in the session's registry.

    Raises:
        NoProblem, Unreadable, KernelError: if something in it is not said by formulas of the kernel.
    """
    reading = Problem(statement, session)
    parts = [reading.part(one) for one in statement.relations]
    conditions = [
        reading.part(one, hypothesis.text)
        for hypothesis in statement.hypotheses
        for one in hypothesis.bounds
    ]
    return read.Interpretation(reading.indices, parts, session, conditions)


class Problem(Reading):
    """Nodes as kernel arrays. Sizes and positions are the kernel's indices."""

    def __init__(self, statement: Statement, session: Session) -> None:
        sizes = {one.name: kernel_size(one.name, one.least) for one in statement.sizes}
        super().__init__(Namespace(), sizes, {})
        self.indices, self.session = sizes, session

    def part(self, one: Relation, condition: str = "") -> read.Part:
        """A relation, said of positions that stand for all their values."""
        ranges: dict[Any, Index] = {}
        for each in one.each:
            with self.bound(ranges):
                ends = self.index(each.low), self.index(each.high)
            ranges[each] = position("t", *ends)
        with self.bound(ranges):
            left, right = self(one.left), self(one.right)
        if one.kind == "at_most":
            return read._bound(said.AtMost(left, right), condition)
        return read.Part(KINDS[one.kind], left, right, one.shared, condition=condition)

    def index(self, number: WholeNumber, axes: Sequence[Index] = ()) -> Index:
        """A whole number as an index; an `Axis` is one of `axes`."""

        def symbol(one: Symbol) -> Index:
            return axes[one.number] if isinstance(one, Axis) else self.symbol(one)

        if isinstance(number, Whole) and any(len(m) > 1 for m, _ in number.parts):
            raise NoProblem(f"{number} is no linear index of the kernel")
        return as_index(at(number, symbol))

    def size(self, number: WholeNumber) -> Any:
        """A whole number as a body has it."""
        found = self.index(number)
        return Size(found) if found.terms else found.const

    def shape(self, shape: nodes.Shape) -> tuple[Any, ...]:
        return tuple(map(self.size, shape))

    def input(self, node: nodes.Input) -> Any:
        return read.symbol(node.name, list(map(self.index, node.lengths)))

    def constant(self, node: nodes.Number) -> Any:
        value = node.value
        return self.xp.asarray(self.size(value) if isinstance(value, int | Whole) else value)

    def arange(self, node: nodes.Positions) -> Any:
        return self.xp.arange(self.size(node.length))

    def map_power(self, a: Any, exponent: Any) -> Any:
        return a**exponent

    def map(self, node: nodes.Map) -> Any:
        values = [self(a) for a in node.arguments]
        if node.function == "power" and isinstance(node.arguments[1], nodes.Number):
            value = node.arguments[1].value
            values[1] = self.size(value) if isinstance(value, int | Whole) else value
        if node.function in nodes.NAMED:
            return self.named(node.function, values[0])
        return getattr(self, f"map_{node.function}")(*values)

    def named(self, function: str, array: Any) -> Any:
        return named(function, array)

    def any_function(self, node: nodes.Opaque) -> Callable[..., Any]:
        if node.laws or len(node.arguments) > 1:
            raise NoProblem(f"the laws of {node.name}, or a function of several numbers")
        return lambda one: named(node.name, one)

    def held(self, node: nodes.Held) -> Any:
        if node.format.says:
            raise NoProblem(f"the format {node.format.name}")
        return self(node.of)

    def at_places(self, node: nodes.Lookup) -> Any:
        gap = self(node.places)[..., None] - self.xp.arange(self.size(node.of.shape[0]))
        return named("zero", gap)

    def map_nonnegative(self, a: Any) -> Any:
        return a._ordered(self.xp.asarray(0), 1, 0)

    def take(self, node: nodes.Take) -> Any:
        of = self.value(node.of)
        guards = sorted(node.guards, key=str)

        def places(axes: Sequence[Index]) -> list[Index]:
            return [self.index(place, axes) for place in node.places]

        def where(axes: Sequence[Index]) -> list[Index]:
            return [self.index(guard, axes) for guard in guards]

        dims = list(map(self.index, node.lengths))
        axes = _whole_axes(node)
        if axes is not None:
            return _arranged(self.array(of), axes, dims, 0)
        return _taken(self.array(of), dims, places, where, 0)

    def array(self, value: Any) -> Any:
        return value.whole if isinstance(value, States) else super().array(value)

    def build(self, node: nodes.Build) -> Any:
        low, high = self.index(node.position.low), self.index(node.position.high)
        place = position("s", low, high)
        with self.bound({node.position: place}):
            row = self(node.entry)
        return _with_rows(row, place, high - low, 0)

    def joined(self, how: str, parts: Sequence[Any], axis: int = 0) -> Any:
        if how == "stack":
            raise NoProblem("rows put together one by one")
        return super().joined(how, parts, axis)

    def loop(self, node: nodes.Loop) -> Any:
        known = self._known(node)
        if node.recursion not in known:
            known[node.recursion] = self._states(node.recursion)
        return known[node.recursion][node.number]

    def _states(self, recursion: nodes.Recursion) -> list[States]:
        start = [self(one) for one in recursion.start]
        if any(not isinstance(one, KernelArray) for one in start):
            raise NoProblem("a gradient through a loop of a symbolic number of turns")
        turns = self.index(recursion.turns)
        time = position("t", self.index(recursion.time.low), self.index(recursion.time.high))
        places = [[position("i", 0, d) for d in leaf.dims] for leaf in start]
        given: list[Index] = []
        while True:
            states = [new_state("S", at, given) for at in places]
            before = {
                one: KernelArray(leaf.dims, at, state.entry(time, at))
                for one, leaf, at, state in zip(
                    recursion.states, start, places, states, strict=True
                )
            }
            self.session.depth += 1
            try:
                with self.bound({recursion.time: time, **before}):
                    steps = [self(one) for one in recursion.steps]
            finally:
                self.session.depth -= 1
            if any(not isinstance(one, KernelArray) for one in steps):
                raise NoProblem("a gradient through a loop of a symbolic number of turns")
            spoken = _spoken_of(start, steps, places, time, turns)
            if spoken == given:
                break
            given = spoken
        made = Recursion(
            time,
            states,
            [share(leaf.entry(at)) for leaf, at in zip(start, places, strict=True)],
            [share(leaf.entry(at)) for leaf, at in zip(steps, places, strict=True)],
        )
        self.session.add(made, None, turns)
        return [
            States(state, turns, tuple(leaf.dims))
            for state, leaf in zip(states, start, strict=True)
        ]

    def gradient(self, node: nodes.Gradient) -> Any:
        """By slopes beside values; written out where those do not lead: through loops and gradients inside."""
        self.session.differentiated = True
        hard = (nodes.Loop, nodes.Gradient, nodes.Solve, nodes.Fold)
        inside = [one for one in every_node([node.loss]) if isinstance(one, hard)]
        if any(isinstance(one, nodes.Placeholder) for loop in inside for one in loop.free):
            return self(without_gradients(node))
        return super().gradient(node)


class States:
    """One state of a recursion at all times."""

    def __init__(self, state: State, turns: Index, dims: tuple[Index, ...]) -> None:
        self.state, self.turns, self.dims = state, turns, dims

    @cached_property
    def whole(self) -> KernelArray:
        """The array of all times."""
        dims = [self.turns + 1, *self.dims]
        return comprehension(dims, lambda time, *at: self.state.entry(time, at))


def _spoken_of(
    start: Sequence[Any],
    steps: Sequence[Any],
    places: Sequence[Sequence[Index]],
    time: Index,
    turns: Index,
) -> list[Index]:
    """Every other position that a recursion speaks of."""
    found = set(turns.variables())
    own = time.variables()
    for leaf, after, place in zip(start, steps, places, strict=True):
        own = own.union(*(v.variables() for v in place))
        for one in (leaf, after):
            found |= one.shared.scope - {v for e in one.at for v in e.variables()}
        found = found.union(*(d.variables() for d in leaf.dims))
    return [variable(v) for v in sorted(reach(found) - own - declarations.current.sizes)]


Places = Callable[[Sequence[Index]], list[Index]]


def _taken(of: Any, dims: list[Index], places: Places, where: Places, lead: int) -> Any:
    """Entries elsewhere, behind `lead` axes that stay; inside of a gradient of its slopes, too."""
    if isinstance(of, Dual):
        value = _taken(of.value, dims, places, where, lead)
        return of._with(value, _taken(of.tangent, dims, places, where, lead + 1))
    return comprehension(
        [*of.dims[:lead], *dims],
        lambda *at: of.entry([*at[:lead], *places(at[lead:])], where(at[lead:])),
    )


def _whole_axes(node: nodes.Take) -> list[int] | None:
    """For each axis of what is taken from the axis of the result that it is, if all are taken whole, and once."""
    found = [place.symbols[0] for place in node.places if place in AXES]
    axes = [one.number for one in found if isinstance(one, Axis)]
    lengths = [node.lengths[k] for k in axes]
    whole_ones = len(axes) == len(node.places) == len(set(axes)) and not node.guards
    return axes if whole_ones and lengths == list(node.of.shape) else None


AXES = frozenset(whole(Axis(k)) for k in range(32))
"""Places that are positions along one axis."""


def _arranged(of: Any, axes: Sequence[int], dims: Sequence[Index], lead: int) -> Any:
    """An array with its axes in another order behind `lead` axes that stay, and new ones: no entry is another term."""
    if isinstance(of, Dual):
        value = _arranged(of.value, axes, dims, lead)
        return of._with(value, _arranged(of.tangent, axes, dims, lead + 1))
    places = [position("i", 0, d) if k not in axes else None for k, d in enumerate(dims)]
    at = [of.at[lead + axes.index(k)] if one is None else one for k, one in enumerate(places)]
    return KernelArray([*of.dims[:lead], *dims], [*of.at[:lead], *at], of.shared)


def _with_rows(row: Any, place: Index, length: Index, lead: int) -> Any:
    """Rows for all values of a position as one array, whose new axis stands behind `lead` others."""
    if isinstance(row, Dual):
        value = _with_rows(row.value, place, length, lead)
        return row._with(value, _with_rows(row.tangent, place, length, lead + 1))
    dims, places = list(row.dims), list(row.at)
    dims.insert(lead, length)
    places.insert(lead, place)
    return KernelArray(dims, places, row.shared)
