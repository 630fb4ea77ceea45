"""The learning rule that predictions are nearest to: the rules of `constructs.learners`, fitted and tried.

All rules are fitted to the same tasks, and judged by others. The nearest is named, however many numbers it has, beside
what rules with fewer are off by. A rule with more numbers is nearer if that many tasks do not show it by chance.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..rounding.batch import Batch
from . import rule, tasks
from .report import ALONE, AVERAGED, CONSTANT, NEAR, Nearest, Other, percent
from .rule import Rule, prediction, words
from .tasks import ARBITRARY, FITTED, HELD, LINEAR, Predictor, Scheme, Trial

DEEPEST = 4
"""Steps of a rule with further numbers, at most."""
EXACT = 1e-9
"""What rounding leaves of a rule, at most."""
CHANCE, CLEARLY = 2.0, 0.5
"""A rule with more numbers is nearer if its squares on tasks are less by so many standard errors, or if it is off by
this part of what the other one is off by."""
FINE, MUCH = 2.0**-20, 0.1
"""What is unexplained where no rule for linear targets alone is looked for, and what such a one is off by on them, as a
part of that, at most."""
PROMISING = 0.5
"""What plain steps are off by on linear targets alone, as a part of what they are off by on all, at most, where all
rules are fitted to these."""
SCALES = (1.0, 0.5, 0.25)
"""Of all data, in the order in which they are tried."""
PER_OCTAVE, DOWN, UP = 6, 16, 6
"""Step sizes that are tried first, about the reciprocal of the largest curvature of all tasks."""
BASINS = 3
"""Of those, the ones from which steps are fitted."""
ROUNDS = 30
"""Of a fit (Levenberg and Marquardt)."""
WIDTH = 1e-6
"""Of differences in it, relative."""
FINEST, FINER, COARSE = 1e-10, 1e-8, 1e-3
"""Relative gains with which a fit ends: that a step may make, that one made, and one far from the nearest rule."""
AT_ONCE = 2**20
"""Numbers in the inputs of the tasks that a rule runs on at once, about."""
SHARED = 0.9
"""What steps from another W0 than 0 are off by, as a part of those from 0, at most, for rules to start there."""

LETTERS = {**rule.LETTERS, "damping": "λ", "rate": "β", "last": "β"}
"""Of the numbers of rules beside step sizes."""
POSITIVE = ("ridge", "damping", "decay")
"""Numbers that are more than 0; a momentum is between −1 and 1."""


class Kind(NamedTuple):
    """Rules that differ in their numbers."""

    steps: int
    """0 where there are no step sizes."""
    fields: tuple[str, ...] = ()
    """The fields of `Rule` that are fitted beside the step sizes."""
    starts: tuple[tuple[float, ...], ...] = ((1.0,),)
    """From which they are fitted: a step size in parts of that of as many plain steps, λ and γ in units in which a
    step of size 1 is as large as is stable."""
    each: bool = False
    """Whether every step has a size of its own."""
    newton: bool = False
    """Whether it is least squares, which has no number."""

    @property
    def sizes(self) -> int:
        """How many step sizes are fitted."""
        return self.steps if self.each else min(1, self.steps)

    @property
    def plain(self) -> bool:
        """Whether it is gradient descent with equal steps."""
        return self.sizes == 1 and not self.fields

    @property
    def names(self) -> list[str]:
        """Of the numbers, in the letters of `rule.words`."""
        each = [f"η_{i + 1}" for i in range(self.sizes)] if self.each else ["η"] * self.sizes
        return each + [LETTERS[field] for field in self.fields]

    def rule(self, W0: np.ndarray, numbers: Sequence[Any], divided: bool) -> Rule:
        """The rule with these numbers; of one step of GD++ the first one is the map of the inputs alone."""
        sizes = tuple(numbers[: self.sizes])
        sizes = sizes if self.each else sizes * self.steps
        sizes = (0.0, *sizes) if self.steps == 1 and "gamma" in self.fields else sizes
        more = dict(zip(self.fields, numbers[self.sizes :], strict=True))
        if self.newton:
            more["damping"] = 0.0
        return Rule(sizes, W0, divided=divided, **more)


class Fit(NamedTuple):
    """A rule with the numbers with which it comes nearest."""

    kind: Kind
    rule: Rule
    numbers: tuple[float, ...]
    size: float
    """The sum of squares that it leaves of the tasks that it is fitted to."""
    gaps: np.ndarray
    """On tasks to which nothing was fitted, `tasks.gaps`."""

    @property
    def off(self) -> float:
        """What the rule is off by on these tasks, `tasks.apart`; infinite where it overflows."""
        found = tasks.norm(self.gaps)
        return found if math.isfinite(found) else math.inf

    @property
    def words(self) -> str:
        """The rule, with its numbers."""
        return words(self.rule, "{:.4g}".format)


def kinds(layers: int, *, invertible: bool) -> Iterator[Kind]:
    """Rules that a model of so many layers is compared with: no step at all, plain steps, then all others.

    Args:
        layers: of the model.
        invertible: whether there are more examples than features, so that Σ x_j x_jᵀ is.
    """
    yield Kind(0)
    if invertible:
        yield Kind(0, newton=True)
    for L in range(1, layers + 2):
        yield Kind(L)
    yield Kind(0, ("damping",), ((0.01,), (0.3,)))
    yield Kind(0, ("rate",), ((1.0,), (0.3,)))
    deep = range(1, min(layers + 1, DEEPEST) + 1)
    for L in deep:
        yield Kind(L, ("decay",), ((1.0, 0.95), (1.5, 0.7)))
    for L in deep[1:]:
        spread = np.linspace(-1, 1, L)
        yield Kind(L, (), tuple(tuple(1 + part * spread) for part in (0.3, 0.9, 1.5)), each=True)
        yield Kind(L, ("ridge",), ((1.0, 0.1),))
        yield Kind(L, ("momentum",), ((0.9, 0.3), (0.6, 0.7), (1.0, -0.3)))
    for L in deep:
        yield Kind(L, ("last",), ((1.0, 0.3), (1.0, -0.3)))
    yield Kind(1, ("gamma",), ((1.0, 0.2), (1.0, -0.2), (2.0, 0.5)))
    if layers > 1:
        starts = ((1.0, 1.0, 0.2), (1.0, 1.0, -0.2), (0.4, 2.0, 0.4))
        yield Kind(2, ("gamma",), starts, each=True)


class Problem:
    """Tasks to which rules from one W0 are fitted."""

    def __init__(self, trials: Sequence[Trial], W0: np.ndarray) -> None:
        self.trials, self.W0 = trials, W0
        self.nearest = math.inf
        """The least sum of squares that a rule has left; one that leaves more need not be fitted exactly."""
        self.plain: dict[tuple[int, bool], float] = {}
        """The best step size of so many plain steps, as they are and divided by n."""

    def curvature(self, divided: bool) -> tuple[float, float]:
        """The mean of the curvatures of all tasks, and the largest, divided by n if so."""
        each = [t.tasks.curvatures / (t.tasks.examples if divided else 1) for t in self.trials]
        every = np.concatenate(each)
        return float(every.mean()) or 1.0, float(every.max()) or 1.0

    @np.errstate(all="ignore")
    def residuals(self, kind: Kind, divided: bool, points: np.ndarray) -> np.ndarray:
        """Those of several choices of numbers, (choices, numbers) -> (choices, residuals), side by side."""
        off = []
        for (x, y), predicted in self.trials:
            size, parts = tasks.norm(predicted) or 1.0, []
            runs = min(len(points), -(-len(points) * x.size // AT_ONCE))
            for some in np.array_split(points, runs):
                X, Y = (Batch(np.concatenate([data] * len(some))) for data in (x, y))
                numbers = [Batch(np.repeat(each, len(x))) for each in some.T]
                own = prediction(kind.rule(self.W0, numbers, divided), X, Y).data
                parts.append(own.reshape(len(some), *predicted.shape) - predicted)
            off.append(np.concatenate(parts).reshape(len(points), -1) / size)
        return np.concatenate(off, axis=1)

    def fit(self, kind: Kind, divided: bool) -> Fit | None:
        """The numbers with which a rule comes nearest, from the best of its starts; None where they are no rule's."""

        if not kind.names:
            return Fit(kind, kind.rule(self.W0, (), False), (), math.inf, np.zeros(0))
        found = []
        for start in self._sizes(kind, divided) if kind.plain else self._starts(kind, divided):
            scale = np.where(start, np.abs(start), 1.0)
            size, at = _least(
                lambda points, scale=scale: self.residuals(kind, divided, points * scale),
                start / scale,
                self.nearest,
            )
            found.append((size, at * scale))
        size, at = min(found, key=lambda f: f[0], default=(math.inf, np.zeros(0)))
        if not math.isfinite(size):
            return None
        numbers = tuple(at.tolist())
        rule = kind.rule(self.W0, numbers, divided)
        low = any((getattr(rule, field) or 1.0) < 0 for field in POSITIVE)
        if low or abs(rule.momentum or 0.0) >= 1:
            return None
        self.nearest = min(self.nearest, size)
        if kind.plain:
            self.plain[kind.steps, divided] = numbers[0]
        if kind.each and not kind.fields:  # in any order they are one rule
            numbers = tuple(sorted(numbers))
            rule = kind.rule(self.W0, numbers, divided)
        return Fit(kind, rule, numbers, size, np.zeros(0))

    def _starts(self, kind: Kind, divided: bool) -> list[np.ndarray]:
        curvature, _ = self.curvature(divided)
        step = self.plain.get((max(1, kind.steps), divided)) or 1 / curvature
        units = {"ridge": curvature, "damping": curvature, "gamma": 1 / curvature}
        units |= {"rate": step, "last": step}
        scale = [step] * kind.sizes + [units.get(field, 1.0) for field in kind.fields]
        return [np.array(start) * scale for start in kind.starts]

    @np.errstate(all="ignore")
    def _sizes(self, kind: Kind, divided: bool) -> list[np.ndarray]:
        """Step sizes that are nearer than those beside them, up and down; and the best one to first order."""
        _, largest = self.curvature(divided)
        octaves = np.arange(-DOWN * PER_OCTAVE, UP * PER_OCTAVE + 1) / PER_OCTAVE
        sizes = 2.0**octaves / largest
        grid = np.concatenate([-sizes[::-1], sizes])
        found = np.square(self.residuals(kind, divided, grid[:, None])).sum(axis=1)
        found[~np.isfinite(found)] = np.inf
        lower = np.concatenate([[True], found[1:] <= found[:-1]])
        upper = np.concatenate([found[:-1] <= found[1:], [True]])
        basins = np.flatnonzero(lower & upper & np.isfinite(found))
        chosen = [grid[i] for i in basins[np.argsort(found[basins], kind="stable")][:BASINS]]
        first = self._first_order(divided) / kind.steps
        return [np.array([size]) for size in [first, *chosen] if size]

    def _first_order(self, divided: bool) -> float:
        """The one step that comes nearest, by least squares; 0 where it is not to be had."""
        one = self.residuals(Kind(1), divided, np.array([[0.0], [1.0]]))
        moved = one[1] - one[0]
        moved = moved / np.abs(moved).max()
        eta = -float((moved @ one[0]) / (moved @ moved)) / float(np.abs(one[1] - one[0]).max())
        return eta if math.isfinite(eta) else 0.0


