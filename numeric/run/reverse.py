"""Stacks that move the query alone: steps of (stochastic) gradient descent in the reverse order of the layers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np

from scanproof.constructs import tokens as tokenisations
from scanproof.constructs.arrays.array_api import unit
from scanproof.constructs.constructions import reverse_sgd
from scanproof.constructs.layers import hybrid
from scanproof.constructs.learners.losses import HALF_SUM, MEAN
from scanproof.constructs.learners.operators import example_index

from ..jax_backend import jax
from ..tasks import learners
from ..tasks.step_size import curvature
from .learning import Descent, Extra
from .linear import SSD, Mamba2, Row, mapped
from .machines import wide
from .masked import MaskedHybrid, QueryOnly, chunked, read_state
from .problem import Options, Problem, Work
from .program import SCALAR, Program
from .tokenising import Rows


@dataclass(frozen=True)
class InTurn:
    """−⟨w_L, x_{n+1}⟩ for L steps from 0 on ½ (w·x_t − y_t)², t = 1, 2, …, n, 1, …"""

    from_zero = True

    def __call__(self, x: Any, y: Any, W0: Any, eta: Any, extra: Extra, layers: int, t: int) -> Any:
        order = np.asarray([example_index(step, y.shape[0]) for step in range(layers)])
        zero = jax().numpy.zeros(x.shape[1:], x.dtype)
        w = learners.stochastic_gradient_descent(HALF_SUM, zero, x[order], y[order], eta)
        return -(x[-1] @ w)

    def curvature(self, x: Any, y: Any, W0: Any, extra: Extra) -> Any:
        """The largest curvature of the loss of one example."""
        zero = jax().numpy.zeros(x.shape[1:], x.dtype)
        single = jax().vmap(lambda a, b: curvature(HALF_SUM, zero, a[None], b[None], rounds=2))
        return single(x[:-1], y).max()

    @property
    def words(self) -> str:
        return "stochastic gradient descent on the examples in turn"


def _labelled(x: Any, y: Any, W0: Any) -> Any:
    return tokenisations.labelled(x, y)


def _query_label(row: Any) -> Any:
    return row[-1]


@dataclass(frozen=True)
class Stack(MaskedHybrid):
    """L layers by their masked form, one mask after the other; the masks' rows of weights stand for them."""

    def work(self, p: Any, problem: Problem, layers: int) -> Work:
        return super().work(p, problem, layers)._replace(passes=2 * layers)


def _weights(xp: Any, x: Any, problem: Problem, eta: Any, layers: int) -> hybrid.Parameters:
    """The parameters of `reverse` for SGD on the examples in turn, with the weights (L, n) of the layers for masks."""
    n, d = x.shape[0] - 1, x.shape[1]
    steps = [unit(xp, n, example_index(step, n)) for step in range(layers)]
    weights = eta * xp.stack(steps[::-1])
    return reverse_sgd.with_masks(xp, d, reverse_sgd.query_mask(weights[0]))._replace(
        ssd_mask=weights
    )


def _after(p: hybrid.Parameters, Z: Any) -> Any:
    """The query's label after all layers."""

    def layer(Z: Any, weights: Any) -> tuple[Any, None]:
        mask = reverse_sgd.query_mask(weights).astype(Z.dtype)  # its zeros are float64
        return reverse_sgd.layer_step(p, Z, mask)[0], None

    return jax().lax.scan(layer, Z, p.ssd_mask)[0][-1, -1]


@dataclass(frozen=True)
class FullBatches(QueryOnly):
    """L equal SSD layers under a mask by which the query sees every example and no token sees anything else.

    The examples stay, so one fold into H = Σ z_j z_jᵀ serves all layers.
    """

    def work(self, p: Any, problem: Problem, layers: int) -> Work:
        return Work(*np.shape(p.S), passes=1)

    def program(
        self, p: Any, problem: Problem, options: Options, layers: int
    ) -> Callable[..., Any]:
        S = np.asarray(p.ssd_mask, dtype=np.float64)[0, -1] * np.asarray(p.S, dtype=np.float64)
        layer = Mamba2(np.eye(len(S)), S, problem.examples)

        def run(rows: Any) -> Any:
            (rows,) = wide((rows,), options)
            z, query = rows[:, :-1], rows[:, -1:]
            H = chunked(z, z, z, chunk=options.chunk, precision=options.numbers).final_state
            for _ in range(layers):
                c = jax().vmap(lambda tokens: mapped(S, tokens))(query)
                with jax().default_matmul_precision("highest"):
                    seen = jax().vmap(jax().vmap(read_state, (None, 0)))(H, c)
                query = jax().vmap(lambda z, y: SSD.finish(layer, Row(z, None), y))(query, seen)
            return jax().vmap(self.read)(query[:, 0])

        return run


NOTES = ("The layers at ε = 0: limits of masks of decays.",)

REVERSE_SGD = Program(
    "minus the prediction for x_{n+1} after L steps on the examples in turn, in the query's label, by L layers",
    Stack(Rows(_labelled), _weights, _after),
    InTurn(),
    SCALAR,
    every=False,
    steps=True,
    parameters=lambda construct, values: SimpleNamespace(eta=values["eta"]),
    notes=NOTES,
)

FULL_BATCHES = Program(
    "minus the prediction for x_{n+1} after L steps from 0, in the query's label, by L SSD layers",
    FullBatches(Rows(_labelled), read=_query_label),
    Descent(MEAN, from_zero=True, sign=-1),
    SCALAR,
    every=False,
    steps=True,
    parameters=lambda construct, values: construct(**{**values, "n": 1}),
    notes=NOTES,
)
