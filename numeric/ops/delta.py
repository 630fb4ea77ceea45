"""The delta op: the delta rule and Longhorn by matrix products over chunks (WY form, DeltaNet, arXiv 2406.06484).

The layer is `delta_rule.step`, S_t = S_{t−1} + β_t (v_t − S_{t−1} k_t) k_tᵀ, o_t = S_t q_t. `constructs.forms.wy` has
the form as definitions, and its two matrices are taken from there; the triangular systems, which do not depend on the
state, are inverted for all chunks of a block at once. Once the vectors u_t that the tokens write are known, the rest is
linear attention, S_t = S_{t−1} + u_t k_tᵀ. The last T mod C tokens run through the layer's own step.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from scanproof.constructs.arrays.scan import Scan
from scanproof.constructs.errors import UsageError
from scanproof.constructs.forms import wy
from scanproof.constructs.layers import delta_rule
from scanproof.constructs.layers import longhorn as longhorn_layer

from ..jax_arrays import in_precision
from ..jax_backend import jax, platform, traced
from ..precision import Precision, matmul
from ..precision import precision as precision_of
from . import kernel
from .block_loop import each_block
from .chunked import Plan, plan, unrolled
from .inputs import broadcasts, itemsize, linear_tokens, positive, real
from .recurrent import chunks_then_rest, one_axis, token_by_token

AT_ONCE = 4
"""Chunks a block on a CPU, at most: their systems and inverses stay in the cache."""
KERNEL_CHUNK = 16
"""C of GPU kernels."""


class _Layer(NamedTuple):
    """A layer that is a delta rule with strengths of its own."""

    step: Callable[..., Any]
    strengths: Callable[[delta_rule.Token], Any]
    """Of tokens (…, T, ·), what `delta_rule.step` has to be given as β: (…, T)."""


def delta(
    v: Any,
    k: Any,
    q: Any,
    beta: Any,
    *,
    initial_state: Any = None,
    chunk: int | None = None,
    precision: Any = "float32",
) -> Scan:
    """S_t = S_{t−1} + β_t (v_t − S_{t−1} k_t) k_tᵀ, o_t = S_t q_t for all tokens, by matrix products over chunks.

    Differentiable in reverse mode (`jax.grad`, `jax.vjp`); beside the inputs, the backward pass keeps one state per
    block of chunks, and computes the rest again. With β_t ‖k_t‖² > 2 a write overshoots: states may grow from token to
    token without end, and so do rounding errors.

    Args:
        v: values, shape (…, T, D), T ≥ 1. The leading axes are heads and sequences, any number of them.
        k: keys, shape (…, T, N).
        q: queries, shape (…, T, N).
        beta: write strengths β_t, any real numbers; broadcasts to (…, T).
        initial_state: S_0, shape (…, D, N) or (D, N); zeros if None.
        chunk: C, or None for `chunk_size`.
        precision: "float64", "float32", "bfloat16" or a `Precision`.

    Returns:
        `outputs` (…, T, D) and `final_state` (…, D, N), both in the accumulation dtype; `states` is None.

    Raises:
        UsageError: if JAX is missing, or an argument has a wrong shape, dtype or value, or does not fit in memory.
    """
    return _run("delta", (v, k, q, beta), initial_state, chunk, precision)


def longhorn(
    v: Any,
    k: Any,
    q: Any,
    beta: Any,
    *,
    initial_state: Any = None,
    chunk: int | None = None,
    precision: Any = "float32",
) -> Scan:
    """Longhorn (`constructs.layers.longhorn`): `delta` with the strengths β_t / (1 + β_t ‖k_t‖²).

    Args:
        v: as in `delta`, like all others.
        k: keys.
        q: queries.
        beta: the objective's β_t ≥ 0, which broadcasts to (…, T); the rounded keys enter the strengths.
        initial_state: S_0.
        chunk: C.
        precision: as in `delta`.

    Raises:
        UsageError: as `delta`, and if a β_t is negative.
    """
    real("longhorn", "beta", beta)
    if not traced(beta) and (np.asarray(beta) < 0).any():
        raise UsageError(
            "longhorn(beta=...) expects β ≥ 0: with a negative one the objective need not have a minimum."
        )
    return _run("longhorn", (v, k, q, beta), initial_state, chunk, precision)


def chunk_size(where: str, numbers: Precision, heads: int, D: int, N: int) -> int:
    """C: 64, or less where solving a chunk's system takes longer than the products that follow.

    That is 32 on a `cpu` and for float32 on a `gpu`, and 16, the least that a tensor core takes, for GPU kernels.
    """
    if where == "gpu" and _serves(numbers) and kernel.serves(numbers, heads, KERNEL_CHUNK, D, N):
        return KERNEL_CHUNK
    return 32 if where == "cpu" or (where == "gpu" and numbers.inputs != "bfloat16") else 64


def _serves(numbers: Precision) -> bool:
    """Whether kernels are chosen: in float32 they multiply by parts, which `rounding.delta_rule` does not count yet."""
    return numbers.inputs == "bfloat16"


def _longhorn_strengths(tokens: delta_rule.Token) -> Any:
    """`longhorn.strength` of tokens (…, ·)."""
    return _of_each(longhorn_layer.strength, tokens.beta.ndim)(tokens)


def _of_each(function: Callable[..., Any], axes: int) -> Callable[..., Any]:
    """A function of trees of arrays, over as many leading axes."""
    for _ in range(axes):
        function = jax().vmap(function)
    return function


LAYERS = {
    "delta": _Layer(delta_rule.step, lambda tokens: tokens.beta),
    "longhorn": _Layer(longhorn_layer.step, _longhorn_strengths),
}


def _run(caller: str, arrays: tuple[Any, ...], initial_state: Any, chunk: Any, wanted: Any) -> Scan:
    """Check the arguments and run the compiled op."""
    numbers = precision_of(wanted)
    chunk = None if chunk is None else positive(caller, "chunk", chunk)
    v, k, q, beta = arrays
    served = numbers if kernel.on_one_device(*arrays) and _serves(numbers) else None

    def cut_of(heads: int, T: int, D: int, N: int) -> Plan:
        size = chunk or chunk_size(platform(), numbers, heads, D, N)
        return plan(T, D, N, heads, platform(), size, AT_ONCE, served)

    def needed(heads: int, T: int, D: int, N: int) -> int:
        """Bytes of outputs and two states a head, and of a block's systems, inverses, writes and states."""
        C, G, head_by_head, in_kernel = cut_of(heads, T, D, N)
        block = G * (2 * C * C + C * D + D * N) if C <= T else 0
        block = T * C if in_kernel else block  # the inverses of all chunks
        numbers_held = heads * (T * D + 2 * D * N) + (1 if head_by_head else heads) * block
        return numbers_held * itemsize(numbers.accumulate)

    tokens = linear_tokens(caller, numbers, v, k, q, None, None, initial_state, needed=needed)
    real(caller, "beta", beta, numbers.accumulate)
    shape = (*tokens.batch, tokens.sizes[0])
    broadcasts(caller, "beta", beta, shape)
    jnp = jax(caller).numpy
    beta = jnp.broadcast_to(jnp.asarray(beta, numbers.accumulate), shape)
    token = delta_rule.Token(tokens.k, tokens.v, tokens.q, beta)
    heads = math.prod(tokens.batch)
    cut = cut_of(heads, *tokens.sizes)
    outputs, final_state = _program()(LAYERS[caller], token, tokens.initial_state, cut, numbers)
    return Scan(None, outputs, final_state)


