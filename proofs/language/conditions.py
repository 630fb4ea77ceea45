"""Side conditions: functions of the claim's symbols and sizes that answer True or False, or with bounds.

What is judged on plain numbers alone answers True or False. What a proof is to use as a hypothesis returns
`at_most(norm(x), C)`, or several: it is judged on numbers as well, and read with symbols.

numpy is imported where a condition is judged; claims are written down without it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from scanproof.constructs.errors import UsageError

from .numbers import exceeds
from .place import short
from .statements import AtMost


def as_bounds(answer: Any) -> list[AtMost] | None:
    """What a condition answered, if it is one bound or several."""
    import numpy as np

    if isinstance(answer, AtMost):
        return [answer]
    if isinstance(answer, Iterable) and not isinstance(answer, np.ndarray | str):
        every = list(answer)
        if all(isinstance(one, AtMost) for one in every):
            return every
    return None


def holds(bound: AtMost) -> bool:
    """Whether left ≤ right in every entry; a number stands for all entries."""
    import numpy as np

    left, right = (np.asarray(side, dtype=object) for side in (bound.left, bound.right))
    if left.shape != right.shape and left.ndim and right.ndim:
        raise UsageError(
            f"a condition compares arrays of shapes {left.shape} and {right.shape}{short(bound.place)}; a bound needs "
            "equal shapes, or a number on one side."
        )
    return not any(map(exceeds, np.asarray(left - right, dtype=object).flat))
