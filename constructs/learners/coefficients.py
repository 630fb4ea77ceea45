"""Gradient descent on least squares in the coefficients of the examples: w = Σ_i c_i x_i (ch9 §9.2.2)."""

from __future__ import annotations

from ..arrays.array_api import Array, namespace
from ..arrays.definition import definition
from ..arrays.iteration import iterate


@definition
def coefficient_descent(x: Array, y: Array, step_size: Array, steps: int = 1) -> Array:
    """The coefficients after `steps` steps c ← c − η (x xᵀ c − y) from c = 0; they see x only through x_i·x_j.

    Args:
        x: inputs, shape (N, f).
        y: targets, shape (N,).
        step_size: η.
        steps: L.
    """
    start = namespace(x).zeros((x.shape[0],))
    return iterate(lambda c: c - step_size * (x @ x.T @ c - y), start, steps)


@definition
def weighted_sum(c: Array, x: Array) -> Array:
    """Σ_i c_i x_i: (N,) and (N, f) -> (f,)."""
    return c @ x
