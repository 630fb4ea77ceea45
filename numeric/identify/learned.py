"""The learning rule that predictions are nearest to: the rules of `constructs.learners`, fitted and tried.

Beside a rule that is near, one with more numbers is named only if it is off by half as much: what more numbers fit
anyway is not taken for a rule. Where none with fewer is near, the nearest is named, however many it has.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from scanproof.constructs.learners import further
from scanproof.constructs.learners.accumulation import unscaled_gradient

from ..rounding.batch import Batch
from . import fitting
from .fitting import Fit, Tasks, Trial
from .report import NEAR, Nearest

DEEPEST = 4
"""Steps of a rule with further numbers, at most."""
NO_STEP = "no step at all"
"""The rule that predictions are nearest to where all others are further off than W0ᵀx."""
CLEARLY = 0.5
"""What a rule with more numbers is off by, as a part of another's, at most."""
ALIKE = 0.9
"""The same of rules with as many numbers, of which the first is the simplest, and of steps from a W0 and from 0."""
EXACT = 1e-9
"""What rounding leaves of a rule, at most."""
ROUNDS = 30
"""Of a fit (Levenberg and Marquardt)."""
WIDTH = 1e-6
"""Of differences in it, relative."""
FINEST, FINE, COARSE = 1e-10, 1e-8, 1e-3
"""Relative gains with which a fit ends: that a step may make, that one made, and one far from the nearest rule."""
AT_ONCE = 2**20
"""Numbers in the inputs of the tasks that a rule runs on at once, about."""

Predict = Callable[[np.ndarray, Any, Any, Sequence[Any]], Any]
"""(W0, x, y, numbers) -> the predictions; x (n + 1, d), y (n, k), of a task or of a batch, whose numbers may differ."""


class Kind(NamedTuple):
    """A family of rules."""

    rule: str
    """With the numbers' places: `1 step of gradient descent with η = {0}`."""
    names: tuple[str, ...]
    predict: Predict
    starts: tuple[tuple[float, ...], ...]
    """From which it is fitted, in units in which a step of size 1 is as large as is stable."""
    units: tuple[int, ...]
    """For each number its dimension: −1 for a step size, 1 for a damping, 0 for a momentum."""


class Fitted(NamedTuple):
    """A rule with its numbers."""

    rule: str
    numbers: dict[str, float]
    predict: Callable[[Tasks], np.ndarray]


def _descent(steps: int) -> Predict:
    def predict(W0: np.ndarray, x: Any, y: Any, numbers: Sequence[float]) -> Any:
        each = numbers if len(numbers) == steps else [numbers[0]] * steps
        W = W0
        for step_size in each:
            W = W - step_size * unscaled_gradient(W, x[:-1], y)
        return x[-1] @ W

    return predict


def _momentum(steps: int) -> Predict:
    return lambda W0, x, y, p: x[-1] @ further.heavy_ball(W0, x[:-1], y, p[0], p[1], steps)


def _ridge(steps: int) -> Predict:
    def predict(W0: np.ndarray, x: Any, y: Any, numbers: Sequence[float]) -> Any:
        W, (eta, ridge) = W0, numbers
        for _ in range(steps):
            W = W - eta * (unscaled_gradient(W, x[:-1], y) + ridge * W)
        return x[-1] @ W

    return predict


def _and_delta(steps: int) -> Predict:
    def predict(W0: np.ndarray, x: Any, y: Any, numbers: Sequence[float]) -> Any:
        W, (eta, rate) = W0, numbers
        for _ in range(steps):
            W = W - eta * unscaled_gradient(W, x[:-1], y)
        return x[-1] @ further.delta_rule(W, x[-2:-1], y[-1:], rate)

    return predict


def _newton(W0: np.ndarray, x: Any, y: Any, numbers: Sequence[float]) -> Any:
    damping = numbers[0] if numbers else 0.0
    return x[-1] @ further.damped_newton(W0, x[:-1], y, damping)


def _delta(W0: np.ndarray, x: Any, y: Any, numbers: Sequence[float]) -> Any:
    return x[-1] @ further.delta_rule(W0, x[:-1], y, numbers[0])


def _plus_plus(W0: np.ndarray, x: Any, y: Any, numbers: Sequence[float]) -> Any:
    *each, gamma = numbers
    return further.gd_plus_plus(W0, x, y, each if len(each) > 1 else [0.0, *each], gamma)


