"""Terms: Σ of coefficient · Σ_bound [guards] factors. The only way in is through the functions here.

A factor is an entry X[i, a] of an array, the number n of an index ("#"), an inverse 1/T of a term, or a product
Π_{lo ≤ r < hi} X[…r…] of entries. An empty product is 1, also for hi < lo. Arrays are total functions of whole
numbers: what stands outside an array's shape is guarded by whoever reads it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import NamedTuple

from .errors import IllTyped, TooHard
from .index import Index, as_index, declared, facts, variable
from .inequalities import implied

MONOMIALS = 4000
"""A term with more monomials is too hard."""
NUMBER = "#"
HOLE = 0


class Factor(NamedTuple):
    name: str
    at: tuple[Index, ...] = ()
    span: tuple[Index, Index] | None = None
    """lo and hi of a product, whose running index is the hole in `at`."""
    of: Term | None = None
    """T of an inverse 1/T."""

    def put(self, images: Mapping[int, Index]) -> Factor:
        span = None if self.span is None else (self.span[0].put(images), self.span[1].put(images))
        inner = None if self.of is None else self.of._put(images)
        return Factor(self.name, tuple(e.put(images) for e in self.at), span, inner)

    def variables(self) -> set[int]:
        found = {v for e in (*self.at, *(self.span or ())) for v in e.variables()} - {HOLE}
        return found if self.of is None else found | self.of.occurring()


class Monomial(NamedTuple):
    bound: int
    """How many bound indices: −1, …, −bound."""
    guards: frozenset[Index]
    factors: tuple[Factor, ...]

    def put(self, images: Mapping[int, Index], bound: int) -> Monomial:
        guards = frozenset(g.put(images) for g in self.guards)
        return Monomial(bound, guards, tuple(f.put(images) for f in self.factors))

    def after(self, count: int) -> Monomial:
        """The same with bound indices −count−1, −count−2, …"""
        images = {-k: variable(-k - count) for k in range(1, self.bound + 1)} if count else {}
        return self.put(images, self.bound + count)

    def times(self, other: Monomial) -> Monomial:
        other = other.after(self.bound)
        return Monomial(other.bound, self.guards | other.guards, self.factors + other.factors)


class Term:
    """A scalar; + − * with terms and rational numbers. It is not an index, and an index is not a term.

    It means something where every variable of its scope lies in its declared range, and only there: a variable stays
    in the scope when it no longer occurs, since what is declared of it may have been used.
    """

    __slots__ = ("_hash", "monomials", "scope")

    def __init__(self, monomials: Mapping[Monomial, Fraction], scope: Iterable[int] = ()) -> None:
        self.monomials = {m: c for m, c in monomials.items() if c}
        self.scope = frozenset(scope)
        self._hash: int | None = None
        if len(self.monomials) > MONOMIALS:
            raise TooHard(f"a term of more than {MONOMIALS} monomials")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Term) and self.monomials == other.monomials

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(frozenset(self.monomials.items()))
        return self._hash

    def __add__(self, other: Term | Fraction | int) -> Term:
        other = as_term(other)
        pairs = [*self.monomials.items(), *other.monomials.items()]
        return Term(collected(pairs), self.scope | other.scope)

    __radd__ = __add__

    def __neg__(self) -> Term:
        return self * -1

    def __sub__(self, other: Term | Fraction | int) -> Term:
        return self + as_term(other) * -1

    def __rsub__(self, other: Fraction | int) -> Term:
        return as_term(other) - self

    def __mul__(self, other: Term | Fraction | int) -> Term:
        other = as_term(other)
        right = other.monomials.items()
        pairs = [(m.times(n), c * d) for m, c in self.monomials.items() for n, d in right]
        return Term(collected(pairs), self.scope | other.scope)

    __rmul__ = __mul__

    def occurring(self) -> set[int]:
        """The variables that occur: free ones, and bound ones of an enclosing monomial."""
        found: set[int] = set()
        for m in self.monomials:
            inside = {v for g in m.guards for v in g.variables()}
            inside = inside.union(*(f.variables() for f in m.factors))
            found |= {v for v in inside if v > 0 or -v > m.bound}
        return found

    def binds(self) -> bool:
        return any(m.bound for m in self.monomials)

    def as_number(self) -> Fraction | None:
        """The rational number that the term is as written, if it is one."""
        return None if set(self.monomials) - {ONE} else self.monomials.get(ONE, Fraction(0))

    def as_index(self) -> Index | None:
        """An index of whose number the term is, as written, a multiple."""
        terms = {}
        for m, c in self.monomials.items():
            if m.bound or m.guards or len(m.factors) > 1:
                return None
            if m.factors and (m.factors[0].name != NUMBER or len(m.factors[0].at[0].terms) != 1):
                return None
            terms[m.factors[0].at[0].terms[0][0] if m.factors else HOLE] = c
        least = min(map(abs, terms.values()), default=Fraction(1))
        if any((c / least).denominator != 1 for c in terms.values()):
            return None
        const = int(terms.pop(HOLE, Fraction(0)) / least)
        return Index(const, {v: int(c / least) for v, c in terms.items()})

    def _put(self, images: Mapping[int, Index]) -> Term:
        pairs = []
        occurring = self.occurring()
        free = {v: e for v, e in images.items() if v > 0 and v in occurring}
        for m, c in self.monomials.items():
            # With sums of its own it mentions no bound index of an enclosing monomial, and must not get one.
            if m.bound and any(v < 0 for e in free.values() for v in e.variables()):
                raise TooHard("a bound index inside a denominator with sums of its own")
            pairs.append((m.put(free if m.bound else images, m.bound), c))
        return Term(collected(pairs), {v for v in self.scope if v not in images})


def collected(pairs: Iterable[tuple[Monomial, Fraction]]) -> dict[Monomial, Fraction]:
    result: dict[Monomial, Fraction] = {}
    for m, c in pairs:
        result[m] = result.get(m, Fraction(0)) + c
    return result


def as_term(value: Term | Fraction | int) -> Term:
    if isinstance(value, Term):
        return value
    if type(value) is not int and not isinstance(value, Fraction):
        raise IllTyped(f"expected a term or a rational number, got {type(value).__name__}")
    return Term({ONE: Fraction(value)})


ONE = Monomial(0, frozenset(), ())


def _factor(factor: Factor) -> Term:
    scope = factor.variables() if factor.of is None else factor.of.scope
    return Term({Monomial(0, frozenset(), (factor,)): Fraction(1)}, scope)


def entry(name: str, *at: Index | int) -> Term:
    """X[i, a, …]: an entry of the array `name`."""
    if name == NUMBER or not name:
        raise IllTyped(f"{name!r} is no name for an array")
    return _factor(Factor(name, tuple(as_index(e) for e in at)))


def number(of: Index | int) -> Term:
    """An index as a number."""
    of = as_index(of)
    terms = (_factor(Factor(NUMBER, (variable(v),))) * c for v, c in of.terms)
    return sum(terms, start=as_term(of.const))


def indicator(*guards: Index) -> Term:
    """1 where every e ≥ 0, else 0."""
    rows = frozenset(as_index(g) for g in guards)
    return Term({Monomial(0, rows, ()): Fraction(1)}, {v for g in rows for v in g.variables()})


def equal_indices(one: Index | int, other: Index | int) -> Term:
    """[one = other]."""
    gap = as_index(one) - other
    return indicator(gap, gap * -1)


def product(name: str, at: Iterable[Index | int], running: Index, low: Index, high: Index) -> Term:
    """Π_{low ≤ r < high} X[at], r the free variable `running`, which is declared with this very range."""
    number_of = _variable(running)
    if declared(number_of) != (running - low, high - 1 - running):
        raise IllTyped("a product runs over the declared range of its index")
    hole = {number_of: variable(HOLE)}
    if any(number_of in as_index(e).variables() for e in (low, high)):
        raise IllTyped("a product's range does not speak of its own index")
    return _factor(Factor(name, tuple(as_index(e).put(hole) for e in at), (low, high)))


def inverse(term: Term) -> Term:
    """1/T. What is an index's number must be ≥ 1 or ≤ −1 by its declaration; else T ≠ 0 is a side condition."""
    number = term.as_number()
    if number is not None:
        if not number:
            raise IllTyped("division by 0")
        return as_term(1 / number)
    of = term.as_index()
    if of is not None:
        known = facts(of.variables())
        if not implied(of - 1, known) and not implied(of * -1 - 1, known):
            raise IllTyped(f"division by {of!r}, which may be 0")
    return _factor(Factor("1/", of=term))


