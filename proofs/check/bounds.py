"""Bounds of a claim: what they say as it is interpreted, and certificates of them, which are checked against that.

A certificate holds its own problem, as a written proof of equations does. `inequalities` and the kernel check it by
itself; it counts for a claim only if interpreting the claim gives the very same problem.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ..inequalities.schemas import SQUARE, facts_of, ordered, schemas
from ..inequalities.written import check_written
from ..interpret.bounds import Request
from ..kernel.term import INVERSE
from .traces import OtherProblem, Places, conditional

Written = dict[str, Any]
"""A certificate of bounds, as JSON values."""


class Bounded(NamedTuple):
    """What a certificate shows of a claim's bounds."""

    steps: tuple[str, ...]
    """The schemas that were used, by name, and the hypotheses."""
    divided: bool
    """Whether something is divided by that is not the number of an index."""

    @property
    def squares(self) -> bool:
        """Whether a step completes a square."""
        return SQUARE in self.steps


def shown(request: Request, places: Places, written: Any) -> Bounded:
    """What a certificate shows of these bounds. The kernel forgets all else that is declared.

    Raises:
        Refused: if it is about another problem, or does not show it.
        NotProved: if something is divided by 0.
    """
    if _problem_in(written) != (request.data, request.declared):
        raise OtherProblem("it is of other bounds; the claim, or its definitions, have changed")
    found = check_written(written)
    functions = conditional(places, found.equations.theorems).values()
    divided = bool(found.equations.divisors) or INVERSE in functions
    problem = found.shown.problem
    steps = [step for fact in facts_of(found.shown) for step in schemas(fact, problem)]
    return Bounded(ordered(steps), divided)


def _problem_in(written: Any) -> Any:
    """What a certificate says that it shows."""
    proof = written.get("equations") if type(written) is dict else None
    problem = proof.get("problem") if type(proof) is dict else None
    if type(problem) is not dict:
        return None
    data = {name: written.get(name) for name in ("hypotheses", "goals")}
    return data, {**problem, "statements": []}
