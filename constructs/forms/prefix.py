"""Sharded evaluation of the gated linear recurrence: an exclusive prefix of what each shard does to a state.

The layer is `ssd.step`, H_t = a_t H_{t−1} + v_t ⊗ k_t, y_t = H_t q_t. Every shard folds its own C tokens from the zero
state; all that the others need of it is its `Summary`. A shard's tokens are a `ssd.Token` of arrays with a leading
axis C ≥ 1: v (C, D), decay (C,), k and q (C, N).
"""

from __future__ import annotations

from typing import NamedTuple

from ..arrays.array_api import Array, namespace
from ..arrays.definition import definition
from ..arrays.ranges import build, product
from ..arrays.scan import map_leaves, scan
from ..layers import ssd
from .chunked import read_initial_state


class Summary(NamedTuple):
    """What tokens do to any state H before them: it becomes `decay` · H + `state`."""

    decay: Array
    """A, the product of the decays, a scalar."""
    state: Array
    """The state that the tokens leave if they start from zero, shape (D, N)."""


class Sharded(NamedTuple):
    """What the evaluation over n shards of C tokens leaves behind."""

    initial_states: Array
    """The state before each shard, shape (n, D, N)."""
    outputs: Array
    """(n, C, D)."""
    final_state: Array
    """(D, N)."""


@definition
def compose(first: Summary, second: Summary) -> Summary:
    """(A, H) ∘ (A', H') = (A'A, A'H + H'): the tokens of `first`, then those of `second`."""
    return Summary(second.decay * first.decay, second.decay * first.state + second.state)


@definition
def applied(summary: Summary, state: Array) -> Array:
    """A H_0 + H, the state after the tokens of a summary (A, H) that start from H_0: (D, N) -> (D, N)."""
    return summary.decay * state + summary.state


@definition
def fold(shard: ssd.Token) -> tuple[Summary, Array]:
    """A shard's tokens from the zero state: the shard's summary, and its local outputs, shape (C, D)."""
    xp = namespace(shard.v)
    run = scan(ssd.step, None, xp.zeros((shard.v.shape[-1], shard.k.shape[-1])), shard)
    return Summary(product(shard.decay), run.final_state), run.outputs


@definition
def exclusive_step(parameters: None, before: Summary, shard: Summary) -> tuple[Summary, Summary]:
    """The summary of all shards up to this one as state, that of the shards before it as output."""
    return compose(before, shard), before


@definition
def evaluate(state: Array, tokens: ssd.Token) -> Sharded:
    """The recurrence over n·C tokens: local folds, their exclusive prefix, and the correction of the local outputs.

    Args:
        state: the state before the first token, shape (D, N).
        tokens: n shards of C tokens, arrays of shape (n, C, …).
    """
    xp = namespace(state)
    n = tokens.v.shape[0]

    def shard(s: int) -> ssd.Token:
        return map_leaves(lambda leaf: leaf[s], tokens)

    summaries = Summary(
        build(xp, n, lambda s: fold(shard(s))[0].decay),
        build(xp, n, lambda s: fold(shard(s))[0].state),
    )
    nothing = Summary(xp.ones(()), xp.zeros(state.shape))
    run = scan(exclusive_step, None, nothing, summaries)

    def initial_state(s: int) -> Array:
        return applied(map_leaves(lambda leaf: leaf[s], run.outputs), state)

    def outputs(s: int) -> Array:
        return fold(shard(s))[1] + read_initial_state(initial_state(s), shard(s))

    return Sharded(
        build(xp, n, initial_state), build(xp, n, outputs), applied(run.final_state, state)
    )
