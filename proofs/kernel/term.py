"""Terms: Σ of coefficient · Σ_bound [guards] factors, and functions of terms.

A factor is an entry X[i, a] of an array, or the number of an index, written #[i]. Arrays are total functions of whole
numbers: what stands outside an array's shape is guarded by whoever reads it. A function of a term is an entry too:
of the array F[i, a] = f(body) that `apply` declares, whose positions stand for those that the body mentions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple

from . import index
from .errors import IllTyped, TooHard
from .index import Index, Substitution, as_index, position_number, substitution, variable
from .inequalities import contradictory

MONOMIALS = 4000
"""A term with more monomials is too hard."""
FACTORS = 2000
"""So is a monomial with more factors,"""
BITS = 200_000
"""and a coefficient that is longer."""
NUMBER, INVERSE, INVERSE_NUMBER = "#", "1/", "1/#"
DEFINED = "="
"""The function whose value is its argument: a name for a term."""
STEP, ZERO = "step", "zero"
"""The functions that are 1 where their argument is > 0, or where it is 0, and else 0."""
EXP = "exp"
"""The exponential, of which the kernel knows that it takes sums to products."""
LOG = "log"
"""The logarithm, of numbers > 0."""


class Factor(NamedTuple):
    """A factor of a monomial: an array's entry at indices, by its name."""

    name: str
    at: tuple[Index, ...] = ()

    def substitute(self, images: Mapping[int, Index]) -> Factor:
        """The factor with indices in place of variables."""
        return Factor(self.name, tuple([e.substitute(images) for e in self.at]))

    def variables(self) -> set[int]:
        """The variables that occur."""
        return {v for e in self.at for v, _ in e.terms}


class Monomial(NamedTuple):
    """A product of factors, under guards, summed over bound indices."""

    bound: int
    """How many bound indices: −1, …, −bound."""
    guards: frozenset[Index]
    factors: tuple[Factor, ...]
    """Sorted."""

    def substitute(self, images: Mapping[int, Index], bound: int) -> Monomial:
        """The monomial with indices in place of variables, and `bound` bound indices."""
        if not images:
            return Monomial(bound, self.guards, self.factors)
        return self.under(substitution(images), bound)

    def under(self, to: Substitution, bound: int) -> Monomial:
        """The same with a substitution that remembers what it has computed."""
        new = to.__getitem__
        factors = [Factor(name, tuple(map(new, at))) for name, at in self.factors]
        return Monomial(bound, frozenset(map(new, self.guards)), tuple(sorted(factors)))

    def after(self, count: int) -> Monomial:
        """The same with bound indices −count−1, −count−2, …"""
        images = {-k: variable(-k - count) for k in range(1, self.bound + 1)} if count else {}
        return self.substitute(images, self.bound + count)

    def joined(self, other: Monomial) -> Monomial:
        """The product with a monomial that has the bound indices of this one besides its own."""
        if len(self.factors) + len(other.factors) > FACTORS:
            raise TooHard(f"a product of more than {FACTORS} factors")
        factors = tuple(sorted(self.factors + other.factors))
        return Monomial(other.bound, self.guards | other.guards, factors)

    def times(self, other: Monomial) -> Monomial:
        """The product with another monomial, whose bound indices are renamed."""
        return self.joined(other.after(self.bound))

    def divided(self, factor: Factor) -> Monomial:
        """The monomial without one of its factors, which must be there."""
        factors = list(self.factors)
        factors.remove(factor)
        return Monomial(self.bound, self.guards, tuple(factors))

    def without(self, gone: int) -> Monomial:
        """The monomial with the last bound index renamed to the one that no longer occurs."""
        images = {} if gone == -self.bound else {-self.bound: variable(gone)}
        return self.substitute(images, self.bound - 1)

    def variables(self) -> set[int]:
        """The variables that occur, bound ones included."""
        every = [*self.guards]
        for f in self.factors:
            every += f.at
        return {v for terms, _ in every for v, _ in terms}


Pairs = Iterable[tuple[Monomial, Fraction]]


class _Sum(NamedTuple):
    parts: Mapping[Monomial, Fraction]
    scope: frozenset[int]


