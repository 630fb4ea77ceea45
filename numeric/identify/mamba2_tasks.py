"""How far a Mamba-2 model is from gradient descent on seeded tasks, for every number of steps with its best step size.

Tasks have several numbers of examples, uniform and normal inputs, and linear and arbitrary targets. Their scale is 1,
unless gradient descent with the step size found would blow up there or hardly move; a few first tasks of three scales
tell, which also choose among tokenisations that the encoding's width leaves open.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from scanproof.constructs.tokens.mamba2 import Layout

from ..rounding.arithmetic import FORMATS
from . import fitting, learned
from .asked import NOTHING, Asked
from .fitting import SEED, Fit, Learner, Predictor, Tasks, Trial, fits, sample, tried
from .mamba2_model import Model, predictor
from .report import Distances, Nearest

MIDDLE = 5
"""n of the group at which sensitivities are measured."""
EXAMPLES = (1, 2, MIDDLE, 12, 33)
"""n of the groups of tasks, beside the manifest's if it is at most `LONGEST`."""
LONGEST = 64
FIRST = (1, 4)
"""n of the first tasks."""
SCALES = (1.0, 2.0**-4, 2.0**-8)
"""Of the first tasks; the first is taken unless gradient descent explains another one's predictions."""
CLEARLY = 2.0**-10
"""The part of what is learned that it leaves unexplained then, at most."""
GROWTH = 100.0
"""What |1 − ηλ|^L is at most; else all tasks are scaled down."""
MOVES = 0.5
"""What ηλ is at least in one group, which is scaled up for it."""
LEAST = FORMATS["float32"].tiny
"""The smallest η that is looked for: predictions below it are nothing to a module, whatever float64 makes of them."""
WORK = 4e8
"""Multiplications of all tasks, about; models that need more are tried on fewer tasks."""
FEW, MANY = 2, 8
"""Tasks of a group."""
DIRECTIONS = 96
"""Directions in which sensitivities are measured, in all tasks together, if d is smaller."""
WIDTH = 2.0**-10
"""Of central differences, relative to the scale of the tasks."""


class Measured(NamedTuple):
    """What was measured on one tokenisation."""

    layout: Layout
    trials: list[Trial]
    """Groups of tasks of several numbers of examples."""
    scale: float
    """Of all groups but perhaps the last."""
    W0: np.ndarray
    """(d, k)."""
    bent: float
    """How far predictions without examples are from linear in the query, relative."""
    fits: list[Fit]
    """For L = 0, 1, …, number of blocks + 1."""
    predict: Predictor
    """The model as a function of the examples and the query."""
    groups: tuple[tuple[int, str, float], ...] = ()
    """n, sampler and scale of each group."""

    @property
    def best(self) -> Fit:
        """The nearest."""
        return fitting.best(self.fits)

    @property
    def unexplained(self) -> float:
        """Its distance over that to W0ᵀx, which any smooth model may predict from small data."""
        return fitting.unexplained(self.fits)

    @property
    def finite(self) -> bool:
        """Whether all predictions are, and their squares."""
        return all(bool(np.isfinite(np.square(values)).all()) for _, values in self.trials)


def measure(
    model: Model,
    layouts: Sequence[Layout],
    starts: Sequence[np.ndarray],
    examples: int | None,
    asked: Asked = NOTHING,
) -> Measured:
    """Predictions and fits for the tokenisation that comes nearest to gradient descent.

    Args:
        model: what is measured.
        layouts: tokenisations that are possible.
        starts: candidates for W0, beside the predictions without examples.
        examples: a number of examples to try, or None.
        asked: what tasks are made of instead, if anything is.
    """
    first = min(
        (_first(model, layout, starts) for layout in layouts), key=lambda m: m.best.distance
    )
    slots, fit = first.layout.slots, first.best
    more = [examples] if examples is not None and examples <= LONGEST else []
    wanted = sorted(asked.examples or {*EXAMPLES, *more})
    samplers = (asked.sampler,) if asked.sampler else ("uniform", "normal")
    count = _count(model, first.layout, wanted)

    def groups(scale: float) -> list[tuple[int, str, float]]:
        own = zip(wanted, itertools.cycle(samplers), strict=False)
        return [(n, sampler, scale) for n, sampler in own]

    def drawn(groups: list[tuple[int, str, float]]) -> list[Tasks]:
        return _drawn(slots.d, slots.k, count, groups)

    scale = asked.scale or first.scale * _calm(drawn(groups(first.scale)), fit)
    chosen = groups(scale)
    larger = scale * _lively(drawn(chosen), fit)
    if larger > scale and asked.scale is None and not asked.examples:
        chosen.append((12, samplers[0], larger))
    trials = tried(first.predict, drawn(chosen))
    found = fits(trials, first.W0, len(model.blocks), LEAST)
    return first._replace(trials=trials, scale=scale, fits=found, groups=tuple(chosen))


