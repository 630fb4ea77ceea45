"""Where a search stands: what is known there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...inequalities.absolute import opened
from ...inequalities.certificate import Side
from ...inequalities.statements import Problem
from ...interpret.claims import Part
from ...kernel.index import Index
from ...kernel.term import Term
from ..normal import simplified
from ..session import current
from .facts import Known
from .hypotheses import Difference, assumed, learned
from .problems import Goal
from .signs import Looking, signs_of_states


@dataclass(frozen=True)
class Context:
    """What is known, and names for differences."""

    known: Known
    differences: tuple[Difference, ...] = ()
    inside: bool = False
    """Whether this is within an induction on a size."""

    def knowing(self, goal: Goal, number: int, time: Index | None = None) -> Context:
        """With a bound, the one of this number; `time`, if given, is not any in its range."""
        known, more = learned(self.known, goal, number, time)
        return replace(self, known=in_one_form(known), differences=(*self.differences, *more))


def begun(problem: Problem, given: Sequence[Part]) -> Context:
    """What is known from the problem's hypotheses, which are these parts, with absolute values in one form."""
    known, differences = assumed(problem, given)
    session = current()  # of a state with a closed form no normal form speaks
    found = [r for name, (r, _) in session.recursions.items() if name not in session.closed]
    recursions = list(dict.fromkeys(found))
    known = signs_of_states(recursions, known)
    return Context(in_one_form(known), tuple(differences))


def in_one_form(known: Known) -> Known:
    """What is known, each term in the one form in which terms are compared."""
    bounds = [b._replace(**_in_one_form(b.right, b.number, known, "right")) for b in known.bounds]
    gaps = [g._replace(**_in_one_form(g.term, g.number, known)) for g in known.gaps]
    squares = [g._replace(**_in_one_form(g.term, g.number, known)) for g in known.squares]
    return Known(known.book).also(bounds, gaps, squares)


def _in_one_form(term: Term, number: int, known: Known, name: str = "term") -> dict[str, Any]:
    looking = Looking(known)
    new = simplified(opened(term, looking))
    number = known.book.with_sides(number, right=Side(new, was=2), signs=looking.signs)
    return {name: new, "number": number}


def plain(term: Term, known: Known, squares: bool = True) -> Term:
    """The same term with absolute values in one form."""
    return opened(term, Looking(known), squares)