def total(term: Term, over: Index) -> Term:
    """Σ of the term over the whole declared range of the free variable `over`."""
    of = _variable(over)
    if len(declared(of)) != 2:
        raise IllTyped("a sum runs over one declared index")
    _no_range_of(term.scope - {of}, {of})
    pairs = []
    for m, c in term.monomials.items():
        if any(f.of is not None and f.of.binds() and of in f.variables() for f in m.factors):
            raise TooHard("a sum over an index of a denominator with sums in it")
        images = {of: variable(-m.bound - 1)}
        summed = m._replace(guards=m.guards | set(declared(of))).put(images, m.bound + 1)
        pairs.append((summed, c))
    ends = {v for e in declared(of) for v in e.variables()}
    return Term(collected(pairs), (term.scope | ends) - {of})


def put(term: Term, images: Mapping[Index, Index | int], where: Iterable[Index] = ()) -> Term:
    """[where] · the term with indices for declared variables; each must lie in its variable's range there.

    Raises:
        IllTyped: if that is not seen, or if the range of a variable that stays speaks of one that goes.
    """
    table = {_variable(old): as_index(new) for old, new in images.items()}
    guard = indicator(*where)
    staying = term.scope - set(table)
    _no_range_of(staying, set(table))
    fenced = [fact.put(table) for old in table for fact in declared(old)]
    new_variables = {v for e in (*table.values(), *fenced) for v in e.variables()}
    known = [*facts(new_variables | staying | guard.scope), *where]
    for old, new in table.items():
        if not all(implied(fact.put(table), known) for fact in declared(old)):
            raise IllTyped(f"{new!r} may lie outside the range of its variable")
    result = term._put(table)
    return Term(result.monomials, staying | new_variables) * guard


def _variable(one: Index) -> int:
    if len(one.terms) != 1 or one != variable(one.terms[0][0]) or one.terms[0][0] <= 0:
        raise IllTyped(f"expected a declared index, got {one!r}")
    return one.terms[0][0]


def _no_range_of(staying: Iterable[int], going: set[int]) -> None:
    if any(e.variables() & going for e in facts(staying)):
        raise IllTyped("the range of an index that stays speaks of one that goes")
