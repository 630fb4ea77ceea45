"""The learners that constructions are said to be: from examples, a step size and initial weights to predictions.

Their steps are those of `descent`; a program that has others, which compute the same, hands them in as `by`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..arrays.array_api import Array, namespace
from ..arrays.ranges import build
from . import descent
from .losses import HALF_MEAN, HALF_SUM, Loss, SquaredError
from .operators import example_index


@dataclass(frozen=True, kw_only=True)
class Learner:
    """What a learner's prediction is made of; `after` is its own."""

    from_zero: bool = False
    """Whether it starts from 0, or from given weights W0."""
    sign: int = 1
    """−1 where the layer holds minus the prediction."""
    weights: bool = False
    """Whether the layer holds the weights, instead of the prediction for the next input."""

    @property
    def words(self) -> str:
        """The rule as a report names it."""
        raise NotImplementedError

    def start(self, x: Array, y: Array, W0: Any) -> Array:
        """The initial weights of a linear predictor of y (N,) or (N, k) from x (N, f): (f,) or (f, k)."""
        return namespace(x).zeros((x.shape[1], *y.shape[1:])) if self.from_zero else W0

    def after(
        self, x: Array, y: Array, eta: Array, W0: Any, steps: Any, by: Any = descent, **symbols: Any
    ) -> Array:
        """The weights after `steps` steps on x (N, f) and y (N,) or (N, k).

        Args:
            x: the inputs of the examples.
            y: their targets.
            eta: step size η.
            W0: initial weights; of no account if it starts from 0.
            steps: L.
            by: `descent`, or a module with the same functions.
            symbols: what else the statement names.
        """
        raise NotImplementedError

    def prediction(
        self, x: Array, y: Array, eta: Array, W0: Any, steps: Any, by: Any = descent, **symbols: Any
    ) -> Array:
        """That for the query, the last row of x (N + 1, f), or the weights; with the layer's sign."""
        found = self.after(x[:-1], y, eta, W0, steps, by, **symbols)
        return self._held(found if self.weights else x[-1] @ found)

    def _held(self, value: Array) -> Array:
        return value if self.sign > 0 else -value


@dataclass(frozen=True)
class Descent(Learner):
    """Gradient descent on the examples, or on a part of them."""

    loss: Loss = HALF_MEAN
    steps: int | None = None
    """How many steps, where the statement fixes them."""
    link: Callable[..., Callable[[Array], Array]] | None = None
    """g in the prediction g(w·x), from the numbers that the statement names."""
    part: Callable[..., tuple[Any, Any]] | None = None
    """Start (None: the first one) and stop of the examples of the loss, from the numbers that the statement names."""
    others: bool = False
    """Whether ε Σ y_j x_j over the other examples is added to the weights."""

    def of(self, **symbols: Any) -> Loss:
        """The loss at these numbers."""
        if self.link is None:
            return self.loss
        assert isinstance(self.loss, SquaredError)
        return SquaredError(self.loss.scale, self.loss.mean, link=self.link(**symbols))

    def after(
        self, x: Array, y: Array, eta: Array, W0: Any, steps: Any, by: Any = descent, **symbols: Any
    ) -> Array:
        """The weights after `steps` steps on all examples or a part, (f,) or (f, k)."""
        loss, start, count = self.of(**symbols), self.start(x, y, W0), self.steps or steps
        if self.part is None:
            return by.gradient_descent(loss, start, x, y, eta, count)
        first, stop = self.part(**symbols)
        found = by.gradient_descent(loss, start, x[first:stop], y[first:stop], eta, count)
        if self.others:
            others = y[stop:] @ x[stop:]
            if first is not None:
                others = y[:first] @ x[:first] + others
            found = found + symbols["eps"] * others
        return found

    def predictions(
        self, x: Array, y: Array, eta: Array, W0: Any, steps: Any, **symbols: Any
    ) -> Array:
        """At each t the prediction for x_{t+1} from the first t examples, (N,) or (N, k), or the weights (N, …)."""
        loss, start, count = self.of(**symbols), self.start(x, y, W0), self.steps or steps
        if self.weights:
            return build(
                namespace(x),
                y.shape[0],
                lambda t: self.after(x[: t + 1], y[: t + 1], eta, W0, steps, **symbols),
            )
        return self._held(descent.prefix_predictions(loss, start, x, y, eta, count))

    @property
    def words(self) -> str:
        """The rule as a report names it."""
        if self.others:
            return "one step on a part of the examples, and ε times the others"
        return "gradient descent" + (" on a part of the examples" if self.part else "")


@dataclass(frozen=True)
class Stochastic(Learner):
    """A step on the loss of one example after the other."""

    loss: Loss = HALF_SUM
    in_turn: bool = False
    """Whether there are as many steps as layers, on the examples 1, 2, …, N, 1, …; else there is one on each."""

    def after(
        self, x: Array, y: Array, eta: Array, W0: Any, steps: Any, by: Any = descent, **symbols: Any
    ) -> Array:
        """The weights after one step on each example, or `steps` in turn, (f,) or (f, k)."""
        count = y.shape[0]
        order = [example_index(k, count) for k in range(steps)] if self.in_turn else None
        return by.stochastic_gradient_descent(
            self.loss, self.start(x, y, W0), x, y, eta, order=order
        )

    @property
    def words(self) -> str:
        """The rule as a report names it."""
        return "stochastic gradient descent" + (" on the examples in turn" if self.in_turn else "")


@dataclass(frozen=True)
class Implicit(Learner):
    """The minimiser of an objective for one example after the other, such as Longhorn's (gril App. G)."""

    objective: Callable[..., Array]
    """(S, the S before, key, value, β) -> a number, for S = Wᵀ."""
    rule = "Longhorn's β: an implicit step cannot diverge"

    @property
    def words(self) -> str:
        """The rule as a report names it."""
        return "the minimiser of Longhorn's objective, token by token"

    def after(
        self, x: Array, y: Array, eta: Array, W0: Any, steps: Any, by: Any = descent, **symbols: Any
    ) -> Array:
        """The weights after an implicit step on each example, (f, k)."""
        return by.implicit_steps(self.objective, self.start(x, y, W0).T, x, y, eta).T
