"""Linear attention: the unnormalised recurrence, and the kernelised form with its denominator (ch9 §9.2.1)."""

from __future__ import annotations

from typing import NamedTuple

from ..arrays.array_api import Array, namespace, outer
from ..arrays.definition import definition


class Token(NamedTuple):
    """Query (m,), key (m,) and value (d,) of one token; for the kernelised form q and k are φ(q), φ(k)."""

    q: Array
    k: Array
    v: Array


@definition
def step(parameters: None, state: Array, token: Token) -> tuple[Array, Array]:
    """Z_t = Z_{t−1} + v_t ⊗ k_t, o_t = Z_t q_t (gd-ssm eq. 5, gril eq. 3); the state has shape (d, m)."""
    state = state + outer(token.v, token.k)
    return state, state @ token.q


@definition
def normalised_step(
    parameters: None, state: tuple[Array, Array], token: Token
) -> tuple[tuple[Array, Array], Array]:
    """a_i = a_{i−1} + φ(k_i) ⊗ v_i, b_i = b_{i−1} + φ(k_i), c_i = φ(q_i)·a_i / φ(q_i)·b_i (ch9 eqs. 9.15–9.17).

    Args:
        parameters: none.
        state: (a, b), shapes (m, d) and (m,).
    """
    a, b = state
    a, b = a + outer(token.k, token.v), b + token.k
    return (a, b), (token.q @ a) / (token.q @ b)


@definition
def normalised(tokens: Token) -> Array:
    """c_i = Σ_{j≤i} (φ(q_i)·φ(k_j)) v_j / Σ_{j≤i} φ(q_i)·φ(k_j) (ch9 eq. 9.13, causal): (T, ·) -> (T, d)."""
    xp = namespace(tokens.q)
    weights = xp.tril(tokens.q @ tokens.k.T)
    return (weights @ tokens.v) / weights.sum(axis=1)[:, None]


@definition
def taylor_features(x: Array) -> Array:
    """φ(x) = [1; x; (½ x_a x_b)_ab] as ch9 eq. 9.19 prints it: (d,) -> (1 + d + d²,)."""
    return quadratic_features(x, namespace(x).asarray(1) / 2)


@definition
def quadratic_features(x: Array, coefficient: Array) -> Array:
    """[1; x; (coefficient · x_a x_b)_ab]: (d,) -> (1 + d + d²,)."""
    xp = namespace(x)
    size = x.shape[0]
    products = xp.reshape(outer(x, x), (size * size,))
    return xp.concat([xp.ones((1,)), x, coefficient * products], axis=0)
