"""A loop over the blocks of a head as one GPU kernel: the state stays in registers, every token is read once.

Written for XLA, a loop on a GPU starts kernels for each turn, and what a turn hands to the next goes through memory.
Here each head is one program of a Pallas kernel, compiled by JAX's Triton, or several, each for some rows of the state.
The step that runs is the one that the other loops of `block_loop` run; backward it is what JAX derives of that step.
Triton wants matrices whose sides are powers of two; what it has no word for (a slice, a batched product, a triangular
system) is done before the loop, for all blocks at once.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import os
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from scanproof.constructs.errors import UsageError

from ..jax_backend import jax, traced
from ..precision import Precision
from .inputs import itemsize

SIDES = range(16, 129)
"""The sides of matrices that fit: a tensor core's least, and what the registers of a program hold."""
LONGEST = 64
"""The longest chunk: a longer one's scores leave no memory for the next tokens, and its inverse no registers."""
FEWEST = 8
"""Programs from which on a kernel keeps a GPU busier than a kernel for each product."""
HELD = 64 * 64
"""Numbers of a state, beside its cotangent, from which on most of a derivative's registers would lie in memory."""
CORES = 132
"""Multiprocessors of an H100, each of which runs a program or two (NVIDIA's white paper); JAX tells those of a GPU."""
ALGORITHMS = {"bfloat16": "BF16_BF16_F32", "float32": "BF16_BF16_F32_X6"}
"""Of products, by what enters them (`jax.lax.DotAlgorithmPreset`).

Six products of bfloat16 parts stand for one of float32, as for JAX on a TPU: multiplied with all bits it takes no
tensor core, and more registers than there are. What enters one of bfloat16 is rounded to it, also in derivatives.
"""
MEMORY = {"8.0": 163, "8.7": 163, "9.0": 227, "10.0": 227, "10.3": 227, "11.0": 227}
"""KiB of shared memory that a program may have, by compute capability (CUDA C++ programming guide)."""
LEAST = 99
"""KiB of the other capabilities from 8.0 on, which are the ones that Triton compiles for."""
STAGES = 3
"""Turns of the loop whose tokens are on their way at once, at most."""
NAME = "each_block"
"""By which a kernel's loop is told from other kernels."""
SWITCH = "SCANPROOF_KERNELS"
"""The environment variable: 0 has all programs go through loops, `ALL` has them go through each kernel that fits.

Left out, they go through the kernels that a GPU has run: of bfloat16, a program for a head, not of derivatives.
"""
ALL = "all"


def serves(numbers: Precision, heads: int, C: int, D: int, N: int) -> bool:
    """Whether a GPU does better with kernels: programs enough, sides and memory that fit.

    Without a GPU the answer is that for an H100.

    Args:
        numbers: the precision.
        heads: heads and sequences.
        C: the chunk.
        D: of states (D, N).
        N: of states (D, N).
    """
    if numbers.inputs not in ALGORITHMS or os.environ.get(SWITCH) == "0":
        return False
    if numbers.inputs != "bfloat16" and not all_serve():
        return False
    if C > LONGEST or not all(side in SIDES and side & (side - 1) == 0 for side in (C, D, N)):
        return False
    if heads * programs(heads, D, N) < FEWEST:
        return False
    both = (False, True) if all_serve() else (False,)
    needed = max(_needed(numbers, heads, C, D, N, reverse) for reverse in both)
    return needed <= _memory() and _triton() is not None


def all_serve() -> bool:
    """Whether kernels that no GPU has run yet are wanted, too.

    Raises:
        UsageError: if the environment variable says something else than 0 or `ALL`.
    """
    wanted = os.environ.get(SWITCH, "")
    if wanted not in ("", "0", ALL):
        raise UsageError(f"{SWITCH}={wanted} in the environment: expected 0 or {ALL}.")
    return wanted == ALL


def _needed(numbers: Precision, heads: int, C: int, D: int, N: int, reverse: bool) -> int:
    """Bytes of shared memory that a program takes, at most."""
    D //= programs(heads, D, N, reverse)
    # A chunk's tokens, its keys with decays, its scores and its inverse, and a state, as they enter products.
    products = itemsize(numbers.inputs) * (C * (D + 2 * N) + C * N + 2 * C * C + D * N)
    if not reverse:
        return products
    tokens = itemsize(numbers.inputs) * C * (D + 2 * N)
    return products + tokens + itemsize(numbers.accumulate) * (C * D + D * N)


