"""The domain of a bound: the data for which it holds, how gradient descent moves on them, and what is bounded."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

MARGIN = 1 + 2.0**-30
"""For norms that are computed in float64."""


class Domain(NamedTuple):
    """Bounds of the data of a linear model."""

    examples: int
    """n."""
    entry: float
    """X ≥ |x| for every entry of the inputs and the query."""
    target: float
    """Y ≥ |y|."""
    curvature: float = math.inf
    """At least the largest eigenvalue of Σ_j x_j x_jᵀ, if it is known to be less than n d X²."""
    weights: float = math.inf
    """At least ‖w‖ for each target, before and after every step, if it is known."""


class Bound(NamedTuple):
    """|prediction − explicit gradient descent| for each target, for all data of a domain."""

    prediction: float
    """Absolute; infinite where none is known, and where a number may overflow."""
    magnitude: float
    """The largest that the prediction can be, as far as the bound knows."""

    @property
    def relative(self) -> float:
        """The bound over that magnitude."""
        return self.prediction / self.magnitude if self.magnitude else math.inf


def growth(eta: float, curvature: float) -> float:
    """ρ = max(1, ηλ − 1): the most by which a step of gradient descent multiplies the norm of an error."""
    return max(1.0, eta * curvature - 1)


def curvature_and_weights(
    x: np.ndarray, y: np.ndarray, W0: Any, eta: float, steps: int, *, every: bool
) -> tuple[float, float]:
    """The largest eigenvalue of Σ_j x_j x_jᵀ, and the largest ‖w‖ before and after every step.

    Args:
        x: inputs and the query, (n + 1, d), or with leading axes of tasks.
        y: targets, (n, k) with the same leading axes.
        W0: the initial weights, (d, k).
        eta: the factor of the summed gradient.
        steps: L.
        every: whether the weights are also those from the first 1, …, n − 1 examples.
    """
    examples, since = x[..., :-1, :], 0 if every else -1
    grams = np.cumsum(examples[..., :, None] * examples[..., None, :], axis=-3)[..., since:, :, :]
    sums = np.cumsum(examples[..., :, None] * y[..., None, :], axis=-3)[..., since:, :, :]
    W = np.broadcast_to(np.asarray(W0, dtype=np.float64), sums.shape)
    largest = np.linalg.norm(W, axis=-2).max()
    for _ in range(steps):
        W = W - eta * (grams @ W - sums)
        largest = max(largest, np.linalg.norm(W, axis=-2).max())
    curvature = np.linalg.norm(grams[..., -1, :, :], axis=(-2, -1), ord=2).max()
    return float(curvature) * MARGIN, float(largest) * MARGIN
