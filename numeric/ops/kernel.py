"""A loop over the blocks of a head as one GPU kernel: the state stays in registers, every token is read once.

Written for XLA, a loop on a GPU starts kernels for each turn, and what a turn hands to the next goes through memory.
Here each head is one program of a Pallas kernel, compiled by JAX's Triton, in which the step that runs is the one that
the other loops of `block_loop` run. Triton wants matrices whose sides are powers of two; what it has no word for (a
slice, a batched product, a triangular system) is done before the loop, for all blocks at once.
"""

from __future__ import annotations

import functools
import math
import os
import re
from collections.abc import Callable
from typing import Any

from ..jax_backend import jax, traced
from ..precision import Precision

SIDES = range(16, 129)
"""The sides of matrices that fit: a tensor core's least, and what the registers of a program hold."""
LONGEST = 64
"""The longest chunk: a longer one's scores leave no memory for the next tokens, and its inverse no registers."""
HEADS = 8
"""Heads from which on one program for each keeps a GPU busier than a kernel for each product."""
MEMORY = {"8.0": 163, "8.7": 163, "9.0": 227, "10.0": 227, "10.3": 227, "11.0": 227}
"""KiB of shared memory that a program may have, by compute capability (CUDA C++ programming guide)."""
LEAST = 99
"""KiB of the other capabilities from 8.0 on, which are the ones that Triton compiles for."""
STAGES = 3
"""Turns of the loop whose tokens are on their way at once, at most."""
SWITCH = "SCANPROOF_KERNELS"
"""The environment variable that, set to 0, has all programs go through loops."""


def serves(numbers: Precision, heads: int, C: int, D: int, N: int) -> bool:
    """Whether a GPU does better with a kernel for all: products of bfloat16, heads enough, sides that fit.

    Without a GPU the answer is that for an H100.

    Args:
        numbers: the precision.
        heads: heads and sequences.
        C: the chunk.
        D: of states (D, N).
        N: of states (D, N).
    """
    if numbers.inputs != "bfloat16" or heads < HEADS or os.environ.get(SWITCH) == "0":
        return False
    if C > LONGEST or not all(side in SIDES and side & (side - 1) == 0 for side in (C, D, N)):
        return False
    # A chunk's tokens, its keys with decays, its scores and its inverse, and a state, as they enter products.
    needed = 2 * (C * (D + 2 * N) + C * N + 2 * C * C + D * N)
    return needed <= _memory() and _triton() is not None


def on_one_device(*arrays: Any) -> bool:
    """Whether arrays are known to lie on one device: XLA does not divide a kernel's work among several."""
    j = jax()
    return j.device_count() == 1 or all(
        not traced(a) and len(getattr(a, "devices", set)()) <= 1 for a in arrays
    )


def _memory() -> int:
    """Bytes of shared memory that a program may have on every GPU that is here; 0 where there is one without Triton."""
    kinds = {getattr(device, "compute_capability", "9.0") for device in jax().local_devices()}
    return 1024 * min(
        MEMORY.get(kind, LEAST) if re.fullmatch(r"([89]|[1-9]\d+)\.\d", kind) else 0
        for kind in kinds
    )


@functools.cache
def _triton() -> Any:
    """Pallas' part for Triton, which JAX means to remove; None where it is not there."""
    try:
        from jax.experimental.pallas import triton
    except ImportError:
        return None
    return triton


def standing_for(plain: Callable[..., Any], kernel: Callable[..., Any]) -> Callable[..., Any]:
    """A program that is `kernel` where it is compiled for a GPU and `plain` elsewhere, which computes the same.

    Its derivative, in reverse mode, is that of `plain`.
    """
    j = jax()
    chosen = j.custom_vjp(
        lambda *trees: j.lax.platform_dependent(*trees, cuda=kernel, default=plain)
    )
    chosen.defvjp(functools.partial(j.vjp, plain), lambda pull, cotangents: pull(cotangents))
    return chosen


def run(
    step: Callable[..., Any],
    shared: Any,
    states: Any,
    blocks: Any,
    *,
    warps: int | None = None,
    interpret: bool = False,
) -> tuple[Any, Any]:
    """The states after the last block (B, …) and the outputs (B, n, …): `block_loop.each_block` in a kernel.

    Args:
        step: (shared, state, block) -> (state, outputs), of matrices, vectors and numbers.
        shared: a tree of arrays (B, …); may be None.
        states: an array (B, …); None for steps that have none.
        blocks: a tree of arrays (B, n, …).
        warps: of 32 threads each, for a program; None for what matrices of the tokens' sides want.
        interpret: whether Pallas' interpreter runs it, on any device.
    """
    from jax.experimental import pallas as pl

    j = jax()
    leaves, tree = j.tree.flatten((shared, states, blocks))
    body, outputs = program(step, shared, states, blocks)
    wanted, out = j.tree.flatten(outputs)

    def own(array: Any) -> Any:
        return pl.BlockSpec((None, *array.shape[1:]), lambda head: (head, *(0,) * (array.ndim - 1)))

    def of_head(*refs: Any) -> None:
        body(tree.unflatten(refs[: len(leaves)]), *out.unflatten(refs[len(leaves) :]))

    a_turn = sum(a.dtype.itemsize * math.prod(a.shape[2:]) for a in j.tree.leaves(blocks))
    held = sum(a.dtype.itemsize * math.prod(a.shape[1:]) for a in j.tree.leaves(states))
    stages = min(STAGES, max(1, (_memory() - held) // a_turn))
    sides = [side for array in (*leaves, *wanted) for side in array.shape[2:]]
    warps = warps or (8 if max(sides) > 64 else 4)
    found = pl.pallas_call(
        of_head,
        grid=(leaves[0].shape[0],),
        in_specs=[*map(own, leaves)],
        out_specs=[*map(own, wanted)],
        out_shape=wanted,
        compiler_params=_triton().CompilerParams(num_warps=warps, num_stages=stages),
        interpret=interpret,
    )(*leaves)
    return out.unflatten(found)


def program(
    step: Callable[..., Any], shared: Any, states: Any, blocks: Any
) -> tuple[Callable[..., None], tuple[Any, Any]]:
    """What a head's program does with references to memory, and the arrays (B, …) that all of them write.

    Returns:
        A function of ((shared, state, blocks), final state, outputs), all of one head and without its axis; and the
        shapes and dtypes of the final states and the outputs of all heads.
    """
    j = jax()
    B, n = j.tree.leaves(blocks)[0].shape[:2]
    first = j.tree.map(lambda a: a[0], (shared, states)), j.tree.map(lambda a: a[0, 0], blocks)
    state, out = j.eval_shape(lambda own, block: step(*own, block), *first)

    def like(one: Any, *axes: int) -> Any:
        return j.tree.map(lambda a: j.ShapeDtypeStruct((*axes, *a.shape), a.dtype), one)

    def body(inputs: Any, final: Any, written: Any) -> None:
        own, state, blocks = inputs
        own, state = j.tree.map(lambda ref: ref[...], (own, state))

        def turn(k: Any, state: Any) -> Any:
            state, outputs = step(own, state, j.tree.map(lambda ref: ref[k], blocks))
            written[k] = outputs
            return state

        state = j.lax.fori_loop(0, n, turn, state)
        if final is not None:
            final[...] = state

    return body, (like(state, B), like(out, B, n))