def _drawn(
    d: int, k: int, count: int, groups: Sequence[tuple[int, str, float]], *further: int
) -> list[Tasks]:
    return [
        sample(d, k, n, count, seed=(SEED, i, *further), sampler=sampler, scale=scale)
        for i, (n, sampler, scale) in enumerate(groups)
    ]


def nearest(measured: Measured, layers: int) -> Nearest | None:
    """The rule, fitted to the tasks, that predictions on others like them are nearest to."""
    slots, count = measured.layout.slots, len(measured.trials[0].predicted)
    held = tried(measured.predict, _drawn(slots.d, slots.k, count, measured.groups, 6))
    samplers = dict.fromkeys(sampler for _, sampler, _ in measured.groups)
    inputs = " or ".join(
        fitting.inputs(sampler, measured.scale).removeprefix("x " if i else "")
        for i, sampler in enumerate(samplers)
    )
    samples = f"{inputs}, {measured.layout.name} tokens"
    return learned.nearest(measured.trials, held, measured.W0, measured.fits, layers, samples)


def _first(model: Model, layout: Layout, starts: Sequence[np.ndarray]) -> Measured:
    """The best fit to a few small tasks, over candidates for W0; at a smaller scale only if nothing fits at 1."""
    d, k = layout.slots.d, layout.slots.k
    predict = predictor(model, layout)
    own, bent = fitting.initial_weights(predict, d, k, pads=layout.slots.inputs - 1)
    candidates = [own, np.zeros((d, k)), *(W for W in starts if W.shape == own.shape)]
    nearest = []
    for scale in SCALES:
        groups = (
            sample(d, k, n, 4, seed=(SEED, n, 1), sampler="uniform", scale=scale) for n in FIRST
        )
        trials = tried(predict, list(groups))
        found = [
            Measured(
                layout, trials, scale, W0, bent, fits(trials, W0, len(model.blocks), LEAST), predict
            )
            for W0 in candidates
        ]
        nearest.append(min(found, key=lambda m: m.best.distance))
        if nearest[-1].unexplained < CLEARLY:
            return nearest[-1]
    return nearest[0]


def _curvature(tasks: Tasks) -> np.ndarray:
    """The largest eigenvalue of Σ_j x_j x_jᵀ, of each task."""
    return np.linalg.norm(tasks.x[:, :-1], axis=(1, 2), ord=2) ** 2


def _calm(groups: Sequence[Tasks], found: Fit) -> float:
    """A power of two, at most 1, by which tasks are scaled so that gradient descent does not blow up."""
    if not found.steps:
        return 1.0
    most = (1 + GROWTH ** (1 / found.steps)) / abs(found.step_size or 1.0)
    largest = max(float(_curvature(tasks).max()) for tasks in groups)
    return min(1.0, 2.0 ** np.floor(np.log2(most / largest) / 2))


def _lively(groups: Sequence[Tasks], found: Fit) -> float:
    """A power of two, at least 1, by which tasks are scaled so that gradient descent moves."""
    moved = abs(found.step_size) * float(_curvature(groups[-1]).mean())
    if not moved:
        return 1.0
    return min(2.0**8, max(1.0, 2.0 ** np.ceil(np.log2(MOVES / moved) / 2)))


def _count(model: Model, layout: Layout, examples: Sequence[int]) -> int:
    """How many tasks a group has."""
    H, _, P, S = model.sizes
    M, rows = len(model.norm), len(model.blocks[0].in_proj) + H * P
    d, k = layout.slots.d, layout.slots.k
    one = sum(
        len(layout.tokens(np.zeros((n + 1, d)), np.zeros((n, k)))) * (4 * H * P * S + M * rows)
        for n in examples
    )
    return int(np.clip(WORK / (one * len(model.blocks)), FEW, MANY)) // 2 * 2


def compare(measured: Measured, learner: Learner) -> Distances:
    """Distances to a learner; sensitivities at the group with `MIDDLE` examples."""
    groups = [tasks for tasks, _ in measured.trials]
    x, y = next((tasks for tasks in groups if tasks.examples == MIDDLE), groups[0])
    few = slice(max(1, min(len(x) // 2, DIRECTIONS // x.shape[2])))
    width = WIDTH * measured.scale
    found = fitting.distances_to(
        learner, measured.predict, measured.trials, Tasks(x[few], y[few]), width
    )
    numbers = sorted({tasks.examples for tasks, _ in measured.trials})
    scale = "" if measured.scale == 1 else f", all scaled by {measured.scale:g}"
    samples = (
        f"n = {', '.join(map(str, numbers))}; x uniform on (−1, 1) or normal; targets Wᵀx with noise, or arbitrary"
        f"{scale}; relative: the largest quotient of a group"
    )
    return found._replace(samples=samples)
