"""Regression tasks for the constructed Mamba-2 models, and what explicit gradient descent makes of them."""

from typing import NamedTuple

import numpy as np

from scanproof.constructs.constructions import mamba2_gd
from scanproof.constructs.constructions.instance import Instance
from scanproof.constructs.learners.descent import gradient_descent
from scanproof.constructs.learners.losses import HALF_MEAN
from scanproof.numeric.export.certificates import mamba2


class Case(NamedTuple):
    """Sizes of a model and its tasks; the step size is 1 for the mean over the examples."""

    features: int
    examples: int
    steps: int
    targets: int = 1
    tokens: str = "labelled"
    in_one_block: bool = False

    def __str__(self) -> str:
        one = "-one-block" if self.in_one_block else ""
        return f"{self.tokens}{one}-d{self.features}-n{self.examples}-L{self.steps}-k{self.targets}"


CASES = [
    Case(4, 10, 1),
    Case(8, 40, 3),
    Case(8, 16, 6, targets=2),
    Case(16, 64, 6),
    Case(5, 13, 2, targets=3),
    Case(8, 40, 3, tokens="concatenated"),
    Case(8, 40, 3, tokens="interleaved"),
    Case(8, 40, 1, targets=2, tokens="concatenated", in_one_block=True),
    Case(16, 33, 1, tokens="interleaved", in_one_block=True),
    Case(1, 1, 1, in_one_block=True),
]


class Tasks(NamedTuple):
    x: np.ndarray
    """(tasks, n + 1, d), the query last."""
    y: np.ndarray
    """(tasks, n, k)."""


def tasks(case: Case, count: int, seed: int = 0) -> Tasks:
    """Inputs from U(−1, 1), targets wᵀx with w from N(0, I)."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(-1, 1, (count, case.examples + 1, case.features))
    w = rng.standard_normal((count, case.features, case.targets))
    return Tasks(x, x[:, :-1] @ w)


def instance(case: Case, channel: float = 2**24, grid: int | None = None) -> Instance:
    """The model that starts from weights other than 0, multiples of 1/grid if there is one."""
    rng = np.random.default_rng(1)
    W0 = rng.standard_normal((case.features, case.targets)) / 2
    return mamba2_gd.instance(
        np,
        case.features,
        case.steps,
        1 / case.examples,
        np.rint(W0 * grid) / grid if grid else W0,
        tokens=case.tokens,
        in_one_block=case.in_one_block,
        channel=channel,
    )


def explicit(case: Case, W0: np.ndarray, given: Tasks) -> np.ndarray:
    """The query's prediction after gradient descent on the examples alone, in float64: (tasks, k)."""
    return np.stack(
        [
            x[-1] @ gradient_descent(HALF_MEAN, W0, x[:-1], y, np.float64(1), case.steps)
            for x, y in zip(*given, strict=True)
        ]
    )


def embeddings(made: Instance, given: Tasks) -> np.ndarray:
    """The model's inputs, (tasks, T, M)."""
    raw = np.stack([made.layout.tokens(x, y) for x, y in zip(*given, strict=True)])
    return raw @ made.model.encode_weight.T + made.model.encode_bias


def bounds(case: Case, made: Instance, given: Tasks) -> np.ndarray:
    """The certificate's bound for each task in float32, from the task's own numbers: (tasks,)."""
    domains = (
        mamba2.domain_of(x, y, made.W0, made.eta, case.steps) for x, y in zip(*given, strict=True)
    )
    return np.array([mamba2.bound(made, domain).prediction for domain in domains])
