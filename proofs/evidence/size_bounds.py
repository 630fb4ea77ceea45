"""left ≤ right between numbers that depend on sizes only: right − left is a sum of what cannot be negative.

Every size n is its least value plus a number # ≥ 0. Where right − left is a polynomial in these numbers whose
coefficients are all ≥ 0, it is ≥ 0 at every size. The kernel proves the equation.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from fractions import Fraction
from math import prod

from ..kernel.errors import NotProved
from ..kernel.index import variable
from ..kernel.term import NUMBER, Term, as_term
from ..kernel.theorem import Theorem
from ..language.claim import Claim
from ..reading.claims import Part, Reading
from ..reading.terms import number
from ..search.lemmas import show
from ..search.normal import simplified


@dataclass(frozen=True)
class Bound:
    """right − left = Σ c Π (n − least n) with all c ≥ 0, for all sizes."""

    theorem: Theorem
    gap: str
    """The sum, to be read."""


def bounded(part: Part, reading: Reading, claim: Claim) -> Bound:
    """The proof of one inequality.

    Raises:
        NotProved: if the difference is no such sum.
        TooHard: if the kernel gives up.
    """
    names = {v: name for name, v in reading.variables.items()}
    least = {v: min(claim.ranges[name]) for v, name in names.items()}
    gap = part.right.entry(part.left.at) - part.left.term
    coefficients: dict[tuple[int, ...], Fraction] = {}
    for sizes, c in _monomials(simplified(gap), least):
        for taken in itertools.product((True, False), repeat=len(sizes)):  # n = (n − least) + least
            numbers = tuple(v for v, one in zip(sizes, taken, strict=True) if one)
            rest = prod(least[v] for v, one in zip(sizes, taken, strict=True) if not one)
            coefficients[numbers] = coefficients.get(numbers, Fraction(0)) + c * rest
    if min(coefficients.values(), default=0) < 0:
        raise NotProved(
            "a bound whose sides differ by a polynomial in sizes with a negative coefficient"
        )
    total = as_term(0)
    for numbers, c in coefficients.items():
        product = as_term(c)
        for v in numbers:
            product = product * number(variable(v) - least[v])
        total = total + product
    found = show(gap, total)
    reading.expect_turns(found, part.left.at)
    shown = [
        " ".join(
            [str(c), *(f"({names[v]} − {least[v]})" if least[v] else names[v] for v in numbers)]
        )
        for numbers, c in coefficients.items()
        if c
    ]
    return Bound(found, " + ".join(shown) or "0")


def _monomials(term: Term, least: dict[int, int]) -> list[tuple[tuple[int, ...], Fraction]]:
    """The term as a sum of products of sizes with coefficients."""
    found = []
    for m, c in term.parts.items():
        sizes = tuple(sorted(v for f in m.factors for v in f.variables()))
        if (
            m.bound
            or m.guards
            or {f.name for f in m.factors} - {NUMBER}
            or not set(sizes) <= set(least)
        ):
            raise NotProved("a bound between more than polynomials in sizes")
        found.append((sizes, c))
    return found