class Term(_Sum):
    """A scalar; + − * with terms and rational numbers. It is not an index, and an index is not a term.

    It means something where every variable of its scope lies in its declared range, and only there: a variable stays
    in the scope when it no longer occurs, since what is declared of it may have been used.
    """

    __slots__ = ()

    def __new__(cls, parts: Mapping[Monomial, Fraction], scope: Iterable[int] = ()) -> Term:
        scope = frozenset(scope)
        for m in parts:
            check(m, scope)
        if not all(map(_plain, parts)):
            raise IllTyped("a monomial of other things than numbers, indices and factors")
        if not all(0 < v < len(index.current.names) for v in scope):
            raise IllTyped("a term's scope is of declared variables")
        return made([(m, rational(c)) for m, c in parts.items()], scope)

    def __add__(self, other: Term | Fraction | int) -> Term:
        other = as_term(other)
        return made([*self.parts.items(), *other.parts.items()], self.scope | other.scope)

    __radd__ = __add__

    def __sub__(self, other: Term | Fraction | int) -> Term:
        return self + as_term(other) * -1

    def __mul__(self, other: Term | Fraction | int) -> Term:
        other = as_term(other)
        right = other.parts.items()
        pairs = [(m.times(n), c * d) for m, c in self.parts.items() for n, d in right]
        return made(pairs, self.scope | other.scope)

    __rmul__ = __mul__  # type: ignore[assignment]  a tuple has another

    def substitute(self, images: Mapping[int, Index]) -> Term:
        """The term with indices for free variables; that they lie in their ranges is for the caller to see."""
        scope = (self.scope - images.keys()).union(*[e.variables() for e in images.values()])
        to = substitution(images)
        return made([(m.under(to, m.bound), c) for m, c in self.parts.items()], scope)


def made(pairs: Pairs, scope: frozenset[int]) -> Term:
    """For the kernel itself, which keeps sums finite and names in their scope."""
    parts: dict[Monomial, Fraction] = {}
    for m, c in pairs:
        parts[m] = parts[m] + c if m in parts else c
    if len(parts) > MONOMIALS:
        raise TooHard(f"a term of more than {MONOMIALS} monomials")
    return tuple.__new__(Term, (MappingProxyType({m: c for m, c in parts.items() if c}), scope))


def rational(value: Any) -> Fraction:
    """The number as a Fraction; floating-point numbers are refused."""
    if type(value) not in (int, Fraction):
        raise IllTyped(f"expected a term or a rational number, got {type(value).__name__}")
    return value if type(value) is Fraction else Fraction(value)


def times(c: Fraction, d: Fraction) -> Fraction:
    """The product; most coefficients are 1."""
    if d == 1 or c == 1:
        return c if d == 1 else d
    found = c * d
    if max(found.numerator.bit_length(), found.denominator.bit_length()) > BITS:
        raise TooHard(f"a coefficient of more than {BITS} bits")
    return found


def beyond(
    pairs: Pairs, bound: int, images: Mapping[int, Index], own: int = 0
) -> list[tuple[Monomial, Fraction]]:
    """Monomials with indices for variables, their bound indices coming after `bound` others.

    The first `own` bound indices are among the variables that have images.
    """
    moves: dict[int, Substitution] = {}
    result = []
    for m, c in pairs:
        if m.bound not in moves:
            count = m.bound - own
            after = {-k - own: variable(-k - bound) for k in range(1, count + 1)}
            moves[m.bound] = substitution({**after, **images})
        result.append((m.under(moves[m.bound], m.bound - own + bound), c))
    return result


def _plain(m: Monomial) -> bool:
    """Whether nothing in it only looks like what it should be."""
    places = [e for f in m.factors if type(f.at) is tuple for e in f.at]
    kinds = [(type(f), type(f.name), type(f.at)) for f in m.factors]
    return (
        (type(m), type(m.bound)) == (Monomial, int)
        and set(kinds) <= {(Factor, str, tuple)}
        and {type(e) for e in (*m.guards, *places)} <= {Index}
    )


def check(m: Monomial, scope: Iterable[int]) -> None:
    """Raise IllTyped if a monomial speaks of what is not there, or sums over infinitely many: that has no rules."""
    known = index.current
    for name, at in m.factors:
        is_number = name in (NUMBER, INVERSE_NUMBER)
        if is_number and len(at) != 1:
            raise IllTyped("a number is that of one index")
        odd = not name.isidentifier() and not is_number
        if odd and name not in known.states and name not in known.bodies:
            raise IllTyped("an array's name is an identifier, or that of a state")
    if not m.variables().difference(scope) <= set(range(-m.bound, 0)):
        raise IllTyped("a monomial speaks of a variable outside the scope")
    if m.bound and not _finite(m.bound, m.guards):
        raise IllTyped("a bound index without a lower and an upper end")


