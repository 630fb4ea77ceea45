"""The recurrent op's program, from which its bound is read: `ssd.step`, token after token."""

from __future__ import annotations

import functools
from typing import Any

from scanproof.constructs.layers import ssd

from ..jax_backend import jax
from ..ops import decay
from ..ops.inputs import LinearTokens
from ..precision import Precision


def recurrence(numbers: Precision, tokens: LinearTokens) -> tuple[Any, Any]:
    """The outputs and the final state as the recurrent op computes them, from decays' logarithms and resets."""
    jnp = jax("bounds").numpy
    v, k, q = (x.astype(numbers.accumulate) for x in tokens[:3])
    decays = jnp.ones((), v.dtype)
    if tokens.log_decay is not None or tokens.reset is not None:
        log_decay = jnp.zeros((), v.dtype) if tokens.log_decay is None else tokens.log_decay
        decays = decay.decays(log_decay, tokens.reset, numbers)
    return scanned(tokens.initial_state, v, jnp.broadcast_to(decays, v.shape[:-1]), k, q)


def scanned(state: Any, v: Any, decays: Any, k: Any, q: Any) -> tuple[Any, Any]:
    """The outputs and the final state of `ssd.step` under `lax.scan`, heads and sequences side by side."""
    j = jax("bounds")

    def run(state: Any, tokens: ssd.Token) -> tuple[Any, Any]:
        return j.lax.scan(functools.partial(ssd.step, None), state, tokens)[::-1]

    for _ in range(v.ndim - 2):
        run = j.vmap(run)
    return run(state, ssd.Token(v, decays, k, q))
