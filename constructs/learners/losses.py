"""Losses as objects, so that a factor ½, 1/N or 2 cannot hide: every gradient is derived from one of these.

A data set is `x` of shape (N, f) and `y` of shape (N,) or (N, K); weights are (f,) or (f, K), and the linear
predictor is x @ w, that is Wᵀ x_i for each row.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from ..arrays.array_api import Array, namespace, times
from ..arrays.definition import definition


@dataclass(frozen=True)
class SquaredError:
    """scale · Σ_i ‖prediction_i − y_i‖², divided by N if `mean`, plus ridge · ‖W‖².

    gd-ssm eqs. 8 and 22, gril eqs. 4 and 15: `SquaredError(Fraction(1, 2), mean=True)`; ssd Thm. 4.1:
    `SquaredError(1, mean=True)`; ch9 eq. 9.22: `SquaredError(Fraction(1, 2))`; gd-ssm A.4 and gril A.5: `ridge=1`.

    Args:
        scale: the factor in front of the sum.
        mean: whether the sum is divided by the number of examples.
        ridge: λ in λ‖W‖_F².
        link: g in the prediction g(w·x); none for the linear model (gd-ssm A.3).
    """

    scale: Fraction | int = Fraction(1, 2)
    mean: bool = False
    ridge: int | Fraction = 0
    link: Callable[[Array], Array] | None = None

    def __call__(self, w: Array, x: Array, y: Array) -> Array:
        return squared_error(self, w, x, y)


@dataclass(frozen=True)
class CrossEntropy:
    """Σ_i −y_iᵀ log softmax(Wᵀ φ_i), W of shape (d, K), one-hot rows y (gril eq. 11, A.6); /N if `mean`."""

    mean: bool = False

    def __call__(self, w: Array, x: Array, y: Array) -> Array:
        return cross_entropy(self, w, x, y)


@dataclass(frozen=True)
class BinaryCrossEntropy:
    """Σ_i −[y_i log p_i + (1 − y_i) log(1 − p_i)], p_i = σ(w·x_i) (gril A.6); /N if `mean`."""

    mean: bool = False

    def __call__(self, w: Array, x: Array, y: Array) -> Array:
        return binary_cross_entropy(self, w, x, y)


Loss: TypeAlias = Callable[[Array, Array, Array], Array]
"""loss(w, x, y): one of the objects above, or a function made of them, such as a loss with a penalty."""

HALF_MEAN = SquaredError(Fraction(1, 2), mean=True)
"""(1/2N) Σ ‖·‖²: gd-ssm eqs. 8 and 22, gril eqs. 4 and 15."""
HALF_SUM = SquaredError(Fraction(1, 2))
"""½ Σ ‖·‖²: ch9 eq. 9.22; for a single example also ssd Thm. 5.1's ½(w·x_t − y_t)²."""
MEAN = SquaredError(1, mean=True)
"""(1/N) Σ ‖·‖²: ssd Thms. 4.1 and 5.2."""
SUM = SquaredError(1)
"""Σ ‖·‖²: ssd App. A."""


@definition
def squared_error(loss: SquaredError, w: Array, x: Array, y: Array) -> Array:
    """The value of a `SquaredError`."""
    prediction = x @ w
    if loss.link is not None:
        prediction = loss.link(prediction)
    residual = prediction - y
    total = times(loss.scale, (residual * residual).sum())
    if loss.mean:
        total = total / x.shape[0]
    return total + times(loss.ridge, (w * w).sum()) if loss.ridge else total


@definition
def cross_entropy(loss: CrossEntropy, w: Array, x: Array, y: Array) -> Array:
    """The value of a `CrossEntropy`."""
    logits = x @ w
    xp = namespace(logits)
    log_partition = xp.log(xp.exp(logits).sum(axis=1))
    total = (y * (log_partition[:, None] - logits)).sum()
    return total / x.shape[0] if loss.mean else total


@definition
def binary_cross_entropy(loss: BinaryCrossEntropy, w: Array, x: Array, y: Array) -> Array:
    """The value of a `BinaryCrossEntropy`: log p = −log(1 + e^{−z}) and log(1 − p) = −log(1 + e^z)."""
    logits = x @ w
    xp = namespace(logits)
    total = (y * xp.log(1 + xp.exp(-logits)) + (1 - y) * xp.log(1 + xp.exp(logits))).sum()
    return total / x.shape[0] if loss.mean else total


@definition
def softmax(logits: Array) -> Array:
    """Rows of probabilities: exp(z_k) / Σ_j exp(z_j) along the last axis of (N, K) logits."""
    weights = namespace(logits).exp(logits)
    return weights / weights.sum(axis=1)[:, None]


@definition
def sigmoid(logits: Array) -> Array:
    """σ(z) = 1 / (1 + e^{−z}), entry by entry."""
    return 1 / (1 + namespace(logits).exp(-logits))
