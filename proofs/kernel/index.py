"""Indices: linear expressions with whole coefficients in declared variables. They are a sort of their own.

A free variable is a positive number and has facts, declared once and for all; a bound one is a negative number that
means something inside its monomial only; 0 is the hole of a product.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import gcd

from .errors import IllTyped

_names: list[str] = ["hole"]
_facts: list[tuple[Index, ...]] = [()]


class Index:
    """const + Σ coefficient · variable; compared by value, with no truth value and no order of its own."""

    __slots__ = ("const", "terms")

    def __init__(self, const: int, terms: Mapping[int, int] | None = None) -> None:
        self.const = const
        self.terms = tuple(sorted((v, c) for v, c in (terms or {}).items() if c))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Index) and (self.const, self.terms) == (other.const, other.terms)

    def __hash__(self) -> int:
        return hash((self.const, self.terms))

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
        parts = [f"{c:+d}·{_names[v]}#{v}" if v > 0 else f"{c:+d}·b{-v}" for v, c in self.terms]
        return "".join(parts) + f"{self.const:+d}"

    def coefficient(self, variable: int) -> int:
        return dict(self.terms).get(variable, 0)

    def variables(self) -> set[int]:
        return {v for v, _ in self.terms}

    def put(self, images: Mapping[int, Index]) -> Index:
        """This index with `images` for variables, all at once."""
        if not any(v in images for v, _ in self.terms):
            return self
        result = Index(self.const)
        for v, c in self.terms:
            result = result + (images[v] * c if v in images else Index(0, {v: c}))
        return result

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


def _declare(name: str, bounds: Iterable[Index]) -> Index:
    if any(v <= 0 or v >= len(_facts) for e in bounds for v in e.variables() - {len(_facts)}):
        raise IllTyped(f"the range of {name} speaks of variables that are not declared")
    _names.append(name)
    _facts.append(tuple(bounds))
    return variable(len(_facts) - 1)


def size(name: str, least: int) -> Index:
    """A new size, any whole number ≥ least."""
    return _declare(name, [variable(len(_facts)) - as_index(least)])


def position(name: str, low: Index | int, high: Index | int) -> Index:
    """A new index with low ≤ it < high."""
    new = variable(len(_facts))
    return _declare(name, [new - low, as_index(high) - 1 - new])


def declared(number: int) -> tuple[Index, ...]:
    """The facts e ≥ 0 that a free variable was declared with."""
    return _facts[number]


def facts(variables: Iterable[int]) -> tuple[Index, ...]:
    """All that is declared of these free variables and of those that their ranges speak of."""
    found: dict[Index, None] = {}
    seen: set[int] = set()
    waiting = sorted(v for v in variables if v > 0)
    while waiting:
        v = waiting.pop()
        if v not in seen:
            seen.add(v)
            found.update(dict.fromkeys(_facts[v]))
            waiting += [w for e in _facts[v] for w in e.variables()]
    return tuple(found)
