"""A claim's conditions as what is known: bounds of norms, and inequalities.

Where a norm of a difference S − x is bounded, the difference gets a name, F: so S can be replaced by x + F where that
makes leading parts cancel, and F is bounded. F is a state that a recursion defines; the kernel knows what it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

from ...inequalities.certificate import Piece, Read, Scaled, Side, Use
from ...inequalities.statements import Problem
from ...interpret.claims import Part
from ...interpret.session import current
from ...kernel import index as declarations
from ...kernel.index import Index, position, reach, variable
from ...kernel.recursion import Recursion, new_state
from ...kernel.rules import has_values
from ...kernel.term import NUMBER, ONE, Factor, Term, entry
from ..normal import simplified
from .book import Book
from .facts import AtLeast0, Bounded, Known
from .problems import Goal, goal_of
from .signs import as_pieces, combined, is_sum


class Difference(NamedTuple):
    """A state's entry here[0, positions] that is a term for all values of the positions `over`: its definition."""

    here: Factor
    term: Term
    over: frozenset[int]


def assumed(problem: Problem, given: Iterable[Part]) -> tuple[Known, list[Difference]]:
    """What a problem's hypotheses, these parts, say, and names for differences of which they bound a norm."""
    book = Book(problem)
    known, differences = Known(book), []
    for number, part in enumerate(given):
        known, more = learned(known, goal_of(part), book.hypothesis(number))
        differences += more
    return known, differences


def learned(
    known: Known, one: Goal, number: int, time: Index | None = None
) -> tuple[Known, list[Difference]]:
    """With what an inequality says, the one of this number; `time`, if given, is not any in its range."""
    book, learning = known.book, _Learning(known, one.at, time)
    left, right, measure = simplified(one.left), simplified(one.right), one.measure
    number = book.with_sides(number, Side(left), Side(right))
    if not measure:
        gap = book.add(Read(number, "minus"))
        gaps = learning.for_all(gap, simplified(right - left))
        if left.parts and is_sum(left, known):  # so is what is at least as large
            pieces = [Piece(Fraction(1), ONE, (Use(gap),)), *as_pieces(left)]
            scope = frozenset(book.facts[gap].right.scope)
            gaps += learning.for_all(combined(pieces, scope, known), right)
        return known.also(gaps=gaps), []
    gaps = learning.for_all(book.add(Read(number, "right")), right)
    if measure == "absolute":
        gaps += learning.for_all(book.add(Read(number, "minus")), right - left)
        gaps += learning.for_all(book.add(Read(number, "plus")), right + left)
    known = known.also(gaps=gaps, squares=learning.squares(number))
    bound = learning.bound(number, one.ends)
    if bound is not None or len(left.parts) < 2:
        return known.also(bounds=[] if bound is None else [bound]), []
    here = defined(left)
    number = book.with_sides(number, Side(entry(here.name, *here.at)))
    bound = learning.bound(number, one.ends)
    if bound is None:
        return known, []
    known = known.also(bounds=[bound], squares=learning.squares(number))
    return known, [Difference(here, left, bound.over)]


class _Learning:
    """What is said for all values of some positions; `time`, if given, is not any in its range."""

    def __init__(self, known: Known, at: Iterable[Index], time: Index | None) -> None:
        self.book, self.at = known.book, tuple(at)
        self.own = set() if time is None else time.variables()

    def squares(self, number: int) -> list[AtLeast0]:
        """right² − ‖left‖² ≥ 0, for a norm of vectors or numbers."""
        if self.book.facts[number].measure == "operator":
            return []
        number = self.book.add(Read(number, "square"))
        return self.for_all(number, simplified(self.book.facts[number].right))

    def for_all(self, number: int, term: Term) -> list[AtLeast0]:
        """0 ≤ term for all positions; one that does not occur must have values."""
        over = self.over(term, self.at)
        if over is None:
            return []
        number = self.book.dropped(self.book.with_sides(number, right=Side(term)))
        return [AtLeast0(term, over, number)]

    def over(self, term: Term, at: Iterable[Index]) -> frozenset[int] | None:
        spoken = {v for m in term.parts for v in m.variables()}
        every = {v for e in at for v in e.variables()} - self.own
        if not all(has_values(v) for v in every - spoken):
            return None
        return frozenset(every & spoken)

    def bound(self, number: int, ends: Sequence[Index]) -> Bounded | None:
        """A bound of an array's entries, if the left side is c · one of them."""
        left, right = self.book.facts[number].left, self.book.facts[number].right
        if len(left.parts) != 1:
            return None
        ((m, c),) = left.parts.items()
        if m.bound or m.guards or len(m.factors) != 1 or m.factors[0].name == NUMBER:
            return None
        (f,) = m.factors
        axes = []
        for end in ends:
            (v,) = end.variables()
            places = [place for place, e in enumerate(f.at) if v in e.variables()]
            alone = [place for place in places if abs(f.at[place].coefficient(v)) == 1]
            if len(places) != 1 or len(alone) != 1:
                return None
            axes += places
        over = self.over(left + right * 0, (*self.at, *ends))
        spoken = {v for n in right.parts for v in n.variables()}
        outer = {v for e in self.at for v in e.variables()} - self.own
        if over is None or len(set(axes)) != len(axes) or (spoken & outer) - over:
            return None
        scaled = number if abs(c) == 1 else self.book.add(Scaled(number, 1 / abs(c)))
        right = self.book.facts[scaled].right
        return Bounded(f, tuple(axes), over, right, self.book.dropped(scaled))


def defined(term: Term) -> Factor:
    """An entry of a new state that is this term at time 0, and at every other."""
    at = [variable(v) for v in sorted(reach(term.scope) - declarations.current.sizes)]
    state = new_state("F", at, ())
    current().add(Recursion(position("t", 0), [state], [term], [term]))
    return Factor(state.name, (Index(0), *at))
