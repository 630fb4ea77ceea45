"""Rounding over several layers that do a step each: errors pass on as a step of gradient descent lets them.

Read as a whole, a stack lets errors grow by 1 + ηΣ|x||x|ᵀ a layer. A step of gradient descent lets them grow by
ρ = max(1, ηλ − 1) in norm, with λ the curvature, so that for every column of the weights

    ‖E_l‖ ≤ ρ ‖E_{l−1}‖ + γ (‖A‖ ‖Ŵ_{l−1}‖ + ‖b‖) + low,   ‖W_l‖ ≤ ρ ‖W_{l−1}‖ + η Σ_j ‖x_j‖ |y_j|,

where A|W| + b are the magnitudes in one layer that is read from weights W, which they are affine in, and γ and `low`
are what its roundings and underflows make. A = I + ηΣ|x||x|ᵀ is symmetric: its norm is at most its largest row sum.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ...rounding.arithmetic import gamma
from .counted import Counted
from .domain import MARGIN, Domain


class Known(NamedTuple):
    """A stack that is L steps of gradient descent in exact numbers."""

    W0: np.ndarray
    """(d, k), in float64."""
    eta: float
    """The factor of the summed gradient, rounded to float64."""
    steps: int
    """L."""


class Descent(NamedTuple):
    """What is known of L steps on data of some magnitudes."""

    growth: float
    """ρ."""
    sizes: tuple[float, ...]
    """‖W_l‖ at most, of every column, for l = 0, …, L."""
    query: float
    """‖x_{n+1}‖ at most."""


def descent(known: Known, x: np.ndarray, y: np.ndarray, domain: Domain) -> Descent:
    """The weights' norms.

    Args:
        known: what the stack does.
        x: magnitudes of the inputs and the query, (n + 1, d).
        y: of the targets, (n, k).
        domain: curvature and weights, where they are known.
    """
    norms = np.linalg.norm(x, axis=1) * MARGIN
    eta = known.eta * MARGIN
    curvature = min(domain.curvature, float((norms[:-1] ** 2).sum()) * MARGIN)
    growth = max(1.0, eta * curvature - 1)
    added = eta * float((norms[:-1] @ y).max()) * MARGIN
    sizes = [float(np.linalg.norm(known.W0, axis=0).max()) * MARGIN]
    for _ in range(known.steps):
        sizes.append(min(growth * sizes[-1] + added, domain.weights))
    return Descent(growth, tuple(sizes), float(norms[-1]))


def passed_on(
    error: float,
    sizes: tuple[float, ...],
    growth: float,
    layer: Callable[[float], Counted],
) -> float:
    """The error of the weights after a layer for each of `sizes`; infinite where it may be larger than the weights.

    Args:
        error: ‖E‖ before them.
        sizes: ‖W‖ before each of them.
        growth: ρ.
        layer: the weights (…, d) that one layer makes of exact weights whose entries have this magnitude.
    """
    if not sizes:
        return error
    most = 2 * max(sizes) or 1.0  # a layer that starts from 0 rounds what it makes of the data
    moved, from_none = layer(most), layer(0.0).magnitude
    rounding = gamma(moved.count, moved.form.unit)
    slope = float(((moved.magnitude - from_none) / most).max()) * MARGIN
    base = float(np.linalg.norm(from_none, axis=-1).max()) * MARGIN
    low = float(np.linalg.norm(np.broadcast_to(moved.low, moved.shape), axis=-1).max()) * MARGIN
    for size in sizes:
        error = growth * error + rounding * (slope * (size + error) + base) + low
    fits = error <= most / 2 and np.isfinite(moved.error).all()
    return error if fits else float("inf")
