"""SSD, the state-space duality layer of Mamba-2: recurrence and masked form (ssd §3.3, Def. 3.2)."""

from __future__ import annotations

from typing import NamedTuple

from ..arrays.array_api import Array, namespace, outer
from ..arrays.definition import definition
from ..arrays.ranges import build, product
from .sequence import Masked


class Token(NamedTuple):
    """One token of the recurrence; its letters in ssd are z, a, b and c."""

    v: Array
    """Value z_t, shape (D,)."""
    decay: Array
    """a_t, a scalar; a_1 multiplies the initial state."""
    k: Array
    """Key b_t, the input projection, shape (N,)."""
    q: Array
    """Query c_t, the output projection, shape (N,)."""


@definition
def step(parameters: None, state: Array, token: Token) -> tuple[Array, Array]:
    """H_t = a_t H_{t−1} + v_t ⊗ k_t, y_t = H_t q_t (ssd §3.3).

    Args:
        parameters: none; a, k, q come with the token.
        state: H_{t−1}, shape (D, N).
    """
    state = token.decay * state + outer(token.v, token.k)
    return state, state @ token.q


@definition
def tokens(Z: Array, decays: Array, S_B: Array, S_C: Array) -> Token:
    """The tokens of an SSD layer with values z_t, keys b_t = S_B z_t and queries c_t = S_C z_t.

    Args:
        Z: tokens as columns, shape (D, T).
        decays: a_1..a_T, shape (T,).
        S_B: (N, D).
        S_C: (N, D).
    """
    return Token(Z.T, decays, (S_B @ Z).T, (S_C @ Z).T)


@definition
def decay_mask(decays: Array) -> Array:
    """L of Def. 3.2: L_ji = a_{i:j} = a_i … a_{j+1} for j ≤ i, else 0; Lᵀ is the printed lower-triangular matrix.

    Args:
        decays: a_1..a_T, shape (T,); a_1 takes no part.
    """
    xp = namespace(decays)
    length = decays.shape[0]

    def row(i: int) -> Array:
        seen = build(xp, i + 1, lambda j: product(decays[j + 1 : i + 1]))
        return xp.concat([seen, xp.zeros((length - 1 - i,))], axis=0)

    return build(xp, length, row).T


@definition
def masked_mixing(Z: Array, mask: Array, S: Array) -> Array:
    """Z (L ∘ (Zᵀ S Z)), tokens as columns: the masked form without residual and scale.

    Args:
        Z: (D, T).
        mask: L, (T, T).
        S: S_Bᵀ S_C, (D, D).
    """
    return Z @ (mask * (Z.T @ S @ Z))


@definition
def layer(Z: Array, mask: Array, S: Array) -> Array:
    """SSD(Z) = Z + (1/n) Z (L ∘ (Zᵀ S Z)), n = T − 1 (ssd Def. 3.2, eq. 5); shapes as in `masked_mixing`."""
    return Z + masked_mixing(Z, mask, S) / (Z.shape[1] - 1)


class Parameters(NamedTuple):
    """θ = (L, S_B, S_C) of Def. 3.2, with the mask L given by its decays."""

    decays: Array
    """a_1..a_T, shape (T,); a_1 takes no part."""
    S_B: Array
    """(N, D)."""
    S_C: Array
    """(N, D)."""


@definition
def mixing(parameters: Parameters, Z: Array) -> Array:
    """Z (L ∘ (BᵀC)), B = S_B Z, C = S_C Z, without residual and scale (ssd App. A): (D, T) -> (D, T)."""
    return masked_mixing(Z, decay_mask(parameters.decays), parameters.S_B.T @ parameters.S_C)


@definition
def mamba2(parameters: Parameters, Z: Array) -> Array:
    """SSD_θ(Z) = Z + (1/n) Z (L ∘ (Zᵀ S_Bᵀ S_C Z)), n = T − 1 (ssd eq. 4): (D, T) -> (D, T)."""
    return layer(Z, decay_mask(parameters.decays), parameters.S_B.T @ parameters.S_C)


LAYER, MIXING = Masked(mamba2), Masked(mixing)
"""The layer of Def. 3.2, and that of the appendix, on tokens as columns."""
