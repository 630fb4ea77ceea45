"""Terms: Σ of coefficient · Σ_bound [guards] factors, and functions of terms.

A factor is an entry X[i, a] of an array, or the number of an index, written #[i]. Arrays are total functions of whole
numbers: what stands outside an array's shape is guarded by whoever reads it. A function of a term is an entry too:
of the array F[i, a] = f(body) that `apply` declares, whose positions stand for those that the body mentions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import Any, NamedTuple

from . import index
from .errors import IllTyped, TooHard
from .index import Index, as_index, declared, facts, position_number, reach, variable
from .inequalities import contradictory, implied

MONOMIALS = 4000
"""A term with more monomials is too hard."""
NUMBER, INVERSE, INVERSE_NUMBER = "#", "1/", "1/#"


class Factor(NamedTuple):
    name: str
    at: tuple[Index, ...] = ()

    def put(self, images: Mapping[int, Index]) -> Factor:
        return Factor(self.name, tuple([e.put(images) for e in self.at]))

    def variables(self) -> set[int]:
        return {v for e in self.at for v, _ in e.terms}

    @property
    def key(self) -> tuple:
        """To sort by."""
        return self.name, [e.key for e in self.at]


class Monomial(NamedTuple):
    bound: int
    """How many bound indices: −1, …, −bound."""
    guards: frozenset[Index]
    factors: tuple[Factor, ...]
    """Sorted."""

    def put(self, images: Mapping[int, Index], bound: int) -> Monomial:
        if not images:
            return self._replace(bound=bound)
        guards = frozenset([g.put(images) for g in self.guards])
        return monomial(bound, guards, [f.put(images) for f in self.factors])

    def after(self, count: int) -> Monomial:
        """The same with bound indices −count−1, −count−2, …"""
        images = {-k: variable(-k - count) for k in range(1, self.bound + 1)} if count else {}
        return self.put(images, self.bound + count)

    def times(self, other: Monomial) -> Monomial:
        other = other.after(self.bound)
        return monomial(other.bound, self.guards | other.guards, self.factors + other.factors)

    def without(self, gone: int) -> Monomial:
        """The monomial with the last bound index renamed to the one that no longer occurs."""
        images = {} if gone == -self.bound else {-self.bound: variable(gone)}
        return self.put(images, self.bound - 1)

    def variables(self) -> set[int]:
        found = {v for g in self.guards for v, _ in g.terms}
        return found.union(*(f.variables() for f in self.factors))


def monomial(bound: int, guards: frozenset[Index], factors: Iterable[Factor]) -> Monomial:
    return Monomial(bound, guards, tuple(sorted(factors, key=lambda f: f.key)))


_made_here = object()
Parts = dict[Monomial, Fraction]


class Term:
    """A scalar; + − * with terms and rational numbers. It is not an index, and an index is not a term.

    It means something where every variable of its scope lies in its declared range, and only there: a variable stays
    in the scope when it no longer occurs, since what is declared of it may have been used.
    """

    __slots__ = ("parts", "scope")
    parts: Mapping[Monomial, Fraction]
    scope: frozenset[int]

    def __init__(
        self, parts: Mapping[Monomial, Fraction], scope: Iterable[int] = (), key: object = None
    ) -> None:
        object.__setattr__(self, "parts", MappingProxyType({m: c for m, c in parts.items() if c}))
        object.__setattr__(self, "scope", frozenset(scope))
        if len(self.parts) > MONOMIALS:
            raise TooHard(f"a term of more than {MONOMIALS} monomials")
        if min(self.scope, default=1) <= 0:
            raise IllTyped("a term's scope is of declared variables")
        if any(type(c) not in (int, Fraction) for c in self.parts.values()):
            raise IllTyped("coefficients are rational numbers")
        if key is not _made_here:
            for m in self.parts:
                if not m.variables() <= self.scope | set(range(-m.bound, 0)):
                    raise IllTyped("a term speaks of a variable outside its scope")
                if not finite(m):
                    raise IllTyped("a bound index without a lower and an upper end")

    def __setattr__(self, *_: Any) -> None:
        raise IllTyped("a term stays what it is")

    def __add__(self, other: Term | Fraction | int) -> Term:
        other = as_term(other)
        pairs = [*self.parts.items(), *other.parts.items()]
        return made(collected(pairs), self.scope | other.scope)

    __radd__ = __add__

    def __neg__(self) -> Term:
        return self * -1

    def __sub__(self, other: Term | Fraction | int) -> Term:
        return self + as_term(other) * -1

    def __rsub__(self, other: Fraction | int) -> Term:
        return as_term(other) - self

    def __mul__(self, other: Term | Fraction | int) -> Term:
        other = as_term(other)
        right = other.parts.items()
        pairs = [(m.times(n), c * d) for m, c in self.parts.items() for n, d in right]
        return made(collected(pairs), self.scope | other.scope)

    __rmul__ = __mul__


def finite(m: Monomial) -> bool:
    """Whether guards hold each bound index between ends: Σ over infinitely many has no rules."""
    rows = [Index(0, {v: c for v, c in g.terms if v < 0}) for g in m.guards]
    away = (variable(-k) * s - 1 for k in range(1, m.bound + 1) for s in (1, -1))
    return m.bound >= 0 and all(contradictory([*rows, e]) for e in away)


def made(parts: Mapping[Monomial, Fraction], scope: Iterable[int]) -> Term:
    """For the kernel itself, which keeps sums finite and names in their scope."""
    return Term(parts, scope, _made_here)


def collected(pairs: Iterable[tuple[Monomial, Fraction]]) -> Parts:
    result: Parts = {}
    for m, c in pairs:
        result[m] = result.get(m, Fraction(0)) + c
    return result


ONE = Monomial(0, frozenset(), ())


def as_term(value: Term | Fraction | int) -> Term:
    if isinstance(value, Term):
        return value
    if type(value) is not int and not isinstance(value, Fraction):
        raise IllTyped(f"expected a term or a rational number, got {type(value).__name__}")
    return made({ONE: Fraction(value)}, ())


def entry(name: str, *at: Index | int) -> Term:
    """X[i, a, …]: an entry of the array `name`, which is a name of the caller's own or of a state."""
    if not name or name in (NUMBER, INVERSE_NUMBER) or name in index.current.bodies:
        raise IllTyped(f"{name!r} is no name for an array")
    return _factor(name, *at)


