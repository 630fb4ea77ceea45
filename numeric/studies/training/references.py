"""Explicit learners that trained models are compared with, at the step size that is best for them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...jax_backend import jax
from ...tasks import learners
from .tasks import Drawn, Task

WIDEST = 12.0
"""Step sizes between exp(−12) and exp(12) are tried."""


@dataclass(frozen=True)
class Reference:
    """A learner from 0, with a step size or several."""

    name: str
    predict: Callable[[Any, Any, Any], Any]
    """(η, x with the query last, y) of one task -> the prediction for the query."""
    rates: int = 1
    """How many step sizes it has; η is an array of them if there are several."""


def descent(task: Any, steps: int = 1) -> Reference:
    """Gradient descent on the task's objective, all examples in every step."""

    def predict(eta: Any, x: Any, y: Any) -> Any:
        start = _zero(x, y)
        found = learners.gradient_descent(task.objective, start, x[:-1], y, eta, steps)
        return x[-1] @ found

    plural = "s" if steps > 1 else ""
    return Reference(f"gradient descent, {steps} step{plural}", predict)


def two_rates(task: Any) -> Reference:
    """Two steps of gradient descent, each with a step size of its own."""

    def predict(eta: Any, x: Any, y: Any) -> Any:
        found = _zero(x, y)
        for k in range(2):
            found = learners.gradient_descent(task.objective, found, x[:-1], y, eta[k])
        return x[-1] @ found

    return Reference("gradient descent, 2 steps at two rates", predict, rates=2)


def stochastic(task: Any) -> Reference:
    """One step on each example in turn."""

    def predict(eta: Any, x: Any, y: Any) -> Any:
        start = _zero(x, y)
        return x[-1] @ learners.stochastic_gradient_descent(task.objective, start, x[:-1], y, eta)

    return Reference("stochastic gradient descent", predict)


def best_step_size(reference: Reference, task: Task, drawn: Drawn) -> float | tuple[float, ...]:
    """η with the least mean loss on these tasks: the best of a grid, refined; several of them by Nelder and Mead."""
    from scipy.optimize import minimize

    jnp = jax().numpy

    @jax().jit
    def loss(log_eta: Any, drawn: Drawn) -> Any:
        def one(x: Any, y: Any, target: Any) -> Any:
            return task.loss(reference.predict(jnp.exp(log_eta), x, y), target)

        found = jax().vmap(one)(*drawn.inputs, drawn.target).mean()
        return jnp.where(jnp.isfinite(found), found, jnp.inf)

    shape = () if reference.rates == 1 else (reference.rates,)
    grid = np.linspace(-WIDEST, WIDEST, 49)
    start = grid[np.argmin([float(loss(np.full(shape, at), drawn)) for at in grid])]
    # Apart from each other, so that steps that may be of any order can part.
    simplex = start + 0.25 * np.concatenate(
        [np.zeros((1, reference.rates)), np.eye(reference.rates)]
    )
    options = {"initial_simplex": simplex, "xatol": 1e-4, "fatol": 1e-9}
    found = minimize(
        lambda at: float(loss(at.reshape(shape), drawn)),
        simplex[0],
        method="Nelder-Mead",
        options=options,
    )
    rates = tuple(map(float, np.exp(found.x)))
    return rates[0] if reference.rates == 1 else rates


def _zero(x: Any, y: Any) -> Any:
    return jax().numpy.zeros((x.shape[1], *y.shape[1:]), x.dtype)
