"""Predictions of a black box against gradient descent: sampled tasks, the learner that fits, and how far off it is.

Gradient descent on n examples with G = Σ x_j x_jᵀ, S = Σ x_j y_jᵀ moves W by −η(GW − S). In G's eigenvectors that is
one product for each entry, so that thousands of step sizes are tried at once; distances that are reported are to the
learner itself, in weights. What overflows is infinite, without a warning.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from scanproof.constructs.learners.accumulation import unscaled_gradient

from .report import Distances

Predictor = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""x (tasks, n + 1, d) with the query last, y (tasks, n, k) -> (tasks, k)."""

SEED = 0
"""Of all tasks that are drawn."""
NOISE = 0.1
"""Of the targets of every second task, beside those that are linear in x; the others have arbitrary targets."""
SAMPLERS: Mapping[str, Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]] = {
    "uniform": lambda rng, shape: rng.uniform(-1, 1, shape),
    "normal": lambda rng, shape: rng.standard_normal(shape),
    "sphere": lambda rng, shape: _on_sphere(rng.standard_normal(shape)),
    "signs": lambda rng, shape: rng.choice([-1.0, 1.0], shape),
}
"""Inputs: uniform on (−1, 1), standard normal, on the sphere of radius √d, of signs ±1."""
ENTRIES = 2**21
"""Numbers that the search for a step size holds at once."""
PER_OCTAVE, OCTAVES_DOWN, OCTAVES_UP = 8, 30, 8
"""Step sizes that are tried first, about the reciprocal of the largest eigenvalue of all tasks."""
ROUNDS, POINTS = 10, 41
"""Of the search between two of them: each round narrows it by a factor of 20."""
BASINS = 3
TIED = 1e-9
"""Relative: of step counts that fit as well as this, the least is taken."""


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


class Trial(NamedTuple):
    """Tasks, and what a model predicts for them."""

    tasks: Tasks
    predicted: np.ndarray
    """(tasks, k)."""


def tried(predict: Predictor, groups: Sequence[Tasks]) -> list[Trial]:
    """The model on groups of tasks."""
    return [Trial(tasks, predict(*tasks)) for tasks in groups]


class Learner(NamedTuple):
    """Gradient descent W ← W − η Σ_j x_j (Wᵀx_j − y_j)ᵀ on the examples of a task, its query excluded."""

    W0: np.ndarray
    """(d, k)."""
    step_size: float
    """η."""
    steps: int
    """L."""
    each: tuple[float, ...] = ()
    """The step sizes in turn where they are not all η."""

    @np.errstate(all="ignore")
    def weights(self, tasks: Tasks) -> np.ndarray:
        """After the last step: (tasks, d, k)."""
        start = np.asarray(self.W0, dtype=np.float64)
        W = np.broadcast_to(start, (len(tasks.x), *start.shape))
        for step_size in self.each or (self.step_size,) * self.steps:
            examples = zip(W, tasks.x[:, :-1], tasks.y, strict=True)
            W = W - np.float64(step_size) * np.stack(
                [unscaled_gradient(*each) for each in examples]
            )
        return W

    def predictions(self, tasks: Tasks) -> np.ndarray:
        """For the queries: (tasks, k)."""
        return (tasks.x[:, -1:] @ self.weights(tasks))[:, 0]


def sample(
    d: int,
    k: int,
    n: int,
    count: int,
    *,
    seed: Sequence[int],
    sampler: str,
    scale: float = 1.0,
    linear: bool = False,
) -> Tasks:
    """Seeded tasks with inputs of one of `SAMPLERS`; linear targets with noise in turn with arbitrary ones.

    All data are multiplied by `scale`; if linear, all targets are Wᵀx.
    """
    rng = np.random.default_rng(tuple(seed))
    shape = (count, n + 1, d)
    x = SAMPLERS[sampler](rng, shape)
    W, noise = rng.standard_normal((count, d, k)), rng.standard_normal((count, n, k))
    y = np.where((np.arange(count) % 2 == 0)[:, None, None], x[:, :-1] @ W + NOISE * noise, noise)
    return Tasks(scale * x, scale * (x[:, :-1] @ W if linear else y))


def _on_sphere(x: np.ndarray) -> np.ndarray:
    return x * np.sqrt(x.shape[-1]) / np.linalg.norm(x, axis=-1, keepdims=True)


