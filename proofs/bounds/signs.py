"""What is ≥ 0: factors, monomials, and sums of products of these with bounds that are known.

A certificate is a list of pieces. Each is ≥ 0 by the checks of this file; that their sum is the term in question is for
the kernel to prove. So whoever finds a certificate need not be trusted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple, cast

from ..kernel import index as declarations
from ..kernel.errors import NotProved
from ..kernel.index import Index, declared, facts, position, reach
from ..kernel.inequalities import implied
from ..kernel.recursion import Recursion
from ..kernel.term import (
    INVERSE,
    INVERSE_NUMBER,
    NUMBER,
    Factor,
    Monomial,
    Term,
    as_term,
    body,
    entry,
    function_of,
    made,
)
from ..kernel.theorem import Theorem
from ..search.normal import simplified
from ..search.steps import matched
from .facts import AtLeast0, Known, fixed, single, within

STATES = "what starts ≥ 0 stays so"
NEVER_NEGATIVE = ("abs", "exp")
"""Functions that the kernel knows by name only."""


def is_never_negative(f: Factor, rows: frozenset[Index], known: Known) -> bool:
    """Whether the factor is ≥ 0 where the rows hold, its denominators being not 0."""
    if f.name == NUMBER:
        return implied(f.at[0], rows)
    if f.name == INVERSE_NUMBER:
        return implied(f.at[0] - 1, rows)
    name = function_of(f)
    if name == INVERSE:
        # Bound indices of its own come after all those that are spoken of here.
        depth = max([0, *(-v for e in (*f.at, *rows) for v in e.variables())])
        inside = dict(body(f, depth))
        sums = all(c > 0 and is_product(m, rows, known) for m, c in inside.items())
        return sums or any(not gap.over and _alike(inside, gap.term) for gap in known.gaps)
    return name in NEVER_NEGATIVE or any(
        _images(gap, f, rows) is not None for gap in known.signs.get(f.name, ())
    )


def _alike(inside: Mapping[Monomial, Fraction], term: Term) -> bool:
    """Whether one sum, as it is written, is a positive multiple of the other."""
    if inside.keys() != term.parts.keys() or any(m.bound for m in inside):
        return False
    ratios = {c / term.parts[m] for m, c in inside.items()}
    return len(ratios) == 1 and min(ratios) > 0


def _images(gap: AtLeast0, f: Factor, rows: frozenset[Index]) -> Mapping[int, Index] | None:
    """What makes the gap, which is one entry, speak of this factor, if that is in range."""
    own = cast(tuple[Factor, Fraction], single(gap.term))[0]
    images = match(own, gap.over, f)
    fits = images is not None and own.put(images) == f and within(gap.over, images, rows)
    return images if fits else None


def match(left: Factor, over: frozenset[int], f: Factor) -> dict[int, Index] | None:
    """What to put for the variables to make one factor the other."""
    return matched(cast(Theorem, _Pattern(left, over)), f)


class _Pattern(NamedTuple):
    left: Factor
    over: frozenset[int]


def is_product(m: Monomial, rows: frozenset[Index], known: Known) -> bool:
    """Whether a monomial, its coefficient being ≥ 0, is ≥ 0: odd powers of what is ≥ 0, and even ones."""
    rows = rows | m.guards
    odd = [f for f, times in Counter(m.factors).items() if times % 2]
    return all(is_never_negative(f, rows, known) for f in odd)


class Use(NamedTuple):
    """Something known to be ≥ 0, with indices for its variables."""

    which: int
    """Its number: gaps first, then squares."""
    images: tuple[tuple[int, Index], ...]


class Piece(NamedTuple):
    """factor · Σ_bound [guards] factors · Π of gaps in this sum, times Π of squares of terms."""

    factor: Fraction
    monomial: Monomial
    uses: tuple[Use, ...] = ()
    squares: tuple[Term, ...] = ()


def value(pieces: Iterable[Piece], scope: frozenset[int], known: Known) -> Term:
    """The sum of the pieces, where the variables of the scope are in range.

    Raises:
        NotProved: if a piece is not seen to be ≥ 0.
    """
    total = as_term(0)
    for piece in pieces:
        total = total + _checked(piece, scope, known)
    return made(total.parts.items(), total.scope | scope)


def _checked(piece: Piece, scope: frozenset[int], known: Known) -> Term:
    m = piece.monomial
    rows = facts(scope) | m.guards
    spoken = m.variables().union(*(e.variables() for use in piece.uses for _, e in use.images))
    if min(spoken, default=0) < -m.bound:  # a sum in a gap would take it for its own
        raise NotProved("a piece of a certificate speaks of a bound index that is not there")
    if piece.factor < 0 or not is_product(m, rows, known):
        raise NotProved("a piece of a certificate that may be negative")
    pairs = [(m, piece.factor)]
    every = (*known.gaps, *known.squares)
    for use in piece.uses:
        gap, images = every[use.which], dict(use.images)
        if not within(gap.over, images, rows):
            raise NotProved("a bound is used outside the range of its variables")
        pairs = [(p.joined(moved(n, p, images)), c * d) for p, c in pairs for n, d in inside(gap)]
        scope = scope | (gap.term.scope - gap.over) | fixed(gap.over)
    term = Term(dict(summed(pairs)), scope)
    for square in piece.squares:
        if not square.scope <= scope:
            raise NotProved("a square of what is not there")
        term = term * square * square
    return term


def inside(gap: AtLeast0) -> Iterable[tuple[Monomial, Fraction]]:
    return gap.term.parts.items()


def moved(n: Monomial, m: Monomial, images: Mapping[int, Index]) -> Monomial:
    """A monomial with indices for its variables that speak of m's bound ones, to be joined to m."""
    after = n.after(m.bound)
    return after.put(images, after.bound)


def summed(pairs: Iterable[tuple[Monomial, Fraction]]) -> Mapping[Monomial, Fraction]:
    found: dict[Monomial, Fraction] = {}
    for m, c in pairs:
        found[m] = found.get(m, Fraction(0)) + c
    return found


def signs_of_states(recursions: Sequence[Recursion], known: Known) -> Known:
    """With it that states are ≥ 0 which start so and whose step keeps them so."""
    for recursion in recursions:
        own = set(recursion.time.variables())
        if not reach(own) - own <= declarations.current.sizes:
            continue  # other entries may end at other times
        with_hypothesis = known.also(gaps=_states(recursion, recursion.time, False))
        goes = map(simplified, (*recursion.first, *recursion.step))
        if all(is_sum(term, with_hypothesis) for term in goes):
            length = declared(recursion.time.terms[0][0])
            end = None if len(length) < 2 else length[1] + recursion.time + 2
            known = known.also(gaps=_states(recursion, position("t", 0, end), True))
    return known


def _states(recursion: Recursion, time: Index, every_time: bool) -> list[AtLeast0]:
    found = []
    for state in recursion.states:
        term = entry(state.name, time, *state.at, *state.given)
        others = (*([time] if every_time else []), *state.at, *state.given)
        over = frozenset(v for e in others for v in e.variables())
        found.append(AtLeast0(term, over, STATES))
    return found


def is_sum(term: Term, known: Known) -> bool:
    """Whether all monomials of the term are ≥ 0."""
    rows = facts(term.scope)
    return all(c > 0 and is_product(m, rows, known) for m, c in term.parts.items())
