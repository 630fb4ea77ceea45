"""The data of a run: inputs, targets and initial weights, and the numbers that a statement leaves free."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from scanproof.constructs.constructions.construction import CLASSES, SCALAR
from scanproof.constructs.learners.learner import Descent
from scanproof.proofs.language.claim import Claim

from ..tasks import samplers
from .problem import Problem, Settings

LINK = {"b": 0.5, "c": -0.25, "d": 0.125}
"""g(z) = bz + cz² + dz³ for the statements on non-linear targets."""


def letters(settings: Settings) -> dict[str, Any]:
    """The sizes by the letters of the sources; a construction takes those it names."""
    f, N, k = settings.features, settings.examples, settings.targets or 1
    return {"f": f, "d": f, "N": N, "n": N, "k": f, "l": k, "J": k - 1, "K": settings.layers}


def free(claim: Claim, settings: Settings, eta: float) -> Mapping[str, Any]:
    """The other values that the statement names, from the sizes and η."""
    assert claim.construction is not None
    learner = claim.construction.learner
    if isinstance(learner, Descent) and learner.link is not None:
        return LINK
    if "upper_right" in claim.given:
        return _stars(settings)
    for part in ("t", "m"):
        if {part, "r"} <= set(claim.ranges):
            return _half(part, settings, eta)
    return {}


def draw(claim: Claim, settings: Settings, eta: float = 1.0) -> Problem:
    """The problem in float64."""
    assert claim.construction is not None
    of = claim.construction
    targets, learner = of.targets, of.learner
    options: dict[str, Any] = {
        "sampler": settings.sampler,
        "input_scale": settings.input_scale,
        "seed": settings.seed,
    }
    heads, N, f = settings.heads, settings.examples, settings.features
    if targets == CLASSES:
        task = samplers.classification(heads, N, f, settings.targets or 2, **options)
    else:
        k = None if targets == SCALAR else of.columns(f) or settings.targets or f
        task = samplers.regression(heads, N, f, k, **options)
    W0 = None
    if not learner.from_zero:
        rng = samplers.rng_of(settings.seed, 0)
        W0 = rng.standard_normal(task.w.shape) / np.sqrt(f)
    return Problem(task.x, task.y, W0, task.w, dict(free(claim, settings, eta)))


def _stars(settings: Settings) -> dict[str, Any]:
    """Stars of ssd Thm. 4.1: eighths, which every format has exactly."""
    rng, k = samplers.rng_of(settings.seed, 1), 2
    stars = {"upper_right": (settings.features, k), "lower_right": (k,)}
    return {"k": k, **{name: rng.integers(-8, 9, shape) / 8 for name, shape in stars.items()}}


def _half(part: str, settings: Settings, eta: float) -> dict[str, Any]:
    """The example in the middle, or the first half of them, and ε, a power of two far below η/n."""
    size = max((settings.examples + 1) // 2, 1)
    small = float(2.0 ** np.floor(np.log2(eta / (16 * settings.examples))))
    return {part: size, "r": settings.examples - size, "eps": small}