@functools.cache
def _program() -> Callable[..., Any]:
    """The compiled op; JAX keeps one program for each layer, chunk, precision, and set of shapes."""
    return jax("delta").jit(run, static_argnums=(0, 3, 4))


def run(
    layer: _Layer, tokens: delta_rule.Token, state: Any, cut: Plan, numbers: Precision
) -> tuple[Any, Any]:
    """(outputs, final state) of checked arrays, for use inside a program.

    Args:
        layer: whose β the tokens hold.
        tokens: k, q (…, T, N) and v (…, T, D) in the input dtype, beta (…, T) in the accumulation dtype.
        state: (…, D, N), in the accumulation dtype.
        cut: the chunks, and whether heads and sequences follow one another.
        numbers: the precision of the products.
    """
    j = jax("delta")
    shapes = tokens.v.shape, state.shape
    tokens = delta_rule.Token._make(map(one_axis, tokens, (2, 2, 2, 1)))

    def core(states: Any, count: Any) -> tuple[Any, Any]:
        first = delta_rule.Token._make(a[:, :count] for a in tokens)
        return _core(j, layer, first, states, cut, numbers)

    def rest(states: Any, count: Any) -> tuple[Any, Any]:
        last = delta_rule.Token._make(a[:, count:] for a in tokens)
        return token_by_token(layer.step, states, _accumulated(last, numbers))

    length = tokens.v.shape[1]
    state, outputs = chunks_then_rest(length, cut.chunk, one_axis(state, 2), core, rest, axis=1)
    return outputs.reshape(shapes[0]), state.reshape(shapes[1])


