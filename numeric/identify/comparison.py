"""Whether two models are the same function."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from scanproof.constructs.layouts import neutral
from scanproof.constructs.layouts.neutral import Model

from . import polynomial, recognition, rounding, sampled
from .measured import sample

TASKS, ROUNDINGS = 4, 4
"""Tasks, and the deviation on them, beside that of one number, by which one gradient descent is told from another."""


def is_close(model: Model, other: Model, numbers: Sequence[int]) -> bool:
    """Whether two models predict alike on tasks; if both are some gradient descent, it is the same up to rounding."""
    d, k = neutral.sizes(model)
    ours, theirs = sampled.predictor(model), sampled.predictor(other)
    close = ROUNDINGS * float(rounding.of(model))
    for n in numbers:
        tasks = sample(d, k, n, TASKS, seed=(sampled.SEED, n), sampler="uniform")
        found, expected = ours(*tasks), theirs(*tasks)
        if not np.abs(found - expected).max() <= close * np.abs(expected).max():
            return False
    return True


def rounded(model: Model, construction: Model) -> Model:
    """The construction in the model's formats; entries that agree with the model's up to rounding are the model's."""
    close = float(rounding.of(model))
    return neutral.from_tensors(
        _alike(neutral.tensors(construction), neutral.tensors(model), close),
        _alike(neutral.encoding(construction), neutral.encoding(model), close),
        construction.tokens,
    )


def is_same(model: Model, construction: Model, numbers: Sequence[int]) -> bool:
    """Whether the model predicts what the construction does, rounded as the model is, at random points."""
    d, k = neutral.sizes(model)
    ours, theirs = polynomial.exact(model), polynomial.exact(rounded(model, construction))
    chance = polynomial.source_of_chance(model)
    try:
        for n in [n for n in numbers for _ in range(recognition.POINTS)]:
            x, y = polynomial.random_data(chance, n, d, k)
            a, b = (neutral.predict(each, x, y).entries for each in (ours, theirs))
            if any(p != q for p, q in zip(a, b, strict=True)):
                return False
    except recognition.NO_POLYNOMIAL:
        return False
    return True


def _alike(arrays: dict[str, Any], own: dict[str, Any], close: float) -> dict[str, Any]:
    """Arrays in the formats of others; an entry that is a rounding of the other's is that one."""
    out = {}
    for key, array in arrays.items():
        other = np.asarray(own[key], dtype=np.float64)
        near = np.abs(other - array) <= close * np.abs(array)
        out[key] = np.where(near, other, np.asarray(array, dtype=own[key].dtype))
    return out
