"""A claim's body as it stands, on plain NumPy arrays: nothing is recorded, loops go turn by turn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ..language.calls import call
from ..language.claim import Claim
from ..language.conditions import as_bounds
from ..language.sizes import Sizes
from ..language.statements import Determines, Undetermined


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
