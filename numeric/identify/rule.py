"""A learning rule with its numbers, exact ones or floats: what it predicts, and its name.

One `Rule` is what is derived of weights, what is fitted to predictions and what a manifest asserts; it runs on exact
numbers, on polynomials, and in floats on a batch of tasks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from scanproof.constructs.arrays.array_api import namespace
from scanproof.constructs.learners import further
from scanproof.constructs.learners.accumulation import unscaled_gradient
from scanproof.proofs.doors.record.exactly import exactly

from ..rounding.batch import Batch
from .report import (
    ASCENT,
    AVERAGED,
    DESCENT,
    MOMENTUM,
    PLUS_PLUS,
    PRECONDITIONED,
    RIDGE,
    WEIGHTED,
    as_float,
)
from .tasks import Tasks

NO_STEP = "no step at all"
"""The rule that predictions are nearest to where all others are further off than W0ᵀx."""


class Rule(NamedTuple):
    """W ← W − η_l Γ (Σ_j x_j (Wᵀx_j − y_j)ᵀ + λ W) from W0, for l = 1, …, L; L may be 0.

    With a momentum, a γ, a decay, a damping or a rate it is the learner of `constructs.learners.further` instead.
    """

    step_sizes: tuple[Any, ...]
    W0: np.ndarray
    """(d, k)."""
    preconditioner: np.ndarray | None = None
    """Γ, (d, d); None for I."""
    ridge: Any = None
    """λ."""
    momentum: Any = None
    """β, with equal steps."""
    gamma: Any = None
    """γ of x ← (I − γ X Xᵀ) x after each step."""
    decay: Any = None
    """ρ: the example j of n weighs ρ^(n−j)."""
    damping: Any = None
    """λ of a Newton step, W ← W − (XᵀX + λI)⁻¹ g."""
    rate: Any = None
    """β of the delta rule on each example in turn."""
    last: Any = None
    """β of one step of the delta rule more, on the last example."""
    divided: bool = False
    """Whether the step sizes, and γ, are divided by the number of examples."""

    @property
    def steps(self) -> int:
        """L."""
        return len(self.step_sizes)

    @property
    def equal(self) -> bool:
        """Whether all steps have one size."""
        return all(size == self.step_sizes[0] for size in self.step_sizes)

    @property
    def learns(self) -> bool:
        """Whether it takes a step."""
        return bool(self.steps) or self.damping is not None or self.rate is not None

    @property
    def degree(self) -> int:
        """Of the prediction as a polynomial in the data, at most: GD++ triples that of x with each step."""
        return 2 * self.steps + 1 if self.gamma is None else 3 ** (self.steps + 1)

    @np.errstate(all="ignore")
    def predictions(self, tasks: Tasks) -> np.ndarray:
        """For the queries, in floats: (tasks, k)."""
        found = prediction(self, Batch(tasks.x), Batch(tasks.y))
        return np.broadcast_to(found.data, (len(tasks.x), self.W0.shape[1]))

    def calm(self, tasks: Tasks) -> float:
        """A power of two, at most 1, by which data are scaled so that no step overshoots."""
        curvature = tasks.curvatures.max() / (tasks.examples if self.divided else 1)
        matrix = 1.0
        if self.preconditioner is not None:
            matrix = np.linalg.norm(self.preconditioner, ord=2)
        moved = max(map(abs, self.step_sizes), default=0.0) * matrix * curvature
        return min(1.0, 2.0 ** np.floor(np.log2(2 / moved) / 2)) if 0 < moved < np.inf else 1.0


def descent(W0: Any, step_size: Any, steps: int) -> Rule:
    """Equal steps of gradient descent."""
    return Rule((step_size,) * steps, np.asarray(W0))


def prediction(rule: Rule, x: Any, y: Any) -> Any:
    """What the rule predicts: x (n + 1, d), y (n, k) -> (k,), in the numbers of `x`."""
    xp, examples, query = namespace(x), x[:-1], x[-1]

    def number(value: Any) -> Any:
        return value if hasattr(value, "shape") else xp.asarray(value)

    def scaled(value: Any) -> Any:
        return number(value) / y.shape[0] if rule.divided else number(value)

    W, sizes = xp.asarray(rule.W0), [scaled(size) for size in rule.step_sizes]
    if rule.gamma is not None:
        return further.gd_plus_plus(W, x, y, sizes, scaled(rule.gamma))
    if rule.momentum is not None:
        W = further.heavy_ball(W, examples, y, sizes[0], number(rule.momentum), rule.steps)
        sizes = []
    elif rule.damping is not None:
        W = further.damped_newton(W, examples, y, number(rule.damping))
    elif rule.rate is not None:
        W = further.delta_rule(W, examples, y, number(rule.rate))
    for size in sizes:
        if rule.decay is not None:
            step = further.forgetting_gradient(W, examples, y, number(rule.decay))
        else:
            step = unscaled_gradient(W, examples, y)
        if rule.ridge is not None:
            step = step + number(rule.ridge) * W
        if rule.preconditioner is not None:
            step = xp.asarray(rule.preconditioner) @ step
        W = W - size * step
    if rule.last is not None:
        W = further.delta_rule(W, x[-2:-1], y[-1:], number(rule.last))
    return query @ W


def exact_prediction(field: Any, rule: Rule, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The same for data in the scalars of a field."""
    return exactly(field, lambda xp, *given: prediction(*given), rule, x, y)


