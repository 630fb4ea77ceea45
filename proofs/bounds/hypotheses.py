"""A claim's conditions as what is known: bounds of norms, and inequalities.

Where a norm of a difference S − x is bounded, the difference gets a name, F: so S can be replaced by x + F where that
makes leading parts cancel, and F is bounded. F is a state that a recursion defines; the kernel knows what it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ..kernel import index as declarations
from ..kernel.errors import NotProved
from ..kernel.index import Index, position, reach, variable
from ..kernel.recursion import Recursion, new_state
from ..kernel.term import NUMBER, Factor, Term, entry
from ..language.statements import AtMost
from ..reading.claims import Part
from ..reading.terms import total
from ..search.normal import simplified
from ..search.session import current
from .facts import AtLeast0, Bounded, Known, has_values
from .signs import is_sum

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


class Difference(NamedTuple):
    """A state's entry here[0, positions] that is a term for all values of the positions `over`: its definition."""

    here: Factor
    term: Term
    over: frozenset[int]


def assumed(conditions: Iterable[Part]) -> tuple[Known, list[Difference]]:
    """What the conditions say, and names for those differences of which they bound a norm."""
    known, differences = Known(), []
    for part in conditions:
        if part.kind is AtMost and _has_turns(goal_of(part)):
            why = part.condition or "a condition"
            known, more = learned(known, goal_of(part), why)
            differences += more
    return known, differences


def _has_turns(one: Goal) -> bool:
    """Whether loops whose variables it speaks of have a turn; a condition without one says nothing."""
    own = {v for e in (*one.at, *one.ends) for v in e.variables()}
    loops = reach(one.left.scope | one.right.scope) - own - declarations.current.sizes
    return all(map(has_values, loops))


def learned(
    known: Known, one: Goal, why: str, time: Index | None = None
) -> tuple[Known, list[Difference]]:
    """With what an inequality says; `time`, if given, is not any in its range."""
    left, right, measure = simplified(one.left), simplified(one.right), one.measure
    if not measure:
        gaps = _for_all(simplified(right - left), one.at, time, why)
        if left.parts and is_sum(left, known):  # so is what is at least as large
            gaps += _for_all(right, one.at, time, why)
        return known.also(gaps=gaps), []
    gaps = _for_all(right, one.at, time, why)
    if measure == "absolute":
        gaps += _for_all(right - left, one.at, time, why)
        gaps += _for_all(right + left, one.at, time, why)
    known = known.also(gaps=gaps, squares=_squared(left, right, one, time, why))
    bound = _bound(left, right, one, time, why)
    if bound is not None or len(left.parts) < 2:
        return known.also(bounds=[] if bound is None else [bound]), []
    here = defined(left)
    named = entry(here.name, *here.at)
    bound = _bound(named, right, one, time, why)
    if bound is None:
        return known, []
    known = known.also(bounds=[bound], squares=_squared(named, right, one, time, why))
    return known, [Difference(here, left, bound.over)]


def _squared(left: Term, right: Term, one: Goal, time: Index | None, why: str) -> list[AtLeast0]:
    """right² − ‖left‖² ≥ 0, for a norm of vectors or numbers."""
    if one.measure == "operator":
        return []
    square = left * left
    for end in one.ends:
        square = total(square, end)
    return _for_all(simplified(right * right - square), one.at, time, why)


def defined(term: Term) -> Factor:
    """An entry of a new state that is this term at time 0, and at every other."""
    at = [variable(v) for v in sorted(reach(term.scope) - declarations.current.sizes)]
    state = new_state("F", at, ())
    current().add(Recursion(position("t", 0), [state], [term], [term]))
    return Factor(state.name, (Index(0), *at))


def _for_all(term: Term, at: Sequence[Index], time: Index | None, why: str) -> list[AtLeast0]:
    """term ≥ 0 for all positions; one that does not occur must have values."""
    over = _over(term, at, time)
    return [] if over is None else [AtLeast0(term, over, why)]


def _over(term: Term, at: Iterable[Index], time: Index | None) -> frozenset[int] | None:
    spoken = {v for m in term.parts for v in m.variables()}
    every = {v for e in at for v in e.variables()} - _own(time)
    if not all(has_values(v) for v in every - spoken):
        return None
    return frozenset(every & spoken)


def _bound(left: Term, right: Term, one: Goal, time: Index | None, why: str) -> Bounded | None:
    """A bound of an array's entries, if the left side is c · one of them."""
    if len(left.parts) != 1:
        return None
    ((m, c),) = left.parts.items()
    if m.bound or m.guards or len(m.factors) != 1 or m.factors[0].name == NUMBER:
        return None
    (f,) = m.factors
    axes = []
    for end in one.ends:
        (v,) = end.variables()
        places = [place for place, e in enumerate(f.at) if v in e.variables()]
        alone = [place for place in places if abs(f.at[place].coefficient(v)) == 1]
        if len(places) != 1 or len(alone) != 1:
            return None
        axes += places
    over = _over(left + right * 0, (*one.at, *one.ends), time)
    spoken = {v for n in right.parts for v in n.variables()}
    outer = {v for e in one.at for v in e.variables()} - _own(time)
    if over is None or len(set(axes)) != len(axes) or (spoken & outer) - over:
        return None
    return Bounded(f, tuple(axes), over, right * (1 / abs(c)), why)


def _own(time: Index | None) -> set[int]:
    return set() if time is None else time.variables()
