"""The held-out tasks on which weights of every family are tried: one seeded scheme, and how far predictions are apart.

Every second task has linear targets y_j = Wᵀx_j, the others have arbitrary ones, in groups of several numbers of
examples. Rules are fitted to some tasks and judged by others that are drawn alike. What overflows is infinite, without
a warning.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..export.loading import Loaded
from ..rounding.arithmetic import FORMATS
from .asked import SAMPLERS, Asked
from .report import Distances, Running

Predictor = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""x (tasks, n + 1, d) with the query last, y (tasks, n, k) -> (tasks, k)."""

SEED = 0
"""Of all tasks that are drawn."""
FITTED, HELD = 0, 1
"""What tasks are drawn for: rules are fitted to the first, and judged by the second."""
EXAMPLES = (1, 2, 5, 12, 33)
"""n of the groups of tasks, if none are asked for."""
COUNT, LEAST = 64, 4
"""Tasks of all groups, and of one at least."""
WORK = 4e8
"""Multiplications of a model on all tasks, about; models that need more are tried on fewer."""
DIRECTIONS = 96
"""Directions in which sensitivities are measured, in all tasks together, if d is smaller."""
WIDTH = 2.0**-10
"""Of central differences, relative to the scale of the tasks."""
INPUTS = {
    "uniform": "x uniform on (−{0}, {0})",
    "normal": "x normal, of variance {1}",
    "sphere": "‖x‖ = {2}",
    "signs": "x of ±{0}",
}
"""In words, by the scale, its square, and its product with √d."""


class Tasks(NamedTuple):
    """Regression tasks with one number of examples."""

    x: np.ndarray
    """(tasks, n + 1, d), the query last."""
    y: np.ndarray
    """(tasks, n, k)."""

    @property
    def examples(self) -> int:
        """n."""
        return self.y.shape[1]

    @property
    def curvatures(self) -> np.ndarray:
        """The largest eigenvalue of Σ_j x_j x_jᵀ, of each task."""
        return np.linalg.norm(self.x[:, :-1], axis=(1, 2), ord=2) ** 2


Learned = Callable[[Tasks], np.ndarray]
"""What a learner predicts for the queries: (tasks, k)."""


class Trial(NamedTuple):
    """Tasks, and what a model predicts for them."""

    tasks: Tasks
    predicted: np.ndarray
    """(tasks, k)."""

    def part(self, chosen: slice) -> Trial:
        """Some of the tasks."""
        return Trial(Tasks(*(array[chosen] for array in self.tasks)), self.predicted[chosen])


LINEAR, ARBITRARY = slice(0, None, 2), slice(1, None, 2)
"""The tasks with linear targets, and the others."""


def part(trials: Sequence[Trial], chosen: slice) -> list[Trial]:
    """The tasks of one kind of targets."""
    return [trial.part(chosen) for trial in trials]


def tried(predict: Predictor, groups: Sequence[Tasks]) -> list[Trial]:
    """The model on groups of tasks."""
    return [Trial(tasks, predict(*tasks)) for tasks in groups]


class Scheme(NamedTuple):
    """Which tasks are drawn."""

    d: int
    k: int
    numbers: tuple[int, ...]
    """n of the groups."""
    sampler: str = "uniform"
    """A name in `SAMPLERS`."""
    scale: float = 1.0
    """By which all data are multiplied."""
    count: int = COUNT
    """Tasks of a group; an even number."""
    tokens: str = ""
    """The tokenisation, where words name it."""
    calm: Callable[[Tasks], float] | None = None
    """By how much each group's data are scaled besides, where steps would diverge."""

    def drawn(self, purpose: int) -> list[Tasks]:
        """A group of tasks for each n."""
        groups = []
        for n in self.numbers:
            tasks = sample(
                self.d,
                self.k,
                n,
                self.count,
                seed=(SEED, n, purpose),
                sampler=self.sampler,
                scale=self.scale,
            )
            groups.append(scaled(tasks, self.calm(tasks)) if self.calm else tasks)
        return groups

    @property
    def inputs(self) -> str:
        """What the inputs of tasks are, in words."""
        sizes = self.scale, self.scale**2, self.scale * math.sqrt(self.d)
        return INPUTS[self.sampler].format(*(f"{size:.6g}" for size in sizes))

    @property
    def words(self) -> str:
        """The numbers of examples and the inputs, in a sentence."""
        down = ", scaled down where steps would diverge" if self.calm else ""
        tokens = f", {self.tokens} tokens" if self.tokens else ""
        return f"{listed(self.numbers)}, {self.inputs}{tokens}{down}"


