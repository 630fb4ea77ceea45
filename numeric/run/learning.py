"""The explicit learner beside a construction, in JAX and float64: its predictions, and the curvature of its loss."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scanproof.constructs.learners.learner import Descent, Implicit, Learner, Stochastic
from scanproof.constructs.learners.losses import Loss, SquaredError

from ..jax_backend import jax
from ..tasks import learners, step_size


def prediction(
    learner: Learner,
    x: Any,
    y: Any,
    W0: Any,
    eta: Any,
    steps: int,
    t: int,
    extra: Mapping[str, Any],
) -> Any:
    """One head: x (N + 1, f), y (N, …) -> the prediction from the first t examples."""
    return learner.prediction(x[: t + 1], y[:t], eta, W0, steps, by=learners, **extra)


def curvature(learner: Learner, x: Any, y: Any, W0: Any, extra: Mapping[str, Any]) -> Any:
    """The largest curvature of the loss of a step; for a squared error one column of weights is enough."""
    x = x[:-1]
    w = learner.start(x, y, W0)
    if isinstance(learner, Implicit):  # such a step cannot diverge: β = 1
        return x.sum() * 0 + 1
    if isinstance(learner, Stochastic):  # the largest of any example
        w, y = _column(w, y)
        of = learner.loss
        single = jax().vmap(lambda a, b: step_size.curvature(of, w, a[None], b[None], rounds=2))
        return single(x, y).max()
    assert isinstance(learner, Descent)
    loss = learner.of(**extra)
    if learner.part is not None:
        start, stop = learner.part(**extra)
        x, y = x[start:stop], y[start:stop]
    if not _classes(loss):
        w, y = _column(w, y)
    return step_size.curvature(loss, w, x, y)


def _column(w: Any, y: Any) -> tuple[Any, Any]:
    """The first column of weights and targets, as a matrix, where there are several."""
    return (w[:, :1], y[:, :1]) if w.ndim == 2 else (w, y)


def _classes(loss: Loss) -> bool:
    """Whether the loss couples the columns of the weights."""
    return not isinstance(loss, SquaredError) and "ridge" not in getattr(loss, "__name__", "")
