"""Non-linear predictors g(w·x): losses with a link g, and the links that stand for any."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from scanproof.constructs.arrays.array_api import Array
from scanproof.constructs.learners.losses import SquaredError

Link = Callable[[Array], Array]


def with_link(loss: SquaredError, g: Link) -> SquaredError:
    """The loss of the predictor g(w·x)."""
    return replace(loss, link=g)


def shifted_square(z: Array) -> Array:
    """g(z) = (1 + z)², with g(0) ≠ 0 and g'(0) ≠ 0."""
    return (1 + z) * (1 + z)


def cubic(a: Array, b: Array, c: Array, d: Array) -> Link:
    """z ↦ a + bz + cz² + dz³, which has any values and slopes at two points."""
    return lambda z: a + b * z + c * z * z + d * z * z * z
