"""Chunked evaluation of the gated linear recurrence: masked matrices within a chunk, a state between chunks.

The layer is `ssd.step`, H_t = a_t H_{t−1} + v_t ⊗ k_t, y_t = H_t q_t; with a_t = 1 it is linear attention. A chunk of C
tokens is a `ssd.Token` of arrays with a leading axis of length C ≥ 1: v (C, D), decay (C,), k and q (C, N).
"""

from __future__ import annotations

from typing import NamedTuple

from ..arrays.array_api import Array, namespace
from ..arrays.definition import definition
from ..arrays.ranges import build, product
from ..arrays.scan import Scan, scan
from ..layers import linear_attention, ssd


@definition
def decays_from_start(decays: Array) -> Array:
    """a_1 ⋯ a_t for each t of a chunk, what is left of its initial state: (C,) -> (C,)."""
    xp = namespace(decays)
    return build(xp, decays.shape[0], lambda t: product(decays[: t + 1]))


@definition
def read_initial_state(state: Array, chunk: ssd.Token) -> Array:
    """The part of a chunk's outputs that its initial state H_0 makes: a_1 ⋯ a_t H_0 q_t at each t.

    Args:
        state: H_0, shape (D, N).
        chunk: C tokens.

    Returns:
        Shape (C, D).
    """
    return decays_from_start(chunk.decay)[:, None] * (chunk.q @ state.T)


@definition
def step(parameters: None, state: Array, chunk: ssd.Token) -> tuple[Array, Array]:
    """A whole chunk at once: y_t = a_1 ⋯ a_t H_0 q_t + Σ_{s≤t} a_{t:s} (k_s·q_t) v_s, with a_{t:s} = a_t ⋯ a_{s+1}.

    Args:
        parameters: none; a, k, q come with the tokens.
        state: H_0, the state before the chunk, shape (D, N).
        chunk: C tokens.

    Returns:
        The state after the chunk, a_1 ⋯ a_C H_0 + Σ_s a_{C:s} v_s ⊗ k_s, and the outputs, shape (C, D).
    """
    mask = ssd.decay_mask(chunk.decay)
    weights = mask.T * (chunk.q @ chunk.k.T)
    outputs = read_initial_state(state, chunk) + weights @ chunk.v
    left_at_end = mask[:, -1]
    written = chunk.v.T @ (left_at_end[:, None] * chunk.k)
    return product(chunk.decay) * state + written, outputs


@definition
def evaluate(state: Array, tokens: ssd.Token) -> Scan:
    """The recurrence over n·C tokens, chunk by chunk.

    Args:
        state: the state before the first token, shape (D, N).
        tokens: n chunks of C tokens, arrays of shape (n, C, …).

    Returns:
        The states after each chunk (n, D, N), the outputs (n, C, D), and the final state.
    """
    return scan(step, None, state, tokens)


@definition
def carry(parameters: None, state: Array, chunk: linear_attention.Token) -> tuple[Array, Array]:
    """The state of linear attention from chunk to chunk: S_0 + V^T K, and what the chunk writes, V^T K.

    Args:
        parameters: none; k and v come with the tokens.
        state: S_0, the state before the chunk, shape (D, N).
        chunk: C tokens, v (C, D) and k (C, N).
    """
    written = chunk.v.T @ chunk.k
    return state + written, written


class Parts(NamedTuple):
    """What a chunk's outputs are made of."""

    scores: Array
    """q_t·k_s, (C, C); those with s > t are not used."""
    within: Array
    """Σ_{s≤t} (q_t·k_s) v_s, (C, D)."""
    read: Array
    """S_0 q_t, (C, D)."""
    outputs: Array
    """The sum of the two."""


@definition
def read(
    parameters: None, state: Array, given: tuple[linear_attention.Token, Array]
) -> tuple[Array, Parts]:
    """The outputs of a chunk of linear attention from its scores: y_t = S_0 q_t + Σ_{s≤t} (q_t·k_s) v_s.

    Args:
        parameters: none; q and v come with the chunk.
        state: S_0, the state before the chunk, shape (D, N).
        given: C tokens, v (C, D) and q (C, N), and their scores Q K^T.
    """
    chunk, scores = given
    within, from_state = namespace(scores).tril(scores) @ chunk.v, chunk.q @ state.T
    return state, Parts(scores, within, from_state, within + from_state)


@definition
def attend(parameters: None, state: Array, chunk: linear_attention.Token) -> tuple[Array, Parts]:
    """A whole chunk of linear attention: `carry`, and the outputs that it reads.

    Args:
        parameters: none; q, k and v come with the tokens.
        state: S_0, the state before the chunk, shape (D, N).
        chunk: C tokens, v (C, D), k and q (C, N).
    """
    after, _ = carry(parameters, state, chunk)
    return after, read(parameters, state, (chunk, chunk.q @ chunk.k.T))[1]


class Weighed(NamedTuple):
    """A chunk of C tokens of which the decays are multiplied already."""

    v: Array
    """Values, (C, D)."""
    k: Array
    """Keys, (C, N)."""
    left: Array
    """a_C ⋯ a_{s+1}, what is left of each write at the end of the chunk, (C,)."""
    whole: Array
    """a_1 ⋯ a_C, what is left of the state before it."""


@definition
def carry_decayed(parameters: None, state: Array, chunk: Weighed) -> tuple[Array, Array]:
    """The state of `step` from chunk to chunk: g H_0 + V^T (w ∘ K), and what the chunk writes, V^T (w ∘ K).

    Args:
        parameters: none; everything comes with the chunk.
        state: H_0, the state before the chunk, shape (D, N).
        chunk: C tokens, with w_s = a_C ⋯ a_{s+1} and g = a_1 ⋯ a_C.
    """
    written = chunk.v.T @ (chunk.left[:, None] * chunk.k)
    return chunk.whole * state + written, written


@definition
def times(parameters: None, left: Array, decay: Array) -> tuple[Array, None]:
    """a ⋯ b, times one decay more: products of decays, one after the other."""
    return decay * left, None
