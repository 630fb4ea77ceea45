"""All bounds of a claim: a problem, a certificate that is found for it, and the check of that certificate."""

from __future__ import annotations

from collections.abc import Sequence

from ...inequalities.certificate import Certificate
from ...inequalities.check import Shown, check
from ...inequalities.statements import Problem
from ...interpret.claims import Part, Reading
from ...language.statements import AtMost
from ..lemmas import show
from .finding import find
from .problems import goal_of, problem_of
from .told import Bound, told


def bounded(parts: Sequence[Part], reading: Reading) -> list[Bound]:
    """What is shown of all the bounds among the parts.

    Raises:
        NotProved: if there is one that is not seen to hold, or whose certificate does not show it.
        TooHard: if the kernel, or the search, gives up.
    """
    wanted = [part for part in parts if part.kind is AtMost]
    if not wanted:
        return []
    goals = [goal_of(part) for part in wanted]
    problem = problem_of(reading.conditions, goals)
    certificate = find(problem, goals, reading.conditions)
    return told(checked(wanted, problem, certificate, reading))


def checked(
    wanted: Sequence[Part], problem: Problem, certificate: Certificate, reading: Reading
) -> Shown:
    """What a certificate shows of the problem that the wanted bounds are: the only way to a bound.

    Raises:
        KernelError: if it does not show them.
    """
    shown = check(problem, certificate, show)
    for part, goal in zip(wanted, problem.goals, strict=True):
        reading.expect_turns(goal.left, goal.right, part.left.at)
    return shown
