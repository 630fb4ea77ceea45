"""Layers that are not causal recurrences: the masked form with a given T × T mask, and a mask that hides the query."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from scanproof.constructs.arrays.array_api import unit
from scanproof.constructs.constructions import reverse_sgd
from scanproof.constructs.layers import hybrid, lsa, ssd
from scanproof.constructs.learners.operators import example_index
from scanproof.proofs.language.claim import Claim

from ..jax_backend import jax
from ..ops.chunked import chunked
from .linear import LSA, SSD, Mamba2, Row, mapped, rounded
from .problem import Options, Problem, Work
from .runners import Runner, stored, wide
from .tokenising import Rows


def read_state(H: Any, q: Any) -> Any:
    """H q by `ssd.step`, with nothing written: H (D, N), q (N,)."""
    nothing = ssd.Token(0 * H[:, 0], 1, 0 * H[0], q)
    return ssd.step(None, H, nothing)[1]


def query_label(row: Any) -> Any:
    """The last entry of the query's row."""
    return row[-1]


@dataclass(frozen=True)
class Folded(Runner):
    """Base of the runners that fold the examples into H = Σ z_j z_jᵀ, which tokens then read."""

    tokens: Rows

    ops = ("chunked",)

    def buffer(self, problem: Problem, width: int) -> int:
        """Bytes beside the data: the tokens of a layer, its queries and outputs."""
        heads, length, features = problem.x.shape
        return 4 * heads * length * (features + 1) * width

    def arrays(self, p: Any, problem: Problem, options: Options) -> tuple[np.ndarray, ...]:
        """The rows of all heads' tokens as they are stored, (H, T, D)."""
        heads = zip(problem.x, problem.y, strict=True)
        return (stored(np.stack([self.tokens.rows(*head, None) for head in heads]), options),)


@dataclass(frozen=True)
class ExamplesMask(Folded):
    """L self-attention layers in which every token sees all the examples and none sees the query (`examples_mask`).

    A layer folds the examples on the chunked op, and then every token reads H: `ssd.step` with nothing written.
    """

    def work(self, p: Any, problem: Problem, layers: int) -> Work:
        """The states that a token updates and reads: one state that each of the layers folds."""
        return Work(*np.shape(p.P), passes=layers)

    def program(
        self, p: Any, problem: Problem, options: Options, layers: int
    ) -> Callable[..., Any]:
        """From the arrays to the predictions (H, …)."""
        own = lsa.Parameters(p.P, p.Q, 1 / problem.examples)

        def run(rows: Any) -> Any:
            (rows,) = wide((rows,), options)
            for _ in range(layers):
                z = rows[:, :-1]
                H = chunked(z, z, z, chunk=options.chunk, precision=options.numbers).final_state
                queries = jax().vmap(lambda tokens: LSA.writes(own, tokens).q)(rows)
                with jax().default_matmul_precision("highest"):
                    seen = jax().vmap(jax().vmap(read_state, (None, 0)))(H, queries)
                rows = jax().vmap(functools.partial(LSA.finish, own))(rows, seen)
            return jax().vmap(query_label)(rows[:, -1])

        return run


@dataclass(frozen=True)
class QueryOnly(Folded):
    """SSD layers under a mask by which the query sees every example and no token sees anything else.

    The examples stay, so one fold serves all layers.
    """

    matrices: Callable[[Any, int], list[np.ndarray]]
    """(parameters, L) -> S of each layer, with the mask's weight in it."""

    def made(self, claim: Claim, values: Mapping[str, Any], construct: Callable[..., Any]) -> Any:
        """For one example: the mask, which is the same for all, is not needed at full size."""
        return construct(**{**values, "n": 1})

    def work(self, p: Any, problem: Problem, layers: int) -> Work:
        """The states that a token updates and reads: one state, folded once."""
        return Work(*np.shape(self.matrices(p, 1)[0]), passes=1)

    def program(
        self, p: Any, problem: Problem, options: Options, layers: int
    ) -> Callable[..., Any]:
        """The function of the stored rows that computes the predictions."""

        def run(rows: Any) -> Any:
            (rows,) = wide((rows,), options)
            z, query = rows[:, :-1], rows[:, -1:]
            H = chunked(z, z, z, chunk=options.chunk, precision=options.numbers).final_state
            for S in self.matrices(p, layers):
                layer = Mamba2(np.eye(len(S)), S, problem.examples)
                queries = jax().vmap(lambda tokens, S=S: mapped(S, tokens))(query)
                with jax().default_matmul_precision("highest"):
                    seen = jax().vmap(jax().vmap(read_state, (None, 0)))(H, queries)
                query = jax().vmap(lambda z, y, p=layer: SSD.finish(p, Row(z, None), y))(
                    query, seen
                )
            return jax().vmap(query_label)(query[:, 0])

        return run


