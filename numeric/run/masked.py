"""Layers that are not causal recurrences: the masked form with a given T × T mask, and a mask that hides the query."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from scanproof.constructs.layers import hybrid, ssd

from ..jax_backend import jax
from ..ops.chunked import chunked
from .linear import LSA, SSD, Mamba2, Row, mapped, rounded
from .machines import stored, wide
from .problem import Options, Problem, Work
from .tokenising import Rows


def read_state(H: Any, c: Any) -> Any:
    """H c by `ssd.step`, with nothing written: H (D, N), c (N,)."""
    nothing = ssd.Token(0 * H[:, 0], 1, 0 * H[0], c)
    return ssd.step(None, H, nothing)[1]


@dataclass(frozen=True)
class ExamplesMask:
    """L self-attention layers in which every token sees all the examples and none sees the query (`examples_mask`).

    A layer folds the examples into H = Σ z_j z_jᵀ on the chunked lane, and then every token reads H: `ssd.step` with
    nothing written.
    """

    tokens: Rows
    read: Callable[[Any], Any]
    """From the query's row (m,) to the prediction."""

    lanes = ("chunked",)

    def parameters(self, p: Any, problem: Problem) -> Any:
        from scanproof.constructs.layers import lsa

        return lsa.Parameters(p.P, p.Q, 1 / problem.examples)

    def work(self, p: Any, problem: Problem, layers: int) -> Work:
        return Work(*np.shape(p.P), passes=layers)

    def buffer(self, problem: Problem, width: int) -> int:
        """Bytes beside the data: the tokens of a layer, its queries and outputs."""
        heads, length, features = problem.x.shape
        return 4 * heads * length * (features + 1) * width

    def arrays(self, p: Any, problem: Problem, options: Options) -> tuple[np.ndarray, ...]:
        heads = zip(problem.x, problem.y, strict=True)
        return (stored(np.stack([self.tokens.rows(*head, None) for head in heads]), options),)

    def program(
        self, p: Any, problem: Problem, options: Options, layers: int
    ) -> Callable[..., Any]:
        """From the arrays to the predictions (H, …)."""
        own = self.parameters(p, problem)

        def run(rows: Any) -> Any:
            (rows,) = wide((rows,), options)
            for _ in range(layers):
                z = rows[:, :-1]
                H = chunked(z, z, z, chunk=options.chunk, precision=options.numbers).final_state
                queries = jax().vmap(lambda tokens: LSA.writes(own, tokens).c)(rows)
                with jax().default_matmul_precision("highest"):
                    seen = jax().vmap(jax().vmap(read_state, (None, 0)))(H, queries)
                rows = jax().vmap(functools.partial(LSA.finish, own))(rows, seen)
            return jax().vmap(self.read)(rows[:, -1])

        return run


@dataclass(frozen=True)
class QueryOnly:
    """Two SSD layers under a mask by which the query sees every example and no token sees anything else.

    The examples stay, so one fold into H = Σ z_j z_jᵀ serves both layers.
    """

    tokens: Rows
    read: Callable[[Any], Any]

    lanes = ("chunked",)
    buffer = ExamplesMask.buffer
    arrays = ExamplesMask.arrays

    def work(self, p: Any, problem: Problem, layers: int) -> Work:
        return Work(*np.shape(p.first), passes=1)

    def program(
        self, p: Any, problem: Problem, options: Options, layers: int
    ) -> Callable[..., Any]:
        def run(rows: Any) -> Any:
            (rows,) = wide((rows,), options)
            z, query = rows[:, :-1], rows[:, -1:]
            H = chunked(z, z, z, chunk=options.chunk, precision=options.numbers).final_state
            for S in (p.first, p.second):
                layer = Mamba2(np.eye(len(S)), S, problem.examples)
                c = jax().vmap(lambda tokens, S=S: mapped(S, tokens))(query)
                with jax().default_matmul_precision("highest"):
                    seen = jax().vmap(jax().vmap(read_state, (None, 0)))(H, c)
                query = jax().vmap(lambda z, y, p=layer: SSD.finish(p, Row(z, None), y))(
                    query, seen
                )
            return jax().vmap(self.read)(query[:, 0])

        return run


@dataclass(frozen=True)
class MaskedHybrid:
    """One SSD ∘ LSA layer by its masked form, with the T × T masks that the parameters give."""

    tokens: Rows
    build: Callable[..., hybrid.Parameters]
    """(xp, x, y, problem, η, layers) -> the parameters, of one head: they may depend on its inputs."""
    read: Callable[..., Any]
    """(parameters, Z (D, T)) -> the prediction."""

    lanes = ("masked",)

    def work(self, p: Any, problem: Problem, layers: int) -> Work:
        size = problem.x.shape[-1] + 1
        return Work(size, size, 2)

    def buffer(self, problem: Problem, width: int) -> int:
        """Bytes beside the data: two masks, two score matrices and their products, for one head at a time."""
        return 6 * problem.x.shape[1] ** 2 * width

    def arrays(self, p: Any, problem: Problem, options: Options) -> tuple[np.ndarray, ...]:
        heads = zip(problem.x, problem.y, strict=True)
        rows = np.stack([self.tokens.rows(*head, None) for head in heads])
        return stored(rows, options), stored(problem.x, options)

    def program(
        self, p: Any, problem: Problem, options: Options, layers: int
    ) -> Callable[..., Any]:
        eta = p.eta

        def head(data: Any) -> Any:
            rows, x = wide(data, options)
            with jax().default_matmul_precision("highest"):
                step_size = rounded(eta, options.numbers.accumulate)
                made = self.build(jax().numpy, x, problem, step_size, layers)
                made = hybrid.Parameters(*(a.astype(options.numbers.accumulate) for a in made))
                return self.read(made, rows.T)

        def run(rows: Any, x: Any) -> Any:
            return jax().lax.map(head, (rows, x))

        return run


WHOLE = (ExamplesMask, QueryOnly, MaskedHybrid)
"""Machines that run over all tokens at once; the others stream."""