def fits(
    trials: Sequence[Trial],
    held: Sequence[Trial],
    W0: np.ndarray,
    layers: int,
    *,
    plain: bool = False,
) -> list[Fit]:
    """Rules from W0, fitted to some tasks and tried on others; those without numbers first, then plain steps.

    Args:
        trials: what rules are fitted to.
        held: what they are judged by.
        W0: the initial weights of all of them.
        layers: of the model.
        plain: whether only gradient descent with equal steps is fitted.
    """
    problem, found = Problem(trials, W0), []
    dependences = (False, True) if len({t.tasks.examples for t in trials}) > 1 else (False,)
    for kind in kinds(layers, invertible=all(t.tasks.examples > len(W0) for t in trials)):
        if plain and kind.fields:
            break
        for divided in dependences if kind.steps else (False,):
            fit = problem.fit(kind, divided)
            if fit is not None:
                found.append(fit._replace(gaps=tasks.gaps(held, fit.rule.predictions)))
    return found


def simplest(found: Sequence[Fit]) -> list[Fit]:
    """The nearest of the rules with the fewest numbers, then each one with more numbers that is nearer."""
    front: list[Fit] = []
    usable = [fit for fit in found if math.isfinite(fit.off)]
    for fit in sorted(usable, key=lambda fit: (len(fit.numbers), _printed(fit.off))):
        if not front or _nearer(fit, front[-1]):
            front = [each for each in front if len(each.numbers) < len(fit.numbers)]
            front.append(fit)
    return front


