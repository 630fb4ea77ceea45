"""The unscaled gradient of least squares, as a sum and as a recursion (gd-ssm eqs. 9 and 23, gril eqs. 5 and 16)."""

from __future__ import annotations

from typing import NamedTuple

from ..arrays.array_api import Array, outer
from ..arrays.definition import definition


class Example(NamedTuple):
    """One example: x (f,), y a scalar or (K,)."""

    x: Array
    y: Array


@definition
def unscaled_gradient(w: Array, x: Array, y: Array) -> Array:
    """g = Σ_i x_i (wᵀx_i − y_i)ᵀ: w (f,) or (f, K), x (N, f), y (N,) or (N, K) -> the shape of `w`."""
    return x.T @ (x @ w - y)


@definition
def accumulation_step(w: Array, state: Array, example: Example) -> tuple[Array, Array]:
    """g_t = g_{t−1} + (w·x_t − y_t) x_t; for w (f, K) the same in every column. The output is g_t."""
    residual = example.x @ w - example.y
    increment = residual * example.x if residual.ndim == 0 else outer(example.x, residual)
    state = state + increment
    return state, state
