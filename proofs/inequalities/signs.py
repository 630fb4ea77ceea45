"""What is ≥ 0: factors, monomials, and sums of products of these with what is known to be ≥ 0."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction

from ..kernel.index import Index, declared, facts
from ..kernel.inequalities import implied
from ..kernel.term import (
    INVERSE,
    INVERSE_NUMBER,
    NUMBER,
    Factor,
    Monomial,
    Term,
    body,
    function_of,
    made,
)
from .certificate import Images, Piece, Sign, Use
from .statements import Inequality, Refused, expect, joined, product, summed

ABS = "abs"
FACTORS = 100
"""The most known inequalities and squares that are multiplied at once."""
NEVER_NEGATIVE = (ABS, "exp")
"""Functions whose values are ≥ 0."""
Facts = Callable[[int], Inequality]
"""What is known, by its number."""


def fits(one: Inequality, images: Images, fixed: frozenset[int], rows: frozenset[Index]) -> str:
    """Why images must not be substituted in an inequality; "" if they may, where the rows hold.

    Each must be a variable that it holds for all values of, and its index in its range; no range of a variable that
    stays may speak of one that goes.
    """
    places, free = dict(images), one.variables - fixed
    if len(places) != len(images) or not places.keys() <= free:
        return "an index for what is not a variable of the inequality"
    staying = one.variables.union(one.ends) - places.keys()
    if any(v in places for w in staying for g in declared(w) for v in g.variables()):
        return "the range of a variable that stays speaks of one that goes"
    if not all(implied(g.substitute(places), rows) for v in places for g in declared(v)):
        return "an inequality is used outside the range of its variables"
    return ""


def gap(one: Inequality) -> Term:
    """T of 0 ≤ T."""
    expect(not one.measure and not one.left.parts, "an inequality that is not of the form 0 ≤ T")
    return one.right


class Signs:
    """Which factors are ≥ 0: by what they are, or by the inequality that is named for them."""

    def __init__(self, signs: Iterable[Sign], known: Facts, fixed: frozenset[int]) -> None:
        self.named = {sign.factor: sign.use for sign in signs}
        self.known, self.fixed = known, fixed
        self.spoken: set[int] = set()
        """The variables of the inequalities that were used which had no image."""

    def factor(self, f: Factor, rows: frozenset[Index]) -> bool:
        """Whether it is seen to be ≥ 0 where the rows hold, its denominators being not 0."""
        if f.name == NUMBER:
            return implied(f.at[0], rows)
        if f.name == INVERSE_NUMBER:
            return implied(f.at[0] - 1, rows)
        name = function_of(f)
        if name == INVERSE:
            # Bound indices of its own come after all those that are spoken of here.
            depth = max([0, *(-v for e in (*f.at, *rows) for v in e.variables())])
            inside = dict(body(f, depth))
            if all(c > 0 and self.product(m, rows) for m, c in inside.items()):
                return True
            return all(m.bound == depth for m in inside) and self.entry(f, inside, rows)
        if name in NEVER_NEGATIVE:
            return True
        alone = Monomial(0, frozenset(), (f,))
        return self.entry(f, {alone: Fraction(1)}, rows)

    def entry(self, f: Factor, inside: Mapping[Monomial, Fraction], rows: frozenset[Index]) -> bool:
        """Whether the inequality that is named for this factor says that what is inside is ≥ 0."""
        use = self.named.get(f)
        return use is not None and self.says(use, inside, rows)

    def says(self, use: Use, inside: Mapping[Monomial, Fraction], rows: frozenset[Index]) -> bool:
        """Whether a positive multiple of what is inside is said to be ≥ 0."""
        one, images = self.known(use.fact), dict(use.images)
        term = gap(one)
        if any(m.bound or m.guards for m in term.parts):
            return False
        there = {m.substitute(images, 0): c for m, c in term.parts.items()}
        if len(there) < len(term.parts):
            return False
        own = {m._replace(bound=0): c for m, c in inside.items()}
        if there.keys() != own.keys() or any(m.guards for m in own):
            return False
        ratios = {c / there[m] for m, c in own.items()}
        if len(ratios) != 1 or min(ratios) <= 0 or fits(one, use.images, self.fixed, rows):
            return False
        self.spoken |= one.variables - images.keys()
        return True

    def product(self, m: Monomial, rows: frozenset[Index]) -> bool:
        """Whether a monomial, its coefficient being ≥ 0, is ≥ 0: odd powers of what is ≥ 0, and even ones."""
        rows = rows | m.guards
        return all(self.factor(f, rows) for f, times in Counter(m.factors).items() if times % 2)


def value(pieces: Iterable[Piece], scope: frozenset[int], signs: Signs) -> Term:
    """The sum of the pieces, each of which is ≥ 0, where the variables of the scope are in range."""
    result = made([], scope)
    for piece in pieces:
        result = result + _value(piece, scope, signs)
    return made(result.parts.items(), result.scope | signs.spoken)


def _value(piece: Piece, scope: frozenset[int], signs: Signs) -> Term:
    m, rows = piece.monomial, facts(scope) | piece.monomial.guards
    spoken = m.variables().union(*(e.variables() for use in piece.uses for _, e in use.images))
    expect(
        min(spoken, default=0) >= -m.bound,
        "a piece of a certificate speaks of a bound index that is not there",
    )
    expect(len(piece.uses) + len(piece.squares) <= FACTORS, "a product of too many")
    expect(piece.factor >= 0 and signs.product(m, rows), "a piece that may be negative")
    pairs = [(m, piece.factor)]
    for use in piece.uses:
        one, images = signs.known(use.fact), dict(use.images)
        parts = gap(one).parts.items()
        if why := fits(one, use.images, signs.fixed, rows):
            raise Refused(why)
        pairs = joined(pairs, parts, images)
        scope = scope | (one.variables - images.keys())
    term = Term(summed(pairs), scope)
    for square in piece.squares:
        square = Term(square.parts, square.scope)
        term = product(product(term, square), square)
    return term
