"""The source that the rows of this folder speak of, and the shapes that they share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from scanproof.constructs.arrays.scan import Scan, leaves
from scanproof.proofs.language.source import Source
from scanproof.proofs.language.statements import Statement, equal

lanes = Source("lanes.jax", "The programs that the lanes of scanproof hand to JAX", own=True)

READ = (
    "The program is traced by JAX with symbols for sizes and read in exact real arithmetic; rounding is bounded "
    "elsewhere."
)
SMALL = {"n": (1, 2), "C": (1, 2), "D": (1, 2), "N": (1,)}
"""Where rows are run with numbers before they are proved."""


def agree(found: tuple[Any, Any], wanted: Scan) -> Iterator[Statement]:
    """The outputs and the final state that a program returns are those of a recurrence."""
    for label, one, other in zip(
        ("outputs", "final state"), found, (wanted.outputs, wanted.final_state), strict=True
    ):
        for a, b in zip(leaves(one), leaves(other), strict=True):
            yield equal(a, b, label=label)


def flat(array: Any) -> Any:
    """n chunks of C as n·C tokens."""
    return array.reshape(array.shape[0] * array.shape[1], *array.shape[2:])


def as_given(array: Any, like: Any) -> Any:
    """n·C tokens as n chunks of C."""
    return array.reshape(*like.shape[:2], *array.shape[1:])


def longer(array: Any, rest: Any) -> Any:
    """n chunks of C tokens and r more as n·C + r tokens."""
    from jax.numpy import concatenate

    return concatenate([flat(array), rest])


def in_memory(
    step: Any, state: Any, blocks: Any, memory: tuple[Any, Any], *, reverse: bool = False
) -> tuple[Any, Any]:
    """The final state and the outputs that `ops.kernel.program` leaves in memory, of what was there before."""
    from jax import tree
    from jax.experimental.pallas import run_state

    from ..ops.kernel import program

    of_one_head = tree.map(lambda array: array[None], (state, blocks))
    head, _ = program(step, None, *of_one_head, reverse=reverse)
    left = run_state(lambda refs: head(refs[0], *refs[1:]))(((None, state, blocks), *memory))
    return left[1:]


def derived_in_memory(
    step: Any, state: Any, blocks: Any, cotangents: tuple[Any, Any], memory: tuple[Any, Any]
) -> tuple[Any, ...]:
    """The cotangents of the state and of the blocks' arrays that two kernels leave in memory, forward and backward.

    Args:
        step: without what all blocks share.
        state: the state before the first block.
        blocks: arrays of real numbers.
        cotangents: those of the final state and of the outputs.
        memory: what is in memory before: a final state, outputs and states for the kernel forward, and for the one
            backward a state and a list of arrays as those of the blocks.
    """
    from ..ops.block_loop import keeping, pulled

    (final, *kept), (first, left) = memory
    _, (_, before) = in_memory(keeping(step), state, blocks, (final, tuple(kept)))
    given, starts = (blocks, before, cotangents[1]), (cotangents[0], None)
    (found, _), real = in_memory(pulled(step), starts, given, ((first, None), left), reverse=True)
    return found, *real


def pulled_back(
    run: Any, state: Any, arrays: tuple[Any, ...], cotangents: tuple[Any, Any]
) -> tuple[Any, ...]:
    """The cotangents of the state and the arrays, as JAX derives `run`: (state, arrays) -> (final state, outputs)."""
    from jax import vjp

    _, pull = vjp(run, state, *arrays)
    return pull(cotangents)
