"""The linear-transformer layer that does gradient descent in its tokens (ch9 §9.2.2, eqs. 9.25–9.30)."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..arrays.array_api import Array, namespace, outer
from ..arrays.definition import definition
from .sequence import Recurrent


class Parameters(NamedTuple):
    """Linear maps of the layer on h = [w; x; y] in R^{2d+1}."""

    query: Array
    """h ↦ q, (d + 1, 2d + 1); the constant −1 of eq. 9.26 is `query_bias`."""
    query_bias: Array
    """(d + 1,)."""
    key: Array
    """h ↦ k, (d + 1, 2d + 1)."""
    value: Array
    """h ↦ v, (2d + 1, 2d + 1)."""


@definition
def step(parameters: Parameters, state: Array, token: Array) -> tuple[Array, Array]:
    """S_i = S_{i−1} + v_i ⊗ k_i, output h_i + S_i q_i: causal linear attention with a residual (eq. 9.29).

    Args:
        parameters: see `Parameters`.
        state: S_{i−1}, shape (2d + 1, d + 1).
        token: h_i = [w; x_i; y_i], shape (2d + 1,).
    """
    state = state + outer(parameters.value @ token, parameters.key @ token)
    return state, token + state @ (parameters.query @ token + parameters.query_bias)


def empty(parameters: Parameters, tokens: Array, W0: Any = None) -> Array:
    """S_0 = 0, of shape (2d + 1, d + 1)."""
    return namespace(tokens).zeros((tokens.shape[1], parameters.key.shape[0]))


LAYER = Recurrent(step, empty)
"""The layer from S = 0; with several layers one puts out the tokens of the next."""


@definition
def weights_in_tokens(w: Array, x: Array, y: Array) -> Array:
    """h_i = [w; x_i; y_i] (eq. 9.25): w (d,), x (n, d), y (n,) -> (n, 2d + 1)."""
    xp = namespace(x)
    carried = xp.ones((x.shape[0], 1)) * w[None, :]
    return xp.concat([carried, x, y[:, None]], axis=1)
