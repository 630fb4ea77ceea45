"""What is found of a certificate's bound: errors that a model does make on data of the domain, in NumPy.

Data that are all alike make the largest predictions (`largest`), and every sum over them is one of n equal terms: while
the sum stays between two powers of two, each addition rounds in the same direction and by as much. Some thousands of
such sums are tried by themselves; the model runs on those that are farthest off. With large parts orthogonal to each
other, which cancel in every product, data make roundings large beside predictions. The model runs on many of these side
by side, and then, a few times, on steps at random from the worst. What is found is a lower value of the worst error, as
large as some hundreds of runs make it; loaders that add sums up in another order have errors of their own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from ...rounding.arithmetic import FORMATS
from .side_by_side import Namespace

SEED, FEWEST, MOST = 21, 8, 640
"""Of the runs of a search; the first half of them only start."""
ROUNDS, KEPT = 5, 8
"""How often steps are taken, and from how many of the worst."""
SUMS = 2**15
"""Sums of equal terms that are tried."""
INWARD = 1 - 2.0**-20
"""Data are kept so far inside the domain."""
WORK = 2e9
"""Multiplications of a search, about; a model that would be run less than `FEWEST` times is not searched."""
CALLS = 1e5
"""Multiplications that take as long as NumPy's calls for a token in a layer or head, however many runs take part."""
NUMBERS = 2**24
"""The most that the states of all tokens may have in the runs that are made at once."""
RUN = 2e4
"""What each example of a run costs besides, in multiplications."""


class Ground(NamedTuple):
    """The data of a certificate's domain."""

    examples: int
    features: int
    targets: int
    norm: float
    """X ≥ ‖x_j‖, of examples and query."""
    entry: float
    """And |x_ji|, at most; infinite where it is not bounded by itself."""
    target: float
    curvature: float
    linear: bool
    """Whether targets are linear in the inputs."""


class Rule(NamedTuple):
    """The learner."""

    W0: np.ndarray
    """(d, k), exact numbers or floats."""
    eta: Fraction
    steps: int
    parts: Callable[[np.ndarray], Sequence[np.ndarray]] = lambda numbers: (numbers,)
    """How the model holds a key in products: as the first of these minus the second, if there is one."""
    time_step: float = 1.0
    """What its values are divided by before they are held so, a power of two; the parts are multiplied by it."""


class Cost(NamedTuple):
    """Of running a model."""

    work: float
    """Multiplications of one run, about."""
    turns: int
    """Tokens, times layers, times heads that run by themselves."""
    numbers: int
    """In the states of all tokens."""


