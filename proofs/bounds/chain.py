"""The chain of a bound: cancel, bound the monomials, and show that right − majorant ≥ 0 by a certificate.

What is searched for is which way of writing the left side does, and the certificate; both stand in a recorded proof.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from ..kernel.errors import KernelError, NotProved
from ..kernel.index import Index, facts, position
from ..kernel.term import Factor, Term, body, entry, function_of
from ..kernel.theorem import Theorem
from ..language.claim import Claim
from ..language.statements import AtMost
from ..reading.claims import Part, Reading
from ..reading.terms import total
from ..search import encoding, tape
from ..search.lemmas import show
from ..search.normal import simplified
from ..search.session import current
from . import majorant as schemas
from . import words
from .absolute import ABS, plain
from .certificates import certificate
from .differences import ways
from .facts import Bounded, Known
from .hypotheses import Difference, Sides, assumed, defined, learned, sides
from .layers import INDUCTION, Goal, by_induction, timed, timed_sums
from .majorant import Notes, majorant
from .products import of_products
from .regions import in_regions
from .signs import Piece, Use, is_product, signs_of_states, value

CANCELLED = "leading parts cancel"
SQUARE = "squares are ≥ 0"
SQUARED = "‖v‖ ≤ C from v·v ≤ C² and C ≥ 0"
SCHEMAS = (
    INDUCTION,
    CANCELLED,
    schemas.TRIANGLE,
    schemas.CAUCHY_SCHWARZ,
    schemas.SUBMULTIPLICATIVITY,
    schemas.ENTRY,
    schemas.TRACE,
    schemas.DIAGONAL,
    schemas.COUNT,
    SQUARE,
    SQUARED,
)
SHORT = 150
"""What is left with more monomials than this is looked at last."""
SERIES = 3
"""So many ways of writing what is left are tried by induction on a size."""
NOT_FOUND = "no bound was found: what is left of the right side is not seen to be ≥ 0"


@dataclass(frozen=True)
class Bound:
    """left ≤ right, for all sizes."""

    theorems: tuple[Theorem, ...]
    """That the left side is what its majorant was made of, and that right − majorant is the certificate's sum."""
    gap: str
    """right − left, or what is left of it, as a sum of what is ≥ 0."""
    steps: tuple[str, ...]
    """The schemas that were used, by name, and the hypotheses."""
    squares: bool = False
    """Whether squares were needed."""
    times: tuple[Index, ...] = ()
    """The times of inductions, which stand in the theorems."""

    @property
    def theorem(self) -> Theorem:
        """The last step: what is left is a sum of what is ≥ 0."""
        return self.theorems[-1]

    def then(self, step: Bound, schema: str, times: tuple[Index, ...]) -> Bound:
        """This start of an induction with its step."""
        return Bound(
            (*self.theorems, *step.theorems),
            step.gap,
            tuple(dict.fromkeys([schema, *self.steps, *step.steps])),
            self.squares or step.squares,
            (*self.times, *step.times, *times),
        )


@dataclass(frozen=True)
class Context:
    """What is known, and by which names."""

    known: Known
    differences: tuple[Difference, ...] = ()
    inside: bool = False
    """Whether this is within an induction on a size."""

    def knowing(self, goal: Goal, why: str, time: Index | None = None) -> Context:
        """With a bound; `time`, if given, is not any in its range."""
        known, more = learned(self.known, goal.sides, goal.measure, why, time)
        return replace(self, known=in_one_form(known), differences=(*self.differences, *more))


