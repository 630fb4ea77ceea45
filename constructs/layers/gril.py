"""The GRIL block: a gated linear recurrence fed by windowed cross-products (gril Def. 4.2, A.3)."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..arrays.array_api import Array, namespace
from ..arrays.definition import definition
from .sequence import Recurrent


class Block(NamedTuple):
    """Parameters of a GRIL block on windows of w tokens with f features."""

    gate: Array
    """A: diagonal recurrent gate, of the state's shape (f, f)."""
    mixing: Array
    """Q: window-mixing matrix, shape (w, w)."""
    query: Array
    """q: selects the query column, shape (w,)."""
    beta: Array
    """β: readout scale, divided by count[0] + count[1] t."""
    count: Array
    """(2,): (1, 0) leaves β constant, (0, 1) makes it β/t."""


class Window(NamedTuple):
    """The context matrix C_t, shape (f, w), and the step count t."""

    window: Array
    t: Array


class TwoHead(NamedTuple):
    """Parameters of one layer of multi-step gradient descent."""

    mixing: Array
    """Q of the head that accumulates targets with inputs, shape (w, w)."""
    cross_mixing: Array
    """Q̃ of the head that accumulates inputs with inputs, shape (w, w)."""
    query: Array
    """q, shape (w,)."""
    beta: Array
    """β: step size, divided by count[0] + count[1] t."""
    count: Array
    ridge: Array
    """λ: coefficient of W_{l−1} inside the update; 0 for plain least squares."""


class WeightedWindow(NamedTuple):
    """A window, the step count, and the weights W_{l−1} that the layer below holds at this token."""

    window: Array
    t: Array
    weights: Array


def read_scale(parameters: Any, t: Array) -> Array:
    """β / (count[0] + count[1] t)."""
    return parameters.beta / (parameters.count[0] + parameters.count[1] * t)


@definition
def cross_product(window: Array, mixing: Array) -> Array:
    """C Q Cᵀ (gril eq. 10): `window` (f, w), `mixing` (w, w) -> (f, f)."""
    return window @ mixing @ window.T


@definition
def step(parameters: Block, state: Array, token: Window) -> tuple[Array, Array]:
    """Z_t = A ⊙ Z_{t−1} + C_t Q C_tᵀ, o_t = β Z_t C_t q (gril Def. 4.2).

    Args:
        parameters: see `Block`.
        state: Z_{t−1}, shape (f, f).
    """
    state = parameters.gate * state + cross_product(token.window, parameters.mixing)
    readout = token.window @ parameters.query
    return state, read_scale(parameters, token.t) * (state @ readout)


def empty(parameters: Block, tokens: Window, W0: Any = None) -> Array:
    """Z_0 = 0, of shape (f, f)."""
    f = tokens.window.shape[1]
    return namespace(tokens.window).zeros((f, f))


BLOCK = Recurrent(step, empty)
"""The block from Z = 0."""


def two_heads(
    parameters: TwoHead, state: tuple[Array, Array], token: WeightedWindow
) -> tuple[Array, Array]:
    """The two recurrences of a multi-step layer: Z_t += C Q Cᵀ and Z̃_t += C Q̃ Cᵀ."""
    Z, cross = state
    return (
        Z + cross_product(token.window, parameters.mixing),
        cross + cross_product(token.window, parameters.cross_mixing),
    )


@definition
def two_head_step(
    parameters: TwoHead, state: tuple[Array, Array], token: WeightedWindow
) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
    """Layer l of gril A.3: Δ_l W = −β (Z̃_t W_{l−1} − Z_t + λ W_{l−1}), o = (W_{l−1} + Δ_l W)ᵀ C_t q.

    Args:
        parameters: see `TwoHead`.
        state: (Z_{t−1}, Z̃_{t−1}), each (f, f).
        token: the window C_t, t, and W_{l−1} as the layer below has it at this token.

    Returns:
        The state, and (W_l, o_t).
    """
    Z, cross = two_heads(parameters, state, token)
    W = token.weights
    W = W - read_scale(parameters, token.t) * (cross @ W - Z + parameters.ridge * W)
    return (Z, cross), (W, W.T @ (token.window @ parameters.query))
