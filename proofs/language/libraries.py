"""Libraries that only some claims and programs need."""

from __future__ import annotations

from typing import Any

from scanproof.constructs.errors import UsageError


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
