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
) -> list[Theorem]:
    """factor = term for every value of `when`, all claims together: at 0, and from each time to the next.

    Args:
        when: an index from 0 to a length: `position("t", 0, length + 1)`.
        claims: the equations, for all values of their positions.
        tactic: shows the goals; it is given the induction's hypothesis among the theorems.
        theorems: what is known besides.

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
    time = position("t", 0, length)  # declared now, so that no claim speaks of it
    hypotheses = []
    for (factor, right), over in zip(claims, every, strict=True):
        now = factor.put({t: time}), right.put({t: time})
        hypotheses.append(
            Theorem(HYPOTHESIS, *now, frozenset(over - fixed), frozenset(), BY_THE_KERNEL)
        )
    used: set[Any] = set()
    for gap in gaps:
        used |= shown(gap.put({t: Index(0)}), tactic, theorems)
        used |= shown(gap.put({t: time + 1}), tactic, theorems, hypotheses)
    rests = frozenset(used.difference(hypotheses))
    return [
        Theorem("lemma", factor, right, frozenset({*over, t}), rests, BY_THE_KERNEL)
        for (factor, right), over in zip(claims, every, strict=True)
    ]
