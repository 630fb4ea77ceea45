"""Tokens in which the query's input has columns of its own, so that a layer that only maps columns sees it apart."""

from __future__ import annotations

from typing import Any

from ..arrays.array_api import Array, namespace
from ..arrays.definition import definition
from .mamba2 import Layout, Slots


@definition
def separate_tokens(x: Array, y: Array) -> Array:
    """Rows (x_j, y_j, 0, 0) for the examples and (0, 0, x, 1) for the query: (n + 1, 2d + k + 1)."""
    xp = namespace(x)
    (n, k), d = y.shape, x.shape[1]
    examples = xp.concat([x[:-1], y, xp.zeros((n, d + 1))], axis=1)
    query = xp.concat([xp.zeros((1, d + k)), x[-1:], xp.ones((1, 1))], axis=1)
    return xp.concat([examples, query], axis=0)


def separate_layout(d: Any, k: Any = 1, *, weights: bool = False) -> Layout:
    """An example's input is 0 in the query's token, and the query's in those of the examples."""
    slots = Slots(d, k, k if weights else 0, 2, 1)
    key, query = slots.input(0), slots.input(1)
    return Layout("separate", slots, separate_tokens, slice(-1, None), key, 0, 0, query)
