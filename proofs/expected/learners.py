"""What is descended: the learners of `constructs.learners`, run on data whose entries are symbols.

Every learner here starts at 0 and is linear in the targets. Its error for weights w at a query q is therefore wᵀ D q,
where column k of D is e_k less what is learned from the targets x_i·e_k. So two columns, and one for noise, say all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from scanproof.constructs.learners import descent
from scanproof.constructs.learners.losses import HALF_MEAN, HALF_SUM

Run = Callable[[Any, Any, Any, Any], Any]
"""(w₀, x, y, η) -> the weights that are learned."""


@dataclass(frozen=True)
class Learner:
    """A learner, and how often it sums over examples: the bound on the degree of its expected loss in N."""

    name: str
    says: str
    run: Run
    steps: int
    """Steps over the whole data set: each is one more sum over examples, divided by N."""
    with_query: bool = False
    """Whether the query is one of the examples, with its label."""


ZERO = Learner("zero", "predicts 0", lambda w, x, y, eta: w, 0)
ONE_STEP = Learner(
    "gd",
    "one step of gradient descent on (1/2N) Σ (w·x_i − y_i)² from w = 0",
    lambda w, x, y, eta: descent.gradient_descent(HALF_MEAN, w, x, y, eta),
    1,
)
TWO_STEPS = Learner(
    "gd2",
    "two steps of gradient descent on (1/2N) Σ (w·x_i − y_i)² from w = 0, at one rate",
    lambda w, x, y, eta: descent.gradient_descent(HALF_MEAN, w, x, y, eta, 2),
    2,
)
WITH_QUERY = Learner(
    "gd-query",
    "one step of gradient descent on the N examples and the query with its label, N + 1 in all",
    ONE_STEP.run,
    1,
    with_query=True,
)
ONE_PASS = Learner(
    "sgd",
    "one pass of SGD: a step on ½(w·x_i − y_i)² for each of the N examples in turn, from w = 0",
    lambda w, x, y, eta: descent.stochastic_gradient_descent(HALF_SUM, w, x, y, eta),
    0,
)
LEARNERS = {one.name: one for one in (ZERO, ONE_STEP, TWO_STEPS, WITH_QUERY, ONE_PASS)}
