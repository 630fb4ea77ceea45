"""A step size with which gradient descent does not diverge."""

from __future__ import annotations

import math
from typing import Any

from scanproof.constructs.learners.losses import Loss

from ..jax_backend import jax
from .learners import loss_gradient

ROUNDS = 30
"""Rounds of the power iteration."""
BITS = 8
"""Significant bits of a step size: every precision, bfloat16 too, has it exactly."""
RULE = "η = 1/λ, rounded down to 8 bits; λ: largest curvature of the learner's loss, by power iteration"
"""Descent on a quadratic loss converges for η < 2/λ; the estimate of λ is at most λ, and far above λ/2."""


def curvature(loss: Loss, w: Any, x: Any, y: Any, rounds: int = ROUNDS) -> Any:
    """The largest eigenvalue of the Hessian of loss(·; x, y) at `w`, estimated from below by power iteration.

    For least squares that is the spectral norm of the Gram matrix of the data, times the factors of the loss. Shapes
    are those of `learners.loss_gradient`.
    """
    jnp = jax().numpy

    def bent(direction: Any) -> Any:
        return jax().jvp(lambda at: loss_gradient(loss, at, x, y), (w,), (direction,))[1]

    def one(_: Any, direction: Any) -> Any:
        image = bent(direction)
        length = jnp.sqrt((image * image).sum())
        return jnp.where(length > 0, image / jnp.where(length > 0, length, 1), direction)

    # No direction is singled out by the data: irrational multiples of one number, spread over (−½, ½).
    spread = jnp.arange(1, w.size + 1, dtype=w.dtype) * ((math.sqrt(5) - 1) / 2)
    start = (spread - jnp.floor(spread) - 0.5).reshape(w.shape)
    direction = jax().lax.fori_loop(0, rounds, one, start / jnp.sqrt((start * start).sum()))
    return (direction * bent(direction)).sum()


def largest_step_size(curvatures: Any) -> float:
    """η = 1/λ for the largest of some curvatures, rounded down to `BITS` bits; 1 if there is no curvature at all."""
    largest = max(map(float, curvatures))
    if not largest > 0:
        return 1.0
    mantissa, exponent = math.frexp(1 / largest)
    return math.ldexp(math.floor(math.ldexp(mantissa, BITS)), exponent - BITS)
