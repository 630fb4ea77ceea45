"""The explicit learners in JAX: the definitions of `constructs.learners`, differentiated by reverse mode.

Every function takes and returns JAX arrays in the dtype of `x`; `run` calls them in float64. Loops over steps and over
examples are JAX's, around the definition of one step.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from scanproof.constructs.learners import descent
from scanproof.constructs.learners.losses import Loss

from ..jax_arrays import JaxArray, plain
from ..jax_backend import jax


def loss_gradient(loss: Loss, w: Any, x: Any, y: Any) -> Any:
    """∇_W loss(W; x, y) at `w` (f,) or (f, K): x (N, f), y (N,) or (N, K)."""
    return plain(descent.loss_gradient(loss, *map(JaxArray, (w, x, y))))


def gradient_descent(loss: Loss, w: Any, x: Any, y: Any, step_size: Any, steps: int = 1) -> Any:
    """The weights after `steps` ≥ 0 steps W ← W − η ∇loss(W) on all of (x, y): `descent.gradient_descent`."""

    def one(_: Any, weights: Any) -> Any:
        arrays = map(JaxArray, (weights, x, y))
        return plain(descent.gradient_descent(loss, *arrays, step_size=step_size))

    return jax().lax.fori_loop(0, steps, one, w)


def stochastic_gradient_descent(
    loss: Loss,
    w: Any,
    x: Any,
    y: Any,
    step_size: Any,
    order: Sequence[int] | None = None,
    *,
    keep: bool = False,
) -> Any:
    """The weights after one step on each example in turn: `descent.stochastic_gradient_descent`.

    Args:
        loss: of a data set of one example.
        w: initial weights, (f,) or (f, K).
        x: inputs, (N, f).
        y: targets, (N,) or (N, K).
        step_size: η.
        order: the examples of the steps, counted from 0; each of them once if it is not given.
        keep: whether to return the weights after every step instead, with a leading axis N.
    """

    def one(weights: Any, example: Any) -> Any:
        arrays = (JaxArray(weights), *(JaxArray(part[None]) for part in example))
        weights = plain(descent.stochastic_gradient_descent(loss, *arrays, step_size=step_size))
        return weights, weights if keep else None

    if order is not None:
        x, y = x[np.asarray(order)], y[np.asarray(order)]
    last, every = jax().lax.scan(one, w, (x, y))
    return every if keep else last


def gd_plus_plus(
    loss: Loss, w: Any, x: Any, y: Any, query: Any, step_size: Any, gamma: Any, steps: int = 1
) -> Any:
    """The prediction for `query` after `steps` of GD++ (von Oswald et al. 2023): descent on inputs that are changed.

    A step is a step of gradient descent on the residuals, after which every input, the query among them, is multiplied
    by I − γ Σ_i x_i x_iᵀ with the inputs as they were. γ = 0 is gradient descent.

    Args:
        loss: of a predictor that is linear in the weights.
        w: initial weights, (f,) or (f, K).
        x: inputs, (N, f).
        y: targets, (N,) or (N, K).
        query: (f,).
        step_size: η.
        gamma: γ.
        steps: L.
    """
    zero = w * 0

    def one(_: Any, now: Any) -> Any:
        x, residual, query, prediction = now
        change = gradient_descent(loss, zero, x, residual, step_size)
        inner = x.T @ x
        return (
            x - gamma * (x @ inner),
            residual - x @ change,
            query - gamma * (query @ inner),
            prediction + query @ change,
        )

    start = (x, y - x @ w, query, query @ w)
    return jax().lax.fori_loop(0, steps, one, start)[3]


def newton_step(loss: Loss, w: Any, x: Any, y: Any) -> Any:
    """One Newton–Raphson step on a quadratic loss: `descent.newton_step`, with a factorisation for its elimination.

    Columns of weights (f, K) are descended on one by one, as they may for a squared error, whose Hessian is the same
    for each; it must be invertible.
    """
    jnp = jax().numpy

    def single(weights: Any, targets: Any) -> Any:
        slope = loss_gradient(loss, weights, x, targets)
        changes = jax().vmap(lambda e: loss_gradient(loss, weights + e, x, targets) - slope)
        hessian = changes(jnp.eye(weights.shape[0], dtype=weights.dtype))
        return weights - jnp.linalg.solve(hessian.T, slope)

    if w.ndim == 1:
        return single(w, y)
    return jax().vmap(single, in_axes=1, out_axes=1)(w, y)


def implicit_steps(objective: Callable[..., Any], S: Any, x: Any, y: Any, step_size: Any) -> Any:
    """The minimiser of an objective for each example in turn: `descent.implicit_steps`."""

    def one(before: Any, example: Any) -> Any:
        found = minimiser(lambda at: objective(at, before, *example, step_size), before)
        return found, None

    return jax().lax.scan(one, S, (x, y))[0]


def minimiser(objective: Callable[[Any], Any], at: Any) -> Any:
    """The minimiser of a quadratic objective on the line through `at` along its gradient there.

    It is the minimiser everywhere if the gradient is an eigenvector of the Hessian, as that of Longhorn's objective
    is at the former state. The line search is exact; only values of the objective's gradient are used.
    """
    slope = jax().grad(objective)(at)
    bend = jax().grad(objective)(at + slope) - slope
    curved = (slope * bend).sum()
    rate = (slope * slope).sum() / jax().numpy.where(curved > 0, curved, 1)
    return at - rate * slope
