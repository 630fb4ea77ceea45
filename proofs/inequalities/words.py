"""Certificates in words: the sum of what is ≥ 0 that is left of a bound, to be read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from ..kernel.index import Index, name
from ..kernel.term import INVERSE, NUMBER, Factor, Monomial, Pairs, Term, body, function_of
from .certificate import Piece
from .statements import moved

LONGEST = 600


def gap(pieces: Sequence[Piece], known: Callable[[int], Term]) -> str:
    """The pieces as they stand: a product of factors, what is known to be ≥ 0, by its number, and squares."""
    text = " + ".join(_piece(piece, known) for piece in pieces) or "0"
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def _piece(piece: Piece, known: Callable[[int], Term]) -> str:
    m = piece.monomial
    shown = [] if piece.factor == 1 else [str(piece.factor)]
    for use in piece.uses:
        images = dict(use.images)
        parts = known(use.fact).parts.items()
        shown.append(f"({_sum([(moved(n, m, images), c) for n, c in parts])})")
    shown += [f"({_sum(square.parts.items())})²" for square in piece.squares]
    return _summed(
        m, [*shown[:1], *_factors(m), *shown[1:]] if piece.factor != 1 else [*_factors(m), *shown]
    )


def _sum(pairs: Pairs) -> str:
    text = ""
    for m, c in pairs:
        size = [] if abs(c) == 1 and m.factors else [str(abs(c))]
        sign = " − " if c < 0 else " + " if text else ""
        text += (sign if text else sign.strip()) + _summed(m, [*size, *_factors(m)])
    return text or "0"


def _summed(m: Monomial, words: Sequence[str]) -> str:
    own = " ".join(words) or "1"
    return f"Σ_{', '.join(name(-k) for k in range(1, m.bound + 1))} {own}" if m.bound else own


def _factors(m: Monomial) -> list[str]:
    found = []
    for f, times in Counter(m.factors).items():
        text = _factor(f)
        found.append(text if times == 1 else f"{text}^{times}")
    return found


def _factor(f: Factor) -> str:
    if f.name == NUMBER:
        e = index(f.at[0])
        return e if len(f.at[0].terms) == 1 and not f.at[0].const else f"({e})"
    kind = function_of(f)
    if kind is not None:
        inside = _sum(body(f, 0))
        return (
            f"|{inside}|"
            if kind == "abs"
            else f"(1/{inside})"
            if kind == INVERSE
            else f"{kind}({inside})"
        )
    at = ", ".join(index(e) for e in f.at)
    bare = f.name.split("'")[0]
    return f"{bare}[{at}]" if at else bare


def index(e: Index) -> str:
    text = ""
    for v, c in e.terms:
        size = name(v) if abs(c) == 1 else f"{abs(c)}{name(v)}"
        text += (" − " if text else "−") + size if c < 0 else (" + " if text else "") + size
    if e.const or not text:
        text += f" {'−' if e.const < 0 else '+'} {abs(e.const)}" if text else str(e.const)
    return text
