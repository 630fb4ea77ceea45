"""A claim at fixed sizes: its symbols in a field, or its inputs at a point."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from math import prod
from typing import Any

import numpy as np

from scanproof.constructs.errors import UsageError

from ..language import stage
from ..language.calls import call
from ..language.claim import Claim
from ..language.conditions import as_bounds, holds
from ..language.sizes import Sizes, by_name, shape
from ..language.statements import AtMost, Statement
from .array import ExactArray, Namespace
from .entries import arranged
from .field import Field
from .roots import FlintRootsField, RootsField, as_fractions

ROOTS = RootsField()
MOST_SYMBOLS = 2000
"""The most entries that one claim may have at one choice of sizes."""

FOR_NUMBERS = (TypeError, AttributeError, ValueError, IndexError)
"""What a condition raises that branches on its numbers, where it is called with arrays."""

Point = Mapping[str, np.ndarray]
"""Input arrays of exact numbers, by symbol."""
Mutation = Callable[[Any], Any] | None
"""A change of a construction's parameters."""


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


def symbols(claim: Claim, field: Field, sizes: Sizes) -> dict[str, ExactArray]:
    """Every symbol as an array whose entries are the field's generators."""
    generators = field.generators
    return {
        name: ExactArray(arranged((generators[n] for n in _names(name, dims)), dims), field)
        for name, dims in shapes(claim, sizes).items()
    }


def constants(claim: Claim, field: Field, point: Point) -> dict[str, ExactArray]:
    """Every symbol as an array of the field's numbers at the point."""
    xp = Namespace(field)
    return {name: xp.asarray(point[name]) for name in claim.given}


def run_body(
    claim: Claim,
    field: Field,
    sizes: Sizes,
    arrays: Mapping[str, ExactArray],
    mutate: Mutation = None,
) -> list[Statement]:
    """What the claim's body says of these arrays, after `mutate` has changed the construction's parameters."""
    values = {**arrays, **sizes, "xp": Namespace(field)}
    with stage.at(sizes):
        parameters = claim.construct(values)
        if mutate is not None:
            parameters = mutate(parameters)
        return claim.statements(values, parameters)


def in_fractions(statement: Any) -> Any:
    """With Fractions in place of flint's numbers."""
    arrays = {n: v for n, v in vars(statement).items() if isinstance(v, ExactArray)}
    if not any(isinstance(v.field, FlintRootsField) for v in arrays.values()):
        return statement
    return replace(
        statement, **{n: ExactArray(as_fractions(v.entries), ROOTS) for n, v in arrays.items()}
    )


def meets_hypotheses(claim: Claim, sizes: Sizes, arrays: Mapping[str, ExactArray]) -> bool:
    """Whether inputs at a point satisfy every side condition of the claim."""
    return next(failing(claim, sizes, arrays), None) is None


def failing(claim: Claim, sizes: Sizes, arrays: Mapping[str, ExactArray]) -> Iterator[str]:
    """The side conditions, by their text, that inputs at a point do not satisfy."""
    if not claim.assuming:
        return
    stated = assumed(claim, sizes, arrays)

    def numbers() -> dict[str, Any]:
        """Plain ones, which conditions that are no bounds are for; new ones for each, which may write into them."""
        entries = {name: as_fractions(a.entries) for name, a in arrays.items()}
        return {name: a.item() if a.shape == () else a for name, a in entries.items()}

    for text, condition in claim.assuming.items():
        if text in stated:
            met = all(holds(_comparable(bound)) for bound in stated[text])
        else:
            met = claim.meets(condition, {**numbers(), **sizes})
        if not met:
            yield text


def _comparable(bound: AtMost) -> AtMost:
    """The bound as it is, unless one side is of Python's numbers, which flint's are not compared with."""
    one_kind = all(isinstance(side, ExactArray | int) for side in (bound.left, bound.right))
    return bound if one_kind else in_fractions(bound)


def assumed(claim: Claim, sizes: Sizes, arrays: Mapping[str, Any]) -> dict[str, list[AtMost]]:
    """The side conditions that are bounds, by their text, on these arrays; the others are for plain numbers alone.

    A condition of the latter kind answers True or False, or fails on arrays of a backend of its own.
    """
    found = {}
    for text, condition in claim.assuming.items():
        try:
            bounds = as_bounds(call(condition, {**arrays, **sizes}))
        except FOR_NUMBERS:
            continue
        if bounds is not None:
            found[text] = bounds
    return found
