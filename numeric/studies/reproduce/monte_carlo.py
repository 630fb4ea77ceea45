"""Expected losses by sampling: what the exact ones are checked against, and what has no closed form."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from scanproof.constructs.errors import UsageError
from scanproof.constructs.learners.losses import HALF_MEAN

from ...jax_backend import jax, x64
from ...tasks import learners
from ...tasks.samplers import regression, rng_of
from ..training.references import Reference, descent, stochastic
from ..training.tasks import Regression

TASK = Regression(1, 1)
"""For its objective, (1/2N) Σ (w·x_i − y_i)²; of one example ½(w·x_i − y_i)²."""
LEVEL = 4.0
"""Standard errors on either side of a mean: a normal one is outside once in 16,000 times."""


class Estimate(NamedTuple):
    """A mean over tasks."""

    mean: float
    error: float
    """Its standard error, by the sample's variance."""

    def agrees(self, exact: float, level: float = LEVEL) -> bool:
        """Whether the exact value lies in the confidence interval; a sample without spread has to be exact."""
        return abs(self.mean - exact) <= level * self.error + 1e-12 * abs(exact)


Predictor = Callable[[Any, Any, Any, Any], Any]
"""(x, y, query, target) -> the prediction for one task: x (N, f), y (N,)."""


def zero(x: Any, y: Any, query: Any, target: Any) -> Any:
    """The predictor 0."""
    return 0 * query[0]


def learned(reference: Reference, eta: float, x: Any, y: Any, query: Any, target: Any) -> Any:
    """What a learner from 0 predicts at one step size."""
    return reference.predict(eta, jax().numpy.concatenate([x, query[None]]), y)


def with_query(eta: float, x: Any, y: Any, query: Any, target: Any) -> Any:
    """One step on the examples and the query with its label."""
    jnp = jax().numpy
    x, y = jnp.concatenate([x, query[None]]), jnp.concatenate([y, target[None]])
    return query @ learners.gradient_descent(HALF_MEAN, 0 * query, x, y, eta)


def newton(x: Any, y: Any, query: Any, target: Any) -> Any:
    """One Newton–Raphson step from 0, with a pseudo-inverse where the Hessian is singular."""
    return query @ (jax().numpy.linalg.pinv(x) @ y)


def damped_newton(damping: float, x: Any, y: Any, query: Any, target: Any) -> Any:
    """The same with damping · I added to the Hessian of (1/2N) Σ (w·x_i − y_i)²: ridge regression."""
    return part_newton(1.0, damping, False, x, y, query, target)


def part_newton(
    share: float, damping: float, diagonal: bool, x: Any, y: Any, query: Any, target: Any
) -> Any:
    """A part of the step of `damped_newton`, and of that with the diagonal of the Hessian alone."""
    jnp = jax().numpy
    hessian = x.T @ x / x.shape[0] + damping * jnp.eye(x.shape[1])
    if diagonal:
        hessian = jnp.diag(jnp.diag(hessian))
    return share * (query @ jnp.linalg.solve(hessian, x.T @ y / x.shape[0]))


def named(name: str, eta: float) -> Predictor:
    """The predictor that a learner of `proofs.expected.learners` stands for.

    Raises:
        UsageError: if there is none of that name.
    """
    known = {
        "zero": zero,
        "gd": partial(learned, descent(TASK), eta),
        "gd2": partial(learned, descent(TASK, 2), eta),
        "gd-query": partial(with_query, eta),
        "sgd": partial(learned, stochastic(TASK), eta),
    }
    if name not in known:
        raise UsageError(f"learner {name!r}: no such learner; known: {', '.join(known)}.")
    return known[name]


def estimate(
    predictor: Predictor,
    *,
    examples: int,
    features: int,
    sampler: str = "uniform",
    scale: float = 1.0,
    noise: float = 0.0,
    uniform_weights: bool = False,
    tasks: int = 4000,
    seed: int = 0,
) -> Estimate:
    """The mean over tasks of ½ (ŷ − w·q)², in float64.

    Args:
        predictor: what predicts the query's target.
        examples: N.
        features: f.
        sampler: where inputs come from, "uniform" or "normal".
        scale: half-width or standard deviation.
        noise: standard deviation of what is added to the examples' targets.
        uniform_weights: weights from U(−1, 1) in place of N(0, 1).
        tasks: how many are drawn.
        seed: of all that is drawn.
    """
    drawn = regression(tasks, examples, features, sampler=sampler, input_scale=scale, seed=seed)
    rng = rng_of(seed, tasks)
    w = rng.uniform(-1, 1, drawn.w.shape) if uniform_weights else drawn.w
    clean = np.einsum("hnf,hf->hn", drawn.x, w)
    y = clean[:, :-1] + noise * rng.standard_normal((tasks, examples))
    with x64():
        every = jax().jit(jax().vmap(predictor))
        found = np.asarray(every(drawn.x[:, :-1], y, drawn.x[:, -1], clean[:, -1]))
    losses = (found - clean[:, -1]) ** 2 / 2
    return Estimate(float(losses.mean()), float(losses.std(ddof=1) / np.sqrt(tasks)))
