"""What the ops are given, checked before anything is compiled: shapes, dtypes, values, and whether it fits."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from scanproof.constructs.errors import UsageError

from ..jax_backend import jax, traced
from ..precision import Precision

SHARE = 0.9
"""The share of the free memory that an op may take."""


class LinearTokens(NamedTuple):
    """The checked tokens of H_t = a_t H_{t−1} + v_t ⊗ k_t, y_t = H_t q_t, in the dtypes of a precision."""

    v: Any
    """Values (…, T, D)."""
    k: Any
    """Keys (…, T, N)."""
    q: Any
    """Queries (…, T, N)."""
    log_decay: Any
    """None (decay 1), () or (…, 1) if it is the same for all tokens, or (…, T); in the accumulation dtype."""
    reset: Any
    """None, or bool (…, T)."""
    initial_state: Any
    """(…, D, N), in the accumulation dtype."""

    @property
    def batch(self) -> tuple[int, ...]:
        """The leading axes."""
        return self.v.shape[:-2]

    @property
    def sizes(self) -> tuple[int, int, int]:
        """T, D and N."""
        return (*self.v.shape[-2:], self.k.shape[-1])


def linear_tokens(
    caller: str,
    precision: Precision,
    v: Any,
    k: Any,
    q: Any,
    log_decay: Any = None,
    reset: Any = None,
    initial_state: Any = None,
    *,
    needed: int | Callable[[int, int, int, int], int] = 0,
) -> LinearTokens:
    """Check the arguments of an op and convert them: v, k, q to the input dtype, the others to the accumulation dtype.

    Args:
        caller: what the error messages say was called.
        precision: the dtypes.
        v: (…, T, D).
        k: (…, T, N).
        q: (…, T, N).
        log_decay: log a_t: None, or an array that broadcasts to (…, T).
        reset: True where a_t = 0: None, or an array of bool that broadcasts to (…, T).
        initial_state: H_0: None for zeros, (…, D, N), or (D, N) for all heads and sequences.
        needed: bytes that the op takes beside the converted inputs, or a function of (heads and sequences, T, D, N)
            that tells them.

    Raises:
        UsageError: if a shape or dtype is wrong, a value is NaN or infinite, or it does not fit in memory.
    """
    batch, T, D, N = _sizes(caller, precision, v, k, q)
    log_decay = gate(caller, log_decay, (*batch, T), precision)
    _check_reset(caller, reset, (*batch, T))
    _check_state(caller, precision, initial_state, (*batch, D, N))
    if callable(needed):
        needed = needed(math.prod(batch), T, D, N)
    _check_memory(caller, precision, (v, k, q), needed)
    jnp = jax(caller).numpy
    inputs, accumulate = precision.inputs, precision.accumulate
    if initial_state is None:
        state = jnp.zeros((*batch, D, N), accumulate)
    else:
        state = jnp.broadcast_to(jnp.asarray(initial_state, accumulate), (*batch, D, N))
    return LinearTokens(
        *(jnp.asarray(array, inputs) for array in (v, k, q)),
        log_decay=None if log_decay is None else jnp.asarray(log_decay, accumulate),
        reset=None if reset is None else jnp.broadcast_to(jnp.asarray(reset), (*batch, T)),
        initial_state=state,
    )


def _sizes(
    caller: str, precision: Precision, v: Any, k: Any, q: Any
) -> tuple[tuple[int, ...], int, int, int]:
    """(heads and sequences), T, D and N of tokens whose shapes agree."""
    for name, array in (("v", v), ("k", k), ("q", q)):
        real(caller, name, array, precision.inputs)
    vs, ks, qs = (tuple(np.shape(array)) for array in (v, k, q))
    if len(vs) < 2 or ks[:-1] != vs[:-1] or qs != ks:
        raise UsageError(
            f"{caller}() expects v (…, T, D), k (…, T, N) and q (…, T, N) with equal leading axes, "
            f"got v {vs}, k {ks}, q {qs}; tokens come before features, heads and sequences before tokens."
        )
    if 0 in vs or 0 in ks:
        raise UsageError(
            f"{caller}() expects at least one token and no empty axis, got v {vs}, k {ks}."
        )
    return vs[:-2], *vs[-2:], ks[-1]


def _check_reset(caller: str, reset: Any, shape: tuple[int, ...]) -> None:
    if reset is None:
        return
    if kind(reset) != "b":
        raise UsageError(
            f"{caller}(reset=...) expects bool, True where the decay is 0, got {dtype_name(reset)}; "
            "decays themselves go to log_decay as logarithms."
        )
    broadcasts(caller, "reset", reset, shape)


def _check_state(
    caller: str, precision: Precision, initial_state: Any, shape: tuple[int, ...]
) -> None:
    if initial_state is None:
        return
    real(caller, "initial_state", initial_state, precision.accumulate)
    of_all = shape[-2:]
    if tuple(np.shape(initial_state)) not in (shape, of_all):
        raise UsageError(
            f"{caller}(initial_state=...) expects shape {shape}{f' or {of_all}' if len(shape) > 2 else ''}, "
            f"got {tuple(np.shape(initial_state))}; a state is values × keys."
        )


def _check_memory(
    caller: str, precision: Precision, tokens: tuple[Any, Any, Any], needed: int
) -> None:
    """Refuse what the machine cannot hold: the tokens that are converted, and what the op takes beside them."""
    own = sum(math.prod(np.shape(a)) for a in tokens)
    converted = sum(
        math.prod(np.shape(a)) * itemsize(precision.inputs)
        for a in tokens
        if dtype_name(a) != precision.inputs or isinstance(a, np.ndarray)
    )
    fits(
        caller,
        converted + needed,
        "the tokens' numbers" if symbolic(own) else f"{own:,} numbers of tokens",
        "shorten the sequence (streaming() runs it in blocks), or use fewer heads or sequences or a smaller chunk",
    )


def gate(caller: str, log_decay: Any, shape: tuple[int, ...], precision: Precision) -> Any:
    """The log-decay, checked: it broadcasts to `shape`, and is not NaN or +∞ (−∞ is a zero decay, a reset).

    Raises:
        UsageError: otherwise.
    """
    if log_decay is None:
        return None
    real(caller, "log_decay", log_decay, finite=False)
    broadcasts(caller, "log_decay", log_decay, shape)
    if not traced(log_decay):
        values = np.asarray(log_decay, dtype=np.float64)
        if np.isnan(values).any() or (values == np.inf).any():
            raise UsageError(
                f"{caller}(log_decay=...) expects logarithms of decays, got NaN or +inf; where a decay is 0 pass "
                "any number there and True in reset."
            )
    return log_decay


def positive(caller: str, name: str, value: Any) -> int:
    """A whole number ≥ 1; a symbol for one, while a program is traced with symbols for sizes, stays one.

    Raises:
        UsageError: if it is something else.
    """
    if symbolic(value):
        return value
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise UsageError(f"{caller}({name}={value!r}) expects a whole number ≥ 1.")
    return int(value)


def symbolic(size: Any) -> bool:
    """Whether a size is a symbol of `jax.export`, which stands for any number ≥ 1."""
    if issubclass(type(size), int | np.integer):  # a symbol says of itself that it is an int
        return False
    from jax.export import is_symbolic_dim

    return is_symbolic_dim(size)


def real(
    caller: str, name: str, array: Any, dtype: str | None = None, *, finite: bool = True
) -> None:
    """Check that an argument is an array of real numbers, and that its values, where known, are finite.

    Args:
        caller: what the error messages say was called.
        name: that of the argument.
        array: the argument.
        dtype: what it will be converted to, in which its values must be finite too; None: its own.
        finite: whether values are looked at.

    Raises:
        UsageError: otherwise.
    """
    if not hasattr(array, "dtype"):
        try:
            array = np.asarray(array)
        except ValueError:
            array = np.asarray(None)
    if kind(array) not in "fiu":
        raise UsageError(
            f"{caller}({name}=...) expects an array of real numbers, got {dtype_name(array)}."
        )
    if finite and kind(array) == "f" and not traced(array) and array.size:
        j = jax(caller)
        with j.ensure_compile_time_eval():  # a known array may stand in a function that is traced
            largest = max(-float(array.min()), float(array.max()), key=_nan_first)
        if not math.isfinite(largest):
            raise UsageError(
                f"{caller}({name}=...) expects finite numbers, got NaN or infinity among "
                f"{array.size:,}; find where with numpy.isfinite."
            )
        room = math.inf if dtype is None else float(j.numpy.finfo(dtype).max)
        if largest > room:
            raise UsageError(
                f"{caller}({name}=...) expects numbers that {dtype} has, up to {room:.3g}, got {largest:.3g}; "
                "scale them down, or take another precision."
            )


def _nan_first(number: float) -> float:
    return math.inf if math.isnan(number) else number


def broadcasts(caller: str, name: str, array: Any, shape: tuple[int, ...]) -> None:
    """Check that an argument broadcasts to a shape.

    Raises:
        UsageError: otherwise.
    """
    found = tuple(np.shape(array))
    try:
        good = jax(caller).numpy.broadcast_shapes(found, shape) == shape
    except ValueError:
        good = False
    if not good:
        raise UsageError(
            f"{caller}({name}=...) expects a shape that broadcasts to {shape} (heads and sequences, then tokens), "
            f"got {found}."
        )


def kind(array: Any) -> str:
    """b, i, u, f, c or another letter, as in NumPy; bfloat16 and its like are f."""
    dtype = array.dtype if hasattr(array, "dtype") else np.asarray(array).dtype
    return "f" if jax().numpy.issubdtype(dtype, jax().numpy.floating) else np.dtype(dtype).kind


def dtype_name(array: Any) -> str:
    """The name of an argument's dtype."""
    return str(getattr(array, "dtype", None) or np.asarray(array).dtype)