def in_floats(rule: Rule) -> Rule:
    """A rule of exact numbers as one of floats."""

    def floats(value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(map(as_float, value))
        if isinstance(value, np.ndarray):
            return np.vectorize(as_float, otypes=[float])(value)
        return value if value is None or isinstance(value, bool) else as_float(value)

    return Rule(*map(floats, rule))


LETTERS = {"ridge": "λ", "momentum": "β", "gamma": "γ", "decay": "ρ"}
"""Of numbers beside the step sizes, by their fields."""
NAMES = {"ridge": RIDGE, "momentum": MOMENTUM, "gamma": PLUS_PLUS, "decay": WEIGHTED}
"""Of rules that have them."""


def kind(rule: Rule) -> str:
    """The name of a rule of one step or more, as in a report's `RULES`."""
    for field, name in NAMES.items():
        if getattr(rule, field) is not None:
            return name
    if rule.preconditioner is not None:
        return PRECONDITIONED
    return ASCENT if all(size < 0 for size in rule.step_sizes) else DESCENT


def steps(count: int) -> str:
    """1 step, 2 steps."""
    return "1 step" if count == 1 else f"{count} steps"


def words(rule: Rule, shown: Callable[[Any], str], over: str = "") -> str:
    """A rule in words, with its numbers.

    Args:
        rule: of numbers that can be shown.
        shown: a number in words.
        over: how the step size depends on the number of examples, after it.
    """
    if rule.damping is not None:
        if not rule.damping:
            return "a Newton step (least squares)"
        return f"a damped Newton step (ridge regression) with λ = {shown(rule.damping)}"
    if rule.rate is not None:
        return f"a step of the delta rule on each example in turn, β = {shown(rule.rate)}"
    if not rule.steps:
        return NO_STEP
    name = kind(rule).replace(ASCENT, DESCENT)
    if rule.gamma is not None and rule.steps == 2 and not rule.step_sizes[0]:
        name, sizes = f"{PLUS_PLUS} on inputs that went through I − γXXᵀ", rule.step_sizes[1:]
    else:
        sizes = rule.step_sizes
    eta = shown(sizes[0]) if rule.equal or len(sizes) == 1 else f"({_each(sizes, shown)})"
    more = [
        f" and {letter} = {shown(getattr(rule, field))}"
        for field, letter in LETTERS.items()
        if getattr(rule, field) is not None
    ]
    if rule.divided:
        both = "both " if rule.gamma is not None else ""
        over = f" {both}{AVERAGED}"
        more, over = ([*more, over], "") if rule.gamma is not None else (more, over)
    if rule.last is not None:
        more.append(f" and one more of the delta rule, β = {shown(rule.last)}")
    joined = ", η" if " with " in name else " with η"
    return f"{steps(len(sizes))} of {name}{joined} = {eta}{over}{''.join(more)}"


def _each(sizes: Sequence[Any], shown: Callable[[Any], str]) -> str:
    return ", ".join(map(shown, sizes))
