"""The selective state-space model of Mamba (S6): diagonal A, input-dependent B, C and Δ (ch9 §9.1.4)."""

from __future__ import annotations

from typing import NamedTuple

from ..arrays.array_api import Array, namespace
from ..arrays.definition import definition
from ..arrays.ranges import build


class Parameters(NamedTuple):
    """Parameters for one channel: the input is a scalar x_i, and the maps see the token u_i of shape (d,)."""

    a: Array
    """Diagonal of A, shape (m,)."""
    W_B: Array
    """B_i = W_B u_i, shape (m, d)."""
    W_C: Array
    """C_i = W_C u_i, shape (m, d)."""
    w_delta: Array
    """Δ_i = softplus(w_delta·u_i), shape (d,)."""


class Token(NamedTuple):
    """Channel input x_i (a scalar) and the token u_i (d,) that B, C and Δ are computed from."""

    x: Array
    u: Array


@definition
def softplus(z: Array) -> Array:
    """log(1 + exp(z))."""
    xp = namespace(z)
    return xp.log(1 + xp.exp(z))


@definition
def step(parameters: Parameters, state: Array, token: Token) -> tuple[Array, Array]:
    """h_i = exp(Δ_i a) ⊙ h_{i−1} + Δ_i B_i x_i, y_i = C_i·h_i, Δ_i = softplus(w_Δ·u_i); the state has shape (m,)."""
    delta = softplus(parameters.w_delta @ token.u)
    decay = namespace(delta).exp(delta * parameters.a)
    state = decay * state + delta * (parameters.W_B @ token.u) * token.x
    return state, (parameters.W_C @ token.u) @ state


@definition
def unrolled(parameters: Parameters, tokens: Token) -> Array:
    """y_i = Σ_{j≤i} C_i·(exp(a Σ_{j<s≤i} Δ_s) ⊙ Δ_j B_j) x_j from zero state: (T,) outputs."""
    xp = namespace(tokens.x)
    delta = softplus(tokens.u @ parameters.w_delta)
    writes = (delta * tokens.x)[:, None] * (tokens.u @ parameters.W_B.T)

    def output(i: int) -> Array:
        def remembered(j: int) -> Array:
            elapsed = delta[j + 1 : i + 1].sum()
            return xp.exp(elapsed * parameters.a) * writes[j]

        return (parameters.W_C @ tokens.u[i]) @ build(xp, i + 1, remembered).sum(axis=0)

    return build(xp, tokens.x.shape[0], output)
