"""Tokenisations block by block: the definitions of `constructs.tokens`, run on the few tokens that a window needs.

A window of a construction reaches from an example to the next input, so the definition is given two inputs and one
target at a time, for all examples of a block at once, and every step count is moved to where it belongs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from scanproof.constructs import tokens as definitions
from scanproof.constructs.arrays.scan import map_leaves

from ..jax_backend import jax, traced
from .problem import Problem


@dataclass(frozen=True)
class Pairs:
    """Tokens made of (x_t, y_t, x_{t+1}), and of y_{t+1} too if `ahead`."""

    definition: Callable[..., Any]
    """(x, y) -> tokens, for two inputs and one target (three and two if `ahead`)."""
    an_example: int = 1
    """Tokens an example."""
    slot: int = 0
    """Which of them reads the prediction."""
    first: int = 1
    """The first step count."""
    ahead: bool = False

    def stream(self, problem: Problem) -> tuple[Any, ...]:
        """Arrays (H, N, …) that can be cut anywhere: x_t, x_{t+1}, y_t, y_{t+1} (or nothing of use), and t."""
        x, y = problem.x, problem.y
        xp = jax().numpy if traced(x) else np
        count = xp.broadcast_to(xp.arange(problem.examples), y.shape[:2])
        later = xp.concat([y[:, 1:], xp.zeros_like(y[:, :1])], axis=1) if self.ahead else count
        return x[:, :-1], x[:, 1:], y, later, count

    def tokens(self, now: Any, following: Any, y: Any, later: Any, count: Any, *extra: Any) -> Any:
        """The tokens of one head's block: (B, …) -> (B · an_example, …)."""
        jnp = jax().numpy

        def one(a: Any, b: Any, target: Any, after: Any, t: Any) -> Any:
            if self.ahead:
                made = self.definition(jnp.stack([a, b, b]), jnp.stack([target, after]), *extra)
            else:
                made = self.definition(jnp.stack([a, b]), target[None], *extra)
            steps = made.t.astype(a.dtype) + self.an_example * t.astype(a.dtype)
            return made._replace(t=steps + (self.first - 1))

        # The definitions pad with zeros of JAX's default dtype, which may be wider than that of the data.
        made = jax().vmap(one)(now, following, y, later, count)
        return map_leaves(lambda leaf: leaf.reshape(-1, *leaf.shape[2:]).astype(now.dtype), made)

    def place(self, examples: int) -> int:
        """The token that holds the prediction from this many examples."""
        return (examples - 1) * self.an_example + self.slot


def three(x: Any, y: Any) -> Any:
    """[x_t, y_t, x_{t+1}]: windows of three, two tokens apart."""
    return definitions.windows(definitions.interleaved(x, y), 3, 2)


def wide(x: Any, y: Any) -> tuple[Any, Any]:
    """Inputs in the first coordinates, targets in the last ones (gril footnote 1)."""
    return definitions.padded(x, 0, y.shape[1]), definitions.padded(y, x.shape[1], 0)


def three_embedded(x: Any, y: Any) -> Any:
    """The same with inputs and targets in coordinates of their own."""
    return three(*wide(x, y))


def three_by_one(x: Any, y: Any) -> Any:
    """Windows of three, one token apart: [x_t, y_t, x_{t+1}] and [y_t, x_{t+1}, y_{t+1}]."""
    return definitions.windows(definitions.interleaved(*wide(x, y))[:4], 3, 1)


def two_by_one(x: Any, y: Any) -> Any:
    """Windows of two, one token apart: [x_t, y_t] and [y_t, x_{t+1}]."""
    return definitions.windows(definitions.interleaved(*wide(x, y)), 2, 1)


THREE = Pairs(three)
THREE_FROM_ZERO = Pairs(three, first=0)
THREE_EMBEDDED = Pairs(three_embedded)
THREE_BY_ONE = Pairs(three_by_one, an_example=2, ahead=True)
TWO_BY_ONE = Pairs(two_by_one, an_example=2, slot=1)
CONCATENATED = Pairs(definitions.concatenated)


@dataclass(frozen=True)
class Rows:
    """A token for every row that `rows` makes of the data of a head."""

    rows: Callable[..., np.ndarray]
    """(x (N + 1, f), y (N,), W0 of the head) -> (T, D)."""
    decays: Callable[[Problem, Any], np.ndarray] | None = None
    """The decays (T,) of the layer, if its tokens carry some: of the problem and the parameters."""
    query: bool = True
    """Whether the last row is the query; else the prediction is read at the last example."""

    def place(self, examples: int) -> int:
        return examples if self.query else examples - 1
