"""Inequalities as they are looked for: their sides in normal form."""

from __future__ import annotations

from typing import NamedTuple

from ...inequalities.statements import Inequality
from ...interpret.bounds import axes_of
from ...interpret.claims import Part
from ...kernel.index import Index, position_number
from ...kernel.term import Term
from ..closed_forms import normal_form


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
        """The goal as an inequality of the certificate."""
        return Inequality(
            self.measure, tuple(map(position_number, self.ends)), self.left, self.right
        )


def goal_of(part: Part) -> Goal:
    """An at_most, entry by entry.

    Raises:
        NotProved: if the shapes do not fit.
    """
    at, ends = axes_of(part)
    left, right = normal_form(part.left.shared), normal_form(part.right.entry(at))
    return Goal(at, ends, left, right, part.measure)
