"""The delta op's program is the recurrence of the delta rule, for every length and every chunk."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

from scanproof.constructs.forms import wy
from scanproof.constructs.forms.merged import scan_merged
from scanproof.constructs.layers import delta_rule
from scanproof.proofs.doors.program import program
from scanproof.proofs.language.statements import Statement, equal

from .chunked import CUT
from .source import (
    READ,
    SMALL,
    agree,
    as_given,
    derived_in_memory,
    flat,
    in_memory,
    lanes,
    pulled_back,
)

GIVEN = {"v": "n C D", "k": "n C N", "q": "n C N", "beta": "n C", "S0": "D N"}


@lanes.claim(
    "lanes.jax.delta.chunks",
    says=(
        "delta head by head and in blocks of one chunk, whose system is inverted, is the recurrence of the delta rule "
        "over n·C tokens of one head"
    ),
    given=GIVEN,
    sizes=SMALL,
    reading=READ + CUT,
)
def by_inverses(v, k, q, beta, S0):
    """The delta op chunk after chunk, against the recurrence."""
    return in_blocks(lambda n: 1, True, v, k, q, beta, S0)


@lanes.claim(
    "lanes.jax.delta.block",
    says=(
        "delta head by head as on a CPU, on one block of n chunks whose systems are inverted together, is the "
        "recurrence of the delta rule over its n·C tokens"
    ),
    given=GIVEN,
    sizes=SMALL,
    reading=READ
    + CUT
    + " Blocks follow one another, each from the state that the one before it leaves.",
)
def by_a_block(v, k, q, beta, S0):
    """One block of the delta op, against the recurrence."""
    return in_blocks(lambda n: n, True, v, k, q, beta, S0)


@lanes.claim(
    "lanes.jax.delta.one-block",
    says=(
        "delta with all heads at once and all chunks in one block as on a GPU is the recurrence of the delta rule over "
        "n·C tokens of one head"
    ),
    given=GIVEN,
    sizes=SMALL,
    reading=READ + CUT,
)
def in_one_block(v, k, q, beta, S0):
    """The delta op with all chunks in one block, against the recurrence."""
    return in_blocks(lambda n: n, False, v, k, q, beta, S0)


def in_blocks(
    chunks: Callable[[Any], Any],
    head_by_head: bool,
    v: Any,
    k: Any,
    q: Any,
    beta: Any,
    S0: Any,
    layer: str = "delta",
) -> Iterator[Statement]:
    """Outputs and final state under a plan with that many chunks of n a block are the recurrence's."""
    from ..ops.delta import LAYERS

    def op(v: Any, k: Any, q: Any, beta: Any, S0: Any) -> Any:
        from ..ops.chunked import Plan
        from ..ops.delta import run
        from ..precision import FLOAT64

        n, C = k.shape[:2]
        tokens = delta_rule.Token(*map(flat, (k, v, q, beta)))
        outputs, state = run(LAYERS[layer], tokens, S0, Plan(C, chunks(n), head_by_head), FLOAT64)
        return as_given(outputs, v), state

    tokens = delta_rule.Token(k, v, q, beta)
    wanted = scan_merged(LAYERS[layer].step, None, S0, tokens)
    return agree(program(op)(v, k, q, beta, S0), wanted)


@lanes.claim(
    "lanes.jax.delta.kernel",
    says=(
        "what the GPU kernel of delta does for a head, given the inverses of the chunks' systems, is the recurrence of "
        "the delta rule over its n·C tokens, whatever is in the memory before it is written"
    ),
    given={**GIVEN, "final": "D N", "written": "n C D"},
    sizes=SMALL,
    reading=READ
    + " The kernel is read as its program over references to memory, before Triton compiles it.",
)
def in_kernel(v, k, q, beta, S0, final, written):
    """A head's program in the kernel of the delta op, against the recurrence."""

    def op(v: Any, k: Any, q: Any, beta: Any, S0: Any, *memory: Any) -> Any:
        from ..ops.delta import _coefficients, _one_chunk, _solved
        from ..precision import FLOAT64

        chunks = delta_rule.Token(k, v, q, beta)
        given = chunks, _solved(_coefficients(FLOAT64, chunks))
        state, outputs = in_memory(functools.partial(_one_chunk, FLOAT64), S0, given, memory)
        return outputs, state

    wanted = scan_merged(delta_rule.step, None, S0, delta_rule.Token(k, v, q, beta))
    return agree(program(op)(v, k, q, beta, S0, final, written), wanted)


