"""Training a layer of one's own, and comparing what it has learned with explicit gradient descent."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from scanproof.constructs.arrays.scan import leaves, map_leaves
from scanproof.constructs.errors import UsageError
from scanproof.proofs.report.progress import ProgressBar

from .evaluation import Evaluation, evaluate
from .models import Arrays, Model, Start
from .references import descent
from .settings import Settings
from .tasks import Regression
from .training import train as train_model


@dataclass(frozen=True)
class Training:
    """A trained layer."""

    parameters: tuple[Any, ...]
    """For each seed, in the form that was given to begin with; NumPy arrays."""
    curve: np.ndarray
    """The loss in each block of steps, (blocks, seeds)."""
    evaluation: Evaluation
    """On fresh tasks, beside gradient descent at the best step size."""
    seconds: float

    def __str__(self) -> str:
        of, beside = self.evaluation, self.evaluation.beside
        assert beside is not None
        return (
            f"loss {of.loss.mean:.4f} ± {of.loss.deviation:.2g} over {len(of.loss.each)} seeds; "
            f"{beside.reference} at η = {beside.step_size:.4g}: {beside.loss:.4f}; the predictor 0: {of.zero:.4f}; "
            f"distance of predictions {beside.relative_l2.mean:.2g} of their size"
        )


def train(
    predict: Callable[[Any, Any, Any], Any],
    start: Callable[[np.random.Generator], Any],
    *,
    features: int,
    examples: int,
    targets: int | None = None,
    sampler: str = "uniform",
    input_scale: float = 1.0,
    gd_steps: int = 1,
    steps: int = 1_000,
    batch: int = 64,
    step_size: float = 1e-2,
    seeds: Sequence[int] = (0, 1, 2),
    tasks: int = 2_000,
    output: str | os.PathLike[str] | None = None,
) -> Training:
    """Train a layer to predict y = Wᵀx in context, and compare it with gradient descent.

    Args:
        predict: (parameters, x, y) -> the prediction for the query, the last row of x (N + 1, f), from the targets y
            (N,) or (N, targets); written like any definition, for example with a layer's `outputs`.
        start: from a random generator to the parameters before training: an array, or a (nested, named) tuple.
        features: f.
        examples: N.
        targets: how many; None is one, without an axis of its own.
        sampler: "uniform" or "normal".
        input_scale: half-width of the uniform, or standard deviation of the normal.
        gd_steps: of the gradient descent that it is compared with.
        steps: of Adam.
        batch: tasks a step.
        step_size: Adam's; it rises in the first steps, and falls as a cosine.
        seeds: trained side by side.
        tasks: of the evaluation.
        output: a folder for a checkpoint, with which training goes on where it was stopped.

    Raises:
        UsageError: if JAX, optax or (with `output`) safetensors is missing, `start` gives no arrays, the prediction has
            another shape than a target, a checkpoint is of another configuration, or the loss is not a number any more.
    """
    settings = Settings(
        steps,
        batch,
        step_size,
        seeds=tuple(seeds),
        block=next(b for b in (100, 50, 10, 1) if steps % b == 0),
    )
    task = Regression(examples, features, targets, sampler, input_scale)
    begun = [start(np.random.default_rng(seed)) for seed in settings.seeds]
    model = _model(predict, begun)
    _check_shape(model, task, begun)
    folder = None if output is None else Path(output)
    with ProgressBar("training", steps) as bar:
        found = train_model(
            model,
            task,
            settings,
            folder=folder,
            on_progress=lambda told, done, _: bar.advance(done, told),
            begun=_stacked(begun),
        )
    evaluation = evaluate(model, found.arrays, task, descent(task, gd_steps), tasks=tasks)
    arrays = list(found.arrays.values())
    parameters = tuple(_filled(begun[k], [array[k] for array in arrays]) for k in range(len(begun)))
    return Training(parameters, found.curve, evaluation, found.seconds)


def _model(predict: Callable[..., Any], begun: list[Any]) -> Model:
    parts = leaves(begun[0])
    if not parts or not all(hasattr(part, "shape") for part in parts):
        raise UsageError(
            "train(start=…): the function gives no arrays; give one from a random generator to an array, or to a "
            "(named) tuple of arrays."
        )
    starts = {f"array{k}": Start(tuple(part.shape), 0.0) for k, part in enumerate(parts)}

    def predicted(arrays: Arrays, *inputs: Any) -> Any:
        return predict(_filled(begun[0], list(arrays.values())), *inputs)

    return Model(getattr(predict, "__name__", "layer"), "", starts, predicted)


def _filled(tree: Any, arrays: list[Any]) -> Any:
    left = iter(arrays)
    return map_leaves(lambda _: next(left), tree)


def _stacked(begun: list[Any]) -> dict[str, np.ndarray]:
    every = [leaves(one) for one in begun]
    if len({tuple(np.shape(part) for part in parts) for parts in every}) != 1:
        raise UsageError("train(start=…): arrays have other shapes for another seed.")
    return {
        f"array{k}": np.stack([np.asarray(parts[k], np.float32) for parts in every])
        for k in range(len(every[0]))
    }


def _check_shape(model: Model, task: Regression, begun: list[Any]) -> None:
    """Ask once, without computing, what the prediction's shape is."""
    from ...jax_backend import jax

    j = jax("train")
    drawn = task.draw(j.random.key(0))
    first = {name: array[0] for name, array in _stacked(begun[:1]).items()}
    found = j.eval_shape(model, first, *drawn.inputs)
    if getattr(found, "shape", None) != drawn.target.shape:
        raise UsageError(
            f"train(predict={model.name}): a prediction of shape {drawn.target.shape} is expected, got "
            f"{getattr(found, 'shape', found)!r}."
        )
