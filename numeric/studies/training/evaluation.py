"""Trained models on fresh tasks: their loss, and how near they come to an explicit learner (gril B.1, gd-ssm §4.1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ...jax_backend import jax
from ...tasks.metrics import compare
from .models import Arrays, Model
from .references import Reference, best_step_size
from .tasks import Drawn, Task

TASKS = 10_000
"""Tasks of an evaluation, as the sources take."""
COMPARED = 1_000
"""Of these the ones on which sensitivities are compared."""
FITTED = 4_096
"""Tasks on which a step size is fitted; none of them is evaluated on."""
SCALES = (0.5, 1.0, 1.5, 2.0, 3.0)
"""Of inputs, relative to those of training."""
ANSWERS = ("recall", "expressions")
"""Kinds of tasks whose target is one of several answers."""
PIECE = 250
"""Tasks that are evaluated at once."""


class Spread(NamedTuple):
    """A number for each seed."""

    each: tuple[float, ...]

    @property
    def mean(self) -> float:
        """Over the seeds."""
        return float(np.mean(self.each))

    @property
    def deviation(self) -> float:
        """The standard deviation over the seeds, of a sample; 0 for one seed."""
        return float(np.std(self.each, ddof=1)) if len(self.each) > 1 else 0.0


class Beside(NamedTuple):
    """A model beside an explicit learner; means over tasks, for every seed."""

    reference: str
    step_size: float | tuple[float, ...]
    """η, fitted to tasks of its own."""
    loss: float
    """Of the learner, on the same tasks."""
    loss_error: float
    """The standard error of that mean."""
    prediction_l2: Spread
    relative_l2: Spread
    """√(Σ‖ŷ − ŷ_GD‖² / Σ‖ŷ_GD‖²)."""
    sensitivity_cosine: Spread
    sensitivity_l2: Spread


class Evaluation(NamedTuple):
    """What was measured of one model."""

    tasks: int
    seed: int
    loss: Spread
    loss_error: float
    """The standard error of a loss, by the tasks: that of the seed where it is largest."""
    median: Spread
    """Of the losses of a seed over tasks: a few tasks on which a deep stack overflows do not move it."""
    zero: float
    """The loss of predicting 0 on the same tasks."""
    beside: Beside | None
    accuracy: Spread | None = None
    majority: float | None = None
    """How often the answer is the most frequent one."""


def evaluate(
    model: Model,
    arrays: Arrays,
    task: Task,
    reference: Reference | None = None,
    *,
    tasks: int = TASKS,
    seed: int = 1_000,
) -> Evaluation:
    """Measure a model on tasks that it has not seen.

    Args:
        model: the model.
        arrays: its trained arrays, with a leading axis of seeds.
        task: what tasks are drawn from.
        reference: the learner that it is compared with.
        tasks: how many.
        seed: of these; that after it is the seed of the tasks for the step size.
    """
    drawn = task.fresh(tasks, seed)
    predicted = predictions(model, arrays, drawn)
    losses = _losses(task, predicted, drawn.target)
    zero = _losses(task, np.zeros_like(predicted[:1]), drawn.target)[0].mean()
    with np.errstate(all="ignore"):  # deep stacks overflow on tasks with large inputs, and say so
        mean, error = losses.mean(axis=1), (losses.std(axis=1, ddof=1) / np.sqrt(tasks)).max()
    accuracy = majority = None
    if task.kind in ANSWERS:
        accuracy = Spread(_numbers((predicted.argmax(axis=-1) == drawn.target).mean(axis=1)))
        majority = float(np.bincount(np.asarray(drawn.target)).max() / tasks)
    beside = None
    if reference is not None:
        beside = _beside(model, arrays, task, reference, drawn, predicted, seed)
    middle = Spread(_numbers(np.median(losses, axis=1)))
    loss = Spread(_numbers(mean))
    return Evaluation(
        tasks, seed, loss, float(error), middle, float(zero), beside, accuracy, majority
    )


def predictions(model: Model, arrays: Arrays, drawn: Drawn) -> np.ndarray:
    """Of every seed for every task: (seeds, tasks, …)."""
    j = jax()
    one = j.vmap(lambda arrays, inputs: model(arrays, *inputs), in_axes=(None, 0))
    every = j.jit(j.vmap(one, in_axes=(0, None)))
    return np.concatenate([np.asarray(every(arrays, part.inputs)) for part in _pieces(drawn)], 1)


def by_scale(
    model: Model,
    arrays: Arrays,
    task: Any,
    reference: Reference | None,
    eta: Any,
    *,
    tasks: int = 2_000,
    seed: int = 2_000,
    scales: Sequence[float] = SCALES,
) -> list[dict[str, Any]]:
    """Losses on inputs of other scales than in training, with the learner at the step size of training."""
    rows = []
    for scale in scales:
        drawn = task.fresh(tasks, seed, scale * task.scale)
        losses = _losses(task, predictions(model, arrays, drawn), drawn.target).mean(axis=1)
        row = {"scale": scale, "loss": _numbers(losses)}
        if reference is not None:
            found = _learned(reference, eta, drawn)
            row["reference"] = float(_losses(task, found[None], drawn.target).mean())
        rows.append(row)
    return rows


def reference_loss(reference: Reference, task: Task, eta: Any, drawn: Drawn) -> tuple[float, float]:
    """The mean loss of a learner, and its standard error."""
    losses = _losses(task, _learned(reference, eta, drawn)[None], drawn.target)[0]
    return float(losses.mean()), float(losses.std(ddof=1) / np.sqrt(len(losses)))


def _beside(
    model: Model,
    arrays: Arrays,
    task: Task,
    reference: Reference,
    drawn: Drawn,
    predicted: np.ndarray,
    seed: int,
) -> Beside:
    j = jax()
    eta = best_step_size(reference, task, task.fresh(FITTED, seed + 1))
    loss, error = reference_loss(reference, task, eta, drawn)
    learned, rates = _learned(reference, eta, drawn), np.asarray(eta, np.float32)
    off = (predicted - learned).reshape(*predicted.shape[:2], -1)
    distances = np.sqrt((off**2).sum(axis=-1))
    relative = np.sqrt((off**2).sum(axis=(1, 2)) / (learned**2).sum())

    def one(arrays: Any, x: Any, y: Any) -> Any:
        def with_query(query: Any) -> Any:
            return j.numpy.concatenate([x[:-1], query[None]])

        return compare(
            lambda query: model(arrays, with_query(query), y),
            lambda query: reference.predict(rates, with_query(query), y),
            x[-1],
        )

    every = j.jit(j.vmap(j.vmap(one, in_axes=(None, 0, 0)), in_axes=(0, None, None)))
    parts = [every(arrays, *part.inputs) for part in _pieces(_first(drawn, COMPARED))]
    cosine, l2 = (
        np.nanmean(np.concatenate([np.asarray(getattr(p, name)) for p in parts], axis=1), axis=1)
        for name in ("sensitivity_cosine", "sensitivity_l2")
    )
    measured = (distances.mean(axis=1), relative, cosine, l2)
    spreads = [Spread(_numbers(values)) for values in measured]
    return Beside(reference.name, eta, loss, error, *spreads)


def _learned(reference: Reference, eta: Any, drawn: Drawn) -> np.ndarray:
    j, eta = jax(), np.asarray(eta, np.float32)
    every = j.jit(j.vmap(lambda x, y: reference.predict(eta, x, y)))
    return np.concatenate([np.asarray(every(*part.inputs)) for part in _pieces(drawn)])


def _losses(task: Task, predicted: np.ndarray, target: Any) -> np.ndarray:
    """(seeds, tasks)."""
    j = jax()
    return np.asarray(j.jit(j.vmap(j.vmap(task.loss), in_axes=(0, None)))(predicted, target))


def _first(drawn: Drawn, count: int) -> Drawn:
    return jax().tree.map(lambda array: array[:count], drawn)


def _pieces(drawn: Drawn) -> list[Drawn]:
    """Equal pieces, so that one program serves all, where their number divides the tasks."""
    count = len(drawn.target)
    return [
        jax().tree.map(lambda array, k=k: array[k : k + PIECE], drawn)
        for k in range(0, count, PIECE)
    ]


def _numbers(values: Any) -> tuple[float, ...]:
    return tuple(map(float, values))
