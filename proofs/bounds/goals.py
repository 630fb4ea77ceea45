"""One inequality: the left side is written in some way, bounded, and right − majorant ≥ 0 has a certificate.

Which way of writing does, and the certificate, are searched for; the kernel proves that the left side is what it is
written as, and that the certificate's sum is what is left of the right side.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from ..kernel.errors import KernelError, NotProved
from ..kernel.index import facts, position
from ..kernel.term import Factor, Term, body, entry, function_of
from ..reading.terms import total
from ..search.lemmas import show
from ..search.normal import simplified
from ..search.session import current
from . import words
from .absolute import ABS, plain
from .certificates import certificate
from .context import BY_SQUARES, CANCELLED, SERIES, SQUARE, Bound, Context, ordered
from .differences import ways
from .facts import Bounded, Known
from .hypotheses import Difference, Goal, defined
from .layers import by_induction, timed_sums
from .majorant import Notes, majorant
from .regions import in_regions
from .signs import Piece, is_product, value

SHORT = 150
"""What is left with more monomials than this is looked at last."""
SQUARED = 8
"""No more monomials than this are squared."""
TRIED = 3
"""So many ways of writing what is left are tried by induction on a size."""
NOT_FOUND = "no bound was found: what is left of the right side is not seen to be ≥ 0"


class Way(NamedTuple):
    """One way to bound a left side."""

    left: Term
    """The left side, written so."""
    rest: Term
    """right − majorant of it."""
    notes: Notes
    """What the majorant uses."""
    exact: bool = False
    """Whether the left side is its own majorant."""


def shown(goal: Goal, context: Context) -> Bound:
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
        found = None if len(way.rest.parts) > SHORT else _closed(left, way, False, context)
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
) -> Bound:
    """What takes longer: long sums, squares, and induction on a size.

    Raises:
        KernelError: `failed`, if nothing helps.
    """
    for way in tried:
        found = _closed(left, way, False, context) if len(way.rest.parts) > SHORT else None
        if found is not None:
            return found
    for way in () if context.inside else tried:
        found = _closed(left, way, True, context)
        if found is not None:
            return found
    for way in () if context.inside else tried[:TRIED]:
        found = _by_sums(left, way, context)
        if found is not None:
            return found
    squares = context.known.squares and not context.inside
    found = _by_squares(left, right, goal, context) if squares else None
    if found is None:
        raise failed
    return found


def _closed(left: Term, way: Way, squares: bool, context: Context) -> Bound | None:
    """The proof by a certificate for what is left, if there is one."""
    pieces = certificate(way.rest, context.known, squares)
    if pieces is None:
        return None
    same = [] if way.left is left else [show(left, way.left)]
    last = show(way.rest, value(pieces, way.rest.scope, context.known))
    return _with_lemmas(
        Bound(
            (*same, last),
            words.gap(pieces, context.known),
            _steps(pieces, way, bool(same), context.known),
            any(piece.squares for piece in pieces),
            exact=way.exact,
        ),
        context,
    )


def _with_lemmas(proof: Bound, context: Context) -> Bound:
    """The proof with those of the lemmas that it uses."""
    used = [context.lemmas[step] for step in proof.steps if step in context.lemmas]
    if not used:
        return proof
    own = replace(proof, steps=tuple(step for step in proof.steps if step not in context.lemmas))
    first, *others = [*used, own]
    for other in others:
        first = first.then(other)
    return first


def _by_sums(left: Term, way: Way, context: Context) -> Bound | None:
    """What is left is ≥ 0 by induction on a size: geometric series, binomials."""
    for one in timed_sums(way.rest, current()):
        found, _, there = by_induction([one], replace(context, inside=True), shown)
        last = _closed(left, way, False, there) if found else None
        if last is not None:
            return replace(last, steps=ordered([SERIES, *last.steps]))
    return None


def _by_squares(left: Term, right: Term, goal: Goal, context: Context) -> Bound | None:
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
) -> Bound | None:
    """The same where a is what has one of these names in it."""
    a = {m: c for m, c in written.parts.items() if any(f.name in names for f in m.factors)}
    b = {m: c for m, c in written.parts.items() if m not in a}
    if not a or len(a) > SQUARED:
        return None
    moving, others = (Term(parts, written.scope) for parts in (a, b))
    notes: Notes = {}
    try:
        size = right - majorant(others, goal.ends, context.known, _kept(right), notes)
        square = moving * moving
        for end in goal.ends:
            square = total(square, end)
        size, rest = (
            simplified(plain(term, context.known)) for term in (size, size * size - square)
        )
    except KernelError:
        return None
    start = _closed(left, Way(written, size, notes), False, context)
    last = start and _closed(rest, Way(rest, rest, {}), True, context)
    return start.then(last, BY_SQUARES) if start and last else None


def _ways(left: Term, right: Term, goal: Goal, context: Context) -> Iterator[Way | KernelError]:
    """Different ways to bound it, or why they do not."""
    known = context.known
    seen: list[dict[Any, Any]] = []
    if not goal.measure:
        yield Way(left, simplified(plain(right - left, known)), {}, exact=True)
    known, differences = _with_absolute_values(right, context)
    for written in _written(left, differences):
        for own in dict.fromkeys((_kept(right), frozenset[str]())):
            for coarse in (True, False):
                notes: Notes = {}
                try:
                    most = _majorant(written, goal, known, own, notes, coarse)
                    rest = simplified(plain(right - most, known))
                except KernelError as error:
                    yield error
                    continue
                if dict(rest.parts) not in seen:
                    seen.append(dict(rest.parts))
                    yield Way(written, rest, notes)


def _written(left: Term, differences: Sequence[Difference]) -> Iterator[Term]:
    for way in ways(left, differences):
        yield way
        found = in_regions(way)
        if found is not None:
            yield found


def _majorant(
    left: Term, goal: Goal, known: Known, own: frozenset[str], notes: Notes, coarse: bool
) -> Term:
    """What is at least the measure of a left side; what is ≥ 0 may stay as it is where no measure is taken."""
    kept = {}
    if not goal.measure and own:
        rows = facts(left.scope)
        kept = {m: c for m, c in left.parts.items() if c > 0 and is_product(m, rows, known)}
    rest = {m: c for m, c in left.parts.items() if m not in kept}
    most = majorant(Term(rest, left.scope), goal.ends, known, own, notes, coarse)
    return Term(kept, left.scope) + most


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
            bound = Bounded(here, (), frozenset(scope), entry(name, *at), "")
            known = known.also(bounds=[bound])
            differences.append(Difference(here, inside, bound.over))
    return known, [*differences, *context.differences]


def _steps(pieces: Sequence[Piece], way: Way, rewritten: bool, known: Known) -> tuple[str, ...]:
    """The schemas that were used, then the hypotheses."""
    every = (*known.gaps, *known.squares)
    steps = [CANCELLED] if rewritten else []
    steps += [step for step in way.notes if step]
    steps += [every[use.which].why for piece in pieces for use in piece.uses]
    steps += [SQUARE for piece in pieces if piece.squares]
    spoken = [m for term in (way.left, *(s for p in pieces for s in p.squares)) for m in term.parts]
    for m in (*(piece.monomial for piece in pieces), *spoken):  # of their factors' signs
        steps += [known.signs[f.name][0].why for f in m.factors if f.name in known.signs]
    return ordered(steps)
