"""The chunked op: masked matrix products within a chunk, a state between chunks.

The layer is `ssd.step`, H_t = a_t H_{t−1} + v_t ⊗ k_t, y_t = H_t q_t; with a_t = 1 it is linear attention and the GRIL
block with A = 1. `constructs.forms.chunked` has the same evaluation as a definition with decays; this program takes
their logarithms, and sums those of a chunk before it takes one `exp`. The last T mod C tokens run through `ssd.step`.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

from scanproof.constructs.arrays.scan import Scan
from scanproof.constructs.layers import ssd

from ..jax_backend import jax, platform
from ..precision import Precision, matmul
from ..precision import precision as precision_of
from . import decay, kernel
from .block_loop import each_block
from .gates import PER_TOKEN, SCALAR, UNIT
from .inputs import LinearTokens, itemsize, linear_tokens, positive, symbolic
from .recurrent import chunks_then_rest, one_axis, token_by_token


def chunked(
    v: Any,
    k: Any,
    q: Any,
    *,
    log_decay: Any = None,
    reset: Any = None,
    initial_state: Any = None,
    chunk: int | None = None,
    precision: Any = "float32",
) -> Scan:
    """H_t = a_t H_{t−1} + v_t ⊗ k_t, y_t = H_t q_t for all tokens, by matrix products over chunks of C tokens.

    Differentiable in reverse mode (`jax.grad`, `jax.vjp`); the backward pass keeps one state per chunk and computes the
    rest again.

    Args:
        v: values, shape (…, T, D), T ≥ 1. The leading axes are heads and sequences, any number of them.
        k: keys, shape (…, T, N).
        q: queries, shape (…, T, N).
        log_decay: log a_t. None: a_t = 1. () or (…, 1): the same for all tokens. (…, T): one for each token. Where
            exp(log_decay) is 0 in the accumulation dtype (or would be subnormal), the state is dropped.
        reset: bool, broadcasts to (…, T): True where a_t = 0; log_decay does not matter there.
        initial_state: H_0, shape (…, D, N) or (D, N); zeros if None.
        chunk: C, or None for that of `plan`.
        precision: "float64", "float32", "bfloat16" or a `Precision`.

    Returns:
        `outputs` (…, T, D) and `final_state` (…, D, N), both in the accumulation dtype; `states` is None.

    Raises:
        UsageError: if JAX is missing, or an argument has a wrong shape, dtype or value, or does not fit in memory.
    """
    numbers = precision_of(precision)
    chunk = None if chunk is None else positive("chunked", "chunk", chunk)
    needed = functools.partial(_needed, chunk, numbers)
    tokens = linear_tokens(
        "chunked", numbers, v, k, q, log_decay, reset, initial_state, needed=needed
    )
    served = numbers if kernel.on_one_device(v, k, q) else None
    cut = plan(*tokens.sizes, math.prod(tokens.batch), platform(), chunk, numbers=served)
    outputs, final_state = _program()(tokens, cut, numbers)
    return Scan(None, outputs, final_state)


CACHE = 3 * 2**16
"""Numbers of tokens, scores and states that a block on a CPU may have."""


class Plan(NamedTuple):
    """How the work is cut."""

    chunk: int
    """C: tokens a chunk."""
    chunks: int
    """G: chunks a block. The products of a block are batched over its chunks; blocks follow one another."""
    head_by_head: bool
    """Whether heads and sequences follow one another too, or are batched."""
    in_kernel: bool = False
    """Whether all of it is one GPU kernel, chunk after chunk, with the state in its registers."""


def plan(
    T: int,
    D: int,
    N: int,
    heads: int,
    where: str,
    chunk: int | None = None,
    at_once: int = 8,
    numbers: Precision | None = None,
) -> Plan:
    """The cut for T tokens of `heads` heads with states of D × N on a `cpu`, `gpu` or `tpu`.

    A chunk costs C (D + N) multiplications a token within itself, and D N / C numbers of state traffic, so C near
    (D N)^½ balances the two; a core's cache or matrix unit wants 32 ≤ C ≤ 64 at all widths that were measured.

    - On a CPU blocks of a few chunks, `at_once` at most, make the batched products large enough for the matrix library
      and still stay in the cache; a loop over heads avoids the transposition of all tokens that batched heads cost.
    - Elsewhere a kernel's start costs more than a chunk's work: one block, all heads at once. Only the addition of the
      states runs chunk after chunk.
    - On a GPU, with sizes and `numbers` that `kernel.serves`, one kernel; in float32 its registers want C = 32.
    """
    C = chunk or chunk_size(T, D, N, where)
    n = T // C
    if any(
        map(symbolic, (T, D, N, C, heads))
    ):  # traced with symbols for sizes, where nothing is decided
        return Plan(C, 1, True) if where == "cpu" else Plan(C, n, False)
    if where == "gpu" and numbers is not None:
        size = chunk or (32 if numbers.inputs == "float32" else C)
        if kernel.serves(numbers, heads, size, D, N):
            return Plan(size, 1, False, in_kernel=True)
    if where != "cpu":
        return Plan(C, max(n, 1), False)
    most = max(1, min(n, at_once, CACHE // (2 * C * (D + N) + C * C + 2 * D * N)))
    G = max(g for g in range(1, most + 1) if n % g == 0 or n == 0)
    return Plan(C, G, True)


def chunk_size(T: int, D: int, N: int, where: str) -> int:
    """C: 64, or 32 on a CPU if the state is at most 64 × 64; see `plan`."""
    return 32 if where == "cpu" and D * N <= 64 * 64 else 64


def _needed(chunk: int | None, numbers: Precision, heads: int, T: int, D: int, N: int) -> int:
    """Bytes of outputs and work space."""
    C, G, head_by_head, in_kernel = plan(T, D, N, heads, platform(), chunk, numbers=numbers)
    width = itemsize(numbers.accumulate) + itemsize(numbers.inputs)
    scores = G * C * C if C <= T else 0  # a chunk longer than the sequence is never run
    block = 0 if in_kernel else scores + (G + 1) * D * N  # as they come and as they are read
    joined = 2 if T % C and T > C else 1
    outputs = heads * (T + 2 * N) * D * itemsize(numbers.accumulate)  # with two states a head
    return joined * outputs + (1 if head_by_head else heads) * block * width


@functools.cache
def _program() -> Callable[..., Any]:
    """The compiled op; JAX keeps one program for each plan, precision, and set of shapes."""
    return jax("chunked").jit(run, static_argnums=(1, 2))


def run(tokens: LinearTokens, plan: Plan, numbers: Precision) -> tuple[Any, Any]:
    """(outputs, final state) of checked tokens, for use inside a program."""
    j = jax("chunked")
    gate, shapes = _kind(tokens), (tokens.v.shape, tokens.initial_state.shape)
    tokens = _one_decay_a_token(tokens)
    tokens = LinearTokens._make(map(one_axis, tokens, (2, 2, 2, 1, 1, 2)))
    state, outputs = chunks_then_rest(
        tokens.sizes[0],
        plan.chunk,
        tokens.initial_state,
        functools.partial(_core, j, gate, tokens, plan, numbers),
        functools.partial(_rest, j, gate, tokens, numbers),
        axis=1,
    )
    return outputs.reshape(shapes[0]), state.reshape(shapes[1])


def _kind(tokens: LinearTokens) -> str:
    if tokens.log_decay is None and tokens.reset is None:
        return UNIT
    constant = tokens.log_decay is not None and (
        tokens.log_decay.ndim == 0 or (tokens.log_decay.shape[-1] == 1 < tokens.sizes[0])
    )
    return SCALAR if constant and tokens.reset is None else PER_TOKEN


def _one_decay_a_token(tokens: LinearTokens) -> LinearTokens:
    """The same tokens with a log-decay of shape (…, T), or (…, 1) if the gate is a scalar."""
    jnp = jax().numpy
    kind = _kind(tokens)
    if kind == UNIT:
        return tokens
    log_decay = tokens.log_decay
    if log_decay is None:
        log_decay = jnp.zeros((), tokens.initial_state.dtype)
    last = 1 if kind == SCALAR else tokens.sizes[0]
    return tokens._replace(log_decay=jnp.broadcast_to(log_decay, (*tokens.batch, last)))


def _core(
    j: Any, kind: str, tokens: LinearTokens, plan: Plan, numbers: Precision, states: Any, count: Any
) -> tuple[Any, Any]:
    """The final states (B, D, N) and the outputs (B, n·C, D) of the first n·C = `count` tokens."""
    C, G, head_by_head, in_kernel = plan
    n = tokens.sizes[0] // C
    cut = (n, C) if in_kernel else (n // G, G, C)
    numbers = kernel.products(numbers) if in_kernel else numbers

    def blocks(array: Any) -> Any:
        return array[:, : n * C].reshape(array.shape[0], *cut, *array.shape[2:])

    scalar = sums = edges = None
    if kind == SCALAR:
        log_decay = tokens.log_decay[:, 0] if in_kernel else tokens.log_decay
        scalar = decay.of_scalar(log_decay, C, numbers)
    elif kind == PER_TOKEN:
        reset = None if tokens.reset is None else blocks(tokens.reset)
        sums = decay.running(blocks(tokens.log_decay), reset, numbers)
        edges = decay.edges(sums) if in_kernel else None  # which picks places, as a kernel cannot

    step = functools.partial(_step, numbers)
    arrays = (*map(blocks, (tokens.v, tokens.k, tokens.q)), sums, edges)
    state, outputs = each_block(
        step,
        scalar,
        states,
        arrays,
        head_by_head=head_by_head,
        in_kernel=in_kernel,
        values=lambda arrays: arrays[0],
    )
    return state, outputs.reshape(outputs.shape[0], n * C, -1)


def _step(numbers: Precision, scalar: Any, state: Any, block: Any) -> tuple[Any, Any]:
    v, k, q, sums, edges = block
    if sums is None:
        return block_step(numbers, state, v, k, q, scalar)
    edges = decay.edges(sums) if edges is None else edges
    return block_step(numbers, state, v, k, q, decay.ChunkDecays(decay.within(sums), *edges))


def block_step(
    numbers: Precision, state: Any, v: Any, k: Any, q: Any, factors: decay.ChunkDecays | None
) -> tuple[Any, Any]:
    """A block of G chunks at once: the state after it, and its outputs (G, C, D). Or one chunk, without the axis G.

    Each chunk is `constructs.forms.chunked.step`, in an order that batches the products over the chunks: what each
    chunk writes, then the states between the chunks, then what each reads.

    Args:
        numbers: the precision of the products.
        state: the state before the block, (D, N).
        v: (G, C, D).
        k: (G, C, N).
        q: (G, C, N).
        factors: the decays, each with a leading axis G or 1; None if they are 1.
    """
    j = jax()
    scores = matmul(numbers, q, k, (-1, -1))
    if factors is None:
        written = matmul(numbers, v, k, (-2, -2))
        weights = j.numpy.tril(scores)
        state, before = _between_chunks(j, numbers, state, written, None)
        return state, matmul(numbers, weights, v) + matmul(numbers, q, before, (-1, -1))
    written = matmul(numbers, v, factors.to_end[..., None] * k, (-2, -2))
    whole = j.numpy.broadcast_to(factors.whole, written.shape[:-2])
    state, before = _between_chunks(j, numbers, state, written, whole)
    read = factors.from_start[..., None] * matmul(numbers, q, before, (-1, -1))
    return state, matmul(numbers, factors.within * scores, v) + read


def _between_chunks(
    j: Any, numbers: Precision, state: Any, written: Any, whole: Any
) -> tuple[Any, Any]:
    """The state after the last chunk, and those before each chunk, rounded for the product that reads them."""

    def body(state: Any, chunk: Any) -> tuple[Any, Any]:
        written, whole = chunk
        after = state + written if whole is None else whole * state + written
        return after, state.astype(numbers.inputs)

    if written.ndim == 2:
        return body(state, (written, whole))
    return j.lax.scan(body, state, (written, whole), unroll=unrolled(written.shape[0]))


def unrolled(chunks: Any) -> int:
    """How many chunks of a block one round of the loop over its states takes."""
    return 8 if symbolic(chunks) else min(8, chunks)


def _rest(
    j: Any, kind: str, tokens: LinearTokens, numbers: Precision, states: Any, core: Any
) -> tuple[Any, Any]:
    """The final states and the outputs of the tokens after the first `core`: `ssd.step`, one after the other."""
    jnp = j.numpy
    v, k, q = (a[:, core:].astype(numbers.accumulate) for a in tokens[:3])
    if kind == UNIT:
        a = jnp.ones(v.shape[:2], v.dtype)
    else:
        reset = None if tokens.reset is None else tokens.reset[:, core:]
        log_decay = tokens.log_decay if kind == SCALAR else tokens.log_decay[:, core:]
        a = jnp.broadcast_to(decay.decays(log_decay, reset, numbers), v.shape[:2])
    return token_by_token(ssd.step, states, ssd.Token(v, a, k, q))