def bounded(parts: Sequence[Part], reading: Reading, claim: Claim) -> list[Bound]:
    """Proofs of all the bounds among the parts.

    Raises:
        NotProved: if there is one that is not seen to hold.
        TooHard: if the kernel, or the search, gives up.
    """
    wanted = [part for part in parts if part.kind is AtMost]
    if not wanted:
        return []
    goals = [Goal(sides(part), part.measure) for part in wanted]
    context = begun(reading.conditions)
    lefts, rights = ([getattr(goal.sides, side) for goal in goals] for side in ("left", "right"))
    for one in of_products(lefts, rights, context.known, current()):
        *_, context = by_induction([one], context, shown)
    found: dict[int, Bound] = {}
    layered = {k: timed(goal, current()) for k, goal in enumerate(goals)}
    for length in dict.fromkeys(one.length for one in layered.values() if one is not None):
        every = {k: one for k, one in layered.items() if one is not None and one.length == length}
        shown_ones, proofs, context = by_induction(list(every.values()), context, shown)
        for one, proof in zip(shown_ones, proofs, strict=True):
            found[next(k for k, other in every.items() if other is one)] = proof
    for k, goal in enumerate(goals):
        if k not in found:
            found[k] = shown(goal, context)
    for k, part in enumerate(wanted):
        for theorem in found[k].theorems:
            reading.expect_turns(theorem, (*part.left.at, *found[k].times))
    return [found[k] for k in range(len(goals))]


def begun(conditions: Sequence[Part]) -> Context:
    """What is known from conditions, with absolute values in one form."""
    known, differences = assumed(conditions)
    recursions = list(dict.fromkeys(r for r, _ in current().recursions.values()))
    known = signs_of_states(recursions, known)
    return Context(in_one_form(known), tuple(differences))


def in_one_form(known: Known) -> Known:
    bounds = [b._replace(right=simplified(plain(b.right, known))) for b in known.bounds]
    gaps = [g._replace(term=simplified(plain(g.term, known))) for g in known.gaps]
    squares = [g._replace(term=simplified(plain(g.term, known))) for g in known.squares]
    return Known().also(bounds, gaps, squares)


class Way(NamedTuple):
    """One way to bound a left side."""

    left: Term
    """The left side, written so."""
    rest: Term
    """right − majorant of it."""
    notes: Notes
    """What the majorant uses."""


def shown(goal: Goal, context: Context) -> Bound:
    """A proof that the measure of the left side is at most the right one.

    Raises:
        NotProved: if none is found.
        TooHard: if the kernel, or the search, gives up.
    """
    one, measure = goal
    failed: KernelError = NotProved(NOT_FOUND)
    left = simplified(plain(one.left, context.known, squares=False))
    right = simplified(plain(one.right, context.known))
    later: list[tuple[Way, bool]] = []
    for way in _ways(left, right, one, measure, context):
        if isinstance(way, KernelError):
            failed = way
            continue
        later += [(way, False)] if len(way.rest.parts) > SHORT else []
        later += [] if context.inside else [(way, True)]
        failed = NotProved(NOT_FOUND)
        found = None if len(way.rest.parts) > SHORT else _closed(left, way, False, context)
        if found is not None:
            return found
    for way, squares in later:
        found = _closed(left, way, squares, context)
        if found is not None:
            return found
    for way, _ in [] if context.inside else later:
        found = _by_sums(left, way, context)
        if found is not None:
            return found
    if measure == "norm":
        return _by_square(one, context)
    raise NotProved(NOT_FOUND) if later else failed


def _by_square(one: Sides, context: Context) -> Bound:
    """The norm is at most a right side ≥ 0 because its square is at most the right side's square.

    Raises:
        NotProved, TooHard: if either is not shown.
    """
    square = one.left * one.left
    for end in one.ends:
        square = total(square, end)
    start = shown(Goal(one._replace(ends=(), left=one.right * 0), ""), context)
    squared = one._replace(ends=(), left=square, right=one.right * one.right)
    return start.then(shown(Goal(squared, ""), context), SQUARED, ())


def _by_sums(left: Term, way: Way, context: Context) -> Bound | None:
    """What is left is ≥ 0 by induction on a size: geometric series, binomials."""
    within = replace(context, inside=True)
    for one in timed_sums(way.rest, current()):
        found, proofs, there = by_induction([one], within, shown)
        if found:
            last = _closed(left, way, False, there)
            return None if last is None else proofs[0].then(last, INDUCTION, ())
    return None


