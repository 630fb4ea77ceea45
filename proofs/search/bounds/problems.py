"""A claim's bounds as a problem: what its conditions give, and what is to be shown."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ...inequalities.statements import Inequality, Problem
from ...interpret.claims import Part
from ...kernel import index as declarations
from ...kernel.errors import NotProved
from ...kernel.index import Index, position_number, reach
from ...kernel.term import Term
from ...language.statements import AtMost
from ..normal import simplified
from .facts import has_values

AXES = {"": 0, "absolute": 0, "norm": 1, "operator": 2}
"""How many last axes each measure takes away."""


class Goal(NamedTuple):
    """An inequality between scalars, for all values of the positions `at` in their ranges."""

    at: tuple[Index, ...]
    ends: tuple[Index, ...]
    """The positions along which the norm of `left` is taken."""
    left: Term
    right: Term
    measure: str = ""
    """What is taken of `left`, as in `Part`."""

    @property
    def statement(self) -> Inequality:
        return Inequality(
            self.measure, tuple(map(position_number, self.ends)), self.left, self.right
        )


def goal_of(part: Part) -> Goal:
    """An at_most, entry by entry.

    Raises:
        NotProved: if the shapes do not fit.
    """
    left, count = part.left, AXES[part.measure]
    outer = left.at[: left.ndim - count]
    ends = left.at[left.ndim - count :]
    if part.right.dims != left.dims[: left.ndim - count]:
        raise NotProved(f"a bound between shapes {left.dims} and {part.right.dims}")
    return Goal(outer, ends, left.term, simplified(part.right.entry(outer)), part.measure)


def problem_of(conditions: Iterable[Part], goals: Iterable[Goal]) -> Problem:
    """What is to be shown, of those conditions that say something."""
    given = [part for part in conditions if part.kind is AtMost and has_turns(goal_of(part))]
    names = tuple(part.condition or "a condition" for part in given)
    hypotheses = tuple(goal_of(part).statement for part in given)
    return Problem(hypotheses, names, tuple(goal.statement for goal in goals))


def has_turns(one: Goal) -> bool:
    """Whether loops whose variables it speaks of have a turn; a condition without one says nothing."""
    own = {v for e in (*one.at, *one.ends) for v in e.variables()}
    loops = reach(one.left.scope | one.right.scope) - own - declarations.current.sizes
    return all(map(has_values, loops))
