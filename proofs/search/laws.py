"""Which law of the kernel's brings a value of a named function nearer to a normal form, and steps with what is 0 or 1.

Of f(T) and f(−T) that one stays whose T begins with a positive coefficient. Where cases are made, relu(T) is
T · step(T), and f(A + B p), p being 0 or 1, is (1 − p) f(A) + p f(A + B).
"""

from __future__ import annotations

from fractions import Fraction

from ..kernel.laws import EVEN, ODD, RELU, SOFTPLUS, law
from ..kernel.rules import Rewriting
from ..kernel.term import INVERSE, ONE, STEP, ZERO, Factor, Monomial, body, function_of
from ..kernel.theorem import Theorem
from .session import Proving

SELECTING = (STEP, ZERO)
SIGNED = (*ODD, *EVEN, RELU, SOFTPLUS, STEP)
SCALED = (RELU, STEP, ZERO)


def lawful(f: Factor, session: Proving) -> Theorem | None:
    """The law that applies to a value of a function, whose argument is in normal form; None if none does."""
    name = function_of(f)
    if name is None:
        return None
    of = body(f, 0)
    if session.by_cases and name != INVERSE:
        factors = sorted({g for m, _ in of for g in m.factors})
        for place, g in enumerate(factors):
            if function_of(g) in SELECTING and all(v > 0 for v in g.variables()):
                return law(f, "cases", place)
    if name not in (*SIGNED, *SCALED):
        return None
    if all(m == ONE for m, _ in of):
        if name in SCALED:
            return law(f, "value")
        return None
    place, c = _first(of, session)
    if name in SIGNED and c < 0:
        return law(f, "mirror")
    if name in SCALED and abs(c) != 1:
        return law(f, "scale", place)
    if name == RELU and session.by_cases:
        return law(f, "product")
    return None


def _first(of: list[tuple[Monomial, Fraction]], session: Proving) -> tuple[int, Fraction]:
    """The place and coefficient of the monomial that counts as the first: of many factors, the claim's own first."""

    def key(place: int) -> tuple:
        m, _ = of[place]
        names = sorted(f.name.partition("'")[0] for f in m.factors)
        states = sum(f.name in session.recursions for f in m.factors)
        return (m.bound > 0 or bool(m.guards), -len(m.factors), states, names, m.factors, place)

    first = min(range(len(of)), key=key)
    return first, of[first][1]


def once(work: Rewriting, k: int) -> bool:
    """p · p = p, and step(T) · zero(T) = 0."""
    factors = work.parts[k][0].factors
    places = [n for n, f in enumerate(factors) if function_of(f) in SELECTING]
    for n in places:
        for other in places:
            f, g = factors[n], factors[other]
            if n < other and (f == g or _alike(f, g, work.parts[k][0].bound)):
                work.once(k, n, other)
                return True
    return False


def _alike(f: Factor, g: Factor, bound: int) -> bool:
    """Whether one is step(T) and the other zero(T)."""
    return function_of(f) != function_of(g) and {*body(f, bound)} == {*body(g, bound)}


def vanish(work: Rewriting, k: int, session: Proving) -> bool:
    """zero(T) · T = 0: the first term of T goes where zero(T) is a factor."""
    m, _ = work.parts[k]
    for place, f in enumerate(m.factors):
        if function_of(f) == ZERO:
            of = body(f, m.bound)
            which, _ = _first(of, session)
            t, _ = of[which]
            plain = t.factors and not t.guards and t.bound == m.bound
            if plain and all(t.factors.count(g) <= m.factors.count(g) for g in t.factors):
                work.vanish(k, place, which)
                return True
    return False
