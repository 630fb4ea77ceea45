"""The delta rule (DeltaNet): an explicit step of stochastic gradient descent on ½‖S k − v‖²."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..arrays.array_api import Array, outer
from ..arrays.definition import definition
from .sequence import Recurrent


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


def from_weights(parameters: Any, tokens: Token, W0: Array) -> Array:
    """S_0 = W0ᵀ for weights W0 (m, d)."""
    return W0.T


def at_rate(parameters: Any, tokens: Token) -> Token:
    """The tokens with their strengths times `parameters.beta`."""
    return tokens._replace(beta=parameters.beta * tokens.beta)


RULE = Recurrent(step, from_weights, at_rate)
"""The delta rule from initial weights."""
