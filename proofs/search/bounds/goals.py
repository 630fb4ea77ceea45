"""One inequality: the left side is written in some way, bounded, and right − majorant ≥ 0 has a certificate.

Which way of writing does, and the certificate, are searched for; the kernel proves that the left side is what it is
written as, and that the certificate's sum is what is left of the right side.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, NamedTuple

from ...inequalities.absolute import opened
from ...inequalities.certificate import Concluded, Itself, Side, Squared
from ...inequalities.signs import ABS
from ...inequalities.statements import total
from ...interpret.session import current
from ...kernel.errors import KernelError, NotProved
from ...kernel.index import position, position_number
from ...kernel.term import Factor, Term, body, entry, function_of
from ..normal import simplified
from .certificates import certificate
from .context import Context, plain
from .differences import ways
from .facts import Bounded, Known
from .hypotheses import Difference, defined
from .layers import by_induction, timed_sums
from .majorant import bounded_by, planned
from .problems import Goal
from .regions import in_regions
from .signs import Looking, combined

SHORT = 150
"""What is left with more monomials than this is looked at last."""
SQUARED = 8
"""No more monomials than this are squared."""
TRIED = 3
"""How many ways of writing what is left are tried by induction on a size."""
NOT_FOUND = (
    "the terms of the left side, each bounded by itself, are not seen to be at most the right side; "
    "give each array a bound of its own, such as norm(q) ≤ C and operator_norm(S) ≤ b for S @ q"
)


class Way(NamedTuple):
    """One way to bound a left side."""

    left: Term
    """The left side, written so."""
    most: int
    """The number of what says that a majorant is one."""
    right: Term
    """The right side, written so."""
    rest: Term
    """It less the majorant."""


def shown(goal: Goal, context: Context) -> int:
    """A proof that the measure of the left side is at most the right one.

    Raises:
        NotProved: if none is found.
        TooHard: if the kernel, or the search, gives up.
    """
    failed: KernelError = NotProved(NOT_FOUND)
    left = simplified(plain(goal.left, context.known, squares=False))
    right = simplified(plain(goal.right, context.known))
    tried: list[Way] = []
    for way in _ways(left, right, goal, context):
        if isinstance(way, KernelError):
            failed = way
            continue
        tried.append(way)
        failed = NotProved(NOT_FOUND)
        found = None if len(way.rest.parts) > SHORT else _closed(goal, left, way, False, context)
        if found is not None:
            return found
    tried.sort(key=lambda way: len(way.rest.parts))
    return _last_resort(left, right, goal, tried, context, failed)


def _last_resort(
    left: Term,
    right: Term,
    goal: Goal,
    tried: Sequence[Way],
    context: Context,
    failed: KernelError,
) -> int:
    """What takes longer: long sums, squares, and induction on a size.

    Raises:
        KernelError: `failed`, if nothing helps.
    """
    outside = () if context.inside else tried
    squares = context.known.squares and not context.inside
    attempts = chain(
        (_closed(goal, left, way, False, context) for way in tried if len(way.rest.parts) > SHORT),
        (_closed(goal, left, way, True, context) for way in outside),
        (_by_sums(goal, left, way, context) for way in outside[:TRIED]),
        (_by_squares(left, right, goal, context) for _ in range(bool(squares))),
    )
    found = next((number for number in attempts if number is not None), None)
    if found is None:
        raise failed
    return found


def _closed(goal: Goal, left: Term, way: Way, squares: bool, context: Context) -> int | None:
    """The number of the goal by a certificate for what is left, if there is one."""
    pieces, known = certificate(way.rest, context.known, squares), context.known
    if pieces is None:
        return None
    looking, book = Looking(known), known.book
    opened(way.right - book.facts[way.most].right, looking)
    gap = combined(pieces, way.rest.scope, known)
    number = book.add(Concluded(way.most, gap, way.right, 2, looking.signs))
    return _said(goal, left, number, known)


def _said(goal: Goal, left: Term, number: int, known: Known, was: int = 0) -> int:
    """The number of a goal, of what is known in other words.

    Its left side is first written in its own way; on the right absolute values are opened as `was` says.
    """
    wanted, looking = goal.statement, Looking(known)
    number = known.book.with_sides(number, Side(left))
    opened(wanted.left, looking, squares=False)
    opened(wanted.right, looking)
    if was:
        opened(known.book.facts[number].right, looking)
    sides = Side(wanted.left, 0, 1), Side(wanted.right, was, 2)
    return known.book.with_sides(number, *sides, signs=looking.signs)


def _by_sums(goal: Goal, left: Term, way: Way, context: Context) -> int | None:
    """What is left is ≥ 0 by induction on a size: geometric series, binomials."""
    for one in timed_sums(way.rest, current()):
        found, _, there = by_induction([one], replace(context, inside=True), shown)
        last = _closed(goal, left, way, False, there) if found else None
        if last is not None:
            return last
    return None


def _by_squares(left: Term, right: Term, goal: Goal, context: Context) -> int | None:
    """‖a + b‖ ≤ ρ + ‖b‖ where ρ ≥ 0 and ρ² − ‖a‖² ≥ 0; a is all of it, or what is made of states."""
    if goal.measure not in ("norm", "absolute"):
        return None
    for written in ways(left, context.differences):
        names = {f.name for m in written.parts for f in m.factors}
        for moving in dict.fromkeys(
            (frozenset(names), frozenset(names & current().recursions.keys()))
        ):
            found = _by_square(left, written, moving, right, goal, context)
            if found is not None:
                return found
    return None


def _by_square(
    left: Term, written: Term, names: frozenset[str], right: Term, goal: Goal, context: Context
) -> int | None:
    """The same where a is what has one of these names in it."""
    a = {m: c for m, c in written.parts.items() if any(f.name in names for f in m.factors)}
    b = {m: c for m, c in written.parts.items() if m not in a}
    if not a or len(a) > SQUARED:
        return None
    moving, others = (Term(parts, written.scope) for parts in (a, b))
    known, book = context.known, context.known.book
    looking = Looking(known)
    try:
        most = planned(others, goal.ends, goal.measure, known, _kept(right))
        size = simplified(plain(right - book.facts[most].right, known))
        square = moving * moving
        for end in goal.ends:
            square = total(square, position_number(end))
        rest = simplified(opened(size * size - square, looking))
    except KernelError:
        return None
    first = certificate(size, known)
    last = None if first is None else certificate(rest, known, True)
    if first is None or last is None:
        return None
    root = book.with_sides(combined(first, size.scope, known), right=Side(size))
    whole = combined(last, rest.scope, known)
    number = book.add(Squared(root, whole, most, moving, 2, looking.signs))
    return _said(goal, left, number, known, 2)


def _ways(left: Term, right: Term, goal: Goal, context: Context) -> Iterator[Way | KernelError]:
    """Different ways to bound it, or why they do not."""
    known = context.known
    seen: list[dict[Any, Any]] = []
    if not goal.measure:
        most = bounded_by(left, goal.ends, "", [None] * len(left.parts), known)
        yield Way(left, most, right, simplified(plain(right - left, known)))
    known, differences = _with_absolute_values(right, context)
    for written in _written(left, differences):
        for own in dict.fromkeys((_kept(right), frozenset[str]())):
            for coarse in (True, False):
                try:
                    keep = not goal.measure and bool(own)
                    most = planned(written, goal.ends, goal.measure, known, own, coarse, keep)
                    rest = right - known.book.facts[most].right
                    rest = simplified(plain(rest, known))
                except KernelError as error:
                    yield error
                    continue
                if dict(rest.parts) not in seen:
                    seen.append(dict(rest.parts))
                    yield Way(written, most, right, rest)


def _written(left: Term, differences: Sequence[Difference]) -> Iterator[Term]:
    for way in ways(left, differences):
        yield way
        found = in_regions(way)
        if found is not None:
            yield found


def _kept(right: Term) -> frozenset[str]:
    """The arrays whose entries stand on the right as absolute values."""
    return frozenset(
        g.name
        for m in right.parts
        for f in m.factors
        if function_of(f) == ABS
        for n, _ in body(f, m.bound)
        for g in n.factors
    )


def _with_absolute_values(right: Term, context: Context) -> tuple[Known, list[Difference]]:
    """What is known, with names for the sums whose absolute values the right side speaks of."""
    known, differences = context.known, []
    names = {f.name: f for m in right.parts for f in m.factors if function_of(f) == ABS}
    for name in sorted(names):
        at = [position("p") for _ in names[name].at]
        scope = {v for e in at for v in e.variables()}
        inside = Term(dict(body(Factor(name, tuple(at)), 0)), scope)
        if len(inside.parts) > 1 and not any(m.bound for m in inside.parts):
            here = defined(inside)
            number = known.book.add(Itself(Factor(name, tuple(at))))
            number = known.book.with_sides(number, Side(entry(here.name, *here.at)))
            bound = Bounded(here, (), frozenset(scope), entry(name, *at), number)
            known = known.also(bounds=[bound])
            differences.append(Difference(here, inside, bound.over))
    return known, [*differences, *context.differences]
