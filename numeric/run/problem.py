"""The input of a run: sizes, data as the layer sees them, and how it is run."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..precision import Precision


class Settings(NamedTuple):
    """The sizes, the sampler and the seed of a run."""

    features: int
    examples: int
    heads: int = 1
    targets: int | None = None
    layers: int = 1
    sampler: str = "uniform"
    input_scale: float = 1.0
    seed: int = 0


class Problem(NamedTuple):
    """The data of H heads in float64, rounded to the layer's input format: the learner sees the same numbers."""

    x: np.ndarray
    """Inputs, the query last: (H, N + 1, f)."""
    y: np.ndarray
    """Targets: (H, N) or (H, N, k)."""
    W0: np.ndarray | None
    """Initial weights, (H, f) or (H, f, k), where the statement has any; for classes (H, f, K)."""
    w: np.ndarray
    """The weights that the targets come from, as `tasks.samplers.Task` has them."""
    extra: dict[str, Any]
    """The other values that a statement names: ε, coefficients of a link, the example or batch of a step."""

    @property
    def heads(self) -> int:
        """The number of heads H."""
        return self.x.shape[0]

    @property
    def examples(self) -> int:
        """The number of examples N."""
        return self.y.shape[1]


class Options(NamedTuple):
    """How a construction is run: its op, precision and chunk."""

    op: str
    numbers: Precision
    chunk: int | None = None


class Work(NamedTuple):
    """The states that a token updates and reads, for the floor: `passes` states of D × N numbers."""

    D: int
    N: int
    passes: int = 1