def two_matrices(p: Any, layers: int) -> list[np.ndarray]:
    """The matrices S of the two layers of `two_steps_query_only`."""
    return [p.first, p.second]


def equal_matrices(p: Any, layers: int) -> list[np.ndarray]:
    """S of `full_batches` for each layer, times the weight of an example in the query's column."""
    S = np.asarray(p.ssd_mask, dtype=np.float64)[0, -1] * np.asarray(p.S, dtype=np.float64)
    return [S] * layers


class Deferred(NamedTuple):
    """Parameters that are made inside the program, since they may depend on the inputs of a head."""

    eta: float
    construct: Callable[..., hybrid.Parameters]
    """(xp, x, eta, K) -> the parameters."""


@dataclass(frozen=True)
class MaskedHybrid(Runner):
    """One SSD ∘ LSA layer by its masked form, with the T × T masks that the parameters give."""

    tokens: Rows
    layer: Callable[[hybrid.Parameters, Any], Any]
    """(parameters, Z (D, T)) -> Z after it; the prediction is the query's label."""

    ops = ("masked",)

    def made(self, claim: Claim, values: Mapping[str, Any], construct: Callable[..., Any]) -> Any:
        """The step size, and the parameters to be made later, in the program."""

        def parameters(**own: Any) -> hybrid.Parameters:
            return claim.construct({**values, **own})

        return Deferred(values["eta"], parameters)

    def build(self, p: Any, x: Any, eta: Any, layers: int) -> hybrid.Parameters:
        """The parameters of one head, with inputs x (N + 1, f)."""
        return p.construct(xp=jax().numpy, x=x, eta=eta, K=layers)

    def work(self, p: Any, problem: Problem, layers: int) -> Work:
        """The states that a token updates and reads: two masked layers."""
        size = problem.x.shape[-1] + 1
        return Work(size, size, 2)

    def buffer(self, problem: Problem, width: int) -> int:
        """Bytes beside the data: two masks, two score matrices and their products, for one head at a time."""
        return 6 * problem.x.shape[1] ** 2 * width

    def arrays(self, p: Any, problem: Problem, options: Options) -> tuple[np.ndarray, ...]:
        """The rows of all heads' tokens (H, T, D) and the inputs (H, N + 1, f), as stored."""
        heads = zip(problem.x, problem.y, strict=True)
        rows = np.stack([self.tokens.rows(*head, None) for head in heads])
        return stored(rows, options), stored(problem.x, options)

    def program(
        self, p: Any, problem: Problem, options: Options, layers: int
    ) -> Callable[..., Any]:
        """From the arrays to the predictions (H, …)."""

        def head(data: Any) -> Any:
            rows, x = wide(data, options)
            with jax().default_matmul_precision("highest"):
                step_size = rounded(p.eta, options.numbers.accumulate)
                made = self.build(p, x, step_size, layers)
                made = hybrid.Parameters(*(a.astype(options.numbers.accumulate) for a in made))
                return self.layer(made, rows.T)[-1, -1]

        def run(rows: Any, x: Any) -> Any:
            return jax().lax.map(head, (rows, x))

        return run


@dataclass(frozen=True)
class Stack(MaskedHybrid):
    """The L layers of `reverse_sgd` on the examples in turn; the masks' rows of weights (L, n) stand for them."""

    def build(self, p: Any, x: Any, eta: Any, layers: int) -> hybrid.Parameters:
        """The parameters of one head, with a row of weights for each layer in place of a mask."""
        xp, n = jax().numpy, x.shape[0] - 1
        steps = [unit(xp, n, example_index(step, n)) for step in range(layers)]
        weights = eta * xp.stack(steps[::-1])
        made = reverse_sgd.with_masks(xp, x.shape[1], reverse_sgd.query_mask(weights[0]))
        return made._replace(ssd_mask=weights)

    def work(self, p: Any, problem: Problem, layers: int) -> Work:
        """The states that a token updates and reads: two masked layers, as often as there are layers."""
        return super().work(p, problem, layers)._replace(passes=2 * layers)


def after_all(p: hybrid.Parameters, Z: Any) -> Any:
    """The tokens after the layers of a `Stack`."""

    def layer(Z: Any, weights: Any) -> tuple[Any, None]:
        mask = reverse_sgd.query_mask(weights).astype(Z.dtype)  # its zeros are float64
        return reverse_sgd.layer_step(p, Z, mask)[0], None

    return jax().lax.scan(layer, Z, p.ssd_mask)[0]


WHOLE = (Folded, MaskedHybrid)
"""Runners that run over all tokens at once; the others stream."""
