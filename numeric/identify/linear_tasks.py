"""The gradient descent nearest to a neutral model on seeded tasks, and how far from it the model is, in float64."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from scanproof.constructs.layouts import neutral
from scanproof.constructs.layouts.neutral import Model

from ..export.exporting import HALVES
from ..rounding.arithmetic import FORMATS
from ..rounding.batch import ROUNDINGS, Batch, to_float32
from . import fitting, learned
from .fitting import SEED, Fit, Learner, Predictor, Tasks, Trial
from .learned import ALIKE, CLEARLY
from .report import NEAR, Distances, Nearest, Running, as_float
from .rule import Rule, prediction

COUNT, FEW = 16, 4
"""Tasks, and those of each number of examples that are run in a format."""
MANY = 64
"""Tasks to which rules are fitted, and on which they are judged."""
SCALES = (1.0, 0.5, 0.25)
"""Of all data, in the order in which they are tried."""
WORKSPACE = 2**22
"""Numbers in the states of the tasks that run at once."""
LARGEST = 24
"""Examples of a task, at most, where the model does not say."""
FINE, MUCH = 2.0**-20, 0.1
"""What is unexplained where no other targets are tried, and, of that on others, on targets that are taken instead."""
DIRECTIONS = 64
"""Directions in which sensitivities are measured, in all tasks together, if d is smaller."""
WIDTH = 2.0**-10
"""Of central differences."""


def predictor(model: Model, dtype: str = "float64", *, wide: bool = False) -> Predictor:
    """The model, each operation in a format, on a batch of tasks: (tasks, n + 1, d), (tasks, n, k) -> (tasks, k).

    Args:
        model: in floats.
        dtype: the format.
        wide: whether 16 bits are only what layers store, and operations in float32.
    """
    own = rounding = ROUNDINGS[dtype]
    cast = neutral.mapped(lambda array: own(np.asarray(array, dtype=np.float64)), model)
    stored: tuple[Callable[[Any], Any], ...] = ()
    if wide and dtype in HALVES:
        rounding = to_float32
        stored = (lambda array: array.to(own).to(to_float32),)
        cast = cast._replace(encode_weight=model.encode_weight, encode_bias=model.encode_bias)

    @np.errstate(all="ignore")
    def predict(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        at_once = max(1, WORKSPACE // (x.shape[1] * len(model.encode_bias) ** 2))
        parts = []
        for i in range(0, len(x), at_once):
            data = Batch(x[i : i + at_once], rounding), Batch(y[i : i + at_once], rounding)
            parts.append(neutral.predict(cast, *data, *stored))
        return np.concatenate([part.data for part in parts]).astype(np.float64)

    return predict


@np.errstate(all="ignore")
def running(
    model: Model,
    rules: Mapping[int, Rule],
    dtype: str,
    sampler: str = "uniform",
    scale: float = 1.0,
    *,
    linear: bool = False,
    wide: bool = False,
) -> Running:
    """The model run in a format beside its rules, which are run in float64, on tasks on which their steps are calm.

    What overflows on the tasks as they are drawn, where the rules do not, is off by infinity.

    Args:
        model: in floats.
        rules: by the number of examples, each of one step or more.
        dtype: float64, float32, bfloat16 or float16.
        sampler: of the inputs.
        scale: of all data.
        linear: whether the rules are about targets that are linear in the inputs.
        wide: as for `predictor`.
    """
    d, k = neutral.sizes(model)
    predict, worst = predictor(model, dtype, wide=wide), 0.0
    for n, exact in rules.items():
        rule = Rule(
            tuple(map(as_float, exact.step_sizes)),
            _floats(exact.W0),
            None if exact.preconditioner is None else _floats(exact.preconditioner),
            *map(as_float, (exact.ridge, exact.momentum, exact.gamma)),
        )
        seed = (SEED, n, 3)
        drawn = fitting.sample(d, k, n, FEW, seed=seed, sampler=sampler, scale=scale, linear=linear)
        tasks = Tasks(*(_calm(rule, drawn) * array for array in drawn))
        expected = _expected(rule, tasks)
        off = fitting.quotient_of_largest(predict(*tasks) - expected, expected)
        worst = float(np.max([worst, off]))  # NaN if one of them is
        # Smaller data hide numbers that overflow on the way to a prediction that does not.
        if np.abs(_expected(rule, drawn)).max() <= FORMATS[dtype].largest:
            worst = worst if np.isfinite(predict(*drawn)).all() else np.inf
    numbers = ", ".join(map(str, rules))
    how = f"n = {numbers}; {fitting.inputs(sampler, scale, linear)}; scaled down where steps would diverge"
    how += ", but as drawn for whether it overflows"
    return Running(dtype, worst, FEW * len(rules), how)


def _expected(rule: Rule, tasks: Tasks) -> np.ndarray:
    """What a rule of floats predicts: (tasks, k)."""
    return np.stack([prediction(rule, x, y) for x, y in zip(*tasks, strict=True)])


def _calm(rule: Rule, tasks: Tasks) -> float:
    """A power of two, at most 1, by which data are scaled so that no step overshoots."""
    curvature = np.linalg.norm(tasks.x[:, :-1], axis=(1, 2), ord=2).max() ** 2
    matrix = 1.0 if rule.preconditioner is None else np.linalg.norm(rule.preconditioner, ord=2)
    moved = max(map(abs, rule.step_sizes)) * matrix * curvature
    return min(1.0, 2.0 ** np.floor(np.log2(2 / moved) / 2)) if 0 < moved < np.inf else 1.0


def _floats(exact: np.ndarray) -> np.ndarray:
    return np.vectorize(as_float, otypes=[float])(exact)


def examples(model: Model, fixed: int | None) -> int:
    """n of the tasks: twice as many as features, but not too many, unless it is fixed."""
    return min(2 * neutral.sizes(model)[0], LARGEST) if fixed is None else fixed


class _Tried(NamedTuple):
    """Tasks, and the gradient descents that are nearest on them."""

    unexplained: float
    scale: float
    linear: bool
    drawn: Callable[..., Tasks]
    trials: list[Trial]
    fits: list[Fit]
    start: np.ndarray


def nearest(
    model: Model,
    numbers: Sequence[int],
    fixed: int | None,
    starts: Sequence[np.ndarray] = (),
    sampler: str = "uniform",
    scale: float | None = None,
) -> tuple[Learner, Distances, Nearest | None]:
    """The gradient descent that predicts most alike, of up to one step more than there are layers; and the rule.

    Args:
        model: in floats.
        numbers: n of the tasks.
        fixed: n, or None if it is free.
        starts: candidates for W0, beside what the model predicts without data.
        sampler: of the inputs.
        scale: of all data; if it is not given, the first of `SCALES` at which predictions are near a rule's, or 1.
            Targets that are linear in the inputs are tried, too, where predictions are not a learner's on others.
    """
    d, k = neutral.sizes(model)
    predict, layers = predictor(model), len(model.layers)
    W0, _ = fitting.initial_weights(predict, d, k, pads=fixed or 1)
    from_where = [start for start in (0 * W0, W0, *starts) if np.isfinite(start).all()]

    @functools.cache
    def attempt(linear: bool, size: float) -> _Tried:
        drawn = partial(fitting.sample, d, k, sampler=sampler, scale=size, linear=linear)
        trials = fitting.tried(predict, [drawn(n, COUNT, seed=_seed(n, numbers)) for n in numbers])
        each = [(fitting.fits(trials, start, layers), start) for start in from_where]
        none = [Fit(0, 0.0, np.inf)]
        off = [fitting.best(own).distance * (1 if start.any() else ALIKE) for own, start in each]
        fits, start = each[int(np.argmin(off))] if each else (none, 0 * W0)
        return _Tried(fitting.unexplained(fits), size, linear, drawn, trials, fits, start)

    @functools.cache
    def rule(linear: bool, size: float) -> Nearest | None:
        tried = attempt(linear, size)
        if len(tried.fits) == 1:
            return None
        more = [tried.drawn(n, MANY, seed=(SEED, n, 7)) for n in numbers]
        held = [tried.drawn(n, MANY, seed=(SEED, n, 6)) for n in numbers]
        fitted, judged = (fitting.tried(predict, tasks) for tasks in (more, held))
        inputs = fitting.inputs(sampler, size, linear)
        return learned.nearest(fitted, judged, tried.start, tried.fits, layers, inputs)

    sizes = SCALES if scale is None else (scale,)
    chosen = _chosen(attempt, sizes)
    for larger in sizes[: sizes.index(chosen.scale)]:  # which tell more rules apart
        known = rule(False, larger)
        if known is not None and known.learns and known.off <= NEAR:
            chosen = attempt(False, larger)
            break
    _, size, linear, _, trials, fits, start = chosen
    fit = fitting.best(fits)
    learner = Learner(start, fit.step_size, fit.steps)
    few = slice(max(1, min(COUNT, DIRECTIONS // d)))
    some = Tasks(*(array[few] for array in trials[0].tasks))
    samples = fitting.samples(sampler, size, linear)
    own = fitting.distances_to(learner, predict, trials, some, WIDTH * size, samples)
    return learner, own, rule(linear, size)


def _chosen(attempt: Callable[[bool, float], _Tried], sizes: Sequence[float]) -> _Tried:
    """The tasks that say most: the first on which predictions are near a learner's.

    Targets that are linear in the inputs are taken instead where predictions are much nearer on them.
    """
    found = []
    for size in sizes:
        found.append(attempt(False, size))
        if found[-1].unexplained <= NEAR:
            if found[-1].unexplained <= FINE:
                return found[-1]
            straight = attempt(True, size)
            return straight if straight.unexplained <= MUCH * found[-1].unexplained else found[-1]
    for size in sizes:
        found.append(attempt(True, size))
        if found[-1].unexplained <= NEAR:
            break
    chosen = min(found, key=lambda each: each.unexplained)
    return found[0] if chosen.unexplained > CLEARLY * found[0].unexplained else chosen


def _seed(n: int, numbers: Sequence[int]) -> tuple[int, ...]:
    return (SEED,) if len(numbers) == 1 else (SEED, n)
