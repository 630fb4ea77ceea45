"""The chunked op's program is the recurrence, for every length, every chunk and every way to cut the work."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from scanproof.constructs.arrays.scan import Scan, scan
from scanproof.constructs.forms import chunked as form
from scanproof.constructs.forms.merged import scan_merged
from scanproof.constructs.layers import linear_attention, ssd
from scanproof.proofs.doors.program import program
from scanproof.proofs.language.statements import equal

from .source import (
    READ,
    SMALL,
    agree,
    as_given,
    derived_in_memory,
    flat,
    in_memory,
    lanes,
    longer,
    pulled_back,
)

TOKENS = {"z": "n C D", "b": "n C N", "c": "n C N", "H0": "D N"}
CUT = (
    " The plan is given; which of them runs is decided by `plan`, from sizes and device, and changes nothing of what "
    "is computed."
)


def core(chunk: Any, chunks: Any, head_by_head: bool) -> Callable[..., Any]:
    """`chunked.run` on checked tokens under one plan."""
    from ..ops.chunked import Plan, run
    from ..ops.inputs import LinearTokens
    from ..precision import FLOAT64

    def op(z: Any, b: Any, c: Any, H0: Any) -> tuple[Any, Any]:
        tokens = LinearTokens(z, b, c, None, None, H0)
        return run(tokens, Plan(chunk, chunks, head_by_head), FLOAT64)

    return op


def recurrence(z: Any, b: Any, c: Any, H0: Any) -> Scan:
    """Linear attention, token by token."""
    return scan_merged(linear_attention.step, None, H0, linear_attention.Token(c, b, z))


@lanes.claim(
    "lanes.jax.chunked.linear-attention",
    says=(
        "chunked with decay 1, head by head and chunk after chunk as on a CPU, is the recurrence over n·C tokens of "
        "one head"
    ),
    given=TOKENS,
    sizes=SMALL,
    reading=READ + CUT,
)
def in_place(z, b, c, H0):
    """The chunked op on a CPU, chunk by chunk, against the recurrence."""

    def op(z: Any, b: Any, c: Any, H0: Any) -> Any:
        outputs, state = core(z.shape[1], 1, True)(flat(z), flat(b), flat(c), H0)
        return as_given(outputs, z), state

    return agree(program(op)(z, b, c, H0), recurrence(z, b, c, H0))


@lanes.claim(
    "lanes.jax.chunked.blocks",
    says=(
        "chunked with decay 1, head by head and in blocks of G chunks as on a CPU, is the recurrence over m·G·C tokens "
        "of one head"
    ),
    given={"z": "m G C D", "b": "m G C N", "c": "m G C N", "H0": "D N"},
    sizes={"m": (1, 2), "G": (1, 2), "C": (1, 2), "D": (1,), "N": (1,)},
    reading=READ + CUT + " The recurrence goes through block after block.",
)
def by_blocks(z, b, c, H0):
    """The chunked op, block after block of G chunks, against the recurrence."""

    def op(z: Any, b: Any, c: Any, H0: Any) -> Any:
        m, G, C, _ = z.shape
        outputs, state = core(C, G, True)(*(flat(flat(a)) for a in (z, b, c)), H0)
        return outputs.reshape(m, G, C, -1), state

    def block(parameters: None, state: Any, tokens: linear_attention.Token) -> tuple[Any, Any]:
        run = scan_merged(linear_attention.step, parameters, state, tokens)
        return run.final_state, run.outputs

    wanted = scan(block, None, H0, linear_attention.Token(c, b, z))
    return agree(program(op)(z, b, c, H0), wanted)


@lanes.claim(
    "lanes.jax.chunked.one-block",
    says=(
        "chunked with decay 1, all chunks in one block as on a GPU, is the recurrence over n·C tokens of each of B "
        "heads"
    ),
    given={"z": "B n C D", "b": "B n C N", "c": "B n C N", "H0": "B D N"},
    sizes={"B": (1, 2), "n": (1, 2), "C": (1, 2), "D": (1,), "N": (1,)},
    reading=READ + CUT,
)
def at_once(z, b, c, H0, B):
    """The chunked op with all chunks of B heads in one block, against the recurrence."""

    def op(z: Any, b: Any, c: Any, H0: Any) -> Any:
        B, n, C, D = z.shape
        tokens = (a.reshape(B, n * C, a.shape[-1]) for a in (z, b, c))
        outputs, state = core(C, n, False)(*tokens, H0)
        return outputs.reshape(B, n, C, D), state

    outputs, state = program(op)(z, b, c, H0)
    return agree((outputs[B - 1], state[B - 1]), recurrence(*(a[B - 1] for a in (z, b, c, H0))))


@lanes.claim(
    "lanes.jax.chunked.remainder",
    says=(
        "chunked with decay 1 over n·C + r tokens, 1 ≤ r < C, is the recurrence over n·C tokens and then over r more, "
        "cut as on a CPU or as on a GPU; and over r tokens alone the recurrence over them"
    ),
    given={
        **{"z": "n r+s D", "b": "n r+s N", "c": "n r+s N", "H0": "D N"},
        **{"last_z": "r D", "last_b": "r N", "last_c": "r N"},
    },
    sizes={"n": (1, 2), "r": (1, 2), "s": (1,), "D": (1,), "N": (1,)},
    reading=READ + CUT + " C is r + s, with s ≥ 1.",
)
def remainder(z, b, c, H0, last_z, last_b, last_c):
    """The chunked op on a length that is not a multiple of the chunk, against the recurrence."""

    def op(head_by_head: bool) -> Callable[..., Any]:
        def run(z: Any, b: Any, c: Any, H0: Any, *last: Any) -> Any:
            n, C = z.shape[:2]
            cut = core(C, 1 if head_by_head else n, head_by_head)
            outputs, state = cut(*map(longer, (z, b, c), last), H0)
            return as_given(outputs[: n * C], z), outputs[n * C :], state, *cut(*last, H0)

        return run

    tokens = linear_attention.Token(c, b, z)
    last = linear_attention.Token(last_c, last_b, last_z)
    first = scan_merged(linear_attention.step, None, H0, tokens)
    then = scan(linear_attention.step, None, first.final_state, last)
    alone = scan(linear_attention.step, None, H0, last)
    wanted = first.outputs, then.outputs, then.final_state, alone.outputs, alone.final_state
    for head_by_head in (True, False):
        found = program(op(head_by_head))(z, b, c, H0, last_z, last_b, last_c)
        for one, other in zip(found, wanted, strict=True):
            yield equal(one, other)


@lanes.claim(
    "lanes.jax.chunked.block-step",
    says=(
        "block_step, the products of G chunks at once with the states between them, is the recurrence with decays over "
        "G·C tokens, given the chunks' products of decays"
    ),
    given={"z": "n C D", "a": "n C", "b": "n C N", "c": "n C N", "H0": "D N"},
    sizes=SMALL,
    reading=READ
    + " The products are those of the definitions: a_t ⋯ a_{s+1}, a_1 ⋯ a_t, a_C ⋯ a_{s+1}, a_1 ⋯ a_C.",
)
def with_decays(z, a, b, c, H0, xp, n):
    """`block_step` with products of decays given, against the recurrence with decays."""
    from scanproof.constructs.arrays.ranges import build, product

    def op(z: Any, b: Any, c: Any, H0: Any, *factors: Any) -> Any:
        from ..ops.chunked import block_step
        from ..ops.decay import ChunkDecays
        from ..precision import FLOAT64

        state, outputs = block_step(FLOAT64, H0, z, b, c, ChunkDecays(*factors))
        return outputs, state

    factors = (
        build(xp, n, lambda s: ssd.decay_mask(a[s]).T),
        build(xp, n, lambda s: form.decays_from_start(a[s])),
        build(xp, n, lambda s: ssd.decay_mask(a[s])[:, -1]),
        build(xp, n, lambda s: product(a[s])),
    )
    wanted = scan_merged(ssd.step, None, H0, ssd.Token(z, a, b, c))
    return agree(program(op)(z, b, c, H0, *factors), wanted)


@lanes.claim(
    "lanes.jax.chunked.kernel",
    says=(
        "what the GPU kernel of chunked with decay 1 does for a head is the recurrence over its n·C tokens, whatever "
        "is in the memory before it is written"
    ),
    given={**TOKENS, "final": "D N", "written": "n C D"},
    sizes=SMALL,
    reading=READ
    + " The kernel is read as its program over references to memory, before Triton compiles it.",
)
def in_kernel(z, b, c, H0, final, written):
    """A head's program in the kernel of the chunked op, against the recurrence."""

    def op(z: Any, b: Any, c: Any, H0: Any, *memory: Any) -> Any:
        state, outputs = in_memory(kernel_step(), H0, (z, b, c, None, None), memory)
        return outputs, state

    return agree(program(op)(z, b, c, H0, final, written), recurrence(z, b, c, H0))


