"""The delta rule (DeltaNet): an explicit step of stochastic gradient descent on ½‖S k − v‖²."""

from __future__ import annotations

from typing import NamedTuple

from ..arrays.array_api import Array, outer
from ..arrays.definition import definition


class Token(NamedTuple):
    """Key (m,), value (d,), query (m,) and write strength β (a scalar)."""

    k: Array
    v: Array
    q: Array
    beta: Array


@definition
def step(parameters: None, state: Array, token: Token) -> tuple[Array, Array]:
    """S_t = S_{t−1} + β_t (v_t − S_{t−1} k_t) k_tᵀ, o_t = S_t q_t; the state has shape (d, m)."""
    state = state + token.beta * outer(token.v - state @ token.k, token.k)
    return state, state @ token.q