def itemsize(dtype: str) -> int:
    """Bytes of one number."""
    return {"float64": 8, "float32": 4, "bfloat16": 2}[dtype]


def fits(caller: str, needed: int, what: str, remedy: str, free: int | None = None) -> None:
    """Check that something fits in the free memory of the device.

    Args:
        caller: what the error message says was called.
        needed: bytes; while a program is traced with symbols for sizes, a symbol that no device is asked about.
        what: what takes them.
        remedy: what to do if it does not fit.
        free: bytes; None asks the device.

    Raises:
        UsageError: if it does not; the message says how much it needs, what is there, and what share would fit.
    """
    if symbolic(needed):
        return
    room = free_memory() if free is None else free
    if room is None or needed <= SHARE * room:
        return
    raise UsageError(
        f"{caller}() needs {gigabytes(needed)} for {what}, and {gigabytes(room)} are free: "
        f"about {SHARE * room / needed:.2g} of that size would fit; {remedy}."
    )


def gigabytes(amount: float) -> str:
    """A number of bytes for people."""
    return f"{amount / 2**30:,.1f} GiB" if amount >= 2**30 else f"{amount / 2**20:,.1f} MiB"


def free_memory() -> int | None:
    """Bytes that the default device can still give; None if nobody knows."""
    try:
        statistics = jax().devices()[0].memory_stats()
    except (RuntimeError, AttributeError):
        statistics = None
    if statistics and "bytes_limit" in statistics:
        return int(statistics["bytes_limit"] - statistics.get("bytes_in_use", 0))
    return _free_host_memory()


def _free_host_memory() -> int | None:
    found: list[int] = []
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            found += [
                1024 * int(line.split()[1]) for line in lines if line.startswith("MemAvailable")
            ]
    except OSError:
        try:
            found.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
        except (ValueError, OSError, AttributeError):
            return None
    try:  # the share of a container may be less than what the machine has free
        limit, used = (
            int(Path("/sys/fs/cgroup", name).read_text())
            for name in ("memory.max", "memory.current")
        )
        found.append(limit - used)
    except (OSError, ValueError):
        pass
    return max(min(found), 0) if found else None
