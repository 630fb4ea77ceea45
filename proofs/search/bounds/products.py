"""Bounds of running products and powers: |Π g| ≤ Π |g|, |Π g| ≤ Rⁿ where |g| ≤ R, and Π (1 + g) ≥ 1 where g ≥ 0.

Which are worth a try is guessed here; each is proved by induction, as a bound on layers is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from ...inequalities.absolute import absolute
from ...inequalities.signs import ABS
from ...inequalities.statements import instance_beside, summed
from ...interpret.products import running_product
from ...interpret.session import Session
from ...kernel.errors import KernelError
from ...kernel.index import Index, declared, facts, position
from ...kernel.term import Factor, Monomial, Term, as_term, body, entry, function_of
from ..normal import simplified
from ..steps import matched, sum_of
from .facts import Known
from .layers import Timed
from .problems import Goal
from .signs import is_never_negative


def of_products(goals: Sequence[Goal], known: Known, session: Session) -> list[Timed]:
    """What may be shown of the products in goals; what is to be used rather comes later."""
    names = _products((goal.left for goal in goals), session)
    wanted = _products((goal.right for goal in goals), session)
    found = [one for n in wanted for one in [_Product(n, known, session).at_least_1()] if one]
    for name in names:
        of = _Product(name, known, session)
        tries = [one for one in (of.by_absolute_values(), of.by_a_power()) if one is not None]
        tries.sort(key=lambda one: any(n in wanted for n in _products([one.goal.right], session)))
        found += tries
    return found


def _products(terms: Iterable[Term], session: Session) -> list[str]:
    names: list[str] = []
    for f in (f for term in terms for m in term.parts for f in m.factors):
        inside = body(f, 0) if function_of(f) == ABS else ()
        names += [f.name, *(g.name for n, _ in inside for g in n.factors)]
    return [n for n in dict.fromkeys(names) if n in session.recursions and session.is_product(n)]


class _Product:
    """P[n; low, others] = Π_{low ≤ r < low + n} g(r; others), or g(others)ⁿ."""

    def __init__(self, name: str, known: Known, session: Session) -> None:
        recursion, k = session.recursions[name]
        self.name, self.known = name, known
        self.given = recursion.states[k].given
        self.ranged = name in session.ranged
        own = Factor(name, (recursion.time, *self.given))
        parts = simplified(recursion.step[k]).parts
        self.grows = parts.get(Monomial(0, frozenset(), (own,)), 0) >= 1
        self.g: Monomial | None = None
        for m, c in parts.items():
            if len(parts) == 1 and own in m.factors and not m.bound and not m.guards:
                self.g, self.factor = m.divided(own), abs(c)
        self.images: dict[int, Index] = {}
        if self.ranged:  # what g is at a position of its own
            self.r = position("r")
            self.images = {recursion.time.terms[0][0]: self.r - self.given[0]}

    def at_least_1(self) -> Timed | None:
        """1 ≤ P where g = 1 + ..., if what is added is ≥ 0."""
        if not self.grows:
            return None
        when, given = position("t", 0), [position("i") for _ in self.given]
        goal = Goal((), (), as_term(1), entry(self.name, when, *given))
        return Timed(goal, when, None, free=tuple(given))

    def by_absolute_values(self) -> Timed | None:
        """|P| ≤ Π |g|."""
        if self.g is None:
            return None
        others = {v.terms[0][0]: position("i") for v in self.given[self.ranged :]}
        g = self.g.substitute({**self.images, **others}, 0)
        scope = facts({v for v in g.variables() if v > 0})
        sizes = [f if is_never_negative(f, scope, self.known) else absolute(f) for f in g.factors]
        return self._timed(_term(sizes, self.factor), None, list(others.values()))

    def by_a_power(self) -> Timed | None:
        """|P| ≤ Rⁿ, in the range where each factor's bound holds."""
        if self.g is None or len(self.given) > self.ranged:
            return None
        g = self.g.substitute(self.images, 0)
        right, ends = as_term(self.factor), None
        for f in g.factors:
            bounds = [(b, matched(b.left, b.over, f)) for b in self.known.bounds if not b.axes]
            bound, images = next(((b, at) for b, at in bounds if at is not None), (None, {}))
            if bound is None or images is None:
                right = right * _term([absolute(f)], Fraction(1))
                continue
            parts = [
                (instance_beside(n, Monomial(0, frozenset(), ()), images), c)
                for n, c in bound.right.parts.items()
            ]
            right = right * Term(summed(parts), bound.right.scope - bound.over)
            for v in bound.over if self.ranged else ():
                low, high = (declared(v)[0].substitute(images), declared(v)[1].substitute(images))
                ends = self.r - low, self.r + high + 1
        spoken = {v for m in right.parts for v in m.variables()}
        if self.ranged and (ends is None or spoken & self.r.variables()):
            return None
        return self._timed(right, ends, [])

    def _timed(
        self, most: Term, ends: tuple[Index, Index] | None, others: list[Index]
    ) -> Timed | None:
        """|P[n; low, others]| ≤ Π most, for the products within these ends."""
        low = position("s", *((ends[0], ends[1] + 1) if ends else ())) if self.ranged else None
        length = None if ends is None or low is None else ends[1] - low
        when = position("t", 0, None if length is None else length + 1)
        begin = [] if low is None else [low]
        left = entry(self.name, when, *begin, *others)
        start = Index(0) if low is None else low
        try:
            right = running_product(most, self.r if self.ranged else None, start, start + when)
        except KernelError:
            return None
        goal = Goal((), (), left, right, "absolute")
        return Timed(goal, when, length, free=(*begin, *others))


def _term(factors: Iterable[Factor], c: Fraction) -> Term:
    return sum_of([(Monomial(0, frozenset(), tuple(sorted(factors))), c)])
