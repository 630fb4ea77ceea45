"""The gradient descent nearest to a neutral model on seeded tasks, and how far from it the model is, in float64."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from scanproof.constructs.layouts import neutral
from scanproof.constructs.layouts.neutral import Model

from .measured import (
    Fit,
    Predictor,
    Tasks,
    best,
    fit,
    initial_weights,
    learned,
    prepare,
    sample,
    sensitivities,
)
from .report import Distances

SEED = 0
COUNT = 16
"""Tasks."""
LARGEST = 24
"""Examples of a task, at most, where the model does not say."""
DIRECTIONS = 64
"""Directions in which sensitivities are measured, in all tasks together, if d is smaller."""
WIDTH = 2.0**-10
"""Of central differences."""
SAMPLES = (
    "x uniform on (−1, 1); every second task has targets Wᵀx with noise, the others arbitrary ones"
)


class Nearest(NamedTuple):
    """The gradient descent that predicts most alike."""

    fit: Fit
    W0: np.ndarray
    """(d, k)."""
    distances: Distances


def predictor(model: Model) -> Predictor:
    """The model as a function of a batch of tasks: (tasks, n + 1, d), (tasks, n, k) -> (tasks, k)."""
    return partial(_predictions, neutral.mapped(lambda a: np.asarray(a, dtype=np.float64), model))


def _predictions(model: Model, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):
        return np.stack([neutral.predict(model, *task) for task in zip(x, y, strict=True)])


def examples(model: Model, fixed: int | None) -> int:
    """n of the tasks: twice as many as features, but not too many, unless it is fixed."""
    return min(2 * neutral.sizes(model)[0], LARGEST) if fixed is None else fixed


def nearest(model: Model, fixed: int | None, starts: Sequence[np.ndarray] = ()) -> Nearest:
    """The best step size and number of steps, up to one more than there are layers.

    Args:
        model: in floats.
        fixed: n, or None if it is free.
        starts: candidates for W0, beside what the model predicts without data.
    """
    d, k = neutral.sizes(model)
    predict = predictor(model)
    own = sample(d, k, examples(model, fixed), COUNT, seed=(SEED,), sampler="uniform")
    predicted = predict(*own)
    W0, _ = initial_weights(predict, d, k, pads=fixed or 1)
    found = []
    for start in (W0, *starts):
        if np.isfinite(start).all():
            data = prepare([own], [predicted], start)
            fits = [fit(data, steps) for steps in range(len(model.layers) + 2)]
            found.append((best(fits), start))
    chosen, start = min(found, key=lambda f: f[0].distance, default=(Fit(0, 0.0, np.inf), 0 * W0))
    return Nearest(chosen, start, distances(model, own, chosen, start))


def distances(model: Model, own: Tasks, found: Fit, W0: np.ndarray) -> Distances:
    """How far the model is from gradient descent from W0."""
    predict = predictor(model)
    W = learned(own, W0, found.step_size, found.steps)
    expected = (own.x[:, -1:] @ W)[:, 0]
    with np.errstate(all="ignore"):
        off = predict(*own) - expected
        largest = np.abs(expected).max()
        relative = np.abs(off).max() / largest if largest else np.inf if off.any() else 0.0
        few = max(1, min(COUNT, DIRECTIONS // W0.shape[0]))
        changes = sensitivities(predict, Tasks(own.x[:few], own.y[:few]), WIDTH)
        products = (changes * W[:few]).sum(axis=(1, 2))
        norms = np.linalg.norm(changes, axis=(1, 2)) * np.linalg.norm(W[:few], axis=(1, 2))
        return Distances(
            tasks=COUNT,
            examples=own.examples,
            seed=SEED,
            prediction_l2=float(np.linalg.norm(off, axis=1).mean()),
            relative=float(relative),
            sensitivity_cosine=float((products / norms).mean()) if norms.all() else None,
            sensitivity_l2=float(np.linalg.norm(changes - W[:few], axis=(1, 2)).mean()),
            samples=SAMPLES,
        )