@np.errstate(all="ignore")
def initial_weights(predict: Predictor, d: int, k: int, *, pads: int) -> tuple[np.ndarray, float]:
    """What the model predicts without examples, as a matrix (d, k), and how far from linear it is.

    Args:
        predict: the model, of d features and k targets.
        d: features.
        k: targets.
        pads: examples of zeros, which no gradient comes of: 1 for tokens that hold an example and a query, else 0.

    Returns:
        W0, and the largest |ŷ − W0ᵀx| over the largest |ŷ| at random x, 0 if both are.
    """
    rng = np.random.default_rng(0)
    queries = np.concatenate([np.zeros((1, d)), np.eye(d), rng.uniform(-1, 1, (8, d))])
    x = np.concatenate([np.zeros((len(queries), pads, d)), queries[:, None]], axis=1)
    found = predict(x, np.zeros((len(queries), pads, k)))
    W0 = found[1 : d + 1] - found[0]
    return W0, quotient_of_largest(found - queries @ W0, found)


def quotient_of_largest(off: np.ndarray, of: np.ndarray) -> float:
    """The largest |entry| over that of another array."""
    return quotient(np.abs(off).max(), np.abs(of).max())


def quotient(off: float, size: float) -> float:
    """off / size; 0 if both are 0."""
    return float(off / size) if size else (math.inf if off else 0.0)


def norm(array: np.ndarray, axis: int | tuple[int, ...] | None = None) -> Any:
    """The l2 norm along axes, of numbers over the largest: squares of 1e-200 are 0, and of 1e200 infinite."""
    largest = np.abs(array).max(axis=axis, keepdims=True, initial=0.0)
    scale = np.where((largest > 0) & (largest < np.inf), largest, 1.0)
    root = np.sqrt(np.square(array / scale).sum(axis=axis, keepdims=True)) * scale
    found = root.squeeze(axis=axis)
    return found if found.ndim else float(found)


def unexplained(fits: Sequence[Fit]) -> float:
    """The best distance over that to W0ᵀx, which any smooth model may predict from small data."""
    none = fits[0].distance
    return best(fits).distance / none if none else 1.0


class Prepared(NamedTuple):
    """Tasks in the eigenvectors of their Σ x_j x_jᵀ, and what the model predicts for them."""

    eigenvalues: np.ndarray
    """(tasks, d, 1)."""
    sums: np.ndarray
    """S, (tasks, d, k)."""
    start: np.ndarray
    """W0, (tasks, d, k)."""
    query: np.ndarray
    """(tasks, d)."""
    predicted: np.ndarray
    """By the model, (tasks, k)."""
    weight: np.ndarray
    """(tasks,): groups count alike, each relative to the size of its predictions."""


@np.errstate(all="ignore")
def prepare(trials: Sequence[Trial], W0: np.ndarray) -> Prepared:
    """Groups of tasks with the model's predictions, for gradient descent from W0."""
    parts = []
    for (x, y), predicted in trials:
        examples = x[:, :-1]
        eigenvalues, vectors = np.linalg.eigh(examples.mT @ examples)
        size = norm(predicted) * math.sqrt(len(trials))
        size = size if size < math.inf else math.nan  # and so is every distance then
        sums, start = vectors.mT @ (examples.mT @ y), vectors.mT @ W0
        query = (vectors.mT @ x[:, -1, :, None])[..., 0]
        weight = np.full(len(predicted), 1 / size if size else 1.0)
        parts.append((eigenvalues[..., None], sums, start, query, predicted, weight))
    return Prepared(*map(np.concatenate, zip(*parts, strict=True)))


