"""A statement as formulas of the kernel, with symbols for sizes: what a proof for all sizes is about."""

from __future__ import annotations

import math
import operator
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache, cached_property, reduce
from typing import Any

from ..interpret import claims as read
from ..interpret.array import KernelArray, aligned, comprehension, reciprocal, symbol
from ..interpret.array import function as named
from ..interpret.namespace import Namespace
from ..interpret.products import power, running_product
from ..interpret.session import Session
from ..interpret.size import Size
from ..interpret.terms import share, substitute, total
from ..kernel import index as declarations
from ..kernel.index import Index, as_index, declared, position, reach, variable
from ..kernel.index import size as kernel_size
from ..kernel.recursion import Recursion, State, new_state
from ..kernel.term import Factor, Monomial, Pairs, Term, as_term, body, made
from ..language import statements as said
from ..statement import making, nodes
from ..statement.conditions import DOMAINS, is_whole, whole_states
from ..statement.placing import taken_inside
from ..statement.statement import Relation, Statement
from ..statement.whole import Axis, Symbol, Whole, at, whole
from ..statement.whole import Number as WholeNumber
from .apart import apart
from .derivative import without_gradients
from .maxima import divided, exponential, maximum
from .merging import reshaped as in_shape
from .reading import Reading
from .roots import combined, square_root


class NoProblem(Exception):
    """The kernel's formulas do not have what a statement says."""


def problem(
    statement: Statement,
    session: Session,
    given: read.Given = symbol,
    sizes: dict[str, Index] | None = None,
    parameters: Mapping[str, Callable[[Any], Any]] | None = None,
    taken_inside: bool = False,
) -> read.Interpretation:
    """The statement's relations and bounds as arrays of terms, in the session's registry.

    Args:
        statement: what is read.
        session: notes what is read.
        given: what an input is, from its name and lengths; independent symbols if it is not numbers.
        sizes: those of an earlier reading in this session.
        parameters: changes of parameters, by their paths.
        taken_inside: whether entries taken of a function are read as the function of entries taken. Values at other
            places then look alike, as programs with shifts and chunks need; sums of such values are longer.

    Raises:
        NoProblem, Unreadable, KernelError: if something in it is not said by formulas of the kernel.
    """
    for text in statement.assumed:
        session.taken.setdefault(text)
    session.fits.update(dict.fromkeys(statement.fits))
    statement = apart(statement)
    reading = Problem(statement, session, given, sizes, parameters)
    reading.taken_inside = taken_inside
    parts = [reading.part(one) for one in (*statement.relations, *statement.owed)]
    conditions = [
        reading.part(one, hypothesis.text)
        for hypothesis in statement.hypotheses
        for one in hypothesis.bounds
    ]
    return read.Interpretation(reading.indices, parts, session, conditions)


UNSEEN = ("acos", "asin", "acosh", "atanh")
"""Functions that no rule of the kernel opens: that they are defined is taken for granted, even where they cancel."""


