"""Bounds in words: what is left of the right side, as a sum of what is ≥ 0, to be read in a derivation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ...inequalities.certificate import Combined, Concluded, Induction, Piece, Squared
from ...inequalities.check import Shown
from ...inequalities.schemas import INDUCTION, Fact, facts_of, ordered, schemas
from ...inequalities.statements import Problem, instance_beside
from ...kernel.index import name
from ...kernel.term import INVERSE, NUMBER, Factor, Monomial, Pairs, Term, body, function_of
from ...kernel.words import linear

LONGEST = 600


@dataclass(frozen=True)
class Bound:
    """left ≤ right, for all sizes."""

    gap: str
    """right − majorant, or what is left of it, as a sum of what is ≥ 0."""
    steps: tuple[str, ...]
    """The schemas that were used, by name, and the hypotheses."""
    exact: bool
    """Whether right − left is the gap, and not only at least as large."""

    @property
    def said(self) -> str:
        """What is shown of right − left."""
        if self.exact:
            return f"right − left = {self.gap} ≥ 0"
        return "right − left ≥ 0" if self.gap == "0" else f"right − left ≥ {self.gap} ≥ 0"


def rendered(shown: Shown) -> tuple[Bound, ...]:
    """The bound that each goal is."""
    return tuple([_bound(fact, shown.problem) for fact in facts_of(shown)])


def _bound(fact: Fact, problem: Problem) -> Bound:
    steps = schemas(fact, problem)
    last, most = _last(fact)
    pieces = last.step.pieces if isinstance(last.step, Combined) else ()
    exact = most is not None and set(most.step.plans) <= {None} and INDUCTION not in steps
    left = gap(pieces, lambda number: last.known[number].statement.right)
    return Bound(left, ordered(steps), exact)


def _last(fact: Fact) -> tuple[Fact, Fact | None]:
    """The last sum of what is ≥ 0, or where there is none a hypothesis or what rests on nothing.

    And the bound of the left side, if that is of the whole of it.
    """
    whole: Fact | None = None
    while fact.rests and not isinstance(fact.step, Combined):
        if isinstance(fact.step, Concluded):
            whole, fact = fact.rests[:2]
        elif isinstance(fact.step, Induction | Squared):
            fact = fact.rests[-1]
        else:
            fact = fact.rests[0]
    return fact, whole


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
        shown.append(f"({_sum([(instance_beside(n, m, images), c) for n, c in parts])})")
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
        e = linear(f.at[0], name)
        return e if len(f.at[0].terms) == 1 and not f.at[0].const else f"({e})"
    kind = function_of(f)
    if kind is not None:
        inside = _sum(body(f, 0))
        return {"abs": f"|{inside}|", INVERSE: f"(1/{inside})"}.get(kind, f"{kind}({inside})")
    at = ", ".join(linear(e, name) for e in f.at)
    bare = f.name.split("'")[0]
    return f"{bare}[{at}]" if at else bare
