"""Linear self-attention with a residual (ssd Def. 3.1): masked form and recurrence."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..arrays.array_api import Array, namespace, outer
from ..arrays.definition import definition


class Parameters(NamedTuple):
    """P = W_v and Q = W_kᵀ W_q, both (D, D), and the factor 1/n."""

    P: Array
    Q: Array
    scale: Array


@definition
def step(parameters: Parameters, state: Array, token: Array) -> tuple[Array, Array]:
    """H_t = H_{t−1} + z_t ⊗ z_t, output z_t + scale · P H_t Q z_t: causal linear self-attention as a recurrence.

    Args:
        parameters: see `Parameters`.
        state: H_{t−1}, shape (D, D).
        token: z_t, shape (D,).
    """
    state = state + outer(token, token)
    return state, token + parameters.scale * (parameters.P @ (state @ (parameters.Q @ token)))


@definition
def layer(Z: Array, mask: Array, P: Array, Q: Array) -> Array:
    """LSA(Z) = Z + (1/n) P Z (M ∘ (Zᵀ Q Z)), n = T − 1, tokens as columns (ssd eq. 2).

    Args:
        Z: (D, T).
        mask: M, (T, T): M_ji says whether token i sees token j.
        P: (D, D).
        Q: (D, D).
    """
    return Z + P @ Z @ (mask * (Z.T @ Q @ Z)) / (Z.shape[1] - 1)


@definition
def causal_mask(xp: Any, length: int) -> Array:
    """M_ji = 1 for j ≤ i: for tokens as columns, the *upper*-triangular all-ones matrix, shape (T, T)."""
    return xp.tril(xp.ones((length, length))).T


@definition
def printed_mask(xp: Any, length: int) -> Array:
    """The lower-triangular all-ones matrix that ssd Def. 3.1 prints: M_ji = 1 for j ≥ i."""
    return xp.tril(xp.ones((length, length)))


@definition
def examples_mask(xp: Any, length: int) -> Array:
    """M_ji = 1 for j ≤ n = T − 1: every token sees all the examples, and none sees the query."""
    return xp.concat([xp.ones((length - 1, length)), xp.zeros((1, length))], axis=0)


@definition
def projected(S: Array, W_Q: Array, W_K: Array, W_V: Array) -> Array:
    """Q_att K_attᵀ V_att with Q_att = S W_Q and so on (gril §3, gd-ssm eq. 2), tokens as rows, no mask.

    Args:
        S: (T, f).
        W_Q: (f, m).
        W_K: (f, m).
        W_V: (f, d).
    """
    return (S @ W_Q) @ (S @ W_K).T @ (S @ W_V)


@definition
def causally_projected(S: Array, W_Q: Array, W_K: Array, W_V: Array) -> Array:
    """tril(Q_att K_attᵀ) V_att: the causally masked form of `projected`, tokens as rows, same shapes."""
    return namespace(S).tril((S @ W_Q) @ (S @ W_K).T) @ (S @ W_V)
