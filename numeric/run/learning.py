"""The explicit learner beside a construction: what the layer's output is compared with, in float64."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from scanproof.constructs.layers import longhorn
from scanproof.constructs.layers.delta_rule import Token
from scanproof.constructs.learners.losses import HALF_SUM, MEAN, Loss, SquaredError

from ..jax_backend import jax
from ..tasks import learners
from ..tasks.step_size import curvature

Extra = Mapping[str, Any]


@dataclass(frozen=True)
class Descent:
    """L steps of gradient descent on the first t examples, and what becomes of the weights."""

    loss: Loss
    from_zero: bool = False
    """Whether it starts from 0, or from the problem's W0."""
    sign: int = 1
    """−1 where the layer holds minus the prediction."""
    weights: bool = False
    """Whether the weights themselves are compared, instead of the prediction for x_{t+1}."""
    steps: int | None = None
    """How many steps, where the statement fixes them."""

    def start(self, x: Any, y: Any, W0: Any) -> Any:
        jnp = jax().numpy
        return jnp.zeros((x.shape[1], *y.shape[1:]), x.dtype) if self.from_zero else W0

    def __call__(self, x: Any, y: Any, W0: Any, eta: Any, extra: Extra, layers: int, t: int) -> Any:
        """One head: x (N + 1, f), y (N, …) -> the prediction from the first t examples."""
        start = self.start(x, y, W0)
        steps = self.steps or layers
        found = learners.gradient_descent(self.loss, start, x[:t], y[:t], eta, steps)
        return self.sign * (found if self.weights else x[t] @ found)

    def curvature(self, x: Any, y: Any, W0: Any, extra: Extra) -> Any:
        """The largest curvature on all examples; of a squared error one column of weights tells it."""
        w, x = self.start(x, y, W0), x[:-1]
        if w.ndim == 2 and not _classes(self.loss):
            w, y = w[:, :1], y[:, :1]
        return curvature(self.loss, w, x, y)

    @property
    def words(self) -> str:
        return "gradient descent"


@dataclass(frozen=True)
class Stochastic:
    """One step on ½ (w·x − y)² for each example, in turn."""

    def __call__(self, x: Any, y: Any, W0: Any, eta: Any, extra: Extra, layers: int, t: int) -> Any:
        found = learners.stochastic_gradient_descent(HALF_SUM, W0, x[:t], y[:t], eta)
        return x[t] @ found

    def curvature(self, x: Any, y: Any, W0: Any, extra: Extra) -> Any:
        """The largest curvature of the loss of one example."""
        w = W0[:, :1]
        single = jax().vmap(lambda a, b: curvature(HALF_SUM, w, a[None], b[None, :1], rounds=2))
        return single(x[:-1], y).max()

    @property
    def words(self) -> str:
        return "stochastic gradient descent"


@dataclass(frozen=True)
class Implicit:
    """The minimiser of Longhorn's objective for each example, in turn, found from the objective's gradients."""

    def __call__(self, x: Any, y: Any, W0: Any, eta: Any, extra: Extra, layers: int, t: int) -> Any:
        def one(S: Any, example: Any) -> Any:
            k, v = example
            token = Token(k=k, v=v, q=k, beta=eta)
            return learners.minimiser_along_gradient(
                lambda at: longhorn.objective(at, S, token), S
            ), None

        return jax().lax.scan(one, W0.T, (x[:t], y[:t]))[0] @ x[t]

    def curvature(self, x: Any, y: Any, W0: Any, extra: Extra) -> Any:
        """An implicit step cannot diverge: β = 1."""
        return x.sum() * 0 + 1

    @property
    def words(self) -> str:
        return "the minimiser of Longhorn's objective, token by token"

    @property
    def rule(self) -> str:
        return "Longhorn's β: an implicit step cannot diverge"


@dataclass(frozen=True)
class OneOfMany:
    """One step from 0 on a part of the examples, beside ε times the others: the errors that ssd §5 allows.

    Args:
        loss: of the part.
        part: from the extra values to (start, stop) of the part's examples, counted from 0.
    """

    loss: Loss
    part: Callable[[Extra], tuple[int, int]]

    def __call__(self, x: Any, y: Any, W0: Any, eta: Any, extra: Extra, layers: int, t: int) -> Any:
        start, stop = self.part(extra)
        zero = jax().numpy.zeros(x.shape[1:], x.dtype)
        w = learners.gradient_descent(self.loss, zero, x[start:stop], y[start:stop], eta)
        others = y[:start] @ x[:start] + y[stop:] @ x[stop:-1]
        return x[-1] @ (w + extra["eps"] * others)

    def curvature(self, x: Any, y: Any, W0: Any, extra: Extra) -> Any:
        start, stop = self.part(extra)
        zero = jax().numpy.zeros(x.shape[1:], x.dtype)
        return curvature(self.loss, zero, x[start:stop], y[start:stop])

    @property
    def words(self) -> str:
        return "one step on a part of the examples, and ε times the others"


@dataclass(frozen=True)
class OnPart:
    """K steps from 0 on a part of the examples."""

    loss: Loss
    part: Callable[[Extra], tuple[int, int]]
    sign: int = 1

    def __call__(self, x: Any, y: Any, W0: Any, eta: Any, extra: Extra, layers: int, t: int) -> Any:
        start, stop = self.part(extra)
        zero = jax().numpy.zeros(x.shape[1:], x.dtype)
        w = learners.gradient_descent(self.loss, zero, x[start:stop], y[start:stop], eta, layers)
        return self.sign * (x[-1] @ w)

    def curvature(self, x: Any, y: Any, W0: Any, extra: Extra) -> Any:
        start, stop = self.part(extra)
        zero = jax().numpy.zeros(x.shape[1:], x.dtype)
        return curvature(self.loss, zero, x[start:stop], y[start:stop])

    @property
    def words(self) -> str:
        return "gradient descent on a part of the examples"


def _classes(loss: Loss) -> bool:
    """Whether columns of the weights belong together."""
    return not isinstance(loss, SquaredError) and "ridge" not in getattr(loss, "__name__", "")


ONE_EXAMPLE = (HALF_SUM, lambda extra: (extra["t"] - 1, extra["t"]))
BATCH = (MEAN, lambda extra: (0, extra["m"]))