def scheme(
    loaded: Loaded,
    asked: Asked,
    d: int,
    k: int,
    tokens: str,
    cost: Callable[[int], float],
    allowed: Callable[[int], bool],
    fixed: int | None = None,
) -> Scheme:
    """The tasks on which weights are tried: what is asked for, or `EXAMPLES` and the manifest's number of examples.

    Args:
        loaded: the weights.
        asked: what is asked for.
        d: features.
        k: targets.
        tokens: the tokenisation.
        cost: multiplications of a prediction, by n.
        allowed: whether tasks of n examples are tried, where none are asked for.
        fixed: n, of weights that are for one number of examples.
    """
    promised = [loaded.manifest["sizes"]["examples"]] if loaded.manifest else []
    own = [n for n in {*EXAMPLES, *promised} if allowed(n)] or [1]
    numbers = tuple(sorted(asked.examples or ([fixed] if fixed else own)))
    count = counted(cost, numbers)
    sampler, scale = asked.sampler or "uniform", asked.scale or 1.0
    return Scheme(d, k, numbers, sampler, scale, count, tokens)


def counted(cost: Callable[[int], float], numbers: Sequence[int]) -> int:
    """How many tasks a group has, of a model that takes so many multiplications for n examples."""
    most = min(COUNT / len(numbers), WORK / max(1.0, sum(map(cost, numbers))))
    return max(LEAST, int(most) // 2 * 2)


def sample(
    d: int, k: int, n: int, count: int, *, seed: Sequence[int], sampler: str, scale: float = 1.0
) -> Tasks:
    """Seeded tasks with inputs of one of `SAMPLERS`; linear targets Wᵀx in turn with arbitrary ones.

    All data are multiplied by `scale`.
    """
    rng = np.random.default_rng(tuple(seed))
    x = SAMPLERS[sampler](rng, (count, n + 1, d))
    W, y = rng.standard_normal((count, d, k)), rng.standard_normal((count, n, k))
    y[LINEAR] = (x[:, :-1] @ W)[LINEAR]
    return Tasks(scale * x, scale * y)


def scaled(tasks: Tasks, factor: float) -> Tasks:
    """The tasks with all data multiplied by a number."""
    return Tasks(factor * tasks.x, factor * tasks.y)


def listed(numbers: Sequence[int]) -> str:
    """The numbers of examples, in a sentence."""
    return f"n = {', '.join(map(str, numbers))}"


def finite(trials: Sequence[Trial]) -> bool:
    """Whether all predictions are, and their squares."""
    return all(bool(np.isfinite(np.square(trial.predicted)).all()) for trial in trials)


def count(trials: Sequence[Trial]) -> int:
    """How many tasks there are."""
    return sum(len(trial.predicted) for trial in trials)


def norm(array: np.ndarray, axis: int | tuple[int, ...] | None = None) -> Any:
    """The l2 norm along axes, of numbers over the largest: squares of 1e-200 are 0, and of 1e200 infinite."""
    largest = np.abs(array).max(axis=axis, keepdims=True, initial=0.0)
    scale = np.where((largest > 0) & (largest < np.inf), largest, 1.0)
    root = np.sqrt(np.square(array / scale).sum(axis=axis, keepdims=True)) * scale
    found = root.squeeze(axis=axis)
    return found if found.ndim else float(found)


def quotient(off: float, size: float) -> float:
    """off / size; 0 if both are 0."""
    return float(off / size) if size else (math.inf if off else 0.0)


def quotient_of_largest(off: np.ndarray, of: np.ndarray) -> float:
    """The largest |entry| over that of another array."""
    return quotient(np.abs(off).max(), np.abs(of).max())


@np.errstate(all="ignore")
def gaps(trials: Sequence[Trial], learned: Learned) -> np.ndarray:
    """The difference at each task over the norm of its group's predictions; their squares sum to that of `apart`."""
    each = []
    for given, predicted in trials:
        off, size = norm(learned(given) - predicted, axis=1), norm(predicted)
        each.append(np.array([quotient(one, size) for one in off]) / math.sqrt(len(trials)))
    return np.concatenate(each)


def apart(trials: Sequence[Trial], learned: Learned) -> float:
    """Root mean square of the differences over that of the predictions; groups count alike."""
    return norm(gaps(trials, learned))


@np.errstate(all="ignore")
def furthest(trials: Sequence[Trial], learned: Learned) -> float:
    """The largest difference over the learner's largest prediction, of the worst group; NaN where one is."""
    off = [0.0]
    for tasks, predicted in trials:
        expected = learned(tasks)
        # Of a learner that does nothing from W0 = 0, in parts of the model's own predictions.
        size = expected if expected.any() else predicted
        off.append(quotient_of_largest(predicted - expected, size))
    return float(np.max(off))


@np.errstate(all="ignore")
def running(
    predict: Predictor,
    learned: Learned,
    scheme: Scheme,
    groups: Sequence[Tasks],
    dtype: str,
    how: str,
) -> Running:
    """How far weights that run in a format are from a learner in float64, on groups of tasks.

    What overflows on the tasks before they are scaled down, where the learner does not, is off by infinity: smaller
    data hide numbers that overflow on the way to a prediction that does not.

    Args:
        predict: the model, run in that format.
        learned: the learner's predictions.
        scheme: of the tasks.
        groups: those that it has drawn, or some of each group.
        dtype: the format.
        how: what is computed in it.
    """
    trials = tried(predict, groups)
    off = furthest(trials, learned)
    if scheme.calm is not None:
        for tasks in scheme._replace(calm=None).drawn(FITTED):
            most = np.abs(learned(tasks)).max()
            if most <= FORMATS[dtype].largest and not np.isfinite(predict(*tasks)).all():
                off = math.inf
    return Running(dtype, off, count(trials), how)


@np.errstate(all="ignore")
def sensitivities(predicted: Learned, tasks: Tasks, width: float) -> np.ndarray:
    """∂ŷ/∂x_query by central differences with a step of this width to either side: (tasks, d, k)."""
    count, _, d = tasks.x.shape
    moves = width * np.concatenate([np.eye(d), -np.eye(d)])
    x = np.repeat(tasks.x[:, None], 2 * d, axis=1)
    x[:, :, -1] += moves
    y = np.repeat(tasks.y[:, None], 2 * d, axis=1)
    found = predicted(Tasks(x.reshape(-1, *x.shape[2:]), y.reshape(-1, *y.shape[2:])))
    found = found.reshape(count, 2, d, -1)
    return (found[:, 0] - found[:, 1]) / (2 * width)


@np.errstate(all="ignore")
def distances(
    predict: Predictor, learned: Learned, trials: Sequence[Trial], scheme: Scheme
) -> Distances:
    """How far a model is from a learner on tasks; sensitivities on some of the group in the middle."""
    middle = trials[len(trials) // 2].tasks
    few = slice(max(1, min(len(middle.x) // 2, DIRECTIONS // scheme.d)))
    some = Tasks(middle.x[few], middle.y[few])
    width = WIDTH * float(np.abs(some.x).max() or 1.0)
    slopes, own = (
        sensitivities(of, some, width) for of in (lambda tasks: predict(*tasks), learned)
    )
    sizes = norm(slopes, axis=(1, 2)), norm(own, axis=(1, 2))
    unit, other = (a / size[:, None, None] for a, size in zip((slopes, own), sizes, strict=True))
    both = all(size.all() for size in sizes)
    off = np.concatenate([t.predicted - learned(t.tasks) for t in trials])
    return Distances(
        tasks=count(trials),
        examples=max(scheme.numbers),
        seed=SEED,
        prediction_l2=float(norm(off, axis=1).mean()),
        relative=furthest(trials, learned),
        sensitivity_cosine=float((unit * other).sum(axis=(1, 2)).mean()) if both else None,
        sensitivity_l2=float(norm(slopes - own, axis=(1, 2)).mean()),
        samples=f"{scheme.words}; every second task has targets Wᵀx, the others arbitrary ones; "
        "relative: the largest of a group",
    )
