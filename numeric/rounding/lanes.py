"""The bounds of the lanes, each read from the program that the lane runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from scanproof.constructs.arrays.scan import Scan
from scanproof.constructs.errors import UsageError
from scanproof.constructs.layers import ssd

from ..jax_backend import jax, x64
from ..ops import decay
from ..ops.chunked import chunked
from ..precision import Precision
from ..precision import precision as precision_of
from .arithmetic import OWN
from .enclosed import Enclosed, Value, error, magnitude, point
from .inputs import Magnitude, given
from .programs import Promise, promised, read

LINEAR_LANES = "recurrent", "chunked", "streaming", "sharded"


class _Inputs(NamedTuple):
    """The arguments of a lane as values, or as JAX's arrays inside its program."""

    z: Any
    b: Any
    c: Any
    log_decay: Any
    reset: Any
    initial_state: Any


def linear(
    z: Any,
    b: Any,
    c: Any,
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
    """How far H_t = a_t H_{t−1} + z_t ⊗ b_t, y_t = H_t c_t as computed by a lane can be from the exact values.

    Exact means: of the arrays as they are given here. Rounding them to the precision's dtypes is part of the bound.

    Args:
        z: values (…, T, D), or a `Magnitude`, as are b, c and the initial state: an array bounds each entry by the
            lane's own sums of absolute values; a magnitude makes a bound for all such arrays, in a time that hardly
            depends on D, N and the batch.
        b: keys (…, T, N).
        c: queries (…, T, N).
        lane: "recurrent", "chunked", "streaming" (chunked, block by block) or "sharded" (over the sequence).
        precision: "float64", "float32", "bfloat16" or a `Precision`.
        log_decay: log a_t, as the lane takes it.
        reset: where a_t = 0.
        initial_state: H_0, (…, D, N) or (D, N).
        chunk: the lane's chunk.
        block: tokens a block of the streaming lane; the lane must be run with the same.
        options: further arguments of the lane (`mesh` of the sharded one).

    Returns:
        A `Scan` of `Promise`s: `outputs` (…, T, D) and `final_state` (…, D, N).

    Raises:
        UsageError: if there is no such lane, or an argument does not fit.
    """
    if lane not in LINEAR_LANES:
        raise UsageError(
            f"bounds.linear(lane={lane!r}) expects one of {', '.join(LINEAR_LANES)}; for the delta rule there is "
            "bounds.delta, for any other program bounds.promise."
        )
    with x64(True):
        numbers = precision_of(precision)
    inputs = _entering(numbers, z, b, c, log_decay, reset, initial_state)
    T = inputs.z.shape[-2]
    program = _program(lane, numbers, chunk, options)
    wide = numbers.accumulate == "float64"
    moved = _moved_by_decays(inputs, log_decay, numbers)
    state, outputs = inputs.initial_state, []
    step = T if lane != "streaming" or block is None else block
    for start in range(0, T, step):
        part = inputs if step >= T else _cut(inputs, start, min(start + step, T))
        out, state = read(program, [part._replace(initial_state=state)], wide=wide)
        outputs.append(promised(out))
    whole = (
        outputs[0]
        if len(outputs) == 1
        else Promise(*(np.concatenate(parts, axis=-2) for parts in zip(*outputs, strict=True)))
    )
    if moved is not None:
        whole = whole._replace(bound=whole.bound + moved[0].bound)
        state = state._replace(error=error(state) + moved[1].bound)
    return Scan(None, whole, promised(state))


def _entering(
    numbers: Precision, z: Any, b: Any, c: Any, log_decay: Any, reset: Any, initial_state: Any
) -> _Inputs:
    """The inputs in the dtypes of the lane. The decays enter as the lane rounds them."""
    zs, bs, cs = (
        tuple(np.shape(x) if not isinstance(x, Magnitude) else x.shape) for x in (z, b, c)
    )
    if len(zs) < 2 or zs[:-1] != bs[:-1] or bs != cs or 0 in (*zs, *bs):
        raise UsageError(
            "bounds.linear() expects z (…, T, D), b (…, T, N) and c (…, T, N) with equal leading axes and none "
            f"empty, got z {zs}, b {bs}, c {cs}."
        )
    batch, D, N = zs[:-2], zs[-1], bs[-1]
    accumulate = np.dtype(numbers.accumulate)
    if initial_state is None:
        nothing = np.zeros((1,) * (len(batch) + 2))
        state: Any = Enclosed((*batch, D, N), accumulate, nothing)
    else:
        state = given(initial_state, accumulate)
        if state.shape != (*batch, D, N):
            shape = (1,) * (len(batch) + 2 - len(state.shape))
            state = Enclosed(
                (*batch, D, N),
                accumulate,
                *(None if f is None else f.reshape(*shape, *f.shape) for f in state[2:]),
            )
    inputs = _dtype(numbers.inputs)
    decays = None
    if log_decay is not None:
        exact = np.asarray(log_decay, dtype=np.float64)
        if np.isnan(exact).any() or (exact == np.inf).any():
            raise UsageError("bounds.linear(log_decay=...) expects logarithms, got NaN or +inf.")
        rounded = exact.astype(accumulate).astype(np.float64)
        decays = point(rounded, accumulate)
    if reset is not None:
        reset = point(np.broadcast_to(np.asarray(reset), zs[:-1]))
    z, b, c = (given(x, inputs) for x in (z, b, c))
    return _Inputs(z, b, c, decays, reset, state)


def _dtype(name: str) -> np.dtype:
    return np.dtype(jax("bounds").numpy.dtype(name))


def _program(
    lane: str, numbers: Precision, chunk: int | None, options: dict[str, Any]
) -> Callable[[Any], Any]:
    """The lane as a function of its inputs."""
    if lane == "recurrent":
        return lambda inputs: _recurrence(inputs, numbers)
    run: Callable[..., Scan] = chunked
    if lane == "sharded":
        from ..ops.sharded import sharded as run

    def program(inputs: _Inputs) -> tuple[Any, Any]:
        z, b, c, log_decay, reset, state = inputs
        found = run(
            z,
            b,
            c,
            log_decay=log_decay,
            reset=reset,
            initial_state=state,
            chunk=chunk,
            precision=numbers,
            **options,
        )
        return found.outputs, found.final_state

    return program


def _recurrence(inputs: _Inputs, numbers: Precision) -> tuple[Any, Any]:
    """`ssd.step` token by token, as the recurrent lane runs it."""
    j = jax("bounds")
    jnp = j.numpy
    z, b, c = (x.astype(numbers.accumulate) for x in inputs[:3])
    if inputs.log_decay is None and inputs.reset is None:
        decays = jnp.ones((), z.dtype)
    else:
        log_decay = jnp.zeros((), z.dtype) if inputs.log_decay is None else inputs.log_decay
        decays = decay.decays(log_decay, inputs.reset, numbers)
    return scanned(inputs.initial_state, z, jnp.broadcast_to(decays, z.shape[:-1]), b, c)


def scanned(state: Any, z: Any, decays: Any, b: Any, c: Any) -> tuple[Any, Any]:
    """The outputs and the final state of `ssd.step` under `lax.scan`, heads and sequences side by side."""
    j = jax("bounds")

    def run(state: Any, tokens: Any) -> tuple[Any, Any]:
        final, outputs = j.lax.scan(lambda s, t: ssd.step(None, s, t), state, tokens)
        return outputs, final

    for _ in range(z.ndim - 2):
        run = j.vmap(run)
    return run(state, ssd.Token(z, decays, b, c))


def _cut(inputs: _Inputs, start: int, stop: int) -> _Inputs:
    """A block of tokens."""
    from . import compressed

    T = inputs.z.shape[-2]

    def part(value: Value | None, axis: int) -> Value | None:
        if value is None or not value.shape or value.shape[axis] != T:
            return value
        index = (..., slice(start, stop)) + (slice(None),) * (-1 - axis)
        shape = list(value.shape)
        shape[axis] = stop - start
        return compressed.fields(
            lambda f: f if f.shape[axis] == 1 != T else f[index], value, tuple(shape)
        )

    z, b, c = (part(v, -2) for v in inputs[:3])
    return _Inputs(
        z, b, c, part(inputs.log_decay, -1), part(inputs.reset, -1), inputs.initial_state
    )


def _moved_by_decays(
    inputs: _Inputs, log_decay: Any, numbers: Precision
) -> tuple[Promise, Promise] | None:
    """What it does to the exact result that the lane rounds log-decays, and takes tiny decays for 0.

    Read in float64 from the recurrence with decays that are wrong by that much; None if none of them moves.
    """
    if log_decay is None:
        return None
    shape = inputs.z.shape[:-1]
    given_ = np.asarray(log_decay, dtype=np.float64)
    rounded = inputs.log_decay.upper
    dropped = rounded < decay.smallest_log(numbers)
    with np.errstate(all="ignore"):
        wanted = np.exp(given_) + np.where(dropped, OWN.tiny, 0.0)  # it may be below float64
        taken = np.where(dropped, 0.0, np.exp(rounded))
        wrong = np.where(dropped, wanted, np.abs(wanted * np.expm1(rounded - given_)))
    wrong = np.where(np.isneginf(given_), 0.0, wrong)
    if inputs.reset is not None:
        dropped = inputs.reset.value
        wanted, wrong, taken = (
            np.where(dropped, 0.0, np.broadcast_to(a, shape)) for a in (wanted, wrong, taken)
        )
    if not wrong.any():
        return None
    wide = np.dtype("float64")
    decays = Enclosed(
        shape,
        wide,
        *(
            np.broadcast_to(f, shape)
            for f in (np.maximum(wanted, taken), np.minimum(wanted, taken), wrong)
        ),
    )
    exact = [Enclosed(v.shape, wide, magnitude(np, v)) for v in (inputs.initial_state, *inputs[:3])]
    state, z, b, c = exact
    out, final = read(scanned, [state, z, decays, b, c], wide=True)
    return promised(out), promised(final)
