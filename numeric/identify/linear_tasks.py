"""The gradient descent nearest to a neutral model on seeded tasks, and how far from it the model is, in float64."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scanproof.constructs.layouts import neutral
from scanproof.constructs.layouts.neutral import Model

from . import fitting
from .fitting import SEED, Fit, Learner, Predictor, Tasks
from .report import Distances

COUNT = 16
"""Tasks."""
LARGEST = 24
"""Examples of a task, at most, where the model does not say."""
DIRECTIONS = 64
"""Directions in which sensitivities are measured, in all tasks together, if d is smaller."""
WIDTH = 2.0**-10
"""Of central differences."""


def predictor(model: Model, dtype: type = np.float64) -> Predictor:
    """The model, computed in a format, on a batch of tasks: (tasks, n + 1, d), (tasks, n, k) -> (tasks, k)."""
    cast = neutral.mapped(lambda array: np.asarray(array, dtype=dtype), model)

    @np.errstate(all="ignore")
    def predict(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        tasks = zip(x.astype(dtype), y.astype(dtype), strict=True)
        return np.stack([neutral.predict(cast, *task) for task in tasks]).astype(np.float64)

    return predict


def examples(model: Model, fixed: int | None) -> int:
    """n of the tasks: twice as many as features, but not too many, unless it is fixed."""
    return min(2 * neutral.sizes(model)[0], LARGEST) if fixed is None else fixed


def nearest(
    model: Model, fixed: int | None, starts: Sequence[np.ndarray] = ()
) -> tuple[Learner, Distances]:
    """The gradient descent that predicts most alike, of up to one step more than there are layers.

    Args:
        model: in floats.
        fixed: n, or None if it is free.
        starts: candidates for W0, beside what the model predicts without data.
    """
    d, k = neutral.sizes(model)
    predict = predictor(model)
    tasks = fitting.sample(d, k, examples(model, fixed), COUNT, seed=(SEED,), sampler="uniform")
    trials = fitting.tried(predict, [tasks])
    W0, _ = fitting.initial_weights(predict, d, k, pads=fixed or 1)
    found = [
        (fitting.best(fitting.fits(trials, start, len(model.layers))), start)
        for start in (W0, *starts)
        if np.isfinite(start).all()
    ]
    fit, start = min(found, key=lambda f: f[0].distance, default=(Fit(0, 0.0, np.inf), 0 * W0))
    learner = Learner(start, fit.step_size, fit.steps)
    few = slice(max(1, min(COUNT, DIRECTIONS // d)))
    some = Tasks(tasks.x[few], tasks.y[few])
    return learner, fitting.distances_to(learner, predict, trials, some, WIDTH)
