"""A claim's bounds as a problem: what its conditions give, and what is to be shown, in the terms that were read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ..inequalities.statements import ENDS, Inequality, Problem
from ..kernel import index as declarations
from ..kernel.errors import NotProved
from ..kernel.index import Index, position_number, reach
from ..kernel.rules import has_values
from ..language.statements import AtMost
from . import areas
from .claims import Interpretation, Part
from .writing import Declared, inequality_to, problem_to


@dataclass(frozen=True)
class Request:
    """The bounds that a claim says, as they were read: what a proof is asked for."""

    given: Sequence[Part]
    goals: Sequence[Part]
    problem: Problem
    data: dict[str, Any]
    """The problem as JSON values."""
    declared: dict[str, Any]
    """What it speaks of, likewise: the problem of a proof, without statements."""
    spoken: Declared
    """The same."""


def request_of(interpretation: Interpretation, names: Iterable[str]) -> Request | None:
    """The problem that the bounds of a claim are; None if it says none. `names` are of what is divided by.

    Raises:
        Unreadable, NotProved: if there is one that says nothing at some sizes, or whose shapes do not fit.
    """
    goals = wanted(interpretation)
    if not goals:
        return None
    given = assumed(interpretation.conditions)
    problem = problem_of(given, goals)
    every = (*problem.hypotheses, *problem.goals)
    declared, spoken = problem_to([], names, every)
    hypotheses = zip(problem.names, problem.hypotheses, strict=True)
    data = {
        "hypotheses": [[name, *inequality_to(one)] for name, one in hypotheses],
        "goals": [inequality_to(one) for one in problem.goals],
    }
    return Request(given, goals, problem, data, declared, spoken)


def wanted(interpretation: Interpretation) -> list[Part]:
    """The bounds among an interpretation's parts.

    Raises:
        Unreadable: for one that says nothing at some sizes.
    """
    found = [part for part in interpretation.parts if part.kind is AtMost]
    for part in found:
        said = statement_of(part)
        interpretation.expect_turns(said.left, said.right, part.left.at)
    return found


def assumed(conditions: Iterable[Part]) -> list[Part]:
    """The bounds among conditions that say something at all sizes."""
    return [part for part in conditions if part.kind is AtMost and _has_turns(part)]


def problem_of(given: Iterable[Part], goals: Iterable[Part]) -> Problem:
    """What is to be shown, if what is given holds.

    Raises:
        NotProved: if shapes do not fit.
    """
    given = tuple(given)
    names = tuple(part.condition or "a condition" for part in given)
    return Problem(tuple(map(statement_of, given)), names, tuple(map(statement_of, goals)))


def statement_of(part: Part) -> Inequality:
    """An at_most, entry by entry.

    Raises:
        NotProved: if the shapes do not fit.
    """
    outer, ends = axes_of(part)
    numbers = tuple(map(position_number, ends))
    return Inequality(part.measure, numbers, part.left.shared, part.right.entry(outer))


def axes_of(part: Part) -> tuple[tuple[Index, ...], tuple[Index, ...]]:
    """The positions of an at_most's left side that its right side has, too, and those along which it is measured.

    Raises:
        NotProved: if the shapes do not fit.
    """
    left, count = part.left, part.left.ndim - ENDS[part.measure]
    if part.right.dims != left.dims[:count]:
        raise NotProved(
            f"a bound between shapes {areas.shape(left.dims)} and {areas.shape(part.right.dims)}"
        )
    return left.at[:count], left.at[count:]


def _has_turns(part: Part) -> bool:
    """Whether loops whose variables it speaks of have a turn; a condition without one says nothing."""
    said = statement_of(part)
    own = {v for e in part.left.at for v in e.variables()}
    loops = reach(said.left.scope | said.right.scope) - own - declarations.current.sizes
    return all(map(has_values, loops))