@lanes.claim(
    "lanes.jax.chunked.kernel-rows",
    says=(
        "a program of the GPU kernel of chunked with decay 1 that has the first D of the D + E rows of a head's state "
        "leaves the first D columns of the outputs, and D rows of the final state, of the recurrence"
    ),
    given={**TOKENS, "z": "n C D+E", "H0": "D+E N", "final": "D N", "written": "n C D"},
    sizes={"n": (1, 2), "C": (1, 2), "D": (1,), "E": (1,), "N": (1,)},
    reading=READ + " The rows of a program may be called the first: they may stand in any order.",
)
def some_rows(z, b, c, H0, final, written, D):
    """The program of some rows of a head's state, against the recurrence of all of them."""

    def op(z: Any, b: Any, c: Any, H0: Any, *memory: Any) -> Any:
        D = memory[0].shape[0]
        blocks = z[..., :D], b, c, None, None
        state, outputs = in_memory(kernel_step(), H0[:D], blocks, memory)
        return outputs, state

    wanted = recurrence(z, b, c, H0)
    outputs, state = program(op)(z, b, c, H0, final, written)
    yield equal(outputs, wanted.outputs[..., :D])
    yield equal(state, wanted.final_state[:D])


@lanes.claim(
    "lanes.jax.chunked.kernel-derivative",
    says=(
        "the GPU kernels of chunked with decay 1, one that keeps the states before the chunks and one that goes back "
        "from the last chunk, leave the derivative of the recurrence over a head's n·C tokens, as JAX derives it in "
        "reverse mode, whatever is in the memory before it is written"
    ),
    given={
        **TOKENS,
        **{"dy": "n C D", "dH": "D N", "final": "D N", "written": "n C D", "states": "n D N"},
        **{"first": "D N", "left_z": "n C D", "left_b": "n C N", "left_c": "n C N"},
    },
    sizes={"n": (1, 2), "C": (1, 2), "D": (1,), "N": (1,)},
    reading=READ + " The recurrence runs as scans over chunks and over the tokens of each.",
)
def derivative(z, b, c, H0, dy, dH, final, written, states, first, left_z, left_b, left_c):
    """What the kernels of the derivative leave, against `jax.vjp` of the recurrence."""

    def op(z: Any, b: Any, c: Any, H0: Any, dy: Any, dH: Any, *memory: Any) -> Any:
        blocks, kept = (z, b, c, None, None), memory[:3]
        left = memory[3], list(memory[4:])
        return derived_in_memory(kernel_step(), H0, blocks, (dH, dy), (kept, left))

    def recurrent(z: Any, b: Any, c: Any, H0: Any, dy: Any, dH: Any) -> Any:
        from jax.lax import scan

        def token(H: Any, given: Any) -> Any:
            return linear_attention.step(None, H, linear_attention.Token(*given))

        def chunk(H: Any, given: Any) -> Any:
            return scan(token, H, given)

        def run(H0: Any, z: Any, b: Any, c: Any) -> Any:
            return scan(chunk, H0, (c, b, z))

        return pulled_back(run, H0, (z, b, c), (dH, dy))

    given = z, b, c, H0, dy, dH
    found = program(op)(*given, final, written, states, first, left_z, left_b, left_c)
    for one, other in zip(found, program(recurrent)(*given), strict=True):
        yield equal(one, other)


def kernel_step() -> Any:
    """The step of the kernels with decay 1."""
    from ..ops.chunked import _step
    from ..precision import FLOAT64

    return functools.partial(_step, FLOAT64)


lanes.unchecked(
    "lanes.jax.chunked.decays",
    says="the factors that chunked makes of log-decays and resets are the products of the decays of a chunk",
    missing=(
        "a decay that underflows is told by a comparison of real numbers, and exp of a difference of running sums is "
        "not read as the product of the decays between; given the products, `lanes.jax.chunked.block-step` is the rest"
    ),
)
