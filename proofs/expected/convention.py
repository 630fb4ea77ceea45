"""Conventions that a paper may leave open: where inputs are drawn from, and the factor before the loss.

Under each a printed loss has an exact expected value, and an exact sampling error where it is a mean over tasks.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from .learners import ONE_STEP, WITH_QUERY, ZERO, Learner
from .losses import best_loss, best_step_size, expected_loss, least_squares, variance_of_loss
from .moments import Distribution, uniform

EXAMPLES = 10
"""gril B.1: the context length."""
TASKS = 10_000
"""gril B.1, gd-ssm A.5: a loss is a mean over as many tasks."""
LEVEL = Fraction(196, 100)
"""Standard errors on either side: 95 % of normal means."""
HALF_WIDTHS = (Fraction(1, 2), Fraction(1))
"""Of von Oswald et al., whose code the sources follow, and as printed."""
FACTORS = (Fraction(1, 2), Fraction(1))
FEATURES = range(1, 41)


@dataclass(frozen=True)
class Convention:
    """Inputs uniform on (−a, a)^f, weights N(0, I), no noise; factor · Σ_k (ŷ_k − y_k)² over K targets, or its mean."""

    features: int
    half_width: Fraction = Fraction(1, 2)
    factor: Fraction = Fraction(1, 2)
    targets: int = 1
    summed: bool = False
    """Whether squares are summed over targets; they are averaged if not."""
    examples: int = EXAMPLES
    with_query: bool = False
    """Whether the query is among the examples, with its label."""

    @property
    def inputs(self) -> Distribution:
        """Where the entries of inputs are drawn from."""
        return uniform(self.half_width)

    @property
    def scale(self) -> Fraction:
        """The printed loss in units of ½ (ŷ − y)² of one target."""
        return 2 * self.factor * (self.targets if self.summed else 1)

    @property
    def learner(self) -> Learner:
        """One step of gradient descent."""
        return WITH_QUERY if self.with_query else ONE_STEP

    def zero(self) -> Fraction:
        """E loss of the predictor 0."""
        return self.scale * expected_loss(ZERO).at(self.inputs, N=self.examples, f=self.features)

    def one_step(self) -> Fraction:
        """E loss of one step of gradient descent at the rate that is best in expectation."""
        return self.scale * best_loss(self.learner).at(
            self.inputs, N=self.examples, f=self.features
        )

    def rate(self) -> Fraction:
        """That rate."""
        return best_step_size(self.learner).at(self.inputs, N=self.examples, f=self.features)

    def newton(self) -> Fraction:
        """E loss of one Newton–Raphson step from 0, with a pseudo-inverse where N < f."""
        return self.scale * least_squares(self.inputs, N=self.examples, f=self.features)

    def error(self, learner: Learner = ZERO, tasks: int = TASKS) -> float:
        """The standard error of a mean over tasks: the square root of an exact variance."""
        eta = Fraction(0) if learner is ZERO else self.rate()
        sizes = {"N": self.examples, "f": self.features, "targets": self.targets}
        variance = variance_of_loss(learner, self.inputs, eta=eta, **sizes)
        return float(self.scale) * math.sqrt(variance / tasks)

    def __str__(self) -> str:
        over = "" if self.targets == 1 else ", summed" if self.summed else ", mean over targets"
        query = ", query among the examples" if self.with_query else ""
        return (
            f"f = {self.features}, half-width {self.half_width}, factor {self.factor}{over}{query}"
        )


def every(targets: bool, features: range = FEATURES) -> Iterator[Convention]:
    """All conventions that are tried; as many targets as features, as gril B.2 has it, or one."""
    for f, a, factor, summed, query in product(
        features, HALF_WIDTHS, FACTORS, (False, True) if targets else (False,), (False, True)
    ):
        yield Convention(f, a, factor, f if targets else 1, summed, with_query=query)


@dataclass(frozen=True)
class Printed:
    """A loss as it is printed."""

    loss: Fraction
    digit: Fraction
    """Its last digit."""
    spread: Fraction | None = None
    """What stands behind ±."""

    def within_print(self, exact: Fraction) -> bool:
        """Whether it is the exact value within ± and rounding."""
        return abs(self.loss - exact) <= self.digit / 2 + (self.spread or 0)

    def within_sampling(self, exact: Fraction, error: float) -> bool:
        """Whether it is the exact value within rounding and the 95 % interval of a mean with that standard error."""
        return abs(self.loss - exact) <= self.digit / 2 + float(LEVEL) * error

    def __str__(self) -> str:
        digits = max(len(str(self.digit.denominator)) - 1, 0)
        spread = "" if self.spread is None else f" ± {float(self.spread):g}"
        return f"{float(self.loss):.{digits}f}{spread}"
