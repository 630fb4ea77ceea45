"""Programs in step: what has to hold of several states at once, so that one induction shows it.

Where the step of an induction is stuck on other states, what they would have to be joins the claim, also where they
stand inside functions. A guess is tried on numbers before the kernel is asked.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from fractions import Fraction
from itertools import islice
from typing import Any

from ..interpret.evaluate import Evaluator, positions
from ..kernel import index as declarations
from ..kernel.errors import KernelError, TooHard
from ..kernel.index import Index, declared, position, reach
from ..kernel.rules import Goal
from ..kernel.term import Factor, Monomial, Term, body, function_of, made
from .guards import within
from .normal import tidy
from .session import Proving, spend, spoken_of
from .unfolding import by_induction
from .zero import Stuck

Claim = tuple[Index, Factor, Term]
"""when, S[when, …] and what it is."""
Guesses = Callable[[Goal, Proving], Iterator[Claim]]
MOST = 12
"""How often the claims of an induction may grow."""
NESTED = 4
"""How many functions inside one another are looked into."""
SIZES = (3, 2, 4)
"""What sizes are where a guess is tried on numbers."""
NEAR = 1e-7
PRICE, PLACES = 20, 200
"""What a guess costs, and at how many places it is tried."""


def together(claim: Claim, guesses: Guesses, session: Proving) -> bool:
    """Whether the claim is proved together with others that its step needs: lemmas from now on."""
    when, factor, right = claim
    claims = [(factor, right)]
    for _ in range(MOST):
        try:
            by_induction(when, claims, session.lemmas)
        except Stuck as error:
            goals = [g for g in (error.before, error.goal) if g is not None]
            every = (list(_more(goal, when, claims, guesses, session)) for goal in goals)
            more = next(filter(None, every), [])
            if not more:
                return False
            claims += more
            continue
        except KernelError:
            return False
        return True
    return False


def _more(
    goal: Goal,
    when: Index,
    claims: Sequence[tuple[Factor, Term]],
    guesses: Guesses,
    session: Proving,
) -> Iterator[tuple[Factor, Term]]:
    """What states must be, besides, for the goal to hold: of each at most one thing."""
    seen = {f.name for f, _ in claims}
    said = set().union(*[spoken(right, session) for _, right in claims])
    for one in inner(goal, session):
        for other, factor, right in guesses(one, session):
            names = spoken(right, session)
            if factor.name in seen | names | said or names & seen:
                continue  # what is rewritten must not come back
            if _span(other) != _span(when):
                continue
            images = {other.terms[0][0]: when}
            moved = factor.substitute(images), _moved(right, images, when)
            if at_random(*moved, session):
                seen.add(factor.name)
                said |= names
                yield moved


def spoken(term: Term, session: Proving) -> set[str]:
    """The states that a term speaks of, also inside functions."""
    names = {f.name for m in term.parts for f in m.factors}
    within = (spoken_of(name, session) for name in names & declarations.current.bodies.keys())
    return (names & session.recursions.keys()).union(*within)


def _span(when: Index) -> tuple[Index, Index]:
    below, above = declared(when.terms[0][0])
    return when - below, above + when


def _moved(term: Term, images: dict[int, Index], when: Index) -> Term:
    parts = [(m.substitute(images, m.bound), c) for m, c in term.parts.items()]
    return made(parts, (term.scope - images.keys()) | when.variables())


def inner(goal: Goal, session: Proving, depth: int = NESTED) -> Iterator[Goal]:
    """The goal, and what functions in it that would cancel are taken of: goals for their difference."""
    yield goal
    if not depth:
        return
    seen: set[tuple[Factor, Factor]] = set()
    parts = list(goal.parts.values())
    for place, (m, c) in enumerate(parts):
        for n, d in parts[place + 1 :]:
            if c != -d or m.bound != n.bound:
                continue
            for f, g in _facing(m, n, session):
                if (f, g) in seen:
                    continue
                seen.add((f, g))
                difference = _difference(f, g)
                if difference is not None:
                    yield from inner(difference, session, depth - 1)


def _facing(m: Monomial, n: Monomial, session: Proving) -> Iterator[tuple[Factor, Factor]]:
    """Values of one function of states in either monomial, under positions in place of bound indices."""
    images: dict[int, Index] = {}
    for v in range(-1, -m.bound - 1, -1):
        ends = within(v, m)
        if ends is None:
            return
        images[v] = position("p", *ends)

    def own(one: Monomial, other: Monomial) -> list[Factor]:
        known, names = declarations.current.bodies, {f.name for f in other.factors}
        found = [f for f in one.factors if f.name in known and f.name not in names]
        return [f.substitute(images) for f in found if spoken_of(f.name, session)]

    for f in own(m, n):
        for g in own(n, m):
            if function_of(f) == function_of(g):
                yield f, g


def _difference(f: Factor, g: Factor) -> Goal | None:
    pairs = [*body(f, 0), *((m, -c) for m, c in body(g, 0))]
    scope = f.variables() | g.variables() | {v for m, _ in pairs for v in m.variables() if v > 0}
    with suppress(KernelError):
        goal = Goal(made(pairs, frozenset(scope)))
        tidy(goal)
        return goal if goal.parts else None
    return None


def at_random(factor: Factor, right: Term, session: Proving) -> bool | None:
    """Whether an equation holds at drawn numbers, wherever its positions may be; None where these do not tell.

    A function that `math` has not gets other numbers, of which no laws hold: what fails with these may be true.
    """
    known = declarations.current
    sizes = dict(zip(sorted(known.sizes), SIZES * len(known.sizes), strict=False))
    free = [v for v in reach(factor.variables() | right.scope) if v not in sizes]
    left = Term({Monomial(0, frozenset(), (factor,)): Fraction(1)}, factor.variables())
    if session.numbers is None:
        session.numbers = Evaluator(_drawn, session, _function)
    try:
        spend(PRICE)
        places = islice(positions(sorted(free), sizes), PLACES)
        found = all(_near(session.numbers, left, right, place) for place in places)
        return found or (False if all(map(_is_known, session.functions)) else None)
    except (ValueError, ArithmeticError, IndexError, RecursionError, TooHard):
        return None


def _near(evaluator: Evaluator, left: Term, right: Term, place: dict[int, int]) -> bool:
    one, other = (float(evaluator.value(side, place)) for side in (left, right))
    return abs(one - other) <= NEAR * (1 + abs(one) + abs(other))


def _drawn(name: str, spots: tuple[int, ...]) -> float:
    return random.Random(f"{name} {spots}").uniform(0.5, 1.5)


def _is_known(function: str) -> bool:
    return function == "abs" or hasattr(math, function)


def _function(name: str, value: Any) -> float:
    if not _is_known(name):
        return abs(math.sin(value)) + value / 3
    return abs(value) if name == "abs" else getattr(math, name)(value)
