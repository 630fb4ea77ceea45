"""A claim at fixed sizes: its symbols in a field, or its inputs at a point."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from fractions import Fraction
from math import prod

import numpy as np

from scanproof.constructs.errors import UsageError

from ..language.claim import Claim
from ..language.sizes import Sizes, by_name, shape
from .entries import arranged
from .field import Field

MOST_SYMBOLS = 2000
"""The most entries that one claim may have at one choice of sizes."""

Point = Mapping[str, np.ndarray]
"""Input arrays of exact numbers, by symbol."""


def shapes(claim: Claim, sizes: Sizes) -> dict[str, tuple[int, ...]]:
    """The shape of every symbol of the claim."""
    return {name: shape(text, sizes) for name, text in claim.given.items()}


def is_for(claim: Claim, sizes: Sizes) -> bool:
    """Whether the claim speaks of these sizes."""
    try:
        shapes(claim, sizes)
    except UsageError:  # a negative length
        return False
    conditions = claim.assuming.values()
    own = [c for c in conditions if set(inspect.signature(c).parameters) <= set(claim.ranges)]
    return all(claim.meets(c, sizes) for c in own)


def ones(claim: Claim, sizes: Sizes) -> Point:
    """The point at which every entry is 1."""
    return {n: np.full(dims, Fraction(1), dtype=object) for n, dims in shapes(claim, sizes).items()}


def entry_names(claim: Claim, sizes: Sizes) -> list[str]:
    """One name for each entry of each symbol, such as x[0,1].

    Raises:
        UsageError: if there are more than `MOST_SYMBOLS`, which no engine would get through.
    """
    count = sum(prod(dims) for dims in shapes(claim, sizes).values())
    if count > MOST_SYMBOLS:
        raise UsageError(
            f"at {by_name(sizes)} the claim has {count} symbols, and at most {MOST_SYMBOLS} are taken; "
            "give smaller sizes=."
        )
    return [entry for name, dims in shapes(claim, sizes).items() for entry in _names(name, dims)]


def _names(name: str, dims: tuple[int, ...]) -> list[str]:
    """The names of a symbol's entries, in row-major order."""
    return [f"{name}[{','.join(map(str, index))}]" if index else name for index in np.ndindex(dims)]


def symbols(claim: Claim, field: Field, sizes: Sizes) -> dict[str, np.ndarray]:
    """Every symbol as an array whose entries are the field's generators."""
    generators = field.generators
    return {
        name: arranged((generators[n] for n in _names(name, dims)), dims)
        for name, dims in shapes(claim, sizes).items()
    }


def scalars(claim: Claim, field: Field, point: Point) -> dict[str, np.ndarray]:
    """Every symbol as an array of the field's numbers at the point."""
    return {n: arranged(map(field.number, point[n].flat), point[n].shape) for n in claim.given}