def _factor(name: str, *at: Index | int) -> Term:
    places = tuple(as_index(e) for e in at)
    scope = {v for e in places for v in e.variables()}
    return made({Monomial(0, frozenset(), (Factor(name, places),)): Fraction(1)}, scope)


def number(of: Index | int) -> Term:
    """An index as a number."""
    of = as_index(of)
    return sum((_factor(NUMBER, variable(v)) * c for v, c in of.terms), start=as_term(of.const))


def indicator(*guards: Index) -> Term:
    """1 where every e ≥ 0, else 0."""
    rows = frozenset(as_index(g) for g in guards)
    return made({Monomial(0, rows, ()): Fraction(1)}, {v for g in rows for v in g.variables()})


def equal_indices(one: Index | int, other: Index | int) -> Term:
    """[one = other]."""
    gap = as_index(one) - other
    return indicator(gap, gap * -1)


class Function(NamedTuple):
    """f(body), the positions of the body being its first bound indices, −1, …, −arity."""

    name: str
    arity: int
    body: frozenset[tuple[Monomial, Fraction]]


def apply(function: str, term: Term, order: Sequence[Index]) -> Term:
    """f(term), as an entry at the positions `order`, which must be all those that the term mentions."""
    formals = [position_number(one) for one in order]
    inside = {v for m in term.parts for v in m.variables() if v > 0} - index.current.sizes
    if len(set(formals)) != len(formals) or not inside <= set(formals):
        raise IllTyped("a function of a term is an entry at each position that the term mentions")
    images = {v: variable(-k) for k, v in enumerate(formals, start=1)}
    moved = {
        m.after(len(formals)).put(images, m.bound + len(formals)): c for m, c in term.parts.items()
    }
    new = Function(function, len(formals), frozenset(moved.items()))
    name = index.current.functions.setdefault(new, index.current.fresh(function))
    index.current.bodies[name] = new
    return made(_factor(name, *order).parts, term.scope | set(formals))


def function_of(factor: Factor) -> str | None:
    """The name of the function that a factor is a value of; with other positions it is another array."""
    if factor.name == INVERSE_NUMBER:
        return INVERSE
    found = index.current.bodies.get(factor.name)
    return found.name if found is not None and found.arity == len(factor.at) else None


