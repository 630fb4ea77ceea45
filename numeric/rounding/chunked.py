"""How far rounding can take the chunked op from the exact value, and the recurrent, streaming and sharded ones.

Each bound is read from the program that the op runs.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from scanproof.constructs.arrays.scan import Scan
from scanproof.constructs.errors import UsageError

from ..ops import decay
from ..ops.chunked import chunked
from ..ops.inputs import LinearTokens
from ..ops.sharded import sharded
from ..precision import Precision
from . import compressed
from .arithmetic import OWN
from .enclosed import Enclosed, Value, error, magnitude, point
from .inputs import given, shape_of
from .programs import ErrorBound, finished, formats, read
from .recurrent import recurrence, scanned

OPS: dict[str, Callable[..., Scan] | None] = {
    "recurrent": None,
    "chunked": chunked,
    "streaming": chunked,
    "sharded": sharded,
}
"""The program of each op; None stands for `recurrence`."""


def linear(
    v: Any,
    k: Any,
    q: Any,
    *,
    lane: str = "chunked",
    precision: Any = "float32",
    log_decay: Any = None,
    reset: Any = None,
    initial_state: Any = None,
    chunk: int | None = None,
    block: int | None = None,
    **options: Any,
) -> Scan:
    """How far H_t = a_t H_{t−1} + v_t ⊗ k_t, y_t = H_t q_t as an op computes them can be from the exact values.

    Exact means: of the arrays as they are given here. Rounding them to the precision's dtypes is part of the bound.

    Args:
        v: values (…, T, D), or a `Magnitude`, as are k, q and the initial state: an array bounds each entry by the
            op's own sums of absolute values; a magnitude makes a bound for all such arrays, in a time that hardly
            depends on D, N and the batch.
        k: keys (…, T, N).
        q: queries (…, T, N).
        lane: "recurrent", "chunked", "streaming" (chunked, block by block) or "sharded" (over the sequence).
        precision: "float64", "float32", "bfloat16" or a `Precision`.
        log_decay: log a_t, as the op takes it.
        reset: where a_t = 0.
        initial_state: H_0, (…, D, N) or (D, N).
        chunk: the op's chunk.
        block: tokens a block of the streaming op, which must be run with the same.
        options: further arguments of the op (`mesh` of the sharded one).

    Returns:
        A `Scan` of `ErrorBound`s: `outputs` (…, T, D) and `final_state` (…, D, N).

    Raises:
        UsageError: if there is no such op, or an argument does not fit.
    """
    if lane not in OPS:
        raise UsageError(
            f"bounds.linear(lane={lane!r}) expects one of {', '.join(OPS)}; for the delta rule there is bounds.delta, "
            "for any other program bounds.a_priori."
        )
    numbers = formats(precision)[0]
    tokens = _entering(precision, v, k, q, log_decay, reset, initial_state)
    run, T = OPS[lane], tokens.v.shape[-2]
    program = functools.partial(recurrence, numbers)
    if run is not None:
        program = functools.partial(_run, run, chunk=chunk, precision=numbers, **options)
    moved = _moved_by_decays(tokens, log_decay, numbers)
    state, outputs = tokens.initial_state, []
    step = T if lane != "streaming" or block is None else block
    for start in range(0, T, step):
        part = tokens if step >= T else _cut(tokens, start, min(start + step, T))
        inputs = [part._replace(initial_state=state)]
        out, state = read(program, inputs, wide=numbers.accumulate == "float64")
        outputs.append(finished(out))
    whole = outputs[0]
    if len(outputs) > 1:
        whole = ErrorBound(
            *(np.concatenate(parts, axis=-2) for parts in zip(*outputs, strict=True))
        )
    if moved is not None:
        whole = whole._replace(bound=whole.bound + moved[0].bound)
        state = state._replace(error=error(state) + moved[1].bound)
    return Scan(None, whole, finished(state))


def _run(op: Callable[..., Scan], tokens: LinearTokens, **options: Any) -> tuple[Any, Any]:
    """An op as a function of its tokens: (outputs, final state)."""
    v, k, q, *gate = tokens
    found = op(v, k, q, **dict(zip(LinearTokens._fields[3:], gate, strict=True)), **options)
    return found.outputs, found.final_state


def _entering(
    precision: Any, v: Any, k: Any, q: Any, log_decay: Any, reset: Any, initial_state: Any
) -> LinearTokens:
    """The inputs as values, in the dtypes of the op. The decays enter as the op rounds them."""
    vs, ks, qs = map(shape_of, (v, k, q))
    if len(vs) < 2 or vs[:-1] != ks[:-1] or ks != qs or 0 in (*vs, *ks):
        raise UsageError(
            "bounds.linear() expects v (…, T, D), k (…, T, N) and q (…, T, N) with equal leading axes and none "
            f"empty, got v {vs}, k {ks}, q {qs}."
        )
    _, inputs, accumulate = formats(precision)
    state: Any = Enclosed((), accumulate, np.zeros(()))
    if initial_state is not None:
        state = given(initial_state, accumulate)
    full = (*vs[:-2], vs[-1], ks[-1])
    state = compressed.fields(
        lambda f: f.reshape((1,) * (len(full) - f.ndim) + f.shape), state, full
    )
    decays = None
    if log_decay is not None:
        exact = np.asarray(log_decay, dtype=np.float64)
        if np.isnan(exact).any() or (exact == np.inf).any():
            raise UsageError("bounds.linear(log_decay=...) expects logarithms, got NaN or +inf.")
        decays = point(exact.astype(accumulate).astype(np.float64), accumulate)
    if reset is not None:
        reset = point(np.broadcast_to(np.asarray(reset), vs[:-1]))
    v, k, q = (given(x, inputs) for x in (v, k, q))
    return LinearTokens(v, k, q, decays, reset, state)


def _cut(tokens: LinearTokens, start: int, stop: int) -> LinearTokens:
    """A block of tokens."""
    T = tokens.v.shape[-2]

    def part(value: Value | None, axis: int) -> Value | None:
        if value is None or not value.shape or value.shape[axis] != T:
            return value
        index = (..., slice(start, stop)) + (slice(None),) * (-1 - axis)
        shape = list(value.shape)
        shape[axis] = stop - start
        return compressed.fields(
            lambda f: f if f.shape[axis] == 1 != T else f[index], value, tuple(shape)
        )

    parts = map(part, tokens[:5], (-2, -2, -2, -1, -1))
    return LinearTokens._make([*parts, tokens.initial_state])


def _moved_by_decays(
    tokens: LinearTokens, log_decay: Any, numbers: Precision
) -> tuple[ErrorBound, ErrorBound] | None:
    """What it does to the exact result that the op rounds log-decays, and takes tiny decays for 0.

    Read in float64 from the recurrence with decays that are wrong by that much; None if none of them moves.
    """
    if log_decay is None:
        return None
    shape = tokens.v.shape[:-1]
    exact = np.asarray(log_decay, dtype=np.float64)
    rounded = tokens.log_decay.upper
    dropped = rounded < decay.smallest_log(numbers)
    with np.errstate(all="ignore"):
        wanted = np.exp(exact) + np.where(dropped, OWN.tiny, 0.0)  # it may be below float64
        taken = np.where(dropped, 0.0, np.exp(rounded))
        wrong = np.where(dropped, wanted, np.abs(wanted * np.expm1(rounded - exact)))
    wrong = np.where(np.isneginf(exact), 0.0, wrong)
    ends = np.broadcast_arrays(
        np.maximum(wanted, taken), np.minimum(wanted, taken), wrong, np.empty(shape)
    )[:3]
    if tokens.reset is not None:
        ends = [np.where(tokens.reset.value, 0.0, end) for end in ends]
    if not ends[-1].any():
        return None
    wide = np.dtype("float64")
    known = (tokens.initial_state, *tokens[:3])
    state, *arrays = (Enclosed(x.shape, wide, magnitude(np, x)) for x in known)
    v, k, q = arrays
    out, final = read(scanned, [state, v, Enclosed(shape, wide, *ends), k, q], wide=True)
    return finished(out), finished(final)