def found(
    predict: Callable[[Any, Any], Any],
    rule: Rule,
    ground: Ground,
    dtype: str,
    cost: Cost,
    stored: Callable[[np.ndarray], np.ndarray] = np.asarray,
) -> float:
    """The largest |prediction − learner| that a short search finds; 0 where none is made.

    Args:
        predict: (x (n + 1, d), y (n, k)) in the format -> (k,): `SideBySide` arrays, as what it returns.
        rule: the learner.
        ground: where to search.
        dtype: the format that the model runs in.
        cost: of a run.
        stored: the rounding of what the model stores, where that rounds more than the format.
    """
    each = cost.work + RUN * ground.examples
    runs = int(min(MOST, (WORK - (ROUNDS + 1) * CALLS * cost.turns) / each))
    if runs < FEWEST or np.finfo(np.longdouble).eps > FORMATS[dtype].unit / 8:
        return 0.0
    rng, xp = np.random.default_rng(SEED), Namespace(np.dtype(dtype))
    at_once = max(1, NUMBERS // cost.numbers)

    def tried(data: list[tuple[np.ndarray, np.ndarray]]) -> list[Tried]:
        errors: list[float] = []
        for first in range(0, len(data), at_once):
            x, y = (np.stack(a) for a in zip(*data[first : first + at_once], strict=True))
            predicted = predict(xp.each(x), xp.each(y))  # rounded, which is a part of the error
            off = np.abs(np.asarray(predicted.held).astype(np.longdouble) - learned(rule, x, y))
            errors += np.nan_to_num(off.max(axis=1), nan=0.0, posinf=0.0).astype(float).tolist()
        return [Tried(*one) for one in zip(errors, *zip(*data, strict=True), strict=True)]

    with np.errstate(all="ignore"):
        starts = runs // 2
        sums = _sums(ground, rule, dtype, rng, starts, stored)
        worst = tried(
            [_inside(*_start(run, ground, rule, rng, sums), ground) for run in range(starts)]
        )
        for _ in range(ROUNDS):
            worst = sorted(worst, key=lambda one: -one.error)[:KEPT]
            moved = [
                _inside(*_moved(worst[rng.integers(len(worst))], rng), ground)
                for _ in range(max(1, (runs - starts) // ROUNDS))
            ]
            worst += tried(moved)
    return max(one.error for one in worst)


class Tried(NamedTuple):
    """Data, and how far the model is off on them."""

    error: float
    x: np.ndarray
    y: np.ndarray


def _alike(
    ground: Ground, rule: Rule, direction: np.ndarray, part: float
) -> tuple[np.ndarray, np.ndarray]:
    """Examples x that are all alike with ηΣ‖x‖² that part of 2, and the query in their direction."""
    n, _, k = ground[:3]
    x = np.tile(direction * ground.norm / np.linalg.norm(direction), (n + 1, 1))
    x[:-1] *= min(1.0, math.sqrt(2 * part / (float(rule.eta) * n)) / ground.norm)
    return x, np.full((n, k), ground.target)


def _sums(
    ground: Ground,
    rule: Rule,
    dtype: str,
    rng: np.random.Generator,
    most: int,
    stored: Callable[[np.ndarray], np.ndarray],
) -> list[tuple[float, float]]:
    """Entries c of inputs and targets y that are all equal, the worst first, by what their sums' roundings change.

    The sums Σ ηc² and Σ ηcy are added up in order, in the format; the steps that they lead to are not rounded, or
    only stored.
    """
    n, d, _ = ground[:3]
    part = np.where(rng.random(SUMS) < 0.5, 1 - 0.01 * rng.random(SUMS), rng.uniform(0.05, 1, SUMS))
    entries = np.sqrt(2 * part * INWARD**4 / (float(rule.eta) * n * d))
    entries = np.minimum(
        entries, ground.norm * rng.uniform(1 - 0.01, INWARD**2, SUMS) / math.sqrt(d)
    )
    c, y = (a.astype(dtype) for a in (entries, ground.target * rng.uniform(0.5, INWARD**2, SUMS)))
    kept, labels = stored(c), stored(y)
    scaled = stored(kept * np.asarray(float(rule.eta)).astype(dtype))
    gram, added = (_summed(rule, n, scaled, other) for other in (kept, labels))
    c, y = (a.astype(np.longdouble) for a in (c, y))
    found = exact = c * 0 + np.longdouble(float(np.mean(rule.W0[:, 0])))
    for _ in range(rule.steps):
        found = found - d * gram * found + added
        exact = exact - n * float(rule.eta) * c * (d * c * exact - y)
    off = np.nan_to_num(np.abs(found - exact).astype(np.float64), nan=0.0, posinf=0.0)
    return [(float(c[i]), float(y[i])) for i in np.argsort(-off)[:most]]


def _summed(rule: Rule, terms: int, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """The sum of so many products that are all alike, added up in their format, each two parts by themselves."""
    total = np.zeros(left.shape, np.longdouble)
    for i, a in enumerate(rule.time_step * part for part in rule.parts(left / rule.time_step)):
        for j, b in enumerate(rule.parts(right)):
            product, found = a * b, np.zeros_like(left)
            for _ in range(terms):
                found = found + product
            total += (-1) ** (i + j) * found.astype(np.longdouble)
    return total


def _start(
    run: int,
    ground: Ground,
    rule: Rule,
    rng: np.random.Generator,
    sums: list[tuple[float, float]],
) -> tuple[np.ndarray, np.ndarray]:
    """Data to begin with: equal terms by turns with alike, alike beside parts that are orthogonal, and at random."""
    direction = rng.uniform(-1 if math.isinf(ground.entry) else 0.9, 1, ground.features)
    x, y = _alike(ground, rule, direction, rng.uniform(0.01, 1))
    if run % 2 == 0:
        entry, target = sums[run // 2]
        x = np.full(x.shape, entry)
        x[-1] = ground.norm / math.sqrt(ground.features) * rng.uniform(0.98, 1)
        y = np.full(y.shape, target)
    elif run % 8 == 5:
        around = rng.uniform(-1, 1, x[:-1].shape) * ground.norm / math.sqrt(ground.features)
        x[:-1] += around - np.outer(around @ direction, direction) / (direction @ direction)
    elif run % 8 == 7:
        x = rng.uniform(-1, 1, x.shape) * ground.norm / math.sqrt(ground.features)
        y = rng.uniform(-1, 1, y.shape) * ground.target
    return x, y


def _moved(one: Tried, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Data a little beside: other sizes of examples, query or targets, another direction, or some of these."""
    x, y = one.x, one.y
    size = 10.0 ** rng.uniform(-5, -1, 4) * (rng.random(4) < (0.6, 0.6, 0.6, 0.2))
    sizes = 1 + size * rng.standard_normal(4)
    x = x * sizes[0] + size[3] * rng.standard_normal(x.shape[1])
    x[-1] *= sizes[1]
    return x, y * sizes[2]


def _inside(x: np.ndarray, y: np.ndarray, ground: Ground) -> tuple[np.ndarray, np.ndarray]:
    """The data moved into the domain."""
    x = np.clip(x, -ground.entry * INWARD, ground.entry * INWARD)
    norms = np.linalg.norm(x, axis=1, keepdims=True)
    x = x * np.minimum(1, INWARD * ground.norm / np.maximum(norms, 1e-300))
    curvature = np.linalg.norm(x[:-1], ord=2)
    x[:-1] *= min(1.0, INWARD * math.sqrt(ground.curvature) / max(curvature, 1e-300))
    most = ground.target * INWARD
    if not ground.linear:
        return x, np.clip(y, -most, most)
    most = min(most, float(np.abs(y).max()))
    y = x[:-1] @ (x[-1:].T @ np.ones((1, y.shape[1])))
    return x, y * (most / max(float(np.abs(y).max()), 1e-300))


def learned(rule: Rule, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """What the rule predicts, in extended precision, for each run: (…, n + 1, d), (…, n, k) -> (…, k)."""
    x, y = (a.astype(np.longdouble) for a in (x, y))
    W, eta = np.vectorize(extended, otypes=[np.longdouble])(rule.W0), extended(rule.eta)
    examples, query = x[..., :-1, :], x[..., -1:, :]
    for _ in range(rule.steps):
        W = W - eta * (examples.swapaxes(-1, -2) @ (examples @ W - y))
    return (query @ W)[..., 0, :]


def extended(number: Any) -> np.longdouble:
    """An exact number in twice the digits of float64."""
    exact = Fraction(number)
    return np.longdouble(float(exact)) + np.longdouble(float(exact - Fraction(float(exact))))