def programs(heads: int, D: int, N: int, reverse: bool = False) -> int:
    """Programs that share a head: as many as keep the GPU busy, or as its registers want, with `SIDES[0]` rows or more.

    It is one where not `all_serve`.

    Args:
        heads: heads and sequences.
        D: of states (D, N).
        N: of states (D, N).
        reverse: whether a program is one of the derivative.
    """
    cores = min(getattr(device, "core_count", CORES) for device in jax().local_devices())
    parts = 1
    while (
        all_serve()
        and D // (2 * parts) >= SIDES[0]
        and (2 * parts * heads <= cores or (reverse and D // parts * N > HELD))
    ):
        parts *= 2
    return parts


def products(numbers: Precision) -> Precision:
    """The precision with the algorithm of a kernel's products, and of those in their derivatives."""
    return dataclasses.replace(numbers, products=ALGORITHMS[numbers.inputs])


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
    """A program that is `kernel` where it is compiled for a GPU and `plain` elsewhere, which computes the same."""
    return lambda *trees: jax().lax.platform_dependent(*trees, cuda=kernel, default=plain)


class Rows(NamedTuple):
    """The axis of the rows of states in each array of a kernel; None where an array has none."""

    read: list[int | None]
    """Of what is read, in order of leaves: programs that share a head read the whole of an array without rows."""
    written: list[int | None]
    """Of what is written: what they write to an array without rows is added up."""


def run(
    step: Callable[..., Any],
    shared: Any,
    states: Any,
    blocks: Any,
    *,
    rows: Rows | None = None,
    reverse: bool = False,
    warps: int | None = None,
    interpret: bool = False,
) -> tuple[Any, Any]:
    """The states after the last block (B, …) and the outputs (B, n, …): `block_loop.each_block` in a kernel.

    Args:
        step: (shared, state, block) -> (state, outputs), of matrices, vectors and numbers.
        shared: a tree of arrays (B, …); may be None.
        states: a tree of arrays (B, …), the first of them (B, D, N); None for steps that have none.
        blocks: a tree of arrays (B, n, …).
        rows: what the `programs` of a head divide among them; None where a head has one program.
        reverse: whether the last block comes first.
        warps: of 32 threads each, for a program; None for what matrices of the tokens' sides want.
        interpret: whether Pallas' interpreter runs it, on any device.
    """
    from jax.experimental import pallas as pl

    j = jax()
    leaves, tree = j.tree.flatten((shared, states, blocks))
    body, results = program(step, shared, states, blocks, reverse=reverse)
    wanted, out = j.tree.flatten(results)
    heads, parts = leaves[0].shape[0], 1
    if rows is None:
        rows = Rows([None] * len(leaves), [None] * len(wanted))
    else:
        _, D, N = j.tree.leaves(states)[0].shape
        parts = programs(heads, D, N, reverse)

    def of_head(*refs: Any) -> None:
        body(tree.unflatten(refs[: len(leaves)]), *out.unflatten(refs[len(leaves) :]))

    given = [_part(a, axis, parts) for a, axis in zip(leaves, rows.read, strict=True)]
    first = len(leaves) - len(j.tree.leaves(blocks))
    written = [
        _shares(a, parts) if axis is None else (a, _part(a, axis, parts))
        for a, axis in zip(wanted, rows.written, strict=True)
    ]
    found = pl.pallas_call(
        of_head,
        grid=(heads, parts),
        in_specs=given,
        out_specs=[spec for _, spec in written],
        out_shape=[array for array, _ in written],
        compiler_params=_compiler(leaves, given, first, warps or (8 if reverse else None)),
        interpret=interpret,
        name=NAME,
    )(*leaves)
    return out.unflatten(
        [a.sum(axis=1) if axis is None else a for a, axis in zip(found, rows.written, strict=True)]
    )


def _part(array: Any, axis: int | None, parts: int) -> Any:
    """What a program has of an array (B, …): of its head all, or what lies at its place along an axis."""
    from jax.experimental import pallas as pl

    sides = [side // parts if at == axis else side for at, side in enumerate(array.shape)]

    def where(head: Any, place: Any) -> tuple[Any, ...]:
        return (head, *(place if at == axis else 0 for at in range(1, len(sides))))

    return pl.BlockSpec((None, *sides[1:]), where)


def _shares(array: Any, parts: int) -> tuple[Any, Any]:
    """An array (B, parts, …) of one (B, …) for each program of a head, and what a program has of it."""
    from jax.experimental import pallas as pl

    heads, *rest = array.shape
    zeros = (0,) * len(rest)
    spec = pl.BlockSpec((None, None, *rest), lambda head, place: (head, place, *zeros))
    return jax().ShapeDtypeStruct((heads, parts, *rest), array.dtype), spec


def _compiler(leaves: list[Any], specs: list[Any], first: int, warps: int | None) -> Any:
    """What Triton is told: how many warps a program has, and how many turns' tokens are on their way at once.

    The leaves from the `first` on are those of blocks, and the others stay.
    """
    sides = [spec.block_shape[1:] for spec in specs]
    numbers = [a.dtype.itemsize * math.prod(part) for a, part in zip(leaves, sides, strict=True)]
    a_turn = sum(numbers[first:]) // leaves[-1].shape[1]
    stages = min(STAGES, max(1, (_memory() - sum(numbers[:first])) // a_turn))
    widest = max((side for part in sides[first:] for side in part[1:]), default=1)
    return _triton().CompilerParams(num_warps=warps or (8 if widest > 64 else 4), num_stages=stages)


def program(
    step: Callable[..., Any], shared: Any, states: Any, blocks: Any, *, reverse: bool = False
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

    def write(refs: Any, values: Any, *at: Any) -> None:
        j.tree.map(lambda ref, value: ref.__setitem__(at or ..., value), refs, values)

    def body(inputs: Any, final: Any, written: Any) -> None:
        own, state, blocks = inputs
        own, state = j.tree.map(lambda ref: ref[...], (own, state))

        def turn(k: Any, state: Any) -> Any:
            k = j.numpy.subtract(n - 1, k) if reverse else k  # n may be a symbol
            state, outputs = step(own, state, j.tree.map(lambda ref: ref[k], blocks))
            write(written, outputs, k)
            return state

        write(final, j.lax.fori_loop(0, n, turn, state))

    return body, (like(state, B), like(out, B, n))
