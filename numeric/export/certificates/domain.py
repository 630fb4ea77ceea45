"""The data for which a bound of a linear model holds, and what a reading of the model finds."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

MARGIN = 1 + 2.0**-30
"""For norms that are computed in float64."""


class Domain(NamedTuple):
    """Bounds of the data."""

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


class Reading(NamedTuple):
    """What is known of the prediction, for each target."""

    error: np.ndarray
    """(k,), of the computed prediction."""
    magnitude: np.ndarray
    """(k,), of the exact one."""
