"""Which law of the kernel's brings a value of a named function nearer to a normal form, and steps with what is 0 or 1.

Of f(T) and f(−T) that one stays whose T begins with a positive coefficient. Where cases are made, relu(T) is
T · step(T), and f(A + B p), p being 0 or 1, is (1 − p) f(A) + p f(A + B). Sines and cosines are of one term each.
"""

from __future__ import annotations

import itertools
from contextlib import suppress
from fractions import Fraction

from ..kernel.errors import KernelError
from ..kernel.index import Index, formal, variable
from ..kernel.laws import EVEN, LOG, ODD, TANH, TURNING, law
from ..kernel.rules import Rewriting
from ..kernel.signs import RELU, ROOT, SOFTPLUS
from ..kernel.term import (
    EXP,
    INVERSE,
    ONE,
    STEP,
    ZERO,
    Factor,
    Monomial,
    Term,
    apply,
    body,
    function_of,
    made,
)
from ..kernel.theorem import Theorem
from .session import Proving

SELECTING = (STEP, ZERO)
SIGNED = (*ODD, *EVEN, RELU, SOFTPLUS, STEP)
SCALED = (RELU, STEP, ZERO)
SUMMED = 3
"""An angle of more terms stays one: its sine and cosine would be products of as many."""
TOGETHER = 2
"""So many comparisons may be needed to see the outcome of another."""


def lawful(f: Factor, session: Proving) -> Theorem | None:
    """The law that applies to a value of a function, whose argument is in normal form; None if none does."""
    name = function_of(f)
    if name is None:
        return None
    of = body(f, 0)
    factors = sorted({g for m, _ in of for g in m.factors})
    free = [(place, g) for place, g in enumerate(factors) if min(g.variables(), default=1) > 0]
    if session.by_cases and name != INVERSE:
        for place, g in free:
            if function_of(g) in SELECTING:
                return law(f, "cases", place)
    if name in (*SCALED, LOG) or (name == ROOT and {m for m, _ in of} <= {ONE}):
        found = _tried(f, "value")
        if found is not None and (name != STEP or _is_told(found.right, of)):
            return found
    if name in (*SCALED, LOG, INVERSE):
        for place, g in free:
            if function_of(g) == EXP and all(g in m.factors for m, _ in of):
                return law(f, "common", place)
    if name == LOG or (name == TANH and session.by_cases):
        return _tried(f, "meaning")
    if (name == INVERSE and session.in_exponents) or (name == EXP and _is_log(of, session)):
        return _tried(f, "meaning")
    if name == SOFTPLUS:
        for place, g in free:
            found = _tried(f, "meaning", place) if function_of(g) == RELU else None
            if found is not None:
                return found
    if name not in (*SIGNED, *SCALED) or all(m == ONE for m, _ in of):
        return None
    place, c = first_of(of, session)
    if name in TURNING and 1 < len(of) <= SUMMED:
        return law(f, "sum", place)
    if name in SIGNED and c < 0:
        return law(f, "mirror")
    if name in SCALED and abs(c) != 1:
        return law(f, "scale", place)
    if name == RELU and session.by_cases:
        return law(f, "meaning")
    return None


def _is_log(of: list[tuple[Monomial, Fraction]], session: Proving, late: bool = False) -> bool:
    factors = of[0][0].factors if len(of) == 1 else ()
    name = function_of(factors[0]) if len(factors) == 1 else None
    if session.in_exponents and name == SOFTPLUS:
        return late and of[0][1] > 0
    return name in (LOG, SOFTPLUS)


def power(work: Rewriting, k: int, session: Proving, late: bool = False) -> bool:
    """exp(log(A)) = A, exp(−softplus(A)) = 1/(1 + exp(A)); late: exp(softplus(A)) where sigmoids are in exponents."""
    m, _ = work.parts[k]
    for place, f in enumerate(m.factors):
        if function_of(f) != EXP or not _is_log(body(f, m.bound), session, late):
            continue
        if f.name not in session.powers:
            left = Factor(f.name, tuple(formal(n) for n in range(len(f.at))))
            session.powers[f.name] = _tried(left, "meaning")
        rule = session.powers[f.name]
        if rule is not None:
            order = (formal(n).terms[0][0] for n in range(len(f.at)))
            work.rewrite(k, place, rule, dict(zip(order, f.at, strict=True)))
            return True
    return False


def _tried(f: Factor, which: str, place: int = 0) -> Theorem | None:
    try:
        return law(f, which, place)
    except KernelError:
        return None