def kinds(layers: int, *, invertible: bool) -> Iterator[Kind]:
    """Rules that a model of so many layers is compared with, beside steps of gradient descent.

    Args:
        layers: of the model.
        invertible: whether there are more examples than features, so that Σ x_j x_jᵀ is.
    """
    if invertible:
        yield Kind("a Newton step (least squares)", (), _newton, ((),), ())
    damped = "a damped Newton step (ridge regression) with λ = {0}"
    yield Kind(damped, ("λ",), _newton, ((0.01,), (0.3,)), (1,))
    in_turn = "a step of the delta rule on each example in turn, β = {0}"
    yield Kind(in_turn, ("β",), _delta, ((0.1,), (1.0,)), (-1,))
    for L in range(1, min(layers + 1, DEEPEST) + 1):
        steps = "1 step" if L == 1 else f"{L} steps"
        more = (
            f"{steps} of gradient descent with η = {{0}} and one more of the delta rule, β = {{1}}"
        )
        yield Kind(more, ("η", "β"), _and_delta(L), ((0.3, 0.3), (0.3, -0.3)), (-1, -1))
        if L > 1:
            words = f"{steps} of gradient descent with ridge, η = {{0}} and λ = {{1}}"
            yield Kind(words, ("η", "λ"), _ridge(L), ((0.5, 0.1),), (-1, 1))
        if L > 2:
            words = f"{steps} of gradient descent with momentum, η = {{0}} and β = {{1}}"
            yield Kind(words, ("η", "β"), _momentum(L), ((0.5, 0.3), (0.3, 0.7)), (-1, 0))
    words = "1 step of GD++ on inputs that went through I − γXXᵀ, η = {0} and γ = {1}"
    starts = ((0.5, 0.2), (0.5, -0.2), (1.0, 0.5))
    yield Kind(words, ("η", "γ"), _plus_plus, starts, (-1, -1))
    if layers > 1:
        words = "2 steps of GD++ with η = ({0}, {1}) and γ = {2}"
        starts = ((0.5, 0.5, 0.2), (0.5, 0.5, -0.2), (0.2, 1.0, 0.4))
        yield Kind(words, ("η_1", "η_2", "γ"), _plus_plus, starts, (-1, -1, -1))


@np.errstate(all="ignore")
def nearest(
    trials: Sequence[Trial],
    held: Sequence[Trial],
    W0: np.ndarray,
    fits: Sequence[Fit],
    layers: int,
    inputs: str,
) -> Nearest | None:
    """The rule, fitted to some tasks, that predictions on others are nearest to; None where they are not finite.

    Args:
        trials: what rules are fitted to.
        held: what they are judged by, each group alike.
        W0: the initial weights of all of them.
        fits: of gradient descent with equal steps, as `fitting.fits` has them.
        layers: of the model.
        inputs: what those of the tasks are, in words.
    """
    if not all(np.isfinite(t.predicted).all() for t in (*trials, *held)):
        return None
    found = [(len(f.numbers), _off(f.predict, held), f) for f in _all(trials, W0, fits, layers)]
    found = sorted((f for f in found if math.isfinite(f[1])), key=lambda f: f[0])
    if not found:
        return None
    count, off, best = found[0]
    for more, other, rule in found[1:]:
        if off > EXACT and other < off * (CLEARLY if more > count and off <= NEAR else ALIKE):
            count, off, best = more, other, rule
    none = _made(_descent(0), W0, NO_STEP, (), ())
    start = _off(none.predict, held)
    learns = start > EXACT and not start <= off
    if not learns:
        best, off = none, start
    n = ", ".join(map(str, sorted({t.tasks.examples for t in held})))
    tasks = sum(len(t.predicted) for t in held)
    return Nearest(best.rule, best.numbers, off, tasks, f"n = {n}, {inputs}", learns)


def _all(
    trials: Sequence[Trial], W0: np.ndarray, fits: Sequence[Fit], layers: int
) -> Iterator[Fitted]:
    nearest = min((f.distance for f in fits), default=math.inf) ** 2 * len(trials)
    for fit in fits[1:]:
        steps = "1 step" if fit.steps == 1 else f"{fit.steps} steps"
        rule = f"{steps} of gradient descent with η = {fit.step_size:.4g}"
        yield _made(_descent(fit.steps), W0, rule, ("η",), (fit.step_size,))
        if 1 < fit.steps <= min(layers + 1, DEEPEST):
            each = fitting.unequal(trials, W0, fit.steps)
            names = tuple(f"η_{i}" for i in range(1, len(each) + 1))
            sizes = ", ".join(f"{eta:.4g}" for eta in each)
            rule = f"{steps} of gradient descent at unequal rates, η = ({sizes})"
            if each:
                yield _made(_descent(fit.steps), W0, rule, names, each)
    d = W0.shape[0]
    for kind in kinds(layers, invertible=all(t.tasks.examples > d for t in trials)):
        size, numbers = _numbers(kind, trials, W0, nearest / CLEARLY**2)
        nearest = min(nearest, size)
        if numbers is not None:
            rule = kind.rule.format(*(f"{number:.4g}" for number in numbers))
            yield _made(kind.predict, W0, rule, kind.names, numbers)


