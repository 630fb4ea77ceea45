"""Models of the neutral form to try, tasks for them, and what explicit gradient descent makes of these."""

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from scanproof.constructs.tokens.encoding import TOKENISATIONS
from scanproof.numeric.export import statements
from scanproof.numeric.export.statements import Exported


class Case(NamedTuple):
    """A statement at some sizes; the step size is 1/n for the summed gradient."""

    id: str
    features: int
    examples: int
    steps: int = 1
    targets: int = 1

    def __str__(self) -> str:
        return f"{self.id}-d{self.features}-n{self.examples}-L{self.steps}-k{self.targets}"


CASES = [
    Case("gril.prop4.1", 4, 10, targets=4),
    Case("gril.prop4.1", 5, 13, targets=2),
    Case("gril.a2-construction+last", 16, 33),
    Case("gril.embed", 3, 7, targets=5),
    Case("gd-ssm.prop1", 8, 40),
    Case("gd-ssm.prop1-diagonal", 3, 7),
    Case("ssd.thm4.1", 4, 10),
    Case("ssd.thm4.1-appendix", 6, 12),
    Case("gril.propA.1", 4, 10, steps=2, targets=4),
    Case("gril.propA.1", 8, 20, steps=6, targets=2),
    Case("ssd.remark4.1-lsa", 1, 12, steps=4),
    Case("ssd.remark4.1-lsa-construction", 4, 11),
    Case("ssd.remark4.1-lsa-construction", 3, 12, steps=4),
    Case("ssd.remark4.1-lsa-construction", 1, 1, steps=2),
    Case("gril.prop4.1", 1, 1),
]
"""Every family, one step and several, one target and several, sizes of 1."""
FROM_WEIGHTS = ("gril.propA.1",)


class Tasks(NamedTuple):
    x: np.ndarray
    """(tasks, n + 1, d), the query last."""
    y: np.ndarray
    """(tasks, n, k)."""


def made(case: Case, *, dyadic: bool = True) -> Exported:
    """The model, from weights other than 0 where the statement has any."""
    rng = np.random.default_rng(1)
    W0 = None
    if case.id in FROM_WEIGHTS:
        W0 = rng.standard_normal((case.features, case.targets)) / 2
        W0 = np.round(W0 * 64) / 64 if dyadic else W0
    return statements.of_statement(
        case.id,
        features=case.features,
        examples=case.examples,
        targets=case.targets,
        steps=case.steps,
        step_size=Fraction(1, case.examples),
        W0=W0,
    )


def tasks(case: Case, count: int, seed: int = 0) -> Tasks:
    """Inputs from U(−1, 1), targets Wᵀx with W from N(0, I)."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(-1, 1, (count, case.examples + 1, case.features))
    W = rng.standard_normal((count, case.features, case.targets))
    return Tasks(x, x[:, :-1] @ W)


def explicit(x: Any, y: Any, eta: Any, W0: Any, steps: int) -> Any:
    """The query's prediction after W ← W − η Σ_j x_j (Wᵀx_j − y_j)ᵀ, for every task: (…, k)."""
    examples, W = x[..., :-1, :], W0
    for _ in range(steps):
        W = W - eta * np.swapaxes(examples, -1, -2) @ (examples @ W - y)
    return (x[..., -1:, :] @ W)[..., 0, :]


def expected(model: Exported, given: Tasks) -> np.ndarray:
    """`explicit` in float64."""
    W0 = model.W0.astype(float)
    return explicit(given.x, given.y, float(model.eta), W0, model.steps)


def raw(model: Exported, given: Tasks) -> np.ndarray:
    """The raw tokens of every task, (tasks, T, r)."""
    tokens = TOKENISATIONS[model.model.tokens].tokens
    return np.stack([tokens(x, y) for x, y in zip(*given, strict=True)])