def first_of(of: list[tuple[Monomial, Fraction]], session: Proving) -> tuple[int, Fraction]:
    """The place and coefficient of the monomial that counts as the first: of many factors, the claim's own first."""

    def key(place: int) -> tuple:
        m, _ = of[place]
        names = sorted(f.name.partition("'")[0] for f in m.factors)
        states = sum(f.name in session.recursions for f in m.factors)
        return (m.bound > 0 or bool(m.guards), -len(m.factors), states, names, m.factors, place)

    first = min(range(len(of)), key=key)
    return first, of[first][1]


def compared(work: Rewriting, k: int, session: Proving) -> bool:
    """What is 1 or 0 by other factors that are: p · p = p, step(T) · zero(T) = 0, step(T) · step(T + 1) = step(T)."""
    m, _ = work.parts[k]
    places = [n for n, f in enumerate(m.factors) if function_of(f) in SELECTING]
    if len(places) < 2:
        return False
    for count in range(1, TOGETHER + 1):
        for place in places:
            for others in itertools.combinations([n for n in places if n != place], count):
                for signs in itertools.product((1, -1), repeat=count):
                    try:
                        work.compare(k, place, list(zip(others, signs, strict=True)))
                    except KernelError:
                        continue
                    return True
    return False


def circle(work: Rewriting, k: int, session: Proving) -> bool:
    """cos(T)² = 1 − sin(T)²."""
    m, _ = work.parts[k]
    for place, (f, g) in enumerate(itertools.pairwise(m.factors)):
        if f == g and function_of(f) == "cos":
            order = tuple(formal(n) for n in range(len(f.at)))
            pairs = body(Factor(f.name, order), 0)
            argument = made(pairs, frozenset(v for m, _ in pairs for v in m.variables() if v > 0))
            (sine,) = apply("sin", argument, order).parts
            work.circle(k, place, place + 1, sine.factors[0]._replace(at=f.at))
            return True
    return False


def squared(work: Rewriting, k: int, session: Proving) -> bool:
    """√A √A = A."""
    m, _ = work.parts[k]
    for place, (f, g) in enumerate(itertools.pairwise(m.factors)):
        if f == g and function_of(f) == ROOT:
            with suppress(KernelError):
                work.root(k, place)
                return True
    return False


def placed(work: Rewriting, k: int, session: Proving) -> bool:
    """Σ_v zero(v − S[n]) = 1, S[n] being the place of a greatest entry, or a label."""
    m, _ = work.parts[k]
    for place, f in enumerate(m.factors if m.bound else ()):
        if function_of(f) == ZERO:
            others = [g for n, g in enumerate(m.factors) if n != place]
            spoken = {v for g in others for v in g.variables()}
            for v in sorted(v for v in f.variables() if v < 0 and v not in spoken):
                with suppress(KernelError):
                    work.one_place(k, place, v)
                    return True
    return False


def _is_told(right: Term, of: list[tuple[Monomial, Fraction]]) -> bool:
    """Whether a step is known, or is better said by where a sum of squares is 0; else it is by what is in the sum."""
    factors = [g for m, _ in of for g in m.factors]
    return {*right.parts} <= {ONE} or any(function_of(g) in (None, ROOT) for g in factors)


def annulled(work: Rewriting, k: int, session: Proving) -> bool:
    """zero(h² + …) · h = 0."""
    m, _ = work.parts[k]
    for place, f in enumerate(m.factors):
        if function_of(f) != ZERO:
            continue
        for which, (squares, _) in enumerate(body(f, m.bound)):
            for other, g in enumerate(m.factors):
                images = _images(squares, g, m.bound)
                if images is None:
                    continue
                try:
                    work.annul(k, place, other, which, images)
                except KernelError:
                    continue
                return True
    return False


def _images(squares: Monomial, g: Factor, bound: int) -> dict[int, Index] | None:
    """The indices at which a square that is summed is that of a factor; None if it is at none."""
    if len(squares.factors) != 2 or squares.factors[0] != squares.factors[1]:
        return None
    h, images = squares.factors[0], {}
    if (h.name, len(h.at)) != (g.name, len(g.at)):
        return None
    for one, other in zip(h.at, g.at, strict=True):
        for v in one.variables():
            if v < -bound and one == variable(v):
                images[v] = other
    return images if len(images) == squares.bound - bound else None


def vanish(work: Rewriting, k: int, session: Proving) -> bool:
    """zero(T) · T = 0: the first term of T goes where zero(T) is a factor."""
    m, _ = work.parts[k]
    for place, f in enumerate(m.factors):
        if function_of(f) == ZERO:
            of = body(f, m.bound)
            if not of:  # zero(0), which is 1
                continue
            which, _ = first_of(of, session)
            t, _ = of[which]
            plain = t.factors and not t.guards and t.bound == m.bound
            if plain and all(t.factors.count(g) <= m.factors.count(g) for g in t.factors):
                work.vanish(k, place, which)
                return True
    return False
