"""A claim's body as it stands, on plain NumPy arrays: nothing is recorded, loops go turn by turn."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from scanproof.constructs.errors import UsageError, text_of

from ..exact.engines import UnequalShapes
from ..exact.instance import shapes
from ..exact.scalar import DivisionByZero
from ..language.calls import call
from ..language.claim import Claim
from ..language.conditions import as_bounds
from ..language.place import short
from ..language.sizes import Sizes
from ..language.statements import AtMost, Determines, Differs, Equal, Undetermined


def untraced(
    claim: Claim, sizes: Sizes, inputs: Mapping[str, np.ndarray], texts: Sequence[str] = ()
) -> Iterator[tuple[Any, Any]]:
    """The sides of the claim's statements, and of its conditions with these texts, on NumPy's arrays."""
    values = {**inputs, **sizes, "xp": np}
    said: list[Any] = claim.statements(values, claim.construct(values))
    for text in texts:
        said += as_bounds(call(claim.assuming[text], values)) or []
    for one in said:
        if isinstance(one, Determines | Undetermined):
            yield one.statistic, one.value
        else:
            yield one.left, one.right


def run(claim: Claim, sizes: Sizes) -> None:
    """Run the body at numbers, for what it raises there.

    Raises:
        UnequalShapes: if both sides of a comparison are arrays, and of different shapes.
        UsageError: if a side is no array.
        DivisionByZero: if a side has no value.
        Exception: what the body raises.
    """
    rng = np.random.default_rng(0)
    inputs = {name: rng.uniform(0.25, 1, dims) for name, dims in shapes(claim, sizes).items()}
    values = {**inputs, **sizes, "xp": np}
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for one in claim.statements(values, claim.construct(values)):
            if isinstance(one, Equal | Differs | AtMost):
                _expect_values(one)


def _expect_values(one: Equal | Differs | AtMost) -> None:
    """Raise what `run` does unless both sides are arrays that can be compared."""
    at = short(one.place)
    try:
        sides = [np.asarray(side, dtype=float) for side in (one.left, one.right)]
    except (TypeError, ValueError) as error:
        raise UsageError(f"a side of the statement{at} is no array: {text_of(error)}") from None
    left, right = (side.shape for side in sides)
    if left != right and not (isinstance(one, AtMost) and () in (left, right)):
        name = f" ({one.label})" if one.label else ""
        raise UnequalShapes(
            f"the two sides{name} have shapes {left} and {right}{at}; an equation needs equal shapes."
        )
    if any(side.size and not np.isfinite(side).any() for side in sides):
        raise DivisionByZero(f"no entry of a side of the statement{at} is a number")
