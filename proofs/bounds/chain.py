"""All bounds of a claim: first those of products, then those of layers by induction, then the others.

What is found is a certificate; that it shows what the claim says is for `inequalities.check`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from ..inequalities.certificate import Certificate, Placed
from ..inequalities.check import check
from ..inequalities.statements import Problem
from ..language.statements import AtMost
from ..reading.claims import Part, Reading
from ..search.lemmas import show
from ..search.session import current
from .context import begun
from .goals import shown
from .hypotheses import Goal, goal_of, problem_of
from .layers import by_induction, timed
from .products import of_products
from .recorded import found_or_read
from .told import Bound, told


def bounded(parts: Sequence[Part], reading: Reading) -> list[Bound]:
    """Proofs of all the bounds among the parts.

    Raises:
        NotProved: if there is one that is not seen to hold, or whose certificate does not show it.
        TooHard: if the kernel, or the search, gives up.
    """
    wanted = [part for part in parts if part.kind is AtMost]
    if not wanted:
        return []
    goals = [goal_of(part) for part in wanted]
    problem = problem_of(reading.conditions, goals)
    certificate = found_or_read(lambda: find(problem, goals, reading.conditions))
    proved = check(problem, certificate, show)
    for part, goal in zip(wanted, problem.goals, strict=True):
        reading.expect_turns(cast(Any, goal), part.left.at)
    return told(proved)


def find(problem: Problem, goals: Sequence[Goal], conditions: Sequence[Part]) -> Certificate:
    """A certificate for the problem.

    Raises:
        NotProved: if none is found.
        TooHard: if the search gives up.
    """
    context = begun(problem, conditions)
    book = context.known.book
    for one in of_products(goals, context.known, current()):
        *_, context = by_induction([one], context, shown)
    layered = {k: timed(goal, current()) for k, goal in enumerate(goals)}
    every = {k: one for k, one in layered.items() if one is not None}
    found: dict[int, int] = {}
    for length in dict.fromkeys(one.length for one in every.values()):
        own = [k for k, one in every.items() if one.length == length]
        kept, numbers, context = by_induction([every[k] for k in own], context, shown)
        for one, number in zip(kept, numbers, strict=True):
            k = next(k for k in own if every[k] is one)
            found[k] = book.add(Placed(number, one.back))
    for k, goal in enumerate(goals):
        if k not in found:
            found[k] = shown(goal, context)
    return book.certificate([found[k] for k in range(len(goals))])
