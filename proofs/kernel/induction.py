"""Induction over a time: what holds at 0, and from each time to the next, holds at every time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from . import index
from .errors import IllTyped
from .index import Index, declared, position, position_number, reach
from .rules import Tactic, shown
from .term import Factor, Term, entry
from .theorem import BY_THE_KERNEL, HYPOTHESIS, Theorem


def induction(
    when: Index,
    claims: Sequence[tuple[Factor, Term]],
    tactic: Tactic,
    theorems: Sequence[Theorem] = (),
    time: Index | None = None,
) -> list[Theorem]:
    """factor = term for every value of `when`, all claims together: at 0, and from each time to the next.

    Args:
        when: an index from 0 to a length: `position("t", 0, length + 1)`.
        claims: the equations, for all values of their positions.
        tactic: shows the goals; it is given the induction's hypothesis among the theorems.
        theorems: what is known besides.
        time: the time of the hypotheses, declared from 0 to the length; a new one if it is not given.

    Raises:
        NotProved, TooHard: if the start or the step is not shown.
    """
    t = position_number(when)
    claims = [(Factor(f.name, tuple(f.at)), right) for f, right in claims]
    length = declared(t)[-1] + when
    if declared(t) != (when, length - when):
        raise IllTyped("induction runs over an index from 0 to a length")
    fixed = reach([t]) - {t}
    gaps = [entry(factor.name, *factor.at) - right for factor, right in claims]
    every = [reach(gap.scope | fixed) - {t} - index.current.sizes for gap in gaps]
    if time is None:
        time = position("t", 0, length)
    spoken = fixed.union(*[reach(gap.scope) for gap in gaps])
    if (
        declared(position_number(time)) != (time, length - 1 - time)
        or position_number(time) in spoken
    ):
        raise IllTyped(
            "the time of a hypothesis runs from 0 to the length, and no claim speaks of it"
        )
    hypotheses = []
    for k, ((factor, right), over) in enumerate(zip(claims, every, strict=True)):
        now, proof = (factor.substitute({t: time}), right.substitute({t: time})), ("hypothesis", k)
        hypotheses.append(
            Theorem(HYPOTHESIS, *now, frozenset(over - fixed), frozenset(), BY_THE_KERNEL, proof)
        )
    used: set[Any] = set()
    ways = []
    for gap in gaps:
        start, begun = shown(gap.substitute({t: Index(0)}), tactic, theorems)
        step, gone = shown(gap.substitute({t: time + 1}), tactic, theorems, hypotheses)
        used |= start | step
        ways.append((begun, gone))
    rests = frozenset(used.difference(hypotheses))
    proof = when, time, tuple(claims), ways
    return [
        Theorem(
            *("lemma", factor, right, frozenset({*over, t}), rests, BY_THE_KERNEL),
            ("induction", proof, k),
        )
        for k, ((factor, right), over) in enumerate(zip(claims, every, strict=True))
    ]
