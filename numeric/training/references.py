"""Explicit learners that trained models are compared with, at the step size that is best for them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..jax_backend import jax
from ..tasks import learners
from .tasks import Drawn, Task

ROUNDS = 60
"""Of the golden section: an interval shrinks by 0.618 in each."""
WIDEST = 12.0
"""Step sizes between exp(−12) and exp(12) are tried."""


@dataclass(frozen=True)
class Reference:
    """A learner from 0 with one number, its step size."""

    name: str
    predict: Callable[[Any, Any, Any], Any]
    """(η, x with the query last, y) of one task -> the prediction for the query."""


def descent(task: Any, steps: int = 1) -> Reference:
    """Gradient descent on the task's objective, all examples in every step."""

    def predict(eta: Any, x: Any, y: Any) -> Any:
        start = _zero(x, y)
        found = learners.gradient_descent(task.objective, start, x[:-1], y, eta, steps)
        return x[-1] @ found

    plural = "s" if steps > 1 else ""
    return Reference(f"gradient descent, {steps} step{plural}", predict)


def stochastic(task: Any) -> Reference:
    """One step on each example in turn."""

    def predict(eta: Any, x: Any, y: Any) -> Any:
        start = _zero(x, y)
        return x[-1] @ learners.stochastic_gradient_descent(task.objective, start, x[:-1], y, eta)

    return Reference("stochastic gradient descent", predict)


def best_step_size(reference: Reference, task: Task, drawn: Drawn) -> float:
    """η with the least mean loss on these tasks: the best of a grid, then golden section around it."""
    jnp = jax().numpy

    @jax().jit
    def loss(log_eta: Any) -> Any:
        def one(x: Any, y: Any, target: Any) -> Any:
            return task.loss(reference.predict(jnp.exp(log_eta), x, y), target)

        found = jax().vmap(one)(*drawn.inputs, drawn.target).mean()
        return jnp.where(jnp.isfinite(found), found, jnp.inf)

    grid = np.linspace(-WIDEST, WIDEST, 49)
    losses = [float(loss(at)) for at in grid]
    place = int(np.argmin(losses))
    low, high = grid[max(place - 1, 0)], grid[min(place + 1, len(grid) - 1)]
    golden = (5**0.5 - 1) / 2
    for _ in range(ROUNDS):
        left, right = high - golden * (high - low), low + golden * (high - low)
        if high - low < 1e-5:
            break
        if loss(left) < loss(right):
            high = right
        else:
            low = left
    return float(np.exp((low + high) / 2))


def _zero(x: Any, y: Any) -> Any:
    return jax().numpy.zeros((x.shape[1], *y.shape[1:]), x.dtype)
