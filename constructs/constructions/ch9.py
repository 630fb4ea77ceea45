"""Parameters of the linear-transformer layer of ch9 §9.2.2, as printed."""

from __future__ import annotations

from typing import Any

from ..arrays.array_api import Array
from ..arrays.definition import definition
from ..layers import linear_transformer
from ..learners.learner import Descent
from ..learners.losses import HALF_SUM
from .construction import SCALAR, Construction


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


@definition
def weights_in_tokens(x: Array, y: Array, w: Array) -> Array:
    """h_i = [w; x_i; y_i] for the examples, without the query: (n, 2d + 1)."""
    return linear_transformer.weights_in_tokens(w, x[:-1], y)


def weights(outputs: Array, following: Array, W0: Array, **symbols: Any) -> Array:
    """The weights that each token carries, its first d coordinates."""
    return outputs[:, : outputs.shape[1] // 2]


ICL = Construction(
    "weights that token t carries after L layers: L steps from w0 on t examples",
    icl,
    weights_in_tokens,
    linear_transformer.LAYER,
    Descent(HALF_SUM, weights=True),
    weights,
    SCALAR,
    several=True,
    stacked=True,
    informed=True,
)
"""Eqs. 9.25–9.30: L layers, read at every token."""
