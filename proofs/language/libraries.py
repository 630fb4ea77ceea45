"""Libraries that only some claims and programs need."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from typing import Any

from scanproof.constructs.errors import UsageError


class Copied(BaseException):
    """JAX is to compute in a copy of a process in which it has computed: without its threads it would wait for ever."""


_lost = False


def has_threads() -> bool:
    """Whether JAX has computed in this process; torch computes small arrays in one thread."""
    if "jax" not in sys.modules:
        return False
    try:
        from jax._src.xla_bridge import backends_are_initialized

        return backends_are_initialized()
    except ImportError:
        return True


def _note_copy() -> None:
    global _lost
    _lost = _lost or has_threads()


os.register_at_fork(after_in_child=_note_copy)


def expect_threads() -> None:
    """Refuse to have JAX compute where it cannot.

    Raises:
        Copied: in a copy of a process in which it has computed.
    """
    if _lost:
        raise Copied


def jax(caller: str) -> Any:
    """The module `jax`, with `jax.numpy` and `jax.export`.

    Args:
        caller: what the error message says was called.

    Raises:
        UsageError: if JAX is not installed.
    """
    try:
        import jax
        import jax.export
        import jax.numpy
    except ImportError as error:
        raise UsageError(
            f"{caller} needs JAX, which is not installed; try: pip install 'scanproof[jax]'"
        ) from error
    return jax


def jax_arrays(arrays: Iterable[Any], form: str) -> list[Any]:
    """JAX's arrays of a format from NumPy's; NumPy rounds, as JAX would compile a conversion of each shape."""
    import jax
    import numpy as np

    with np.errstate(over="ignore"):
        return [jax.device_put(np.asarray(one, dtype=jax.numpy.dtype(form))) for one in arrays]