def _printed(off: float) -> float:
    """A distance to as many digits as are printed, so that of rules that are one function the first is named."""
    return float(f"{max(EXACT, off):.1e}")


def _nearer(fit: Fit, than: Fit) -> bool:
    """Whether a rule is nearer than one with as many numbers, or with fewer."""
    if than.off <= EXACT or _printed(fit.off) >= _printed(than.off):
        return False
    if len(fit.numbers) == len(than.numbers) or fit.off <= CLEARLY * than.off:
        return True
    less = (than.gaps / than.off) ** 2 - (fit.gaps / than.off) ** 2
    return bool(less.sum() > CHANCE * math.sqrt(len(less)) * less.std())


class Found(NamedTuple):
    """The rules that predictions on a scheme's tasks are near to."""

    scheme: Scheme
    trials: list[Trial]
    held: list[Trial]
    fits: list[Fit]
    linear: list[Fit]
    """Those fitted to linear targets alone, where one of them is far nearer on these; else none."""

    @property
    def front(self) -> list[Fit]:
        """Rules with more and more numbers that are nearer and nearer; the last one is the nearest."""
        return simplest(self.linear or self.fits)

    @property
    def best(self) -> Fit | None:
        """The nearest; None where predictions are not finite."""
        return self.front[-1] if self.front else None

    @property
    def off(self) -> float:
        """What the nearest is off by; infinite where predictions are not finite."""
        return self.best.off if self.best else math.inf

    @property
    def plain(self) -> Fit:
        """The nearest gradient descent with equal steps; of several that are as near, the one with the fewest."""
        none, *some = [f for f in self.linear or self.fits if f.kind.plain or not f.rule.learns]
        least = min((f.size for f in some), default=math.inf)
        steps = next((f for f in some if f.size <= least * (1 + EXACT) + EXACT**2 / 100), none)
        return none if none.off <= steps.off else steps

    @property
    def dependence(self) -> str:
        """How the step size of plain steps depends on n, in words."""
        if len(self.scheme.numbers) == 1:
            return ALONE.format(self.scheme.numbers[0])
        return AVERAGED if self.plain.rule.divided else CONSTANT

    @property
    def nearest(self) -> Nearest | None:
        """The nearest rule, as a report has it."""
        if self.best is None:
            return None
        fit, learned = self.best, self.best.rule.predictions
        on = [tasks.apart(tasks.part(self.held, kind), learned) for kind in (LINEAR, ARBITRARY)]
        return Nearest(
            fit.words,
            dict(zip(fit.kind.names, fit.numbers, strict=True)),
            fit.off,
            tasks.count(self.held) // (2 if self.linear else 1),
            self.scheme.words,
            fit.rule.learns,
            off_linear=on[0],
            off_arbitrary=on[1],
            targets="linear targets" if self.linear else "any",
            simpler=[Other(each.words, each.off) for each in self.front[-2::-1]],
            nearer=[Other(each.words, each.off) for each in self._nearer(fit)],
        )

    def _nearer(self, fit: Fit) -> list[Fit]:
        """The nearest of all rules, if it has more numbers than the one that is named and is printed to be nearer."""
        least = min(self.linear or self.fits, key=lambda each: each.off)
        nearer = fit.off > EXACT and percent(least.off) != percent(fit.off)
        return [least] if nearer and least is not fit else []


