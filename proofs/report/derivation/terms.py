"""From the kernel's terms to formulas: guards become ranges or brackets, indices get letters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from ...kernel import index
from ...kernel.index import Index
from ...kernel.term import NUMBER, Factor, Monomial, Term
from ...kernel.theorem import Theorem
from ...search.session import Lemma
from ..words import symbol
from . import prover
from .document import Quantifier
from .expression import (
    Addition,
    Bracket,
    Entry,
    Function,
    Linear,
    Piece,
    Power,
    Product,
    Range,
    Relation,
    Whole,
)
from .factoring import factored, powers
from .names import letter, role

Pairs = Iterable[tuple[Monomial, Fraction]]


class Scope:
    """Letters for the variables of one line of a derivation."""

    def __init__(
        self, reader: Reader, letters: Mapping[int, str], roles: Mapping[int, str]
    ) -> None:
        self.reader = reader
        self.letters, self.roles = dict(letters), dict(roles)
        self.zero: frozenset[int] = frozenset()
        """Variables that are 0 here."""

    def inner(self) -> Scope:
        """A copy to which letters may be added."""
        new = Scope(self.reader, self.letters, self.roles)
        new.zero = self.zero
        return new

    def at_zero(self, v: int) -> Scope:
        """A copy in which a variable is 0."""
        new = self.inner()
        new.zero = frozenset([v])
        return new

    def with_name_of(self, old: int, new: int) -> Scope:
        """The same letters, that of `old` being that of `new`."""
        found = self.inner()
        found.letters[new], found.roles[new] = found.letters.pop(old), found.roles.pop(old)
        return found

    def name(self, v: int, role: str) -> str:
        """Give a variable a letter that fits its role."""
        taken = {*self.letters.values(), *self.reader.taken}
        self.roles[v] = role
        self.letters[v] = letter(role, v < 0, taken)
        return self.letters[v]

    def role(self, *ends: Index) -> str:
        """The role of an index between these ends."""
        sizes: list[str] = []
        for v in {v for e in ends for v in e.variables()}:
            if prover.is_size(v):
                sizes.append(index.name(v))
            elif v in self.roles:
                return self.roles[v]
        return role(sizes)

    def linear(self, e: Index) -> Linear:
        """An index as a linear expression in letters."""
        for v in sorted(e.variables()):
            if v > 0 and not prover.is_size(v) and v not in self.letters:
                self.position(v)
        # Positions come before sizes, and nothing starts with a minus if it need not.
        ordered = sorted(
            (term for term in e.terms if term[0] not in self.zero),
            key=lambda term: (term[1] < 0, prover.is_size(term[0]), abs(term[0])),
        )
        return Linear(e.const, tuple((self.letter(v), c) for v, c in ordered))

    def letter(self, v: int) -> str:
        """The letter of a variable."""
        return symbol(index.name(v)) if prover.is_size(v) else self.letters[v]

    def position(self, v: int) -> None:
        """A letter for a free variable, after those that its range speaks of."""
        ends = index.declared(v)
        for w in sorted({w for e in ends for w in e.variables()} - {v}):
            if not prover.is_size(w) and w not in self.letters:
                self.position(w)
        if v not in self.letters and len(ends) == 1:
            self.name(v, "repeat")
        if v not in self.letters:
            self.name(v, self.role(*(e - index.variable(v) * e.coefficient(v) for e in ends)))

    def quantifiers(self, positions: Iterable[int]) -> tuple[Quantifier, ...]:
        """The declared ranges of these variables; those with one range are said together."""
        found: dict[tuple[Linear, Linear | None], list[str]] = {}
        for v in positions:
            if not index.declared(v):
                continue  # any whole number
            low, high = prover.ends(v)
            self.linear(index.variable(v))
            both = self.linear(low), None if high is None else self.linear(high)
            found.setdefault(both, []).append(self.letters[v])
        return tuple(Quantifier(tuple(names), *ends) for ends, names in found.items())


class Reader:
    """Reads the terms of one proof."""

    def __init__(self, session: Any, states: Mapping[str, str], taken: Iterable[str]) -> None:
        self.session, self.states = session, dict(states)
        self.taken = {symbol(one) for one in taken} | set(states.values())

    def scope(self, positions: Sequence[int] = ()) -> Scope:
        """Letters for these variables first."""
        new = Scope(self, {}, {})
        for v in positions:
            new.position(v)
        return new

    def term(self, term: Term, scope: Scope) -> Addition:
        """A term as a formula."""
        return self.addition(term.parts.items(), scope.inner())

    def factor(self, factor: Factor, scope: Scope) -> Addition:
        """A factor as a formula."""
        return Addition((Piece(Fraction(1), (self._factor(factor, scope.inner(), 0),)),))

    def addition(self, pairs: Pairs, scope: Scope, outer: int = 0) -> Addition:
        """A sum whose bound indices −1, …, −outer have their letters already."""
        every = prover.opened(pairs, self.session)
        return factored([self._piece(m, c, scope.inner(), outer) for m, c in every])

    def _piece(self, m: Monomial, c: Fraction, scope: Scope, outer: int) -> Piece:
        if not outer:
            m = prover.forwards(m)
        guards = sorted(m.guards)
        outside = scope.inner()
        ranges, left = _ranges(m, guards, scope, outer)
        alone = [g for g in left if all(v >= -outer for v in g.variables())]
        bound = [g for g in left if g not in alone]
        parts: dict[str, list[Any]] = {"over": [], "under": [], "inner_over": [], "inner_under": []}
        for guard_set, where in ((alone, "over"), (bound, "inner_over")):
            if guard_set:
                parts[where] += [Bracket((r,)) for r in _relations(guard_set, scope)]
        for f in m.factors:
            free = all(v >= -outer for v in f.variables())
            where, here = ("", outside) if free else ("inner_", scope)
            inverse = prover.inverse_of(f, m.bound)
            if inverse is None:
                parts[f"{where}over"].append(self._factor(f, here, m.bound))
            else:
                inside = self.addition(inverse, here, m.bound)
                parts[f"{where}under"].append(as_factor(inside))
        ready = {where: powers(factors) for where, factors in parts.items()}
        return Piece(c, ranges=tuple(ranges), **ready)

    def _factor(self, f: Factor, scope: Scope, bound: int) -> Any:
        if f.name == NUMBER:
            return Whole(scope.linear(f.at[0]))
        meant = prover.meaning(f, bound, self.session)
        if meant is not None:
            return self.addition(meant, scope, bound)
        applied = prover.function_of(f, bound)
        if applied is not None:
            name, inside = applied
            return Function(name, self.addition(inside, scope, bound))
        if f.name not in self.session.recursions:
            return Entry(symbol(f.name), tuple(scope.linear(e) for e in f.at))
        if self.session.is_product(f.name):
            return self._product(f, scope, bound)
        at, given = prover.split_positions(self.session, f)
        return Entry(
            self.states[f.name],
            tuple(scope.linear(e) for e in at),
            scope.linear(f.at[0]),
            tuple(scope.linear(e) for e in given),
        )

    def _product(self, f: Factor, scope: Scope, bound: int) -> Any:
        found = prover.product(self.session, f, bound)
        inner = scope.inner()
        if found.running is None:
            base = self.addition(found.formula, inner, bound)
            return Power(as_factor(base), scope.linear(found.count))
        name = inner.name(found.running, inner.role(found.low, found.high))
        return Product(
            name,
            scope.linear(found.low),
            scope.linear(found.high),
            self.addition(found.formula, inner, bound + 1),
        )


class Induction(NamedTuple):
    """The equation factor = right, which a lemma shows at every time."""

    lemma: Lemma
    factor: Factor
    right: Term
    rule: Theorem
    scope: Scope
    when: int
    """The variable of the time."""
    positions: list[int]
    """The others."""
    defined: int
    """The line in which the state is defined."""


def positions_in(terms: Sequence[Term], factor: Factor | None = None) -> list[int]:
    """The positions that a factor and terms mention, those of the factor first, and those of their ranges."""
    first = [] if factor is None else [v for e in factor.at[1:] for v, _ in e.terms]
    rest = sorted({v for term in terms for m in term.parts for v in m.variables()})
    skip = set() if factor is None else factor.at[0].variables()
    found = [v for v in dict.fromkeys([*first, *rest]) if v > 0 and v not in skip]
    further = index.reach(found) - set(found) - skip
    return [v for v in [*sorted(further), *found] if not prover.is_size(v)]


def as_factor(one: Addition) -> Any:
    """The only factor of a sum that has no other, else the sum itself."""
    if len(one.pieces) == 1:
        p = one.pieces[0]
        if p.coefficient == 1 and len(p.over) == 1 and not (p.under or p.ranges):
            return p.over[0]
    return one


def _ranges(
    m: Monomial, guards: list[Index], scope: Scope, outer: int
) -> tuple[list[Range], list[Index]]:
    """A range for every bound index, outermost first, and the guards that are in none."""
    waiting = list(range(-outer - 1, -m.bound - 1, -1))
    left, found = list(guards), []
    while waiting:
        choices = _choices(waiting, left, scope) or _choices(
            waiting, [*left, *_implied(waiting, left)], scope
        )
        if not choices:  # the ends are tied to one another: everything is said in brackets
            for v in waiting:
                found.append(Range(scope.name(v, "feature")))
            break
        _, _, v, ends, fences = min(choices)
        name = scope.name(v, scope.role(*ends))
        found.append(Range(name, *(scope.linear(e) for e in ends)))
        left = [g for g in left if g not in fences]
        waiting.remove(v)
    return found, left


def _choices(waiting: Sequence[int], guards: Sequence[Index], scope: Scope) -> list[tuple]:
    """Bound indices with two ends that speak of no other waiting index: (…, index, its ends, their guards)."""
    found = []
    for v in waiting:
        others = [g for g in guards if g.coefficient(v) and not g.variables() & set(waiting) - {v}]
        lows = [g for g in others if g.coefficient(v) == 1]
        highs = [g for g in others if g.coefficient(v) == -1]
        if lows and highs:
            low, high = prover.nearest(v, lows, highs)
            ends = (index.variable(v) - low, high + index.variable(v) + 1)
            place = ("repeat", "token", "feature").index(scope.role(*ends))
            found.append((place, -v, v, ends, (low, high)))
    return found


def _implied(waiting: Sequence[int], guards: Sequence[Index]) -> list[Index]:
    """0 ≤ i from 0 ≤ j and j ≤ i."""
    return [
        one + other
        for w in waiting
        for one in guards
        for other in guards
        if one.coefficient(w) == 1 and other.coefficient(w) == -1 and (one + other).terms
    ]


def _relations(guards: Sequence[Index], scope: Scope) -> list[Relation]:
    """Guards as equations and inequalities, a pair g ≥ 0, −g ≥ 0 as one equation."""
    result, done = [], set()
    for g in guards:
        if g in done:
            continue
        if prover.is_equation(g, guards):
            done |= {g, g * -1}
            result.append(_equation(g, scope))
        else:
            result.append(_inequality(g, scope))
    return result


def _equation(g: Index, scope: Scope) -> Relation:
    plain = [(prover.is_size(v), v < 0, v, c) for v, c in g.terms if abs(c) == 1]
    if not plain:
        return Relation(scope.linear(g), "=", Linear())
    _, _, v, c = min(plain)
    one = index.variable(v)
    return Relation(scope.linear(one), "=", scope.linear(one - g * c))


def _inequality(g: Index, scope: Scope) -> Relation:
    """below ≤ above; a constant stands where the size is."""
    above = Index(0, {v: c for v, c in g.terms if c > 0})
    below = Index(0, {v: -c for v, c in g.terms if c < 0})
    if g.const == -1 and below.terms and above.terms:
        return Relation(scope.linear(below), "<", scope.linear(above))
    sized = all(prover.is_size(v) for v in below.variables())
    if above.terms and (sized or not below.terms):
        return Relation(scope.linear(below - g.const), "≤", scope.linear(above))
    return Relation(scope.linear(below), "≤", scope.linear(above + g.const))