def body(factor: Factor, bound: int) -> list[tuple[Monomial, Fraction]]:
    """What a function is taken of in this factor; bound indices that are its own come after `bound` others."""
    if factor.name == INVERSE_NUMBER:
        return [(Monomial(bound, frozenset(), (Factor(NUMBER, factor.at),)), Fraction(1))]
    function = index.current.bodies[factor.name]
    images = {-k: e for k, e in enumerate(factor.at, start=1)}
    result = []
    for m, c in sorted(function.body, key=lambda pair: _key(pair[0])):
        own = m.bound - function.arity
        moved = {-k - function.arity: variable(-k - bound) for k in range(1, own + 1)}
        result.append((m.put({**images, **moved}, bound + own), c))
    return result


def _key(m: Monomial) -> tuple:
    """To sort by; a set has another order in another process."""
    return m.bound, sorted(g.key for g in m.guards), [f.key for f in m.factors]


def as_index_number(term: Term) -> tuple[Index, Fraction] | None:
    """(e, c) if the term is, as written, c times the number of the index e."""
    terms: dict[int, Fraction] = {}
    for m, c in term.parts.items():
        if m.bound or m.guards or [f.name for f in m.factors] not in ([], [NUMBER]):
            return None
        at = m.factors[0].at[0] if m.factors else Index(1)
        if at != Index(1) and (at.const or [c for _, c in at.terms] != [1]):
            return None
        terms[at.terms[0][0] if m.factors else 0] = c
    least = min(map(abs, terms.values()), default=Fraction(1))
    if any((c / least).denominator != 1 for c in terms.values()):
        return None
    const = int(terms.pop(0, Fraction(0)) / least)
    return Index(const, {v: int(c / least) for v, c in terms.items()}), least


def inverse(term: Term, order: Sequence[Index]) -> Term:
    """1/T. What is an index's number must be ≥ 1 or ≤ −1 by its declaration; else T ≠ 0 is a side condition."""
    found = as_index_number(term)
    if found is None:
        return apply(INVERSE, term, order)
    of, scale = found
    known = facts(term.scope)
    if not implied(of - 1, known) and not implied(of * -1 - 1, known):
        raise IllTyped(f"division by {of!r}, which may be 0")
    result = _factor(INVERSE_NUMBER, of) * (1 / scale)
    return made(result.parts, term.scope)


def total(term: Term, over: Index) -> Term:
    """Σ of the term over the whole declared range of the free variable `over`."""
    of = position_number(over)
    if sorted(e.coefficient(of) for e in declared(of)) != [-1, 1]:
        raise IllTyped("a sum runs over an index with two ends")
    _no_range_of(term.scope - {of}, {of})
    pairs = []
    for m, c in term.parts.items():
        images = {of: variable(-m.bound - 1)}
        ranged = m._replace(guards=m.guards | set(declared(of)))
        pairs.append((ranged.put(images, m.bound + 1), c))
    ends = {v for e in declared(of) for v in e.variables()}
    return made(collected(pairs), (term.scope | ends) - {of})


def put(term: Term, images: Mapping[Index, Index | int], where: Iterable[Index] = ()) -> Term:
    """[where] · the term with indices for declared variables; each must lie in its variable's range there.

    Raises:
        IllTyped: if that is not seen, or if the range of a variable that stays speaks of one that goes.
    """
    table = {position_number(old): as_index(new) for old, new in images.items()}
    guard = indicator(*where)
    staying = term.scope - set(table)
    _no_range_of(staying, set(table))
    ends = [fact.put(table) for old in table for fact in declared(old)]
    scope = staying | guard.scope | {v for e in (*table.values(), *ends) for v in e.variables()}
    within(table, [*facts(reach(scope)), *where])
    pairs = [(m.put(table, m.bound), c) for m, c in term.parts.items()]
    return made(collected(pairs), scope) * guard


def within(table: Mapping[int, Index], known: Iterable[Index]) -> None:
    """Raise IllTyped unless each index lies in the declared range of the variable that it is put for."""
    known = tuple(known)
    for old, new in table.items():
        if not all(implied(fact.put(table), known) for fact in declared(old)):
            raise IllTyped(f"{new!r} may lie outside the range of {index.name(old)}")


def _no_range_of(staying: Iterable[int], going: set[int]) -> None:
    if any(e.variables() & going for e in facts(staying)):
        raise IllTyped("the range of an index that stays speaks of one that goes")
