"""Which schemas a bound takes, by name, and which hypotheses: what evidence says of a certificate."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..kernel.index import variable
from ..kernel.term import Monomial, function_of
from .certificate import (
    Combined,
    Concluded,
    Given,
    Induction,
    Majorised,
    Plan,
    Rewritten,
    Squared,
)
from .check import Shown
from .numbers import used
from .signs import ABS
from .statements import Inequality, Problem, total

INDUCTION = "induction on layers"
SERIES = "induction on the number of terms"
CANCELLED = "leading parts cancel"
TRIANGLE = "triangle inequality"
CAUCHY_SCHWARZ = "Cauchy–Schwarz"
SUBMULTIPLICATIVITY = "submultiplicativity"
ENTRY = "entry ≤ norm"
TRACE = "trace ≤ dimension · norm"
DIAGONAL = "diagonal ≤ largest entry"
COUNT = "sum ≤ count · max"
BY_SQUARES = "‖v‖ ≤ C from v·v ≤ C² and C ≥ 0"
SQUARE = "squares are ≥ 0"
STATES = "what starts ≥ 0 stays so"
SCHEMAS = (
    *(INDUCTION, SERIES, CANCELLED, TRIANGLE, CAUCHY_SCHWARZ, SUBMULTIPLICATIVITY, ENTRY, TRACE),
    *(DIAGONAL, COUNT, BY_SQUARES, SQUARE, STATES),
)
"""The schemas by name, in the order in which they are said."""


def ordered(steps: Sequence[str]) -> tuple[str, ...]:
    """The schemas in their order, then the hypotheses."""
    named = [step for step in dict.fromkeys(steps) if step not in SCHEMAS]
    return (*(step for step in SCHEMAS if step in steps), *named)


@dataclass(eq=False)
class Fact:
    """What a step shows."""

    step: Any
    statement: Inequality
    known: Sequence[Fact] = field(repr=False, default=())
    """What the step's numbers mean."""
    rests: tuple[Fact, ...] = field(repr=False, default=())
    """In the order in which the step names them; of an induction's conclusion start and step."""


def facts_of(shown: Shown) -> list[Fact]:
    """What shows each of the goals."""
    known: list[Fact] = []
    _read(shown.certificate.steps, shown, known)
    return [known[number] for number in shown.certificate.goals]


def schemas(fact: Fact, problem: Problem) -> list[str]:
    """The schemas and hypotheses that a fact rests on, each as often as it is used."""
    every: dict[Fact, None] = {}
    _gather(fact, every)
    return [label for one in every for label in schemas_of(one, problem)]


def _read(steps: Sequence[Any], shown: Shown, known: list[Fact]) -> None:
    for step in steps:
        new = shown.made[id(step)]
        if not isinstance(step, Induction):
            numbers = used(step)
            if isinstance(step, Squared):  # the last is what is left in the end
                numbers = [n for n in numbers if n != step.square] + [step.square]
            known.append(Fact(step, new[0], known, tuple(known[n] for n in numbers)))
            continue
        inner = [*known, *(Fact(None, one) for one in shown.supposed[id(step)])]
        _read(step.steps, shown, inner)
        ends = zip(step.start, step.later, strict=True)
        pairs = [(known[first], inner[later]) for first, later in ends]
        known += [Fact(step, one, known, pair) for one, pair in zip(new, pairs, strict=True)]


def _gather(fact: Fact, every: dict[Fact, None]) -> None:
    if fact not in every:
        every[fact] = None
        for one in fact.rests:
            _gather(one, every)


def schemas_of(fact: Fact, problem: Problem) -> Iterator[str]:
    """The schemas and hypotheses of the last step alone that shows a fact."""
    step = fact.step
    if isinstance(step, Given):
        yield problem.names[step.hypothesis]
    if isinstance(step, Induction):
        yield from _of_induction(step)
    if isinstance(step, Majorised):
        yield from _of_norms(step, fact.known)
    if isinstance(step, Squared):
        yield BY_SQUARES
    if isinstance(step, Combined) and any(piece.squares for piece in step.pieces):
        yield SQUARE
    if isinstance(step, Rewritten) and step.left is not None and step.right is None:
        old = fact.rests[0].step
        if isinstance(old, Concluded | Squared) and not step.left.opened:
            yield CANCELLED


def _of_induction(step: Induction) -> Iterator[str]:
    said = [one.statement for one in step.claims]
    if all(not one.measure and not one.left.parts for one in said):
        single = all(len(m.factors) == 1 and not m.bound for one in said for m in one.right.parts)
        if single and all(len(one.right.parts) == 1 for one in said):
            yield STATES
            return
        yield SERIES
    yield INDUCTION


def _of_norms(step: Majorised, known: Sequence[Fact]) -> Iterator[str]:
    left = step.left
    for end in step.ends:
        left = total(left, end)
    if sum(plan is not None for plan in step.plans) > 1:
        yield TRIANGLE
    for m, plan in zip(left.parts, step.plans, strict=True):
        if plan is not None:
            yield from _of_plan(m, len(step.ends), plan, known)


def _of_plan(m: Monomial, count: int, plan: Plan, known: Sequence[Fact]) -> Iterator[str]:
    along = set(plan.coordinates)
    outer = set(range(-m.bound, 0)) - along
    if plan.diagonal:
        ends = range(-m.bound, -m.bound + count)
        m, outer = m.substitute({max(ends): variable(min(ends))}, m.bound), outer.difference(ends)
        yield DIAGONAL
    if outer:
        yield TRIANGLE
    chosen = list(zip(m.factors, plan.bounds, strict=True))
    stays = {v for f, use in chosen if use is None for v in f.variables()}
    if any(outer & f.variables() - stays for f in m.factors):
        yield COUNT
    if plan.dimensions:
        yield TRACE
    met: list[int] = []
    for f, use in chosen:
        if use is None:
            continue
        images, bound = dict(use.images), known[use.fact].statement
        places = [along & images[e].variables() for e in bound.ends]
        met += [v for place in places for v in place]
        if sum(map(bool, places)) == 2:
            yield SUBMULTIPLICATIVITY
        if function_of(f) != ABS and not all(places):
            yield ENTRY
    if any(met.count(v) == 2 for v in along):
        yield CAUCHY_SCHWARZ
