"""Tokenisations block by block: those of constructions, run on the few tokens that a window needs.

A window of a construction reaches from an example to the next input, so the tokenisation is given two inputs and one
target at a time, for all examples of a block at once, and every step count is moved to where it belongs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from scanproof.constructs.arrays.scan import map_leaves
from scanproof.constructs.tokens import Windows

from ..jax_backend import jax, traced
from .problem import Problem


@dataclass(frozen=True)
class Pairs:
    """Tokens made of (x_t, y_t, x_{t+1}), and of y_{t+1} too if `ahead`."""

    definition: Callable[..., Any]
    """(x, y) -> tokens, for two inputs and one target (three and two if `ahead`)."""

    @property
    def an_example(self) -> int:
        """Tokens an example."""
        return self.definition.an_example if isinstance(self.definition, Windows) else 1

    @property
    def slot(self) -> int:
        """Which of an example's tokens reads the prediction."""
        return self.definition.slot if isinstance(self.definition, Windows) else 0

    @property
    def ahead(self) -> bool:
        """Whether a token holds a target of the example after its own."""
        cut = self.definition
        return isinstance(cut, Windows) and (cut.an_example - 1) * cut.stride + cut.width > 3

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
                made = map_leaves(lambda leaf: leaf[: self.an_example], made)
            else:
                made = self.definition(jnp.stack([a, b]), target[None], *extra)
            return made._replace(t=made.t.astype(a.dtype) + self.an_example * t.astype(a.dtype))

        # The definitions pad with zeros of JAX's default dtype, which may be wider than that of the data.
        made = jax().vmap(one)(now, following, y, later, count)
        return map_leaves(lambda leaf: leaf.reshape(-1, *leaf.shape[2:]).astype(now.dtype), made)

    def place(self, examples: int) -> int:
        """The token that holds the prediction from this many examples."""
        return (examples - 1) * self.an_example + self.slot


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
        """The token that holds the prediction from this many examples."""
        return examples if self.query else examples - 1
