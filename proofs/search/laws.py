"""Which law of the kernel's brings a value of a named function nearer to a normal form, and steps with what is 0 or 1.

Of f(T) and f(−T) that one stays whose T begins with a positive coefficient. Where cases are made, relu(T) is
T · step(T), and f(A + B p), p being 0 or 1, is (1 − p) f(A) + p f(A + B); where guards are told apart, f([e ≥ 0] A) is
[e ≥ 0] f(A) + [e < 0] f(0). Sines and cosines are of one term each.
"""

from __future__ import annotations

import itertools
from contextlib import suppress
from fractions import Fraction

from ..kernel import index as declarations
from ..kernel.errors import KernelError
from ..kernel.index import Index, variable
from ..kernel.laws import EVEN, LOG, ODD, TANH, TURNING, guards_of, law
from ..kernel.rules import Rewriting
from ..kernel.signs import RELU, ROOT, SOFTPLUS
from ..kernel.term import (
    DEFINED,
    EXP,
    INVERSE,
    NUMBER,
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
    one_factor,
)
from ..kernel.theorem import Theorem
from .session import Proving
from .steps import at_formals, images

SELECTING = (STEP, ZERO)
SIGNED = (*ODD, *EVEN, RELU, SOFTPLUS, STEP)
SCALED = (RELU, STEP, ZERO, ROOT)
UNGUARDED = (DEFINED, INVERSE, LOG)
"""What has a value under a condition, or is a name alone: guards in it are not told apart."""
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
    if session.by_guards and name not in UNGUARDED and guards_of(of):
        return law(f, "guards")
    if session.by_cases and name != INVERSE:
        seen: dict[str, int] = {}
        selecting = [(_depth(g, seen), n) for n, g in free if function_of(g) in SELECTING]
        if selecting:
            return law(f, "cases", min(selecting)[1])
    for place, g in enumerate(factors):
        looked_up = function_of(g) == ZERO and sum(v < 0 for v in g.variables()) == 1
        if (looked_up and session.lookups) or (name == ZERO and _is_compared(g, of, session)):
            found = _tried(f, "places", place)
            if found is not None:
                return found
    if name in (*SCALED, LOG) or not of or (name in TURNING and len(of) == 1):
        found = _tried(f, "value")
        if found is not None and (name != STEP or _is_told(found.right, of)):
            return found
    if name in (*SCALED, LOG, INVERSE):
        for place, g in free:
            alone = [*of] == [(one_factor(g.name, *g.at), 1)]  # log(n) is log(n) + log(1)
            parted = (EXP,) if name == LOG else (EXP, INVERSE)
            if function_of(g) not in parted and (name == INVERSE or alone):
                continue
            if all(g in m.factors for m, _ in of):
                found = _tried(f, "common", place)
                if found is not None:
                    return found
    if name in SELECTING and session.by_cases and max(len(m.factors) for m, _ in of) > 1:
        for place, g in free:
            if all(g in m.factors for m, _ in of):
                return law(f, "product", place)
    if name == LOG or (name == TANH and session.by_cases):
        return _tried(f, "meaning")
    if name == INVERSE and len(of) == 1 and (of[0][1] != 1 or any(map(_is_inverted, factors))):
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
    if session.doubled and name in TURNING and is_double(f.name):
        return law(f, "double")
    if name in SIGNED and (_sign_in_any_order(of, session) or c) < 0:
        return law(f, "mirror")
    if name in SCALED and abs(c) != 1:
        return law(f, "scale", place)
    if name == RELU and session.by_cases:
        return law(f, "meaning")
    return None


def _is_inverted(f: Factor) -> bool:
    """Whether the inverse of a factor is another one: of an inverse, a number of an index, or the root of a number."""
    name = function_of(f)
    return (
        f.name == NUMBER
        or name == INVERSE
        or (name == ROOT and [m for m, _ in body(f, 0)] == [ONE])
    )


