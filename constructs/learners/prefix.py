"""Learners that each see a part of the examples and judge every example by the learner at its own place."""

from __future__ import annotations

from ..arrays.array_api import Array
from ..arrays.definition import definition


@definition
def prefix_step(x: Array, y: Array, W: Array, step_size: Array, visible: Array) -> Array:
    """w_i ← w_i + η Σ_{j seen by i} (y_j − ⟨w_j, x_j⟩) x_j: each residual is that of the example's own learner.

    It is a step of gradient descent on ½ Σ_j (w·x_j − y_j)² over the seen j if all of them hold the weights w_i.

    Args:
        x: inputs, shape (T, d).
        y: targets, shape (T,).
        W: the weights w_i as rows, shape (T, d).
        step_size: η.
        visible: (T, T), entry (j, i) is 1 if learner i sees example j, else 0.
    """
    residuals = y - (W * x).sum(axis=1)
    return W + step_size * (visible.T @ (residuals[:, None] * x))
