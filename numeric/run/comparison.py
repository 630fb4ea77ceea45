"""The sources' figures for any construction: distances of predictions and sensitivities, and losses along a sweep."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from scanproof.constructs.errors import UsageError

from ..jax_backend import jax, x64
from ..tasks.metrics import Comparison, compare, squared_loss
from .runners import Recurrence, TwoHeads
from .tokenising import Pairs, Rows


class Predictors(NamedTuple):
    """A construction and its learner after all examples of one task, as functions of the query."""

    layer: Callable[[Any], Any]
    """(f,) -> the prediction; differentiable."""
    learner: Callable[[Any], Any]
    query: Any
    """The query of the task, (f,)."""


class Losses(NamedTuple):
    """½ ‖ŷ − y‖² at the query, averaged over tasks (heads)."""

    value: Any
    """The input scale, or f."""
    layer: float
    learner: float
    step_size: float


def predictors(id: str, **options: Any) -> Predictors:
    """The layer of a statement and its learner on one task, for use inside `with numeric.x64():`.

    Args:
        id: as in `run`, for a statement about predictions by a causal layer.
        options: those of `run`, without heads.

    Raises:
        UsageError: as `run`, and if the statement is not about a causal layer's predictions.
    """
    from .running import prepared

    run = prepared(id, heads=1, **options)
    runner, problem = run.runner, run.problem
    causal = isinstance(runner, Recurrence | TwoHeads) and not getattr(
        run.construction.learner, "weights", False
    )
    if not causal:
        raise UsageError(
            f"predictors({id!r}) expects a statement about the predictions of a causal layer, such as gril.prop4.1."
        )
    jnp = jax().numpy
    stream = [jnp.asarray(a) for a in runner.stream(run.p, problem, run.options)]
    size = problem.x.shape[-1]

    def layer(query: Any, stream: Any, state: Any) -> Any:
        block = list(stream)
        query = query.astype(run.numbers.inputs)
        if isinstance(runner, TwoHeads):
            if block[0].shape[1]:
                state = run.op(*block, initial_state=state).final_state
            return run.finish(state, query)[0]
        place = 1 if isinstance(runner.tokens, Pairs) else 0
        assert isinstance(runner.tokens, Pairs | Rows)
        block[place] = block[place].at[:, -1, :size].set(query)
        return run.op(*block, initial_state=state).outputs[0, run.rows[-1]]

    x, y, W0 = next(iter(run.heads()))

    def learner(query: Any) -> Any:
        return run.learn(problem.examples)(x.at[-1].set(query), y, W0)

    compiled = jax().jit(
        layer
    )  # data and states are arguments, so that they are not checked as constants
    return Predictors(lambda query: compiled(query, stream, run.state), jax().jit(learner), x[-1])


def distances(id: str, **options: Any) -> Comparison:
    """Prediction L2, and cosine and L2 of the sensitivities ∂ŷ/∂x_query, of a construction and its learner."""
    with x64():
        found = predictors(id, **options)
        return Comparison(*map(float, compare(*found)))


def loss_against_input_scale(id: str, scales: Iterable[float], **options: Any) -> list[Losses]:
    """The losses on tasks of each input scale; η, unless given, is chosen at the first one and kept.

    Args:
        id: as in `run`.
        scales: half-widths of the uniform, or standard deviations of the normal distribution.
        options: those of `run`.
    """
    found: list[Losses] = []
    for scale in scales:
        given = options.get("step_size") or (found[0].step_size if found else None)
        found.append(_losses(id, scale, **{**options, "input_scale": scale, "step_size": given}))
    return found


def loss_against_features(id: str, sizes: Iterable[int], **options: Any) -> list[Losses]:
    """The losses on tasks with each number of features."""
    return [_losses(id, f, features=f, **options) for f in sizes]


def _losses(id: str, value: Any, **options: Any) -> Losses:
    from .running import prepared

    with x64():
        run = prepared(id, progress=False, **options)
        run.execute()
        run.compare()
        w = run.problem.w
        target = np.einsum("hf,hf...->h...", run.problem.x[:, -1], w)
        last = run.predictions[:, -1], run.expected[:, -1]
        losses = (float(squared_loss(prediction, target)) for prediction in last)
        return Losses(value, *losses, step_size=run.eta)
