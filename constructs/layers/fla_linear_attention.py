"""The multi-head linear attention of flash-linear-attention: `LinearAttention` without feature map, norm or gate.

Each head is the recurrence of `linear_attention.step` on queries W_q h / √m, keys W_k h and values W_v h; W_o adds the
heads up.

The released layer computes in float32, and rounds what it stores to the format of its weights: queries, keys, values,
the heads' outputs, W_o's, and the stream. `stored` is that rounding; in exact numbers it does nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

from ..arrays.array_api import Array, namespace
from ..arrays.definition import definition
from ..arrays.ranges import build, is_number
from ..arrays.scan import scan
from . import linear_attention

Stored: TypeAlias = Callable[[Array], Array]
"""The rounding of numbers to the format in which a layer stores them."""


def unrounded(array: Array) -> Array:
    """What is stored as it is."""
    return array


class Parameters(NamedTuple):
    """The four projections of H heads with m keys and p values each."""

    query: Array
    """W_q, shape (H, m, M)."""
    key: Array
    """W_k, shape (H, m, M)."""
    value: Array
    """W_v, shape (H, p, M)."""
    output: Array
    """W_o, shape (H, M, p)."""


@definition
def root(xp: Any, m: Any) -> Array:
    """√m, by which queries are divided; exact where m is a square."""
    exact = math.isqrt(m) if is_number(m) else None
    return xp.asarray(exact) if exact is not None and exact**2 == m else xp.sqrt(xp.asarray(m))


@definition
def head(
    parameters: Parameters,
    h: int,
    rows: Array,
    root_m: Array | None = None,
    stored: Stored = unrounded,
) -> linear_attention.Token:
    """Queries W_q h / √m, keys and values of head number h: (T, M) -> (T, m), (T, m), (T, p).

    Args:
        parameters: see `Parameters`.
        h: 0, …, H − 1.
        rows: tokens, shape (T, M).
        root_m: another number for √m.
        stored: the rounding of what is stored.
    """
    if root_m is None:
        root_m = root(namespace(rows), parameters.key.shape[1])
    return linear_attention.Token(
        q=stored(rows @ parameters.query[h].T) / root_m,
        k=stored(rows @ parameters.key[h].T),
        v=stored(rows @ parameters.value[h].T),
    )


@definition
def attention(
    parameters: Parameters, rows: Array, root_m: Array | None = None, stored: Stored = unrounded
) -> Array:
    """o_t = Σ_h W_o Σ_{s ≤ t} (q_t·k_s / √m) v_s, every head from an empty state: (T, M) -> (T, M)."""
    xp = namespace(rows)
    empty = xp.zeros((parameters.value.shape[1], parameters.key.shape[1]))

    def outputs(h: int) -> Array:
        tokens = head(parameters, h, rows, root_m, stored)
        read = stored(scan(linear_attention.step, None, empty, tokens).outputs)
        return read @ parameters.output[h].T

    return stored(build(xp, parameters.query.shape[0], outputs).sum(axis=0))


@definition
def layer(
    parameters: Parameters, rows: Array, root_m: Array | None = None, stored: Stored = unrounded
) -> Array:
    """h + o: the layer with a residual connection, (T, M) -> (T, M); arguments as for `head`."""
    return stored(rows + attention(parameters, rows, root_m, stored))


@definition
def stack(layers: Sequence[Parameters], rows: Array, stored: Stored = unrounded) -> Array:
    """Layers with residual connections, one above the other: (T, M) -> (T, M)."""
    for parameters in layers:
        rows = layer(parameters, rows, stored=stored)
    return rows
