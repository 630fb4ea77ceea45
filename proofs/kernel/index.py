"""Indices: linear expressions with whole coefficients in declared variables. They are a sort of their own.

A free variable is a positive number and has facts, declared once and for all; a bound one is a negative number that
means something inside its monomial only. A size is a free variable that nothing is ever put for.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import gcd
from typing import Any

from .errors import IllTyped


class Registry:
    """All that is declared: variables with their facts, names of states, functions of terms.

    A theorem speaks of the registry that it was proved in, and is of no use in another.
    """

    def __init__(self) -> None:
        self.names: list[str] = [""]
        self.facts: list[tuple[Index, ...]] = [()]
        self.sizes: set[int] = set()
        self.states: dict[str, tuple[tuple[int, ...], Any]] = {}
        """The variables of each state's entries, and what it waits for (see `theorem`)."""
        self.functions: dict[Any, str] = {}
        self.bodies: dict[str, Any] = {}
        self.rules: list[Any] = []

    def fresh(self, name: str) -> str:
        """A name that no other state or function has."""
        return f"{name}'{len(self.states) + len(self.functions)}"


class Index:
    """const + Σ coefficient · variable; compared by value, with no truth value and no order of its own."""

    __slots__ = ("_hash", "_variables", "const", "terms")

    def __init__(self, const: int, terms: Mapping[int, int] | None = None) -> None:
        if type(const) is not int or (terms and any(type(c) is not int for c in terms.values())):
            raise IllTyped("an index has whole coefficients")
        self.const = const
        self.terms = tuple(sorted((v, c) for v, c in terms.items() if c)) if terms else ()
        self._hash = hash((const, self.terms))
        self._variables: frozenset[int] | None = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Index) and self.const == other.const and self.terms == other.terms

    def __hash__(self) -> int:
        return self._hash

    def __add__(self, other: Index | int) -> Index:
        other = as_index(other)
        terms = dict(self.terms)
        for v, c in other.terms:
            terms[v] = terms.get(v, 0) + c
        return Index(self.const + other.const, terms)

    def __sub__(self, other: Index | int) -> Index:
        return self + as_index(other) * -1

    def __mul__(self, factor: int) -> Index:
        if type(factor) is not int:
            raise IllTyped(f"an index is multiplied by whole numbers only, got {factor!r}")
        return Index(self.const * factor, {v: c * factor for v, c in self.terms})

    def __bool__(self) -> bool:
        raise IllTyped("an index has no truth value")

    def __repr__(self) -> str:
        parts = [f"{c:+d}·{name(v)}" for v, c in self.terms]
        return "".join(parts) + f"{self.const:+d}"

    @property
    def key(self) -> tuple:
        """To sort by."""
        return self.terms, self.const

    def coefficient(self, variable: int) -> int:
        return next((c for v, c in self.terms if v == variable), 0)

    def variables(self) -> frozenset[int]:
        if self._variables is None:
            self._variables = frozenset([v for v, _ in self.terms])
        return self._variables

    def put(self, images: Mapping[int, Index]) -> Index:
        """This index with `images` for variables, all at once."""
        if images.keys().isdisjoint([v for v, _ in self.terms]):
            return self
        const, terms = self.const, {}
        for v, c in self.terms:
            image = images.get(v)
            const += image.const * c if image is not None else 0
            for w, d in ((v, 1),) if image is None else image.terms:
                terms[w] = terms.get(w, 0) + c * d
        return Index(const, terms)

    def tight(self) -> Index:
        """The strongest [e' ≥ 0] that is equivalent to [self ≥ 0] in whole numbers."""
        divisor = gcd(*(c for _, c in self.terms))
        if divisor < 2:
            return self
        return Index(self.const // divisor, {v: c // divisor for v, c in self.terms})


def as_index(value: Index | int) -> Index:
    if isinstance(value, Index):
        return value
    if type(value) is not int:
        raise IllTyped(f"expected an index, got {type(value).__name__}")
    return Index(value)


def variable(number: int) -> Index:
    return Index(0, {number: 1})


current = Registry()


def start_afresh() -> None:
    """Forget every declaration."""
    global current
    current = Registry()


def _declare(name: str, bounds: Iterable[Index]) -> Index:
    new = len(current.names)
    if any(v <= 0 or v > new for e in bounds for v in e.variables()):
        raise IllTyped(f"the range of {name} speaks of variables that are not declared")
    current.names.append(name)
    current.facts.append(tuple(bounds))
    return variable(new)


def size(name: str, least: int) -> Index:
    """A new size, any whole number ≥ least."""
    new = _declare(name, [variable(len(current.names)) - Index(least)])
    current.sizes.update(new.variables())
    return new


def position(name: str, low: Index | int, high: Index | int) -> Index:
    """A new index with low ≤ it < high."""
    new = variable(len(current.names))
    return _declare(name, [new - low, as_index(high) - 1 - new])


def natural(name: str) -> Index:
    """A new index, any whole number ≥ 0."""
    return _declare(name, [variable(len(current.names))])


def anything(name: str) -> Index:
    """A new index, any whole number."""
    return _declare(name, [])


def name(number: int) -> str:
    return current.names[number] if number > 0 else f"b{-number}"


def declared(number: int) -> tuple[Index, ...]:
    """The facts e ≥ 0 that a free variable was declared with."""
    return current.facts[number]


def position_number(one: Index) -> int:
    """The number of the declared variable, no size, that an index is."""
    v = one.terms[0][0] if len(one.terms) == 1 else 0
    if v <= 0 or one != variable(v) or v >= len(current.names) or v in current.sizes:
        raise IllTyped(f"expected a declared index, got {one!r}")
    return v


def reach(variables: Iterable[int]) -> set[int]:
    """The free ones among these variables, and those that their ranges speak of."""
    seen: set[int] = set()
    waiting = [v for v in variables if v > 0]
    while waiting:
        v = waiting.pop()
        if v not in seen:
            seen.add(v)
            waiting += [w for e in current.facts[v] for w in e.variables()]
    return seen


def facts(variables: Iterable[int]) -> tuple[Index, ...]:
    """All that is declared of sizes, of these free variables and of those that their ranges speak of."""
    all_of_them = sorted(reach(variables) | current.sizes)
    return tuple(dict.fromkeys(e for v in all_of_them for e in declared(v)))
