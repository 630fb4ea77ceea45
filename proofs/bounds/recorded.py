"""A certificate on the tape: written when it is found, and read in place of the search."""

from __future__ import annotations

from typing import Any

from ..kernel.term import Term
from ..search import encoding, tape
from .certificates import certificate
from .facts import Known
from .signs import Piece, Use


def found_or_read(rest: Term, known: Known, squares: bool) -> list[Piece] | None:
    """Pieces that are said to add up to the term; None if none were found."""

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
    return [_piece_of(one) for one in encoding.items(written, "pieces")]


def _piece_of(value: Any) -> Piece:
    monomial, uses, squares = encoding.items(value, "a piece", 3)
    ((m, c),) = encoding.pairs_of([monomial]).items()
    read = []
    for use in encoding.items(uses, "uses"):
        which, images = encoding.items(use, "a use", 2)
        at = encoding.images_of(images)
        read.append(Use(encoding.natural(which), tuple(sorted(at.items()))))
    terms = tuple(encoding.term_of(t) for t in encoding.items(squares, "squares"))
    return Piece(c, m, tuple(read), terms)