def _accumulated(tokens: delta_rule.Token, numbers: Precision) -> delta_rule.Token:
    """The same numbers in the accumulation dtype."""
    return delta_rule.Token(*(a.astype(numbers.accumulate) for a in tokens))


def _core(
    j: Any, layer: _Layer, tokens: delta_rule.Token, state: Any, cut: Plan, numbers: Precision
) -> tuple[Any, Any]:
    """The final states and the outputs (B, n·C, D) of n·C tokens."""
    heads, length = tokens.beta.shape
    C, G, head_by_head, in_kernel = cut
    parts = (length // C, C) if in_kernel else (length // (G * C), G, C)
    blocks = delta_rule.Token(*(a.reshape(heads, *parts, *a.shape[2:]) for a in tokens))
    if in_kernel:
        numbers = kernel.products(numbers)
        blocks = _with_strengths(layer, numbers, blocks)
        steps = functools.partial(_one_chunk, numbers)
        given: Any = blocks, _inverses_in_kernels(numbers, blocks)
    else:
        inverted = _line_by_line() if head_by_head else _solved
        steps, given = functools.partial(_step, layer, numbers, inverted), blocks
    state, outputs = each_block(
        steps,
        None,
        state,
        given,
        head_by_head=head_by_head,
        in_kernel=in_kernel,
        values=lambda given: given[0].v,
    )
    return state, outputs.reshape(heads, length, -1)


def _with_strengths(layer: _Layer, numbers: Precision, chunks: delta_rule.Token) -> Any:
    """Chunks with what `delta_rule.step` has to be given as β."""
    return chunks._replace(beta=layer.strengths(_accumulated(chunks, numbers)))


def _step(
    layer: _Layer,
    numbers: Precision,
    inverted: Callable[[Any], Any],
    shared: None,
    state: Any,
    block: delta_rule.Token,
) -> tuple[Any, Any]:
    """A block of G chunks: the state after it, and its outputs (G, C, D).

    Each chunk is `constructs.forms.wy.step`; what does not need the states is done for all chunks at once, among it the
    inversion of their systems, `inverted`.
    """
    block = _with_strengths(layer, numbers, block)
    write = functools.partial(_write, numbers)
    inverses = inverted(_coefficients(numbers, block))
    chunks, unroll = (block, inverses), unrolled(block.k.shape[0])
    state, written = jax().lax.scan(write, state, chunks, unroll=unroll)
    return state, _read(numbers, block, *written)


def _one_chunk(numbers: Precision, shared: None, state: Any, given: Any) -> tuple[Any, Any]:
    """A chunk whose system is inverted: the state after it, and its outputs (C, D)."""
    state, written = _write(numbers, state, given)
    return state, _read(numbers, given[0], *written)


def _write(numbers: Precision, state: Any, given: Any) -> tuple[Any, tuple[Any, Any]]:
    """The state after a chunk; what its tokens write, u (C, D), and the state before it, rounded to be read."""
    chunk, inverse = given
    u = matmul(numbers, inverse, in_precision(wy.right_side, numbers)(state, chunk))
    return state + matmul(numbers, u, chunk.k, (-2, -2)), (u, state.astype(numbers.inputs))


def _read(numbers: Precision, chunks: delta_rule.Token, u: Any, before: Any) -> Any:
    """The outputs of chunks (…, C, ·) from what they write and the states before them."""
    weights = jax().numpy.tril(matmul(numbers, chunks.q, chunks.k, (-1, -1)))
    return matmul(numbers, weights, u) + matmul(numbers, chunks.q, before, (-1, -1))


def _coefficients(numbers: Precision, chunks: delta_rule.Token) -> Any:
    """L of each chunk, `wy.coefficients`: (…, C, C)."""
    return _of_each(in_precision(wy.coefficients, numbers), chunks.k.ndim - 2)(chunks)


def _solved(L: Any) -> Any:
    """(I + L)⁻¹ by a unit triangular solve: (…, C, C)."""
    j = jax()
    right = j.numpy.broadcast_to(j.numpy.eye(L.shape[-1], dtype=L.dtype), L.shape)
    return j.lax.linalg.triangular_solve(L, right, left_side=True, lower=True, unit_diagonal=True)


@functools.cache
def _line_by_line() -> Callable[[Any], Any]:
    """(I + L)⁻¹ by `wy.forward_substitution`, all systems (…, C, C) in step.

    A CPU's triangular solve is LAPACK's. Its threads wait for each other in a loop, and where others keep the cores
    busy small systems take seconds.
    """
    j = jax()

    def inverted(L: Any) -> Any:
        def line(solved: Any, given: Any) -> tuple[Any, None]:
            t, coefficients, place = given
            u = place - (coefficients[..., None, :] @ solved)[..., 0, :]
            return j.lax.dynamic_update_slice_in_dim(solved, u[..., None, :], t, -2), None

        C = L.shape[-1]
        lines = j.numpy.arange(C), j.numpy.moveaxis(L, -2, 0), j.numpy.eye(C, dtype=L.dtype)
        with j.default_matmul_precision("highest"):
            return j.lax.scan(line, j.numpy.zeros_like(L), lines)[0]

    return _moved_by_products(inverted)


def _moved_by_products(inverted: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """X = (I + L)⁻¹ as `inverted` computes it; X moves by −X dL X, so that no derivative keeps what the lines saw."""
    j = jax()
    function = j.custom_jvp(inverted)

    @function.defjvp
    def moved(L: Any, dL: Any) -> tuple[Any, Any]:
        X = function(*L)
        with j.default_matmul_precision("highest"):
            return X, -(X @ dL[0] @ X)

    return function


def _inverses_in_kernels(numbers: Precision, chunks: delta_rule.Token) -> Any:
    """(I + L)⁻¹ of chunks (B, n, C, ·), rounded to enter products, with a program of a GPU kernel for each chunk."""
    inverted = _moved_by_products(substituted)

    def one(shared: None, state: None, chunk: delta_rule.Token) -> tuple[None, Any]:
        inverse = inverted(in_precision(wy.coefficients, numbers)(chunk))
        return None, inverse.astype(numbers.inputs)

    needed = chunks._replace(v=None, q=None)
    each = jax().tree.map(lambda a: a.reshape(-1, 1, *a.shape[2:]), needed)
    _, found = each_block(one, None, None, each, head_by_head=False, in_kernel=True, warps=1)
    return found.reshape(*chunks.beta.shape[:2], *found.shape[2:])


def substituted(L: Any) -> Any:
    """(I + L)⁻¹ by `wy.forward_substitution` line after line, without picking one out of a matrix: (C, C)."""
    j = jax()
    places = j.lax.iota(int, L.shape[0])

    def line(t: Any, solved: Any) -> Any:
        place = (places == t).astype(L.dtype)
        coefficients = (place[:, None] * L).sum(axis=0)
        u = place - (coefficients[:, None] * solved).sum(axis=0)
        return solved + place[:, None] * u

    return j.lax.fori_loop(0, L.shape[0], line, j.numpy.zeros_like(L))