class Problem(Reading):
    """Nodes as kernel arrays. Sizes and positions are the kernel's indices.

    Arrays of one shape have the same positions, so that what is done entry by entry puts nothing in place of them.
    """

    def __init__(
        self,
        statement: Statement,
        session: Session,
        given: read.Given = symbol,
        sizes: dict[str, Index] | None = None,
        parameters: Mapping[str, Callable[[Any], Any]] | None = None,
    ) -> None:
        if sizes is None:
            sizes = {one.name: kernel_size(one.name, one.least) for one in statement.sizes}
        super().__init__(Namespace(), sizes, {}, parameters)
        self.indices, self.session, self.given = sizes, session, given
        self._places: dict[tuple[Any, Index], Index] = {}
        self._lengths: dict[Index, Index] = {}
        self._steps = dict(statement.steps)
        self._whole: frozenset[nodes.Node] = frozenset()
        """States that are whole numbers at all times."""
        self._recursions: dict[Any, list[State]] = {}
        """The states of each recursion, by what it says of them whatever its positions are called."""
        self.taken_inside = False
        self._opaque: dict[nodes.Node, bool] = {}

    def part(self, one: Relation, condition: str = "") -> read.Part:
        """A relation, said of positions that stand for all their values."""
        ranges: dict[Any, Index] = {}
        for each in one.each:
            with self.bound(ranges):
                ends = self.index(each.low), self.index(each.high)
            ranges[each] = position("t", *ends)
        with self.bound(ranges), self.session.among(*ranges.values()):
            left, right = self(one.left), self(one.right)
        if one.kind == "at_most":
            return read.bound(said.AtMost(left, right), condition)
        sides = read.plain(left), read.plain(right)  # none of the kernel's own words for a norm
        return read.Part(said.KINDS[one.kind], *sides, one.shared, condition=condition)

    def index(self, number: WholeNumber, axes: Sequence[Index] = ()) -> Index:
        """A whole number as an index; an `Axis` is one of `axes`."""

        def symbol(one: Symbol) -> Index:
            return axes[one.number] if isinstance(one, Axis) else self.symbol(one)

        if isinstance(number, Whole) and any(len(m) > 1 for m, _ in number.parts):
            raise NoProblem(f"a product of sizes or positions, {number}")
        return as_index(at(number, symbol))

    def place(self, axis: Any, length: Index) -> Index:
        """The position along an axis of a length: one for each axis, number or name."""
        found = self._places.get((axis, length))
        if found is None:
            found = self._places[axis, length] = position("i", 0, length)
            self._lengths[found] = length
        return found

    def made(self, shape: nodes.Shape, entry: Callable[..., Term]) -> KernelArray:
        """The array with these entries."""
        dims = list(map(self.index, shape))
        places = [self.place(k, d) for k, d in enumerate(dims)]
        return KernelArray(dims, places, share(entry(*places)))

    def entry(self, array: Any, places: Sequence[Index], where: Sequence[Index] = ()) -> Term:
        """The entry at these places, times [where]; they must lie in the axes wherever `where` holds."""
        own, term = array.at, array.shared
        if not where and tuple(places) == own:
            return term
        images = {one.terms[0][0]: new for one, new in zip(own, places, strict=True)}
        scope = term.scope - images.keys()
        spoken = {v for e in (*places, *where) for v, _ in e.terms}
        seen = reach(scope).isdisjoint(images)
        for one, new in zip(own, places, strict=True):
            length = self._lengths.get(one)
            if length is not None and length == self._lengths.get(new):
                ends = [length] if images.keys().isdisjoint(length.variables()) else None
            else:
                ends = None
            if ends is None:
                ends = [fact.substitute(images) for fact in declared(one.terms[0][0])]
                seen = seen and all(_is_seen(end, new, where) for end in ends)
            spoken.update(v for end in ends for v, _ in end.terms)
        if not seen:  # by what is declared of the place itself: all that is known is looked at
            return substitute(term, dict(zip(own, places, strict=True)), where)
        guards = frozenset(where)
        pairs = [(_moved(m, images, guards), c) for m, c in term.parts.items()]
        return made(pairs, scope | spoken)

    def size(self, number: WholeNumber) -> Any:
        """A whole number as a body has it."""
        found = self.index(number)
        return Size(found) if found.terms else found.const

    def shape(self, shape: nodes.Shape) -> tuple[Any, ...]:
        return tuple(map(self.size, shape))

    def input(self, node: nodes.Input) -> Any:
        return self.given(node.name, list(map(self.index, node.lengths)))

    def constant(self, node: nodes.Number) -> Any:
        value = node.value
        if isinstance(value, Whole) and any(len(m) > 1 for m, _ in value.parts):
            return sum(math.prod(map(self._number, m), start=c) for m, c in value.parts)
        return self.xp.asarray(self.size(value) if isinstance(value, int | Whole) else value)

    def _number(self, symbol: Symbol) -> Any:
        return self.xp.asarray(self.size(whole(symbol)))

    def arange(self, node: nodes.Positions) -> Any:
        return self.xp.arange(self.size(node.length))

    def map_power(self, a: Any, exponent: Any) -> Any:
        return a**exponent

    def map_exp(self, a: Any) -> Any:
        return exponential(a)

    def fold(self, node: nodes.Fold) -> Any:
        array = self(node.of)
        length, *dims = array.dims
        if node.operation == "maximum":  # any number, which cancels in a softmax
            return maximum(tuple(dims), array, of=(array, 0))

        def entry(*at: Index) -> Term:
            r = position("r", 0, length)
            return running_product(array.entry([r, *at]), r, Index(0), length)

        return comprehension(dims, entry)

    def map(self, node: nodes.Map) -> Any:
        """Where the array has no entry nothing is divided, and no logarithm is taken."""
        along = [self.place(k, self.index(n)) for k, n in enumerate(node.lengths)]
        with self.session.among(*along):
            return self._mapped(node)

    def _mapped(self, node: nodes.Map) -> Any:
        operation = ON_TERMS.get(node.function)
        if node.function == "divide" and self.session.maxima:
            return combined(divided(*[self(a) for a in node.arguments]))
        if operation is not None:
            arrays = [self(a) for a in node.arguments]
            found = self.made(
                node.lengths,
                lambda *at: operation(*[self.entry(a, aligned(a.dims, at)) for a in arrays]),
            )
            return combined(found) if node.function in ("multiply", "divide") else found
        if node.function == "power":
            return self._power(node)
        values = [self(a) for a in node.arguments]
        if node.function in nodes.NAMED:
            if node.function in UNSEEN:
                self.session.taken.setdefault(DOMAINS[node.function])
            return self.named(node.function, values[0])
        return getattr(self, f"map_{node.function}")(*values)

    def _power(self, node: nodes.Map) -> KernelArray:
        base, exponent = node.arguments
        place = making.entry_of(making.spread(exponent, node.shape))
        if place is None:  # a door makes no such node
            raise NoProblem("a power whose exponent is not seen to be a whole number")
        of = self(base)
        if not isinstance(place, Whole):
            raised = of**place
            return self.made(node.shape, lambda *at: self.entry(raised, aligned(of.dims, at)))
        return self.made(
            node.shape,
            lambda *at: power(self.entry(of, aligned(of.dims, at)), self.index(place, at)),
        )

    def map_sqrt(self, a: Any) -> Any:
        return combined(square_root(a))

    def named(self, function: str, array: Any) -> Any:
        return named(function, array)

    def any_function(self, node: nodes.Opaque) -> Callable[..., Any]:
        if node.laws or len(node.arguments) > 1:
            raise NoProblem(f"the laws of {node.name}, or a function of several numbers")
        return lambda one: named(node.name, one)

    def held(self, node: nodes.Held) -> Any:
        if node.format.bits is not None and is_whole(node.of, self._whole):
            self.session.taken.setdefault(f"no whole number runs over {node.format.name}")
        elif node.format.says:
            raise NoProblem(
                f"what is put into the format {node.format.name}, and may be no number of it"
            )
        return self(node.of)

    def at_places(self, node: nodes.Lookup) -> Any:
        gap = self(node.places)[..., None] - self.xp.arange(self.size(node.of.shape[0]))
        return named("zero", gap)

    def map_nonnegative(self, a: Any) -> Any:
        return a._ordered(self.xp.asarray(0), 1, 0)

    def contract(self, node: nodes.Contract) -> Any:
        arrays = [self(one) for one in node.factors]

        def entry(*at: Index) -> Term:
            places = dict(zip(node.result, at, strict=True))
            summed = []
            for names, one in zip(node.axes, arrays, strict=True):
                for name, length, own in zip(names, one.dims, one.at, strict=True):
                    if name not in places:
                        free = own in self._lengths and own not in places.values()
                        places[name] = own if free else self.place(f"sum {name}", length)
                        summed.append(places[name])
            terms = [
                self.entry(one, [places[name] for name in names])
                for names, one in zip(node.axes, arrays, strict=True)
            ]
            term = reduce(operator.mul, terms)
            for place in summed:
                term = total(term, place)
            return term

        return self.made(node.shape, entry)

    def reshape(self, node: nodes.Reshape) -> Any:
        return in_shape(self(node.of), list(map(self.index, node.lengths)))

    def take(self, node: nodes.Take) -> Any:
        of_map = node.of if self.taken_inside and not node.guards else None
        if isinstance(of_map, nodes.Map) and self._is_opaque(of_map):
            return self(taken_inside(node, of_map))
        of = self(node.of)
        guards = sorted(node.guards, key=str)

        def entry(*at: Index) -> Term:
            places = [self.index(place, at) for place in node.places]
            return self.entry(of, places, [self.index(guard, at) for guard in guards])

        return self.made(node.lengths, entry)

    def _is_opaque(self, node: nodes.Node) -> bool:
        """Whether values of functions without a formula are met on the way to what is no `Map`."""
        if not isinstance(node, nodes.Map):
            return False
        if node not in self._opaque:
            own = node.function not in (*ON_TERMS, "power", "nonnegative", "abs")
            self._opaque[node] = own or any(map(self._is_opaque, node.arguments))
        return self._opaque[node]

    def join(self, node: nodes.Join) -> Any:
        parts = [self(one) for one in node.parts]

        def entry(*at: Index) -> Term:
            term, start = as_term(0), Index(0)
            for part in parts:
                along, length = at[node.axis] - start, part.dims[node.axis]
                inside = [*at[: node.axis], along, *at[node.axis + 1 :]]
                term = term + self.entry(part, inside, [along, length - 1 - along])
                start = start + length
            return term

        return self.made(node.shape, entry)

    def array(self, value: Any) -> Any:
        return value.whole if isinstance(value, States) else super().array(value)

    def build(self, node: nodes.Build) -> Any:
        low, high = self.index(node.position.low), self.index(node.position.high)
        place = position("s", low, high)
        with self.bound({node.position: place}), self.session.among(place):
            row = self(node.entry)
        return KernelArray([high - low, *row.dims], [place, *row.at], row.shared)

    def loop(self, node: nodes.Loop) -> Any:
        known = self._known(node)
        if node.recursion not in known:
            known[node.recursion] = self._states(node.recursion)
        return known[node.recursion][node.number]

    def _states(self, recursion: nodes.Recursion) -> list[States]:
        self._whole |= whole_states(recursion, self._whole)
        start = [self(one) for one in recursion.start]
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
                with (
                    self.bound({recursion.time: time, **before}),
                    self.session.among(time),
                ):
                    steps = [self(one) for one in recursion.steps]
            finally:
                self.session.depth -= 1
            spoken = _spoken_of(start, steps, places, time, turns)
            if spoken == given:
                break
            given = spoken
        first, after = (
            [share(leaf.entry(at)) for leaf, at in zip(leaves, places, strict=True)]
            for leaves in (start, steps)
        )
        known = states
        if given:  # a loop in a loop: it is one, whatever the position of the outer one is called
            key = _whatever_names(states, time, first, after)
            known = self._recursions.setdefault(key, states)
        if known is states:
            made = Recursion(time, states, first, after)
            self.session.add(made, self._steps.get(recursion), turns)
        return [
            States(state._replace(given=tuple(given)), turns, tuple(leaf.dims))
            for state, leaf in zip(known, start, strict=True)
        ]

    def gradient(self, node: nodes.Gradient) -> Any:
        """A gradient has a value where its loss has one: what the loss divides by, and takes logarithms of, is read."""
        self.session.differentiated = True
        with self.bound({node.point: self(node.at)}):
            self(node.loss)
        return self(without_gradients(node))