def found(
    predict: Predictor,
    layers: int,
    scheme: Scheme,
    scale: float | None = None,
    starts: Sequence[np.ndarray] = (),
    *,
    plain: bool = False,
) -> Found:
    """The rules that a model is near to, at the first scale of data at which there is one; or else at the first.

    Args:
        predict: the model.
        layers: that it has.
        scheme: of the tasks.
        scale: of all data; if it is not given, one of `SCALES`.
        starts: candidates for W0, beside 0 and what the model predicts without examples.
        plain: whether only gradient descent with equal steps is fitted.
    """
    tried = []
    for size in SCALES if scale is None else (scale,):
        tried.append(_at(predict, layers, scheme._replace(scale=size), starts, plain=plain))
        best = tried[-1].best
        if best is not None and best.rule.learns and best.off <= NEAR:
            return tried[-1]
    least = min(tried, key=lambda each: each.off)
    return least if least.off <= CLEARLY * tried[0].off else tried[0]


def _at(
    predict: Predictor, layers: int, scheme: Scheme, starts: Sequence[np.ndarray], *, plain: bool
) -> Found:
    trials, held = (tasks.tried(predict, scheme.drawn(purpose)) for purpose in (FITTED, HELD))
    own = initial_weights(predict, scheme.d, scheme.k, pads=min(scheme.numbers))
    zero = np.zeros_like(own)
    if not (tasks.finite(trials) and tasks.finite(held)):
        none = Fit(Kind(0), Rule((), zero), (), math.inf, np.full(1, math.inf))
        return Found(scheme, trials, held, [none], [])
    from_where = [zero, *(W for W in (own, *starts) if W.any() and np.isfinite(W).all())]
    W0 = zero
    if len(from_where) > 1:
        least = math.inf
        for start in from_where:
            off = min(fit.off for fit in fits(trials, held, start, layers, plain=True))
            if off < least * (SHARED if start.any() and not W0.any() else 1):
                W0, least = start, off
    every = fits(trials, held, W0, layers, plain=plain)
    linear: list[Fit] = []
    front = simplest(every)
    if front and front[-1].off > FINE and not plain:
        fitted, judged = (tasks.part(each, LINEAR) for each in (trials, held))
        least = min(fit.off for fit in fits(fitted, judged, W0, layers, plain=True))
        if least <= PROMISING * min(fit.off for fit in every if fit.kind.plain or not fit.numbers):
            some = fits(fitted, judged, W0, layers)
            nearest = simplest(some)
            if nearest and nearest[-1].off <= min(NEAR, MUCH * front[-1].off):
                linear = some
    return Found(scheme, trials, held, every, linear)


@np.errstate(all="ignore")
def initial_weights(predict: Predictor, d: int, k: int, *, pads: int) -> np.ndarray:
    """What the model predicts where all examples are zeros, of which no gradient comes, as a matrix (d, k)."""
    queries = np.concatenate([np.zeros((1, d)), np.eye(d)])
    x = np.concatenate([np.zeros((len(queries), pads, d)), queries[:, None]], axis=1)
    without = predict(x, np.zeros((len(queries), pads, k)))
    return without[1:] - without[0]


def least_squares(A: np.ndarray, b: np.ndarray) -> np.ndarray | None:
    """x with the least ‖Ax − b‖; None where that overflows, on which LAPACK may not return."""
    if not (np.isfinite(A).all() and np.isfinite(b).all()):
        return None
    try:
        return np.linalg.lstsq(A, b, rcond=None)[0]
    except np.linalg.LinAlgError:
        return None


@np.errstate(all="ignore")
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
            step = least_squares(steeper, slope)
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
        if damping >= 1e8 or before - size <= (FINER if size <= most else COARSE) * before:
            break
    return size, at
