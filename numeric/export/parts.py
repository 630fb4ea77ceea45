"""What an export is made of: the request, the certificate, and the model with what its manifest says of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from scanproof.constructs.layouts.neutral import Model
from scanproof.proofs.language.claim import Claim

LOSS = "half the sum of squares"
"""The loss that the learners of stacks descend, and that their manifests name."""
EACH = "half the square, one example after the other"
"""That of the delta rule."""

IN_TURN = "the delta rule"
"""The rule of which a step is on one example, and the learner a pass over all of them."""


def rule_in_words(rule: str, steps: int) -> str:
    """3 steps of gradient descent, one pass of the delta rule."""
    if rule == IN_TURN:
        return f"one pass of {rule}"
    return f"{'one step' if steps == 1 else f'{steps} steps'} of {rule}"


def domain_in_words(domain: Mapping[str, float]) -> str:
    """The bounds of the data, without the number of examples."""
    bounds = {name: most for name, most in domain.items() if name not in ("examples", "norm_off")}
    words = [f"{name} {'=' if name == 'norm' else '≤'} {most:.4g}" for name, most in bounds.items()]
    return ", ".join(words)


class Request(NamedTuple):
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
    """The seed of a random W0."""
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
    """The bound of |prediction − learner|; infinite where no bound is known."""
    magnitude: float
    """What |learner| is at most, on all data of the domain."""
    covers: str
    """For which evaluations it holds, in which formats."""
    attained: float = 0.0
    """What |learner| is on some data of the domain."""
    search: Callable[[], float] = float
    """Looks for what |prediction − learner| is on some data of the domain, run in NumPy; 0 if it does not look.

    It takes as long as hundreds of runs of the model, so that only what tells its result makes it.
    """


class Export(NamedTuple):
    """A model, and what its manifest says of it."""

    claim: Claim
    """The statement that it is an instance of."""
    model: Any
    """A `instance.Instance`, or a `neutral.Model` in float64."""
    family: str
    """The family of layers, which decides what targets take it."""
    features: int
    targets: int
    steps: int
    step_size: Fraction
    """The factor of the loss's gradient."""
    W0: np.ndarray
    """(d, k), floats or Fractions."""
    tokens: str
    raw: tuple[tuple[str, int], ...]
    """What the columns of a raw token hold, and how many columns each takes."""
    predicts: str
    """ "last" or "every"."""
    encoding: Mapping[str, np.ndarray]
    certify: Callable[..., Certificate]
    """(format, wide=False) -> the certificate; wide: of layers that compute in float32 and store that format."""
    beyond: tuple[str, ...] = ()
    """Where it differs from what the statement is about."""
    rule: str = "gradient descent"
    """The learning rule."""
    loss: str = LOSS
    data: str = "any"
    """Which targets the statement is about: "any", or only "linear targets" y = Wᵀx."""
    exact: Model | None = None
    """The model in exact numbers, if it is one of linear layers."""