def _depth(f: Factor, seen: dict[str, int]) -> int:
    """How deep functions are in one another: what is compared inside is told apart before what it is in."""
    if f.name not in seen:
        known = declarations.current.bodies.get(f.name)
        inside = (g for m, _ in known.body for g in m.factors) if known is not None else ()
        seen[f.name] = 1 + max((_depth(g, seen) for g in inside), default=0)
    return seen[f.name]


def _is_compared(state: Factor, of: list[tuple[Monomial, Fraction]], session: Proving) -> bool:
    """Whether a sum is a state and one other factor, with coefficients."""
    two = [(m.bound, len(m.factors)) for m, _ in of] == [(0, 1)] * 2
    return two and state.name in session.recursions


def is_double(function: str) -> bool:
    """Whether a sine or cosine of half the angle is spoken of."""
    known = declarations.current
    own = known.bodies[function]
    half = frozenset((m, c / 2) for m, c in own.body)
    return any(own._replace(name=name, body=half) in known.functions for name in TURNING)


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
            session.powers[f.name] = _tried(at_formals(f.name, len(f.at)), "meaning")
        rule = session.powers[f.name]
        if rule is not None:
            work.rewrite(k, place, rule, images(rule, f))
            return True
    return False


def _tried(f: Factor, which: str, place: int = 0) -> Theorem | None:
    try:
        return law(f, which, place)
    except KernelError:
        return None


def first_of(
    of: list[tuple[Monomial, Fraction]], session: Proving, bound: int = 0
) -> tuple[int, Fraction]:
    """The place and coefficient of the monomial that counts first: of many factors, the claim's own first, 1 last."""

    def key(place: int) -> tuple:
        m, _ = of[place]
        return (*_rank(m, session, bound), m.factors, place)

    first = min(range(len(of)), key=key)
    return first, of[first][1]


def _rank(m: Monomial, session: Proving, bound: int = 0) -> tuple:
    """By which a monomial counts, whatever its positions are."""
    names = tuple(sorted(f.name.partition("'")[0] for f in m.factors))
    states = sum(f.name in session.recursions for f in m.factors)
    summed = m.bound > bound or bool(m.guards)
    return (m == ONE, summed, -len(m.factors), states, names)


def _sign_in_any_order(of: list[tuple[Monomial, Fraction]], session: Proving) -> Fraction:
    """The sum of coefficients that counts first, in whatever order positions come: of a[i] − a[j] − 1 that of 1."""
    sums: dict[tuple, Fraction] = {}
    for m, c in of:
        rank = _rank(m, session)
        sums[rank] = sums.get(rank, Fraction(0)) + c
    return next((sums[rank] for rank in sorted(sums) if sums[rank]), Fraction(0))


def compared(work: Rewriting, k: int, session: Proving) -> bool:
    """What is 1 or 0 by other factors that are: p · p = p, step(T) · zero(T) = 0, step(T) · step(T + 1) = step(T).

    Where cases are made step(T) · step(1 − T) is step(T) + step(1 − T) − 1.
    """
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
    steps = [n for n in places if function_of(m.factors[n]) == STEP]
    for one, other in itertools.combinations(steps if session.by_cases else (), 2):
        with suppress(KernelError):
            work.cover(k, one, other)
            return True
    return False


def circle(work: Rewriting, k: int, session: Proving) -> bool:
    """cos(T)² = 1 − sin(T)²."""
    m, _ = work.parts[k]
    for place, (f, g) in enumerate(itertools.pairwise(m.factors)):
        if f == g and function_of(f) == "cos":
            left = at_formals(f.name, len(f.at))
            pairs = body(left, 0)
            argument = made(pairs, frozenset(v for m, _ in pairs for v in m.variables() if v > 0))
            (sine,) = apply("sin", argument, left.at).parts
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
            which, _ = first_of(of, session, m.bound)
            t, _ = of[which]
            plain = t.factors and not t.guards and t.bound == m.bound
            if plain and all(t.factors.count(g) <= m.factors.count(g) for g in t.factors):
                work.vanish(k, place, which)
                return True
    return False
