"""Learners beside gradient descent: momentum, examples that are forgotten, GD++, damped Newton, the delta rule.

All see the examples through `unscaled_gradient`, and take W (f, K), x (N, f) and y (N, K).
"""

from __future__ import annotations

from collections.abc import Sequence

from ..arrays.array_api import Array, namespace
from ..arrays.definition import definition
from ..arrays.inverse import inverse
from .accumulation import unscaled_gradient


@definition
def heavy_ball(
    W: Array, x: Array, y: Array, step_size: Array, momentum: Array, steps: int
) -> Array:
    """The weights after L steps W_{t+1} = W_t − η g(W_t) + β (W_t − W_{t−1}) from W_0 = W_{−1} (Polyak 1964)."""
    before = W
    for _ in range(steps):
        W, before = W - step_size * unscaled_gradient(W, x, y) + momentum * (W - before), W
    return W


@definition
def forgetting_gradient(W: Array, x: Array, y: Array, decay: Array) -> Array:
    """Σ_j ρ^(N−j) x_j (Wᵀx_j − y_j)ᵀ, the gradient in which older examples weigh less, exponentially: (f, K)."""
    powers = [decay * 0 + 1]
    for _ in range(x.shape[0] - 1):
        powers.append(powers[-1] * decay)
    weights = namespace(x).stack(powers[::-1], axis=0)
    return x.T @ (weights[:, None] * (x @ W - y))


@definition
def gd_plus_plus(W: Array, x: Array, y: Array, step_sizes: Sequence[Array], gamma: Array) -> Array:
    """The prediction for the query, the last row of x (N + 1, f), by GD++ (von Oswald et al. 2023, §4): shape (K,).

    Each step is one of gradient descent on the residuals, after which all inputs, the query's too, go through
    x ← (I − γ X Xᵀ) x: the curvature of the data is flattened. A first step size of 0 is that map alone.
    """
    examples, query = x[:-1], x[-1]
    residuals, prediction = y - examples @ W, query @ W
    for step_size in step_sizes:
        moved = examples.T @ residuals
        prediction = prediction + step_size * (query @ moved)
        residuals = residuals - step_size * (examples @ moved)
        gram = examples.T @ examples
        examples, query = examples - gamma * (examples @ gram), query - gamma * (gram @ query)
    return prediction


@definition
def damped_newton(W: Array, x: Array, y: Array, damping: Array) -> Array:
    """The weights after W ← W − (XᵀX + λI)⁻¹ g(W): least squares for λ = 0, for W = 0 ridge regression.

    XᵀX + λI must be positive definite.
    """
    gram = x.T @ x + damping * namespace(x).eye(x.shape[1])
    return W - inverse(gram) @ unscaled_gradient(W, x, y)


@definition
def delta_rule(W: Array, x: Array, y: Array, rate: Array) -> Array:
    """The weights after W ← W − β x_j (Wᵀx_j − y_j)ᵀ for each example in turn: the delta rule (Widrow and Hoff)."""
    for j in range(x.shape[0]):
        W = W - rate * unscaled_gradient(W, x[j : j + 1], y[j : j + 1])
    return W
