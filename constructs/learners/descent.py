"""Gradient descent in its forms: full batch, prefix, stochastic, mini-batch, and Newton's method."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..arrays.array_api import Array, namespace
from ..arrays.definition import definition
from ..arrays.gradient import gradient
from ..arrays.inverse import inverse
from ..arrays.iteration import iterate
from ..arrays.ranges import build
from ..arrays.scan import scan
from .accumulation import Example
from .losses import Loss


@definition
def loss_gradient(loss: Loss, w: Array, x: Array, y: Array) -> Array:
    """∇_W loss(W; x, y) at `w`, derived from the loss object; the shape of `w`."""
    return gradient(lambda v: loss(v, x, y), w)


@definition
def gradient_descent(
    loss: Loss, w: Array, x: Array, y: Array, step_size: Array, steps: int = 1
) -> Array:
    """The weights after `steps` steps W ← W − η ∇loss(W) on all of (x, y)."""
    return iterate(lambda v: v - step_size * loss_gradient(loss, v, x, y), w, steps)


@definition
def stochastic_gradient_descent(
    loss: Loss,
    w: Array,
    x: Array,
    y: Array,
    step_size: Array,
    order: Sequence[int] | None = None,
) -> Array:
    """The weights after one step on each single example of `order` (0-based indices), in turn; on all if not given."""
    if order is not None:
        return minibatch_gradient_descent(loss, w, x, y, step_size, [[i] for i in order])

    def step(rate: Array, weights: Array, example: Example) -> tuple[Array, Array]:
        row, target = example.x[None], example.y[None]
        weights = weights - rate * loss_gradient(loss, weights, row, target)
        return weights, weights

    return scan(step, step_size * namespace(x).asarray(1), w, Example(x, y)).final_state


@definition
def minibatch_gradient_descent(
    loss: Loss, w: Array, x: Array, y: Array, step_size: Array, batches: Sequence[Sequence[int]]
) -> Array:
    """The weights after one step on each batch (lists of 0-based indices), in turn."""
    xp = namespace(x)
    for batch in batches:
        rows, targets = (xp.stack([a[i] for i in batch], axis=0) for a in (x, y))
        w = w - step_size * loss_gradient(loss, w, rows, targets)
    return w


@definition
def prefix_predictions(
    loss: Loss, w: Array, x: Array, y: Array, step_size: Array, steps: int = 1
) -> Array:
    """At each t = 1..N the prediction for x_{t+1} after `steps` steps from `w` on the first t examples.

    Args:
        x: inputs and the query, shape (N + 1, f).
        y: targets, (N,) or (N, K).
        w: initial weights, (f,) or (f, K).

    Returns:
        Shape (N,) or (N, K): row t − 1 is W_tᵀ x_{t+1}.
    """
    xp = namespace(x)

    def prediction(before: int) -> Array:
        t = before + 1
        return x[t] @ gradient_descent(loss, w, x[:t], y[:t], step_size, steps)

    return build(xp, y.shape[0], prediction)


@definition
def implicit_steps(
    objective: Callable[..., Array], S: Array, x: Array, y: Array, step_size: Array
) -> Array:
    """The minimiser of objective(S, the S before, x_i, y_i, η) for each example in turn, found by `minimiser`."""

    def step(rate: Array, before: Array, example: Example) -> tuple[Array, Array]:
        found = minimiser(lambda at: objective(at, before, example.x, example.y, rate), before)
        return found, found

    return scan(step, step_size * namespace(x).asarray(1), S, Example(x, y)).final_state


@definition
def minimiser(objective: Callable[[Array], Array], at: Array) -> Array:
    """The minimiser of a quadratic objective on the line through `at` along its gradient there, which must not be 0.

    It is the minimiser everywhere if the gradient is an eigenvector of the Hessian, as that of Longhorn's objective
    is at the former state.
    """
    slope = gradient(objective, at)
    bend = gradient(objective, at + slope) - slope
    return at - (slope * slope).sum() / (slope * bend).sum() * slope


@definition
def newton_step(loss: Loss, w: Array, x: Array, y: Array) -> Array:
    """One Newton–Raphson step for a vector `w` on a loss that is quadratic in it: w − H⁻¹ ∇loss(w).

    The columns of the Hessian are differences of gradients, exact for a quadratic; H must be invertible.
    """
    xp = namespace(w)
    size = w.shape[0]
    slope = loss_gradient(loss, w, x, y)
    hessian = xp.stack(
        [loss_gradient(loss, w + xp.eye(size)[a], x, y) - slope for a in range(size)], axis=1
    )
    return w - inverse(hessian) @ slope