def _made(
    predict: Predict,
    W0: np.ndarray,
    rule: str,
    names: tuple[str, ...],
    numbers: Sequence[float],
) -> Fitted:
    def on(tasks: Tasks) -> np.ndarray:
        return predict(W0, Batch(tasks.x), Batch(tasks.y), numbers).data

    return Fitted(rule, dict(zip(names, map(float, numbers), strict=True)), on)


def _off(predict: Callable[[Tasks], np.ndarray], held: Sequence[Trial]) -> float:
    """Root mean square of the differences over that of the predictions; groups count alike."""
    gaps = [
        fitting.quotient(
            fitting.norm(predict(t.tasks) - t.predicted),
            fitting.norm(t.predicted),
        )
        for t in held
    ]
    return fitting.norm(np.array(gaps)) / math.sqrt(len(gaps))


def _numbers(
    kind: Kind, trials: Sequence[Trial], W0: np.ndarray, most: float
) -> tuple[float, tuple[float, ...] | None]:
    """Those with which a rule comes nearest, from the best of its starts, and the sum of squares that it leaves.

    Args:
        kind: of the rule.
        trials: what it is fitted to.
        W0: the initial weights.
        most: a sum of squares of which no rule that leaves more will be named, so that its numbers need not be exact.

    Returns:
        The sum of squares, and the numbers; infinity and none where they are not a rule's.
    """
    if not kind.names:
        return math.inf, ()
    curvature = float(np.mean([_curvature(t.tasks) for t in trials])) or 1.0
    scale = np.array([curvature**unit for unit in kind.units])

    def residuals(points: np.ndarray) -> np.ndarray:
        """Those of several choices of numbers, (choices, numbers) -> (choices, residuals), side by side."""
        off = []
        for tasks, predicted in trials:
            size, (x, y) = fitting.norm(predicted) or 1.0, tasks
            parts = []
            runs = min(len(points), -(-len(points) * x.size // AT_ONCE))
            for some in np.array_split(points, runs):
                X, Y = (Batch(np.concatenate([data] * len(some))) for data in (x, y))
                numbers = [Batch(np.repeat(each, len(x))) for each in (some * scale).T]
                own = kind.predict(W0, X, Y, numbers).data
                parts.append(own.reshape(len(some), *predicted.shape) - predicted)
            off.append(np.concatenate(parts).reshape(len(points), -1) / size)
        return np.concatenate(off, axis=1)

    found = [_least(residuals, np.array(start), most) for start in kind.starts]
    off, numbers = min(found, key=lambda f: f[0])
    pairs = list(zip(numbers, kind.units, strict=True))
    damped = all(at > 0 for at, unit in pairs if unit == 1)
    calm = all(abs(at) < 1 for at, unit in pairs if unit == 0)
    if not (math.isfinite(off) and damped and calm):
        return math.inf, None
    return off, tuple((numbers * scale).tolist())


def _curvature(tasks: Tasks) -> float:
    """The largest eigenvalue of Σ_j x_j x_jᵀ, on average."""
    return float((np.linalg.norm(tasks.x[:, :-1], axis=(1, 2), ord=2) ** 2).mean())


def _least(
    residuals: Callable[[np.ndarray], np.ndarray], at: np.ndarray, most: float
) -> tuple[float, np.ndarray]:
    """A local minimum of a sum of squares, by Levenberg's and Marquardt's method.

    Args:
        residuals: at several points at once: (points, numbers) -> (points, residuals).
        at: where to start from, (numbers,).
        most: above which a minimum need not be exact.
    """

    def around(at: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        """The sum of squares, the residuals, and their derivatives by differences: (residuals, numbers)."""
        widths = WIDTH * (1 + np.abs(at))
        now, *moved = residuals(np.concatenate([at[None], at + np.diag(widths)]))
        return float(now @ now), now, np.stack([*moved - now], axis=1) / widths

    (size, now, J), damping = around(at), 1e-2
    for _ in range(ROUNDS):
        if not (math.isfinite(size) and np.isfinite(J).all()):
            return math.inf, at
        normal, slope, before = J.T @ J, J.T @ now, size
        while damping < 1e8:
            steeper = normal + damping * np.diag(np.diag(normal) + 1e-12)
            step = fitting.least_squares(steeper, slope)
            if step is None:
                return math.inf, at
            if slope @ step <= FINEST * size:  # what it would gain
                return size, at
            other = around(at - step)
            if other[0] < size:
                at, (size, now, J) = at - step, other
                damping /= 10
                break
            damping *= 10
        if damping >= 1e8 or before - size <= (FINE if size <= most else COARSE) * before:
            break
    return size, at