@np.errstate(all="ignore")
def distances(data: Prepared, steps: int, step_sizes: np.ndarray) -> np.ndarray:
    """Relative l2 distance of the model to gradient descent, for each step size: (E,) -> (E,).

    The root of the mean over the groups of ‖ŷ − ŷ_GD‖² / ‖ŷ‖²; infinite where that overflows.
    """
    found = []
    for some in np.array_split(step_sizes, -(-step_sizes.size * data.sums.size // ENTRIES)):
        W = np.broadcast_to(data.start, (len(some), *data.start.shape))
        for _ in range(steps):
            W = W - some[:, None, None, None] * (data.eigenvalues * W - data.sums)
        off = (data.query[..., None] * W).sum(axis=2) - data.predicted
        found.append(np.sqrt(((data.weight[:, None] * off) ** 2).sum(axis=(1, 2))))
    every = np.concatenate(found)
    return np.where(np.isfinite(every), every, np.inf)


class Fit(NamedTuple):
    """The step size with which a number of steps comes nearest."""

    steps: int
    step_size: float
    """0 if no step is taken."""
    distance: float
    """Relative, l2."""


def fit(data: Prepared, steps: int, least: float = 0.0) -> Fit:
    """The best step size, positive or negative, for L steps; see `fits`."""
    if steps == 0:
        return Fit(0, 0.0, float(distances(data, 0, np.zeros(1))[0]))
    largest = float(data.eigenvalues.max()) or 1.0
    exponents = np.arange(-OCTAVES_DOWN * PER_OCTAVE, OCTAVES_UP * PER_OCTAVE + 1)
    sizes = 2.0 ** (exponents / PER_OCTAVE) / largest
    first = _first_order(data)
    if least < first < sizes[0]:  # of predictions far smaller than data
        octaves = 2.0 ** (np.arange(-OCTAVES_UP * PER_OCTAVE, OCTAVES_UP * PER_OCTAVE) / PER_OCTAVE)
        sizes = np.sort(np.concatenate([first * octaves, sizes]))
    grid = np.concatenate([-sizes[::-1], sizes])
    found = distances(data, steps, grid)
    lower = np.concatenate([[True], found[1:] <= found[:-1]])
    upper = np.concatenate([found[:-1] <= found[1:], [True]])
    basins = np.flatnonzero(lower & upper)
    basins = basins[np.argsort(found[basins], kind="stable")][:BASINS]
    return min((_narrowed(data, steps, grid, i) for i in basins), key=lambda f: f.distance)


@np.errstate(all="ignore")
def _first_order(data: Prepared) -> float:
    """The size of the one step that comes nearest, by least squares; 0 where it is not to be had."""
    weight = data.weight[:, None]
    gradients = data.eigenvalues * data.start - data.sums
    moved = ((data.query[..., None] * gradients).sum(axis=1)).ravel()
    rest = ((data.query[..., None] * data.start).sum(axis=1) - data.predicted).ravel()
    each = (weight + 0 * data.predicted).ravel()
    each = each / each.max()
    found = abs(float((each * moved) @ (each * rest) / ((each * moved) @ (each * moved))))
    return found if math.isfinite(found) else 0.0


def _narrowed(data: Prepared, steps: int, points: np.ndarray, i: int) -> Fit:
    """The best step size between the neighbours of one of the points."""
    for _ in range(ROUNDS):
        points = np.linspace(points[max(i - 1, 0)], points[min(i + 1, len(points) - 1)], POINTS)
        found = distances(data, steps, points)
        i = int(found.argmin())
    return Fit(steps, float(points[i]), float(found[i]))


@np.errstate(all="ignore")
def unequal(trials: Sequence[Trial], W0: np.ndarray, steps: int) -> tuple[float, ...]:
    """The step sizes with which L steps come nearest, in increasing order; none where they are not real numbers.

    Weights are q(G) W0 + p(G) S with g p(g) = 1 − q(g), linear in the coefficients of q; η_l are the reciprocals of
    its roots.
    """
    data = prepare(trials, W0)
    scale = 1 / (float(data.eigenvalues.max()) or 1.0)
    g = data.eigenvalues * scale
    weight = data.weight[:, None]

    def read(W: np.ndarray) -> np.ndarray:
        return ((data.query[..., None] * W).sum(axis=1) * weight).ravel()

    moved = [g**i * data.start - g ** (i - 1) * (scale * data.sums) for i in range(1, steps + 1)]
    columns = np.stack([read(W) for W in moved], axis=1)
    rest = (data.predicted * weight).ravel() - read(data.start)
    if not (np.isfinite(columns).all() and np.isfinite(rest).all()):
        return ()
    q = least_squares(columns, rest)
    if q is None:
        return ()
    usable = q[-1] and np.isfinite([*q, 1.0] / q[-1]).all()
    roots = np.roots([*q[::-1], 1.0]) if usable else np.zeros(0)
    real = len(roots) == steps and bool((np.abs(roots.imag) <= 1e-6 * np.abs(roots)).all())
    return tuple(sorted((scale / roots.real).tolist())) if real else ()


def least_squares(A: np.ndarray, b: np.ndarray) -> np.ndarray | None:
    """x with the least ‖Ax − b‖; None where that overflows, on which LAPACK may not return."""
    if not (np.isfinite(A).all() and np.isfinite(b).all()):
        return None
    try:
        return np.linalg.lstsq(A, b, rcond=None)[0]
    except np.linalg.LinAlgError:
        return None


def fits(trials: Sequence[Trial], W0: np.ndarray, layers: int, least: float = 0.0) -> list[Fit]:
    """From W0, for L = 0, 1, …, one more than there are layers.

    Args:
        trials: what is fitted.
        W0: initial weights, (d, k).
        layers: of the model.
        least: the size below which no step is looked for, where predictions are that much smaller than data.
    """
    data = prepare(trials, W0)
    return [fit(data, steps, least) for steps in range(layers + 2)]


def best(fits: Sequence[Fit]) -> Fit:
    """The nearest; of several that are as near, the one with the fewest steps."""
    least = min(f.distance for f in fits)
    return next(f for f in fits if f.distance <= least * (1 + TIED) + 2.0**-50)


@np.errstate(all="ignore")
def sensitivities(predict: Predictor, tasks: Tasks, width: float) -> np.ndarray:
    """∂ŷ/∂x_query by central differences with a step of this width to either side: (tasks, d, k)."""
    count, _, d = tasks.x.shape
    moves = width * np.concatenate([np.eye(d), -np.eye(d)])
    x = np.repeat(tasks.x[:, None], 2 * d, axis=1)
    x[:, :, -1] += moves
    y = np.repeat(tasks.y[:, None], 2 * d, axis=1)
    found = predict(x.reshape(-1, *x.shape[2:]), y.reshape(-1, *y.shape[2:]))
    found = found.reshape(count, 2, d, -1)
    return (found[:, 0] - found[:, 1]) / (2 * width)


class Explicit(Protocol):
    """A learner with weights, such as `Learner`."""

    def weights(self, tasks: Tasks) -> np.ndarray:
        """After the last step: (tasks, d, k)."""
        ...

    def predictions(self, tasks: Tasks) -> np.ndarray:
        """For the queries: (tasks, k)."""
        ...


@np.errstate(all="ignore")
def distances_to(
    learner: Explicit,
    predict: Predictor,
    trials: Sequence[Trial],
    slopes_at: Tasks,
    width: float,
    samples: str = "",
) -> Distances:
    """How far a model is from a learner; sensitivities by differences of this width, at tasks of their own."""
    expected = [learner.predictions(tasks) for tasks, _ in trials]
    off = [trial.predicted - own for trial, own in zip(trials, expected, strict=True)]
    # Of a learner that does nothing from W0 = 0, in parts of the model's own predictions.
    size = [own if own.any() else one.predicted for one, own in zip(trials, expected, strict=True)]
    relative = map(quotient_of_largest, off, size)
    slopes, W = sensitivities(predict, slopes_at, width), learner.weights(slopes_at)
    sizes = norm(slopes, axis=(1, 2)), norm(W, axis=(1, 2))
    unit, other = (a / size[:, None, None] for a, size in zip((slopes, W), sizes, strict=True))
    both = all(size.all() for size in sizes)
    cosine = float((unit * other).sum(axis=(1, 2)).mean()) if both else None
    return Distances(
        tasks=sum(map(len, off)),
        examples=max(tasks.examples for tasks, _ in trials),
        seed=SEED,
        prediction_l2=float(norm(np.concatenate(off), axis=1).mean()),
        relative=float(np.max(list(relative))),
        sensitivity_cosine=cosine,
        sensitivity_l2=float(norm(slopes - W, axis=(1, 2)).mean()),
        **({"samples": samples} if samples else {}),
    )


INPUTS = {
    "uniform": "x uniform on (−{0}, {0})",
    "normal": "x normal, of variance {1}",
    "sphere": "‖x‖ = {0}√d",
    "signs": "x of ±{0}",
}


def inputs(sampler: str, scale: float, linear: bool = False) -> str:
    """What the inputs of tasks are, in words."""
    drawn = INPUTS[sampler].format(f"{scale:g}", f"{scale**2:g}")
    return f"{drawn}, y = Wᵀx" if linear else drawn


def samples(sampler: str, scale: float, linear: bool = False) -> str:
    """What tasks are, in words."""
    if linear:
        return inputs(sampler, scale, linear)
    noisy = "every second task has targets Wᵀx with noise, the others arbitrary ones"
    return f"{inputs(sampler, scale)}; {noisy}"
