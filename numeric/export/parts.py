"""What an export is laid out from, whatever its kind: a model with all that its manifest says of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from scanproof.proofs.language.claim import Claim

LOSS = "half the sum of squares"
"""The loss that every export's learner descends, and that its manifest names."""


class Asked(NamedTuple):
    """The arguments of `export`; `request.checked` makes each a value of its type."""

    id: str
    features: int
    examples: int
    targets: int | None = None
    steps: int = 1
    step_size: Fraction | None = None
    tokens: str | None = None
    in_one_block: bool = False
    W0: np.ndarray | None = None
    """(d, k), float64."""
    seed: int | None = None
    """Of a random W0."""
    input_bound: float = 1.0
    """X ≥ |x_ji|, in the certificate's domain."""
    target_bound: Any = None
    """Y ≥ |y_jc|; √d if not given."""
    as_stated: bool = False


GRID = 64
"""Random weights are multiples of 1/64 between −1 and 1: exact in every format."""


def drawn(seed: int, features: int, targets: int) -> np.ndarray:
    """A random W0, (d, k)."""
    rng = np.random.default_rng(seed)
    return rng.integers(-GRID, GRID, (features, targets), endpoint=True) / GRID


class Certificate(NamedTuple):
    """How far predictions may be from the learner's."""

    domain: Mapping[str, float]
    """The data for which it holds."""
    absolute: float
    """Of |prediction − learner|; infinite where no bound is known."""
    magnitude: float
    """What |learner| is at most."""
    covers: str
    """Which evaluations, of which formats."""


class Built(NamedTuple):
    """A model to be exported."""

    claim: Claim
    """The statement that it is an instance of."""
    beyond: tuple[str, ...]
    """Where it differs from what the statement is about."""
    model: Any
    """A `instance.Instance`, or a `neutral.Model` in float64."""
    family: str
    """By which targets take it."""
    features: int
    targets: int
    steps: int
    rule: str
    """The learning rule, for example "gradient descent"."""
    loss: str
    data: str
    """The targets that the statement is about: "any", or "linear targets" y = Wᵀx alone."""
    step_size: Fraction
    """The factor of the loss's gradient."""
    W0: np.ndarray
    """(d, k), floats or Fractions."""
    tokens: str
    raw: tuple[tuple[str, int], ...]
    """What the columns of a raw token hold, and how many each."""
    predicts: str
    """ "last" or "every"."""
    encoding: Mapping[str, np.ndarray]
    certify: Callable[[str], Certificate]
    """From a format's name."""
