"""A claim at random numbers: sides that differ there are not identical."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from typing import Any

import numpy as np

from ...exact.enclosures import ArbField
from ...exact.engines import gaps
from ...exact.entries import arranged
from ...exact.field import Field
from ...exact.instance import shapes
from ...exact.mutation import OnLeaf
from ...exact.residues import PRIME, PrimeField
from ...exact.scalar import DivisionByZero, NotPolynomial
from ...language.claim import Claim
from ...language.sizes import Sizes
from ...language.statements import Differs, Equal, Statement
from .evaluate import evaluate


def drawn(
    claim: Claim, field: Field, sizes: Sizes, draw: Callable[[], Any]
) -> dict[str, np.ndarray]:
    """Every symbol as an array of the field's numbers, each of them drawn."""
    return {
        name: arranged((field.number(draw()) for _ in np.ndindex(dims)), dims)
        for name, dims in shapes(claim, sizes).items()
    }


def residues(claim: Claim, sizes: Sizes, mutate: OnLeaf | None = None) -> list[Statement]:
    """The statements at residues modulo a large prime, which a seed of the claim's own draws.

    Raises:
        NotPolynomial: if something besides + − · / is needed.
    """
    return _at(claim, PrimeField(), sizes, lambda rng: rng.randrange(PRIME), mutate)


def balls(claim: Claim, sizes: Sizes, mutate: OnLeaf | None = None) -> list[Statement]:
    """The statements at positive numbers, in enclosures, which have exp, log and norms.

    Where numbers are compared, those of either sign are tried too, and handed back if sides differ there.

    Raises:
        DivisionByZero: if there is no value.
    """
    field = ArbField()
    found = _at(claim, field, sizes, lambda rng: Fraction(rng.randint(1, 64), 64), mutate)
    if field.compared:
        with suppress(DivisionByZero, ZeroDivisionError):
            signed = _at(
                claim, ArbField(), sizes, lambda rng: Fraction(rng.randint(-96, 96), 32), mutate
            )
            if not all(overlap(s) for s in signed if isinstance(s, Equal)):
                return signed
    return found


def _at(
    claim: Claim,
    field: Field,
    sizes: Sizes,
    draw: Callable[[random.Random], Any],
    mutate: OnLeaf | None,
) -> list[Statement]:
    rng = random.Random(f"{claim.id} {sorted(sizes.items())}")
    return evaluate(claim, field, sizes, drawn(claim, field, sizes, lambda: draw(rng)), mutate)


def may_hold(
    claim: Claim, sizes: Sizes, mutate: OnLeaf | None, finish: Callable[[Statement], Statement]
) -> bool:
    """Whether all statements are equations that random numbers do not contradict."""
    try:
        found, same = residues(claim, sizes, mutate), agree
    except NotPolynomial:
        found, same = balls(claim, sizes, mutate), overlap
    return all(isinstance(s, Equal) and same(s) for s in map(finish, found))


def overlap(statement: Equal | Differs) -> bool:
    """Whether the two sides, in balls, may be the same numbers."""
    return not any(a != b for a, b in zip(statement.left.flat, statement.right.flat, strict=True))


def agree(statement: Equal | Differs) -> bool:
    """Whether the two sides, in residues or fractions, are the same numbers."""
    return not any(gap != 0 for gap in gaps(statement))
