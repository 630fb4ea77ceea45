"""What a program is: the machine, the learner and the data that belong to a statement."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..tasks import samplers
from .learning import OneOfMany, OnPart
from .problem import Problem, Settings

VECTOR, SCALAR, ANY, CLASSES = "vector", "scalar", "any", "classes"
"""Targets: as many as features, one, any number, or classes."""


@dataclass(frozen=True)
class Program:
    """How a statement is run."""

    does: str
    """What the layer's output is, in a line."""
    machine: Any
    learner: Any
    targets: str
    every: bool = True
    """Whether the statement is about every token (then some are compared), or about the last one."""
    steps: bool = False
    """Whether there are L steps (layers), or one."""
    extra: Callable[[Settings, float], Mapping[str, Any]] = lambda settings, eta: {}
    """What else the statement names, from the sizes and η."""
    parameters: Callable[[Callable[..., Any], Mapping[str, Any]], Any] | None = None
    """From `construct` and its values to the parameters, where those at full size cannot be had from it."""
    largest_features: int | None = None
    notes: tuple[str, ...] = field(default=())

    def letters(self, settings: Settings) -> dict[str, Any]:
        """The sizes by the sources' letters; a construction takes those that it asks for."""
        f, N, k = settings.features, settings.examples, settings.targets or 1
        return {"f": f, "d": f, "N": N, "n": N, "k": f, "l": k, "J": k - 1, "K": settings.layers}

    def draw(self, settings: Settings, eta: float = 1.0) -> Problem:
        """The problem in float64."""
        options: dict[str, Any] = {
            "sampler": settings.sampler,
            "input_scale": settings.input_scale,
            "seed": settings.seed,
        }
        heads, N, f = settings.heads, settings.examples, settings.features
        if self.targets == CLASSES:
            task = samplers.classification(heads, N, f, settings.targets or 2, **options)
        else:
            k = {SCALAR: None, VECTOR: f}.get(self.targets, settings.targets or f)
            task = samplers.regression(heads, N, f, k, **options)
        W0 = None
        if not getattr(self.learner, "from_zero", isinstance(self.learner, OneOfMany | OnPart)):
            rng = samplers.rng_of(settings.seed, 0)
            W0 = rng.standard_normal(task.w.shape) / np.sqrt(f)
        return Problem(task.x, task.y, W0, task.w, dict(self.extra(settings, eta)))
