"""Side conditions: functions of the claim's symbols and sizes that answer True or False, or with bounds.

What is judged on plain numbers alone answers True or False. What a proof is to use as a hypothesis returns
`at_most(norm(x), C)`, or several: it is judged on numbers as well, and read with symbols.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import UsageError
from .fields import call
from .numbers import exceeds
from .statements import AtMost

if TYPE_CHECKING:
    from .claim import Claim


def is_met(claim: Claim, condition: Callable[..., Any], values: Mapping[str, Any]) -> bool:
    """Whether a side condition holds of numbers.

    Raises:
        UsageError: if the condition answers with anything but True, False or bounds.
    """
    answer = call(condition, values)
    stated = as_bounds(answer)
    if stated is not None:
        return all(map(holds, stated))
    if not isinstance(answer, bool) and type(answer).__name__ not in ("bool_", "bool"):
        text = next((t for t, c in claim.assuming.items() if c is condition), "?")
        raise UsageError(
            f"the condition {text!r} of claim {claim.id} answered with a {type(answer).__name__}; conditions get plain "
            "numbers and return True or False, for example lambda x: (x > 0).all(), or bounds, for example "
            "lambda x, C: at_most(norm(x), C)."
        )
    return bool(answer)


def as_bounds(answer: Any) -> list[AtMost] | None:
    """What a condition answered, if it is one bound or several."""
    if isinstance(answer, AtMost):
        return [answer]
    if isinstance(answer, Iterable) and not isinstance(answer, np.ndarray | str):
        every = list(answer)
        if all(isinstance(one, AtMost) for one in every):
            return every
    return None


def holds(bound: AtMost) -> bool:
    """Whether left ≤ right in every entry; a number stands for all entries."""
    left, right = (
        np.asarray(getattr(side, "entries", side), dtype=object)
        for side in (bound.left, bound.right)
    )
    if left.shape != right.shape and left.ndim and right.ndim:
        raise UsageError(
            f"a condition compares arrays of shapes {left.shape} and {right.shape}; a bound needs equal shapes, or a "
            "number on one side."
        )
    return not any(map(exceeds, np.asarray(left - right, dtype=object).flat))
