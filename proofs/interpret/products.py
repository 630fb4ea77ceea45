"""Products over index ranges, Π_{low ≤ r < high} g(r), and powers: states that a recursion defines.

P[n; low, …] with P[0] = 1 and P[n + 1] = P[n] · g(low + n) is one state for one g, whatever the range, so that the
decays of a scan and those of a mask are the same thing. g is used as a formula of whole numbers, that is outside its
range too; within it the product is the same.
"""

from __future__ import annotations

from typing import Any

from ..kernel import index as declarations
from ..kernel.index import Index, position, position_number, variable
from ..kernel.recursion import Recursion, State, new_state
from ..kernel.term import NUMBER, Monomial, Term, as_term, entry
from .session import current

PRODUCT = "P"
"""What the states that are products are called."""


def power(term: Term, exponent: Index) -> Term:
    """term^exponent, exponent ≥ 0."""
    return running_product(term, None, Index(0), exponent)


def running_product(term: Term, r: Index | None, low: Index, high: Index) -> Term:
    """Π_{low ≤ r < high} term, which speaks of the position r, or does not: high − low ≥ 0."""
    running = None if r is None else position_number(r)
    inside = {v for m in term.parts for v in m.variables() if v > 0} - declarations.current.sizes
    if running not in inside:
        low, high, running = Index(0), high - low, None
    given = [variable(v) for v in sorted(inside - {running})]
    if term.parts == as_term(1).parts:
        return as_term(1)
    if running is not None and _backwards(term, running):
        images = {running: -variable(running)}
        parts = {m.substitute(images, m.bound): c for m, c in term.parts.items()}
        term, low, high = Term(parts, term.scope), -high + 1, -low + 1  # numbers commute
    shift = Index(0) if running is None else _shift(term, running)
    low, high = low + shift, high + shift
    formula = dict(term.parts)
    if running is not None:
        moved = {running: variable(running) - shift}
        formula = {m.substitute(moved, m.bound): c for m, c in formula.items()}
        left = {v for m in formula for v in m.variables()}
        given = [one for one in given if one.variables() <= left]
    state = _state(formula, running, given)
    begin = [] if running is None else [low]
    return entry(state.name, high - low, *begin, *given)


def _shift(term: Term, running: int) -> Index:
    """e such that g mentions r first as r + e."""
    place = _mention(term, running, (1,))
    return Index(0) if place is None else place - variable(running)


def _backwards(term: Term, running: int) -> bool:
    """Whether g mentions r first as e − r."""
    place = _mention(term, running, (1, -1))
    return place is not None and place.coefficient(running) == -1


def _mention(term: Term, running: int, coefficients: tuple[int, ...]) -> Index | None:
    """The first index of an entry in which r stands with one of these coefficients."""
    for m in sorted(term.parts, key=lambda m: m.factors):
        for f in m.factors:
            for place in f.at:
                bound = any(v < 0 for v in place.variables())
                if f.name != NUMBER and place.coefficient(running) in coefficients and not bound:
                    return place
    return None


def _state(formula: dict[Monomial, Any], running: int | None, given: list[Index]) -> State:
    """The state of this formula, the same one for formulas that differ in the names of their positions only."""
    order = [*([] if running is None else [running]), *(position_number(v) for v in given)]
    names = {v: variable(-k) for k, v in enumerate(order, start=1)}
    key = (
        running is not None,
        len(order),
        frozenset(
            (m.after(len(order)).substitute(names, m.bound + len(order)), c)
            for m, c in formula.items()
        ),
    )
    known = current().products
    if key not in known:
        known[key] = _defined(formula, running, order)
    return known[key]


def _defined(formula: dict[Monomial, Any], running: int | None, order: list[int]) -> State:
    n = position("n", 0)
    low = None if running is None else position("s")
    own = {v: position("i") for v in order if v != running}
    images = dict(own)
    if running is not None and low is not None:
        images[running] = low + n
    given = [*([] if low is None else [low]), *own.values()]
    state = new_state(PRODUCT, [], given)
    parts = {m.substitute(images, m.bound): c for m, c in formula.items()}
    scope = {v for m in parts for v in m.variables() if v > 0}
    step = state.entry(n, []) * Term(parts, scope)
    recursion = Recursion(n, [state], [as_term(1)], [step])
    current().add(recursion)
    if low is not None:
        current().ranged.add(state.name)
    return state
