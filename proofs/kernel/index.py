"""Indices: linear expressions with whole coefficients in declared variables. They are a sort of their own.

A free variable is a positive number and has facts, declared once and for all; a bound one is a negative number that
means something inside its monomial only. Nothing is ever substituted for a size, which is free too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from .errors import IllTyped

KEPT = 3000
"""The most substitutions that are kept."""


class Registry:
    """All that is declared: variables with their facts, names of states, functions of terms.

    A theorem speaks of the registry that it was proved in, and is of no use in another.
    """

    def __init__(self) -> None:
        self.names = [""]
        self.facts: list[tuple[Index, ...] | None] = [()]
        self.sizes: set[int] = set()
        self.reach: dict[int, tuple[frozenset[int], frozenset[Index]]] = {}
        """For a variable those that its range mentions, and all that is declared of them, once it was queried."""
        self.states: dict[str, tuple[Any, Any]] = {}
        """The variables of each state's entries, and what it waits for (see `recursion`)."""
        self.recursions: list[Any] = []
        self.functions: dict[Any, str] = {}
        self.bodies: dict[str, Any] = {}
        self.places: dict[str, dict[Any, tuple[tuple[Index, ...], tuple[Index, ...]]]] = {}
        """For a function of a term the positions that a problem takes it at, those of the same ranges once."""
        self.derived: dict[str, dict[Any, tuple[tuple[Index, ...], tuple[Index, ...]]]] = {}
        """Where it is equal to one that a problem takes, for some values of positions that it does not have besides."""
        self.formals: list[Index] = []
        self.substitutions: dict[frozenset[tuple[int, Index]], Substitution] = {}
        self.read: dict[Any, Any] = {}
        """What was read of a written proof (see `notation`)."""
        self.theorems: list[Any] = []

    def fresh(self, name: str, whole: str | None = None) -> str:
        """A name that no other state or function has: `whole`, if it is given.

        Raises:
            ValueError: if the name is of such a kind already, as a checker that reads it refuses.
        """
        if "'" in name:
            raise ValueError(
                f"{name} is a name that was made before; another begins with a plain name"
            )
        if whole is None:
            count = len(self.states) + len(self.functions)
            while f"{name}'{count}" in self.states or f"{name}'{count}" in self.bodies:
                count += 1
            return f"{name}'{count}"
        if not whole.startswith(f"{name}'") or whole in self.states or whole in self.bodies:
            raise IllTyped(f"{whole} is not a new name of a {name}")
        return whole


class _Linear(NamedTuple):
    terms: tuple[tuple[int, int], ...]
    """Pairs (variable, coefficient ≠ 0), sorted."""
    const: int


class Index(_Linear):
    """const + Σ coefficient · variable; compared by value, with no truth value, and ordered for sorting only."""

    __slots__ = ()

    def __new__(cls, const: int, terms: Mapping[int, int] | None = None) -> Index:
        terms = {} if terms is None else dict(terms)
        if {type(const), *map(type, terms), *map(type, terms.values())} != {int}:
            raise IllTyped("an index has whole coefficients")
        return _collected(const, terms)

    def __add__(self, other: Index | int) -> Index:  # type: ignore[override]
        if type(other) is int:
            return _linear(self.const + other, self.terms)
        other = as_index(other)
        if not other.terms:
            return _linear(self.const + other.const, self.terms)
        if not self.terms:
            return _linear(self.const + other.const, other.terms)
        terms = dict(self.terms)
        for v, c in other.terms:
            terms[v] = terms.get(v, 0) + c
        return _collected(self.const + other.const, terms)

    def __mul__(self, factor: int) -> Index:  # type: ignore[override]
        if type(factor) is int and factor:
            return _linear(self.const * factor, tuple([(v, c * factor) for v, c in self.terms]))
        return Index(self.const * factor, {v: c * factor for v, c in self.terms})

    __rmul__ = __mul__  # type: ignore[assignment]

    def __neg__(self) -> Index:
        return _linear(-self.const, tuple([(v, -c) for v, c in self.terms]))

    def __sub__(self, other: Index | int) -> Index:
        if type(other) is int:
            return _linear(self.const - other, self.terms)
        return self + -as_index(other)

    def __bool__(self) -> bool:
        raise IllTyped("an index has no truth value")

    def __repr__(self) -> str:
        return "".join(f"{c:+d}·{name(v)}" for v, c in self.terms) + f"{self.const:+d}"

    def coefficient(self, variable: int) -> int:
        """The coefficient of a variable, 0 where it does not occur."""
        return next((c for v, c in self.terms if v == variable), 0)

    def variables(self) -> set[int]:
        """The variables that occur."""
        return {v for v, _ in self.terms}

    def substitute(self, images: Mapping[int, Index]) -> Index:
        """This index with `images` for variables, all at once."""
        for v, _ in self.terms:
            if v in images:
                break
        else:
            return self
        const, terms = self.const, dict[int, int]()
        for v, c in self.terms:
            if v in images:
                image = images[v]
                const += image.const * c
                for w, d in image.terms:
                    terms[w] = terms.get(w, 0) + c * d
            else:
                terms[v] = terms.get(v, 0) + c
        return _collected(const, terms)


