"""GD-SSM: the scalar-target network and the two-head layer of gd-ssm A.2 (arXiv 2410.11687 v1/v2).

The vector-target layer of gd-ssm eqs. 17–21 is the GRIL block (`gril.step`) with other parameters.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ..arrays.array_api import Array, namespace
from ..arrays.definition import definition
from .gril import TwoHead, WeightedWindow, read_scale, two_heads
from .sequence import Recurrent


class Scalar(NamedTuple):
    """Parameters of the scalar-target network."""

    Psi: Array
    """Ψ: input map, shape (d, 2f)."""
    Theta: Array
    """Θ: query selector, shape (d, 2f)."""
    beta: Array
    """β: readout scale, divided by count[0] + count[1] t."""
    count: Array
    """(2,): (1, 0) leaves β constant, (0, 1) makes it β/t."""


class Token(NamedTuple):
    """c_t = [x_t y_t, x_{t+1}], shape (2f,), and the step count t."""

    c: Array
    t: Array


@definition
def step(parameters: Scalar, state: Array, token: Token) -> tuple[Array, Array]:
    """z_t = z_{t−1} + Ψ c_t, o_t = β z_tᵀ Θ c_t (gd-ssm eqs. 12–16, gril eqs. 12–14).

    Args:
        parameters: see `Scalar`.
        state: z_{t−1}, shape (d,).
    """
    state = state + parameters.Psi @ token.c
    return state, read_scale(parameters, token.t) * (state @ (parameters.Theta @ token.c))


def empty(parameters: Scalar, tokens: Token, W0: Any = None) -> Array:
    """z_0 = 0, of shape (d,)."""
    return namespace(parameters.Psi).zeros((parameters.Psi.shape[0],))


NETWORK = Recurrent(step, empty)
"""The network from z = 0."""


@definition
def two_head_step(
    parameters: TwoHead, state: tuple[Array, Array], token: WeightedWindow
) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
    """Layer l of gd-ssm A.2: Δ_l W = −β (W_{l−1}ᵀ Z̃_t − Z_t + λ W_{l−1}), o = (W_{l−1} + Δ_l W) C_t q.

    Args:
        parameters: see `gril.TwoHead`.
        state: (Z_{t−1}, Z̃_{t−1}), each (f, f).
        token: the window C_t, t, and W_{l−1} as the layer below has it at this token.

    Returns:
        The state, and (W_l, o_t).
    """
    Z, cross = two_heads(parameters, state, token)
    W = token.weights
    W = W - read_scale(parameters, token.t) * (W.T @ cross - Z + parameters.ridge * W)
    return (Z, cross), (W, W @ (token.window @ parameters.query))
