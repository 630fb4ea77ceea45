"""What is found of a certificate's bound: errors that a model does make on data of the domain, in NumPy.

Data that are all alike make the largest predictions (`largest`), and every sum over them is one of n equal terms: while
the sum stays between two powers of two, each addition rounds in the same direction and by as much. Some thousands of
such sums are tried by themselves; the model runs on those that are farthest off. With large parts orthogonal to each
other, which cancel in every product, data make roundings large beside predictions. From the worst of these, steps at
random are kept that make the error larger. What is found is a lower value of the worst error, as large as some tens of
runs make it; loaders that add sums up in another order have errors of their own.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from ...rounding.arithmetic import FORMATS
from ...rounding.in_format import in_format

SEED, FEWEST, MOST = 21, 8, 48
"""Of the runs of a search; the first three quarters of them only start."""
SUMS = 2**13
"""Sums of equal terms that are tried."""
INWARD = 1 - 2.0**-20
"""Data are kept so far inside the domain."""
WORK = 2e8
"""Multiplications of a search, about; a model that would be run less than `FEWEST` times is not searched."""
CALLS = 2e3
"""Multiplications that take as long as NumPy's calls for one token in one layer."""
RUN = 2e5
"""What a run costs besides, in multiplications: a token is a call or two in Python."""


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


def found(
    predict: Callable[[np.ndarray, np.ndarray], np.ndarray],
    rule: Rule,
    ground: Ground,
    dtype: str,
    work: float,
    stored: Callable[[np.ndarray], np.ndarray] = np.asarray,
) -> float:
    """The largest |prediction − learner| that a short search finds; 0 where none is made.

    Args:
        predict: (x (n + 1, d), y (n, k)) in the format -> (k,).
        rule: the learner.
        ground: where to search.
        dtype: the format that the model runs in.
        work: multiplications of one run, about.
        stored: the rounding of what the model stores, where that rounds more than the format.
    """
    runs = int(min(MOST, WORK / (work + RUN * math.sqrt(ground.examples))))
    if runs < FEWEST or np.finfo(np.longdouble).eps > FORMATS[dtype].unit / 8:
        return 0.0
    rng, best, error = (
        np.random.default_rng(SEED),
        _alike(ground, rule, np.ones(ground.features), 1.0),
        0.0,
    )
    with np.errstate(all="ignore"):
        sums = _sums(ground, rule, dtype, rng, runs, stored)
        for run in range(runs):
            data = (
                _start(run, ground, rule, rng, sums)
                if run < 3 * runs // 4
                else _climbed(best[0], best[1], rng)
            )
            x, y = _inside(*data, ground)
            rounded = (in_format(a, dtype) for a in (x, y))  # which is a part of the error
            missed = float(np.abs(predict(*rounded) - learned(rule, x, y)).max())
            if math.isfinite(missed) and missed > error:
                best, error = (x, y), missed
    return error


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
    gram = added = np.zeros_like(c)
    for _ in range(n):
        gram, added = gram + scaled * kept, added + scaled * labels
    wide = [a.astype(np.longdouble) for a in (c, y, gram, added)]
    c, y, gram, added = wide
    found = exact = c * 0 + np.longdouble(float(np.mean(rule.W0[:, 0])))
    for _ in range(rule.steps):
        found = found - d * gram * found + added
        exact = exact - n * float(rule.eta) * c * (d * c * exact - y)
    off = np.nan_to_num(np.abs(found - exact).astype(np.float64), nan=0.0, posinf=0.0)
    return [(float(c[i]), float(y[i])) for i in np.argsort(-off)[:most]]


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
        x[-1] = ground.norm / math.sqrt(ground.features)
        y = np.full(y.shape, target)
    elif run % 8 == 5:
        around = rng.uniform(-1, 1, x[:-1].shape) * ground.norm / math.sqrt(ground.features)
        x[:-1] += around - np.outer(around @ direction, direction) / (direction @ direction)
    elif run % 8 == 7:
        x = rng.uniform(-1, 1, x.shape) * ground.norm / math.sqrt(ground.features)
        y = rng.uniform(-1, 1, y.shape) * ground.target
    return x, y


def _climbed(x: np.ndarray, y: np.ndarray, rng: np.random.Generator) -> Any:
    """Data a little beside."""
    size = 10.0 ** rng.uniform(-5, -1)
    moved = x * (1 + size * rng.standard_normal()) + size * rng.standard_normal(x.shape[1])
    return moved, y * (1 + size * rng.standard_normal())


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
    """What the rule predicts, in extended precision."""
    x, y = (a.astype(np.longdouble) for a in (x, y))
    W, eta = np.vectorize(_long, otypes=[np.longdouble])(rule.W0), _long(rule.eta)
    for _ in range(rule.steps):
        W = W - eta * (x[:-1].T @ (x[:-1] @ W - y))
    return x[-1] @ W


def _long(number: Any) -> np.longdouble:
    """An exact number in twice the digits of float64."""
    exact = Fraction(number)
    return np.longdouble(float(exact)) + np.longdouble(float(exact - Fraction(float(exact))))
