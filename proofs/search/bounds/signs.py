"""What is seen to be ≥ 0, by what is known: factors, monomials, sums, and states that start so and stay so."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...inequalities.certificate import Combined, Piece, Side, Sign, Timed
from ...inequalities.signs import Signs
from ...inequalities.statements import Inequality
from ...kernel import index as declarations
from ...kernel.index import Index, declared, facts, position, reach
from ...kernel.recursion import Recursion
from ...kernel.term import Factor, Monomial, Term, as_term, entry
from ..normal import simplified
from .facts import AtLeast0, Known


class Looking(Signs):
    """Signs that are looked for among what is known, and noted, so that a step can name them."""

    def __init__(self, known: Known) -> None:
        super().__init__((), known.book.fact, frozenset())
        self.all = known

    def entry(self, f: Factor, inside: Any, rows: frozenset[Index]) -> bool:
        """Whether a factor is seen to be ≥ 0; what shows it is kept."""
        if f in self.named:
            return super().entry(f, inside, rows)
        for use in self.all.uses(f, inside):
            if self.says(use, inside, rows):
                self.named[f] = use
                return True
        return False

    @property
    def signs(self) -> tuple[Sign, ...]:
        """What was found ≥ 0, each with what shows it."""
        return tuple([Sign(f, use) for f, use in self.named.items()])


def is_never_negative(f: Factor, rows: frozenset[Index], known: Known) -> bool:
    """Whether the factor is ≥ 0 where the rows hold, its denominators being not 0."""
    return Looking(known).factor(f, rows)


def is_product(m: Monomial, rows: frozenset[Index], known: Known) -> bool:
    """Whether a monomial, its coefficient being ≥ 0, is ≥ 0."""
    asked = m, rows
    if asked not in known.never_negative:
        known.never_negative[asked] = Looking(known).product(m, rows)
    return known.never_negative[asked]


def is_sum(term: Term, known: Known) -> bool:
    """Whether all monomials of the term are ≥ 0."""
    rows = facts(term.scope)
    return all(c > 0 and is_product(m, rows, known) for m, c in term.parts.items())


def combined(pieces: Sequence[Piece], scope: frozenset[int], known: Known) -> int:
    """The number of 0 ≤ Σ pieces.

    Raises:
        Refused: if a piece is not seen to be ≥ 0.
    """
    looking = Looking(known)
    for piece in pieces:
        looking.product(piece.monomial, facts(scope) | piece.monomial.guards)
    return known.book.add(Combined(tuple(pieces), tuple(sorted(scope)), looking.signs))


def as_pieces(term: Term) -> list[Piece]:
    """A term's monomials as pieces of a certificate."""
    return [Piece(c, m) for m, c in term.parts.items()]


def signs_of_states(recursions: Sequence[Recursion], known: Known) -> Known:
    """With it that states are ≥ 0 which start so and whose step keeps them so."""
    for recursion in recursions:
        own = set(recursion.time.variables())
        if not reach(own) - own <= declarations.current.sizes:
            continue  # other entries may end at other times
        book, now = known.book, recursion.time
        of, numbers = book.suppose([_statement(term) for term in _entries(recursion, now)])
        supposed = known.also(gaps=_states(recursion, now, numbers, False))
        first, step = ([simplified(t) for t in e] for e in (recursion.first, recursion.step))
        if all(is_sum(term, supposed) for term in (*first, *step)):
            length = declared(now.terms[0][0])
            when = position("t", 0, None if len(length) < 2 else length[1] + now + 2)
            start, later = (
                [
                    book.with_sides(combined(as_pieces(term), term.scope, some), right=Side(shown))
                    for term, shown in zip(terms, _entries(recursion, time), strict=True)
                ]
                for terms, time, some in (
                    (first, Index(0), known),
                    (step, now + 1, supposed),
                )
            )
            (v,), (w,) = now.variables(), when.variables()
            claims = [Timed(w, _statement(term)) for term in _entries(recursion, when)]
            numbers = book.conclude(of, v, claims, start, later)
            known = known.also(gaps=_states(recursion, when, numbers, True))
    return known


def _statement(term: Term) -> Inequality:
    return Inequality("", (), as_term(0), term)


def _entries(recursion: Recursion, time: Index) -> list[Term]:
    return [entry(one.name, time, *one.at, *one.given) for one in recursion.states]


def _states(
    recursion: Recursion, time: Index, numbers: Sequence[int], every_time: bool
) -> list[AtLeast0]:
    found = []
    for state, term, number in zip(
        recursion.states, _entries(recursion, time), numbers, strict=True
    ):
        others = (*([time] if every_time else []), *state.at, *state.given)
        over = frozenset(v for e in others for v in e.variables())
        found.append(AtLeast0(term, over, number))
    return found
