"""Parameters of the linear-transformer layer of ch9 §9.2.2, as printed."""

from __future__ import annotations

from typing import Any

from ..arrays.array_api import Array
from ..arrays.definition import definition
from ..layers import linear_transformer


@definition
def icl(xp: Any, d: int, eta: Array) -> linear_transformer.Parameters:
    """Eqs. 9.26–9.28 as linear maps of h = [w; x; y]: q = [w; −1], k = [x; y], v = [−ηx; 0; 0].

    Args:
        xp: namespace of the arrays to build.
        d: features.
        eta: step size η.
    """
    size = 2 * d + 1
    w, rest = xp.eye(size)[:d], xp.eye(size)[d:]
    return linear_transformer.Parameters(
        query=xp.concat([w, xp.zeros((1, size))], axis=0),
        query_bias=-xp.eye(d + 1)[d],
        key=rest,
        value=xp.concat([-xp.asarray(eta) * rest[:d], xp.zeros((d + 1, size))], axis=0),
    )
