"""The general linear recurrent network (gd-ssm eqs. 3–4, gril eqs. 1–2)."""

from __future__ import annotations

from typing import NamedTuple

from ..arrays.array_api import Array
from ..arrays.definition import definition


class Token(NamedTuple):
    """What the input maps of the network make of one token (or one window)."""

    transition: Array
    """A_t, of a shape that broadcasts with the state."""
    input: Array
    """B_t, of the state's shape."""
    readout: Array
    """U_t: (m,) for a state of shape (d, m)."""


@definition
def step(parameters: None, state: Array, token: Token) -> tuple[Array, Array]:
    """Z_t = A_t * Z_{t−1} + B_t, o_t = Z_t U_t, with * the elementwise product.

    Args:
        parameters: none; the maps A, B, U have already been applied to the token.
        state: Z_{t−1}, shape (d, m).
    """
    state = token.transition * state + token.input
    return state, state @ token.readout


@definition
def matrix_step(transition: Array, state: Array, token: Token) -> tuple[Array, Array]:
    """The same with * the matrix product: Z_t = A Z_{t−1} + B_t, where `transition` is A, shape (d, d)."""
    state = transition @ state + token.input
    return state, state @ token.readout


@definition
def gated_output(output: Array, gate_map: Array) -> Array:
    """o' = o * σ(U_1 o) with σ the identity (gril eq. 2 as its construction uses it) and * elementwise.

    Args:
        output: o, shape (d,).
        gate_map: U_1, shape (d, d).
    """
    return output * (gate_map @ output)
