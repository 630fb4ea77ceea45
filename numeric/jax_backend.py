"""JAX, imported when an op first needs it, and the switch for its 64-bit types."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager
from typing import Any

from scanproof.proofs.language import libraries


def jax(caller: str = "scanproof.numeric") -> Any:
    """The module `jax`, with `jax.numpy`.

    Args:
        caller: what the error message says was called.

    Raises:
        UsageError: if JAX is not installed.
    """
    return libraries.jax(caller)


def one_blas_thread() -> None:
    """Keep OpenBLAS, which solves linear systems for JAX on a CPU, to one thread; for programs, before JAX starts.

    Its threads wait for each other in a loop: on two busy cores small systems, such as those of Newton's method, take
    seconds instead of milliseconds. No op solves any there.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def x64(enabled: bool = True) -> AbstractContextManager[Any]:
    """Let JAX make float64 arrays inside the `with` block, which it does not do by itself.

    Raises:
        UsageError: if JAX is not installed.
    """
    return jax("x64").enable_x64(enabled)


def x64_enabled() -> bool:
    """Whether JAX makes float64 arrays now."""
    return bool(jax().config.jax_enable_x64)


def platform() -> str:
    """Where JAX computes by default: cpu, gpu or tpu."""
    return jax().default_backend()


def traced(array: Any) -> bool:
    """Whether an array stands for values that are not known yet (inside `jit`, `vmap` or `grad`)."""
    return isinstance(array, jax().core.Tracer)