@lru_cache(maxsize=50_000)
def _finite(bound: int, guards: frozenset[Index]) -> bool:
    """Whether guards hold each bound index between ends."""
    if not 0 < bound < len(guards):  # it takes one guard more than there are indices
        return False
    rows = {tuple([(v, c) for v, c in g.terms if v < 0]) for g in guards}
    plain = {(terms[0][0], terms[0][1] > 0) for terms in rows if len(terms) == 1}
    ends = {(-k, lower) for k in range(1, bound + 1) for lower in (True, False)} - plain
    known = [Index(0, dict(terms)) for terms in rows] if ends else []
    away = (variable(v) * (-1 if lower else 1) - 1 for v, lower in ends)
    return all(contradictory([*known, e]) for e in away)


ONE = Monomial(0, frozenset(), ())


def as_term(value: Term | Fraction | int) -> Term:
    """A term, or a rational number as one."""
    return value if isinstance(value, Term) else made([(ONE, rational(value))], frozenset())


def one_factor(name: str, *at: Index) -> Monomial:
    """A single factor as a monomial."""
    return Monomial(0, frozenset(), (Factor(name, at),))


def entry(name: str, *at: Index | int) -> Term:
    """X[i, a, …]: an entry of the array `name`, a name of the caller's own or that of a state."""
    m = one_factor(name, *map(as_index, at))
    return Term({m: Fraction(1)}, m.variables())


class Function(NamedTuple):
    """f(body), the positions of the body being its first bound indices, −1, …, −arity."""

    name: str
    arity: int
    body: frozenset[tuple[Monomial, Fraction]]


def apply(function: str, term: Term, order: Sequence[Index], whole: str | None = None) -> Term:
    """f(term), as an entry at the positions `order`, which must be all those that the term mentions.

    The array gets the name `whole` if that is given, unless it has one already.
    """
    term = Term(term.parts, term.scope)  # it may have been made where other things are declared
    images = {position_number(one): variable(-k) for k, one in enumerate(order, start=1)}
    inside = {v for m in term.parts for v in m.variables() if v > 0} - index.current.sizes
    if not inside <= images.keys():
        raise IllTyped("a function of a term is an entry at each position that the term mentions")
    new = Function(function, len(order), frozenset(beyond(term.parts.items(), len(order), images)))
    name = index.current.functions.setdefault(new, index.current.fresh(function, whole))
    index.current.bodies[name] = new
    return made([(one_factor(name, *order), Fraction(1))], term.scope.union(images))


def function_of(factor: Factor) -> str | None:
    """The name of the function that a factor is a value of; with other positions it is another array."""
    if factor.name == INVERSE_NUMBER:
        return INVERSE
    found = index.current.bodies.get(factor.name)
    return found.name if found is not None and found.arity == len(factor.at) else None


def body(factor: Factor, bound: int) -> list[tuple[Monomial, Fraction]]:
    """What a function is taken of in this factor, each monomial once, as it may not be where positions are equal.

    Bound indices that are its own come after `bound` others.
    """
    if factor.name == INVERSE_NUMBER:
        return [(one_factor(NUMBER, *factor.at)._replace(bound=bound), Fraction(1))]
    function = index.current.bodies[factor.name]
    images = {-k: e for k, e in enumerate(factor.at, start=1)}
    pairs = beyond(_ordered(function), bound, images, function.arity)
    once = len(pairs) == 1 or len({m for m, _ in pairs}) == len(pairs)
    return pairs if once else [*made(pairs, frozenset()).parts.items()]


@lru_cache(maxsize=10_000)
def _ordered(function: Function) -> Pairs:
    """The body in order: a set has another order in another process."""
    parts = sorted(function.body, key=lambda pair: (pair[0][0], sorted(pair[0][1]), pair[0][2]))
    return tuple(parts)


def as_index_number(term: Term) -> tuple[Index, Fraction] | None:
    """(e, c) if the term is, as written, c times the number of the index e."""
    terms: dict[int, Fraction] = {}
    for m, c in term.parts.items():
        if m.bound or m.guards or [f.name for f in m.factors] not in ([], [NUMBER]):
            return None
        at = m.factors[0].at[0] if m.factors else None
        if at is not None and (at.const or [c for _, c in at.terms] != [1]):
            return None
        terms[at.terms[0][0] if at is not None else 0] = c
    least = min(map(abs, terms.values()), default=Fraction(1))
    if any((c / least).denominator != 1 for c in terms.values()):
        return None
    const = int(terms.pop(0, Fraction(0)) / least)
    return Index(const, {v: int(c / least) for v, c in terms.items()}), least