class States:
    """One state of a recursion at all times, for the present values of the positions that it is given."""

    def __init__(self, state: State, turns: Index, dims: tuple[Index, ...]) -> None:
        self.state, self.turns, self.dims = state, turns, dims

    @cached_property
    def whole(self) -> KernelArray:
        """The array of all times."""
        dims = [self.turns + 1, *self.dims]
        return comprehension(dims, lambda time, *at: self.state.entry(time, at))


def _whatever_names(
    states: Sequence[State], time: Index, first: Sequence[Term], after: Sequence[Term]
) -> Any:
    """What a recursion says, with numbers for its states and positions: equal where it says the same of others."""
    order = [*states[0].given, time, *(place for one in states for place in one.at)]
    images = {e.terms[0][0]: variable(-k) for k, e in enumerate(order, start=1)}
    own = {one.name: k for k, one in enumerate(states)}
    bodies, count = declarations.current.bodies, len(order)

    @cache
    def speaks(name: str) -> bool:
        inside = bodies[name].body if name in bodies else ()
        return name in own or any(speaks(f.name) for m, _ in inside for f in m.factors)

    def said(pairs: Pairs) -> Any:
        return frozenset(
            (m.bound, m.guards, frozenset(Counter(of(f, m.bound) for f in m.factors).items()), c)
            for m, c in pairs
        )

    def of(f: Factor, bound: int) -> Any:
        if f.name in own or not speaks(f.name):
            return own.get(f.name, f.name), f.at
        return bodies[f.name].name, said(body(f, bound))

    def moved(term: Term) -> Any:
        pairs = [(m.after(count), c) for m, c in term.parts.items()]
        return said([(m.substitute(images, m.bound), c) for m, c in pairs])

    ranges = [frozenset(e.substitute(images) for e in declared(v)) for v in images]
    return tuple(ranges), tuple(map(moved, first)), tuple(map(moved, after))


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


ON_TERMS: dict[str, Callable[..., Term]] = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
    "divide": lambda a, b: a * reciprocal(b),
    "negative": lambda a: a * -1,
}


def _is_seen(end: Index, place: Index, where: Sequence[Index]) -> bool:
    """Whether end ≥ 0 is one of the guards, or is declared of a variable of the place."""
    if not end.terms:
        return end.const >= 0
    return end in where or any(end in declared(v) for v, _ in place.terms)


def _moved(m: Monomial, images: Mapping[int, Index], guards: frozenset[Index]) -> Monomial:
    factors = [Factor(f.name, tuple([e.substitute(images) for e in f.at])) for f in m.factors]
    if m.guards:
        guards = guards.union([e.substitute(images) for e in m.guards])
    return Monomial(m.bound, guards, tuple(sorted(factors) if len(factors) > 1 else factors))