@lanes.claim(
    "lanes.jax.delta.kernel-derivative",
    says=(
        "the GPU kernels of delta, one that keeps the states before the chunks and one that goes back from the last "
        "chunk, leave the derivative of a scan over a head's n chunks by the same step, as JAX derives it in reverse "
        "mode, by the inverses of the chunks' systems too"
    ),
    given={
        **{**GIVEN, "X": "n C C", "dy": "n C D", "dS": "D N", "final": "D N", "written": "n C D"},
        **{"states": "n D N", "first": "D N", "left_k": "n C N", "left_v": "n C D"},
        **{"left_q": "n C N", "left_beta": "n C", "left_X": "n C C"},
    },
    sizes={"n": (1, 2), "C": (1, 2), "D": (1,), "N": (1,)},
    reading=READ + " That the scan is the recurrence is `lanes.jax.delta.kernel`.",
)
def derivative(
    v,
    k,
    q,
    beta,
    S0,
    X,
    dy,
    dS,
    final,
    written,
    states,
    first,
    left_k,
    left_v,
    left_q,
    left_beta,
    left_X,
):
    """What the kernels of the derivative leave, against `jax.vjp` of a scan by the step."""

    def step() -> Any:
        from ..ops.delta import _one_chunk
        from ..precision import FLOAT64

        return functools.partial(_one_chunk, FLOAT64)

    def op(S0: Any, dy: Any, dS: Any, *arrays: Any) -> Any:
        chunks, memory = (delta_rule.Token(*arrays[:4]), arrays[4]), arrays[5:]
        left = memory[3], list(memory[4:])
        return derived_in_memory(step(), S0, chunks, (dS, dy), (memory[:3], left))

    def scanned(S0: Any, dy: Any, dS: Any, *arrays: Any) -> Any:
        def run(S0: Any, *arrays: Any) -> Any:
            from jax.lax import scan

            return scan(
                functools.partial(step(), None), S0, (delta_rule.Token(*arrays[:4]), arrays[4])
            )

        return pulled_back(run, S0, arrays, (dS, dy))

    given = S0, dy, dS, k, v, q, beta, X
    memory = final, written, states, first, left_k, left_v, left_q, left_beta, left_X
    for one, other in zip(program(op)(*given, *memory), program(scanned)(*given), strict=True):
        yield equal(one, other)


@lanes.claim(
    "lanes.jax.delta.inverse",
    says=(
        "what the kernel that inverts a chunk's system computes, line after line, of its coefficients L is forward "
        "substitution of the identity, X with (I + L) X = I"
    ),
    given={"L": "C C"},
    sizes={"C": (1, 2, 3)},
    reading=READ + " L is what is below the diagonal.",
)
def by_lines(L, xp, C):
    """`substituted` against forward substitution of the identity."""

    def op(L: Any) -> Any:
        from jax.numpy import tril

        from ..ops.delta import substituted

        return substituted(tril(L, -1))

    strict, identity, found = xp.tril(L) - L * xp.eye(C), xp.eye(C), program(op)(L)
    yield equal(found, wy.forward_substitution(strict, identity))
    yield equal((identity + strict) @ found, identity)


@lanes.claim(
    "lanes.jax.delta.longhorn",
    says=(
        "longhorn, which is delta with the strengths β_t / (1 + β_t ‖k_t‖²), head by head and in blocks of one chunk, "
        "is the recurrence of its own step over n·C tokens of one head"
    ),
    given=GIVEN,
    sizes=SMALL,
    reading=READ + CUT,
)
def longhorn(v, k, q, beta, S0):
    """The Longhorn op chunk after chunk, against the recurrence of its step."""
    return in_blocks(lambda n: 1, True, v, k, q, beta, S0, layer="longhorn")
