"""All bounds of a claim: steps that are found for its problem, checked, with the equations proved that they use."""

from __future__ import annotations

from collections.abc import Sequence

from ...inequalities.check import Shown, check
from ...inequalities.statements import Problem
from ...interpret.claims import Part
from ..lemmas import show
from .finding import find


def bounded(problem: Problem, given: Sequence[Part], wanted: Sequence[Part]) -> Shown:
    """What is found to show a problem, which says that the wanted parts hold if the given ones do.

    Raises:
        NotProved: if nothing is found.
        TooHard: if the kernel, or the search, gives up.
    """
    return check(problem, find(problem, given, wanted), show)
