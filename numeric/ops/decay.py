"""What is left of a write after the decays of a chunk, from the logarithms of the decays.

Π_{s<r≤t} a_r = exp(Σ_{s<r≤t} log a_r), and the sum is a difference of two running sums, which in float32 would lose the
more, the larger they are. Here every logarithm is split into a multiple of a grid and a small rest: running sums of
the multiples are exact, so that a difference is wrong by a few roundings of numbers below the grid only. The gradient
flows through the rests. A decay that is 0, or would be subnormal, is a reset: what was written before is masked out.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from ..jax_backend import jax
from ..precision import Precision

BITS = {"float64": 53, "float32": 24}
"""Of a number's significand."""


class RunningDecays(NamedTuple):
    """Running sums within the chunks of one sequence, arrays of shape (…, C)."""

    coarse: Any
    """Σ_{r≤t} of the multiples of the grid, exact."""
    fine: Any
    """Σ_{r≤t} of the rests."""
    segment: Any
    """How many resets there were, up to and including the token."""


class ChunkDecays(NamedTuple):
    """The factors of a chunk of C tokens."""

    within: Any
    """a_{t:s} = a_t ⋯ a_{s+1} at (t, s) for s ≤ t, else 0: (…, C, C)."""
    from_start: Any
    """a_1 ⋯ a_t: (…, C)."""
    to_end: Any
    """a_{C:s}: (…, C)."""
    whole: Any
    """a_1 ⋯ a_C: (…)."""


def smallest_log(precision: Precision) -> float:
    """The logarithm of the smallest normal number: decays below are 0."""
    return math.log(jax().numpy.finfo(precision.accumulate).tiny)


def drops(log_decay: Any, reset: Any, precision: Precision) -> Any:
    """Where the state is dropped: at resets, and where the decay is 0 in the accumulation dtype."""
    below = log_decay < smallest_log(precision)
    return below if reset is None else below | reset


def decays(log_decay: Any, reset: Any, precision: Precision) -> Any:
    """a_t itself, as `ssd.step` takes it."""
    jnp = jax().numpy
    drop = drops(log_decay, reset, precision)
    return jnp.where(drop, 0, jnp.exp(jnp.where(drop, 0, log_decay)))


def running(log_decay: Any, reset: Any, precision: Precision) -> RunningDecays:
    """The running sums of chunks: log_decay (…, C) and reset (…, C) or None."""
    j = jax()
    jnp = j.numpy
    drop = drops(log_decay, reset, precision)
    kept = jnp.where(drop, 0, log_decay)
    # The sums of C multiples of the grid up to |smallest_log| have at most BITS bits.
    largest = -smallest_log(precision) * log_decay.shape[-1]
    grid = 2.0 ** (math.ceil(math.log2(largest)) - BITS[precision.accumulate])
    coarse = j.lax.stop_gradient(jnp.round(kept / grid) * grid)
    return RunningDecays(
        jnp.cumsum(coarse, axis=-1),
        jnp.cumsum(kept - coarse, axis=-1),
        jnp.cumsum(drop.astype(jnp.int32), axis=-1),
    )


def within(sums: RunningDecays) -> Any:
    """`ChunkDecays.within` of chunks with one decay a token; the sums have shape (…, C)."""
    late, early = (
        RunningDecays(*(array[index] for array in sums))
        for index in ((..., slice(None), None), (..., None, slice(None)))
    )
    return _factor(late, early, jax().numpy.tri(sums.segment.shape[-1], dtype=bool))


def edges(sums: RunningDecays) -> tuple[Any, Any, Any]:
    """The other `ChunkDecays`: those from the start, those to the end, and those of the whole chunk."""
    last = RunningDecays(*(array[..., -1:] for array in sums))
    start = RunningDecays(*map(jax().numpy.zeros_like, last))
    from_start = _factor(sums, start, True)
    return from_start, _factor(last, sums, True), from_start[..., -1]


def _factor(late: RunningDecays, early: RunningDecays, causal: Any) -> Any:
    """The product of the decays between two places, where `causal`, else 0."""
    jnp = jax().numpy
    seen = causal & (late.segment == early.segment)
    elapsed = (late.coarse - early.coarse) + (late.fine - early.fine)
    # Masked before exp, so that nothing overflows and no gradient is NaN, and after it.
    return jnp.where(seen, jnp.exp(jnp.where(seen, elapsed, 0)), 0)


def of_scalar(log_decay: Any, size: int, precision: Precision) -> ChunkDecays:
    """The factors of every chunk of `size` tokens with one decay for all tokens; log_decay (…)."""
    jnp = jax().numpy
    smallest = smallest_log(precision)
    log_decay = jnp.where(log_decay < smallest, 2 * smallest, log_decay)
    places = jnp.arange(size, dtype=precision.accumulate)
    distance = places[:, None] - places[None, :]
    causal = distance >= 0
    elapsed = log_decay[..., None, None] * jnp.where(causal, distance, 0)
    return ChunkDecays(
        jnp.where(causal, jnp.exp(elapsed), 0),
        jnp.exp(log_decay[..., None] * (places + 1)),
        jnp.exp(log_decay[..., None] * (size - 1 - places)),
        jnp.exp(log_decay * size),
    )