class Substitution(dict[Index, Index]):
    """Images for variables, and what each index becomes with them, once it was queried."""

    def __init__(self, images: Mapping[int, Index]) -> None:
        super().__init__()
        self.images = images

    def __missing__(self, e: Index) -> Index:
        new = self[e] = e.substitute(self.images)
        return new


def substitution(images: Mapping[int, Index]) -> Substitution:
    """The substitution of these images; it is kept, so that an index is substituted in once."""
    if not {type(e) for e in images.values()} <= {Index}:
        return Substitution(images)
    known, key = current.substitutions, frozenset(images.items())
    if key not in known:
        if len(known) > KEPT:
            known.clear()
        known[key] = Substitution(dict(images))
    return known[key]


def _linear(const: int, terms: tuple[tuple[int, int], ...]) -> Index:
    return tuple.__new__(Index, (terms, const))


def _collected(const: int, terms: Mapping[int, int]) -> Index:
    kept = sorted(terms.items()) if len(terms) > 1 else terms.items()
    return tuple.__new__(Index, (tuple([term for term in kept if term[1]]), const))


def as_index(value: Index | int) -> Index:
    """An index, or a number as one."""
    return value if isinstance(value, Index) else Index(value)


@lru_cache(maxsize=100_000, typed=True)
def variable(number: int) -> Index:
    """The variable with this number as an index."""
    return Index(0, {number: 1})


current = Registry()


def start_afresh() -> None:
    """Forget every declaration."""
    global current
    current = Registry()


def _declare(name: str, bounds: Iterable[Index]) -> Index:
    new = len(current.names)
    bounds = tuple(bounds)
    if any(not 0 < v <= new for e in bounds for v, _ in e.terms):
        raise IllTyped(f"the range of {name} speaks of variables that are not declared")
    current.names.append(name)
    current.facts.append(bounds)
    return variable(new)


def size(name: str, least: int) -> Index:
    """A new size, any whole number ≥ least."""
    new = _declare(name, [variable(len(current.names)) - Index(least)])
    current.sizes.update(new.variables())
    return new


def position(name: str, low: Index | int | None = None, high: Index | int | None = None) -> Index:
    """A new index with low ≤ it < high; where an end is None there is none."""
    new = variable(len(current.names))
    below = [] if low is None else [new - low]
    return _declare(name, below if high is None else [*below, as_index(high) - 1 - new])


def ranges(order: Sequence[Index]) -> Any:
    """What is declared of these positions, by their places, and which of them are one."""
    images = {e.terms[0][0]: variable(-k) for k, e in enumerate(order, start=1)}
    facts = tuple([tuple([fact.substitute(images) for fact in declared(v)]) for v in images])
    return facts, tuple([images[e.terms[0][0]] for e in order]) if len(images) < len(order) else ()


def place(name: str, order: Sequence[Index], beside: Sequence[Index] = ()) -> None:
    """Note that a problem takes this function of a term at these declared positions, in all their ranges.

    Where a position beside them has no value, as along an empty axis, it is not taken.
    """
    every = *order, *beside
    for one in every:
        position_number(one)
    current.places.setdefault(name, {}).setdefault(ranges(every), (tuple(order), tuple(beside)))


def formal(k: int) -> Index:
    """The k-th of the indices without a range, by which definitions are written down."""
    while len(current.formals) <= k:
        current.formals.append(position(f"p{len(current.formals)}"))
    return current.formals[k]


def name(number: int) -> str:
    """How a variable is shown."""
    return current.names[number] if number > 0 else f"b{-number}"


def declared(number: int) -> tuple[Index, ...]:
    """The facts e ≥ 0 that a free variable was declared with."""
    known = current.facts[number] if number < len(current.facts) else None
    if known is None:
        raise IllTyped(f"variable {number} is not declared")
    return known


def pass_over(number: int) -> None:
    """The variables up to this number stay without a declaration: a proof that is read has its own numbers."""
    while len(current.names) < number:
        current.names.append("")
        current.facts.append(None)


def position_number(one: Index) -> int:
    """The number of the declared variable, no size, that an index is."""
    v = one.terms[0][0] if one.terms else 0
    if v <= 0 or one != variable(v) or v in current.sizes:
        raise IllTyped(f"expected a declared index, got {one!r}")
    return v


def reach(variables: Iterable[int]) -> set[int]:
    """The free ones among these variables, and those that their ranges speak of."""
    return set().union(*[_reach(v)[0] for v in variables if v > 0])


def _reach(v: int) -> tuple[frozenset[int], frozenset[Index]]:
    """A free variable and those that its range speaks of, and so on; all that is declared of them."""
    known = current.reach
    if v not in known:
        seen, spoken, waiting = set[int](), set[Index](), [v]
        while waiting:
            w = waiting.pop()
            if w in known:
                seen |= known[w][0]
                spoken |= known[w][1]
            elif w not in seen:
                seen.add(w)
                spoken.update(declared(w))
                waiting += [u for e in declared(w) for u, _ in e.terms]
        known[v] = frozenset(seen), frozenset(spoken)
    return known[v]


def facts(variables: Iterable[int]) -> frozenset[Index]:
    """All that is declared of sizes, of these free variables and of those that their ranges speak of."""
    of = {v for v in variables if v > 0} | current.sizes
    return frozenset().union(*[_reach(v)[1] for v in of])