def _closed(left: Term, way: Way, squares: bool, context: Context) -> Bound | None:
    """The proof by a certificate for what is left, if there is one."""
    pieces = _certificate(way.rest, context.known, squares)
    if pieces is None:
        return None
    same = [] if way.left is left else [show(left, way.left)]
    last = show(way.rest, value(pieces, way.rest.scope, context.known))
    return Bound(
        (*same, last),
        words.gap(pieces, context.known),
        _steps(pieces, way, bool(same), context),
        any(piece.squares for piece in pieces),
    )


def _ways(
    left: Term, right: Term, one: Sides, measure: str, context: Context
) -> Iterator[Way | KernelError]:
    """Different ways to bound it."""
    known = context.known
    seen: list[dict[Any, Any]] = []
    if not measure:
        try:
            yield Way(left, simplified(plain(right - left, known)), {})
        except KernelError as error:
            yield error
    known, differences = _with_absolute_values(right, context)
    for written in _written(left, differences):
        for own in dict.fromkeys((_kept(right), frozenset[str]())):
            for coarse in (True, False):
                try:
                    notes: Notes = {}
                    most = _majorant(written, one, measure, known, own, notes, coarse)
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
    left: Term,
    one: Sides,
    measure: str,
    known: Known,
    own: frozenset[str],
    notes: Notes,
    coarse: bool,
) -> Term:
    if measure:
        return majorant(left, one.ends, known, own, notes, coarse)
    rows = facts(left.scope)
    kept = {m: c for m, c in left.parts.items() if c > 0 and is_product(m, rows, known)}
    here = kept if own else {}
    rest = {m: c for m, c in left.parts.items() if m not in here}
    return Term(here, left.scope) + majorant(Term(rest, left.scope), (), known, own, notes, coarse)


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
        here = Factor(name, tuple(at))
        inside = Term(dict(body(here, 0)), scope)
        if len(inside.parts) > 1 and not any(m.bound for m in inside.parts):
            difference = defined(inside)
            bound = Bounded(difference, (), frozenset(scope), entry(name, *at), "|T| ≤ |T|")
            known = known.also(bounds=[bound])
            differences.append(Difference(difference, inside, bound.over))
    return known, [*differences, *context.differences]


def _certificate(rest: Term, known: Known, squares: bool) -> list[Piece] | None:
    """A certificate: searched for, or the one that is recorded."""

    def search() -> list[Piece] | None:
        found = certificate(rest, known, squares)
        if found is not None:
            written = [_piece_to(piece) for piece in found]
            tape.lasting("certificate", lambda: found, [written], ())
        return found

    def again(made: list[list[Piece]]) -> list[Piece] | None:
        return made[0] if made else None

    return tape.choice(search, again)


def _piece_to(piece: Piece) -> list[Any]:
    uses = [[use.which, encoding.images_to(dict(use.images))] for use in piece.uses]
    squares = [encoding.term_to(square) for square in piece.squares]
    return [*encoding.pairs_to([(piece.monomial, piece.factor)]), uses, squares]


@tape.redone("certificate")
def _again(written: Any) -> list[Piece]:
    found = []
    for one in encoding.items(written, "pieces"):
        monomial, uses, squares = encoding.items(one, "a piece", 3)
        ((m, c),) = encoding.pairs_of([monomial]).items()
        read = []
        for use in encoding.items(uses, "uses"):
            which, images = encoding.items(use, "a use", 2)
            read.append(
                Use(encoding.natural(which), tuple(sorted(encoding.images_of(images).items())))
            )
        terms = tuple(encoding.term_of(t) for t in encoding.items(squares, "squares"))
        found.append(Piece(c, m, tuple(read), terms))
    return found


def _steps(pieces: Sequence[Piece], way: Way, rewritten: bool, context: Context) -> tuple[str, ...]:
    """The schemas that were used, then the hypotheses."""
    known = context.known
    every = (*known.gaps, *known.squares)
    notes = {**({CANCELLED: None} if rewritten else {}), **way.notes}
    notes.update({every[use.which].why: None for piece in pieces for use in piece.uses})
    notes.update({SQUARE: None} if any(piece.squares for piece in pieces) else {})
    return tuple(sorted(notes, key=lambda step: step not in SCHEMAS))
