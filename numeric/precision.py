"""In which numbers an op computes: the dtype of its inputs, that of its sums, and how its matrices are multiplied.

XLA multiplies float32 matrices in TF32 (10 bits) on recent GPUs unless it is set otherwise, so every product of a
op says how. A named algorithm (`DotAlgorithmPreset`) would say more, but XLA's CPU backend refuses one wherever it
does not call a matrix library, as in a product with one row. GPU kernels, which have no such product, name theirs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from scanproof.constructs.errors import UsageError

from .jax_backend import jax, x64_enabled


@dataclass(frozen=True)
class Precision:
    """The number formats of an op."""

    name: str
    inputs: str
    """The dtype of what enters a matrix product, and to which tokens are rounded."""
    accumulate: str
    """The dtype of sums, decays, states and outputs."""
    products: str
    """The `jax.lax.Precision` or the `jax.lax.DotAlgorithmPreset` of the matrix products."""


FLOAT64 = Precision("float64", "float64", "float64", "HIGHEST")
FLOAT32 = Precision("float32", "float32", "float32", "HIGHEST")
BFLOAT16 = Precision("bfloat16", "bfloat16", "float32", "DEFAULT")
"""bfloat16 (8 bits) into every product, float32 sums."""

PRECISIONS = {p.name: p for p in (FLOAT64, FLOAT32, BFLOAT16)}


def precision(wanted: Any) -> Precision:
    """The precision of this name or dtype; a `Precision` is returned as it is.

    Raises:
        UsageError: if there is no such precision, or it is float64 and JAX makes no float64 arrays now.
    """
    found = wanted if isinstance(wanted, Precision) else PRECISIONS.get(_name(wanted))
    if found is None:
        raise UsageError(
            f"precision={wanted!r}: no such precision; allowed: {', '.join(PRECISIONS)}, or a dtype of that name."
        )
    if found.accumulate == "float64" and not x64_enabled():
        raise UsageError(
            "precision='float64' needs JAX with 64-bit types, which are off; call it inside "
            "`with scanproof.numeric.x64():`, or set JAX_ENABLE_X64=1."
        )
    return found


def _name(wanted: Any) -> str:
    if isinstance(wanted, str):
        return {"bf16": "bfloat16"}.get(wanted, wanted)
    try:
        return str(jax().numpy.dtype(wanted))
    except TypeError:
        return repr(wanted)


def matmul(precision: Precision, left: Any, right: Any, axes: tuple[int, int] = (-1, -2)) -> Any:
    """The product of two matrices (…, ·, ·) with equal leading axes, in the accumulation dtype.

    Args:
        precision: both factors are rounded to its input dtype.
        left: its rows are the result's rows, unless `axes` says otherwise.
        right: its columns are the result's columns.
        axes: the axis of `left` and that of `right` that are summed over, each −1 or −2.
    """
    lax = jax().lax
    batch = tuple(range(left.ndim - 2))
    contract = ((left.ndim + axes[0],), (right.ndim + axes[1],))
    return lax.dot_general(
        left.astype(precision.inputs),
        right.astype(precision.inputs),
        (contract, (batch, batch)),
        precision=getattr(lax.Precision, precision.products, None)
        or lax.DotAlgorithmPreset[precision.products],
        preferred_element_type=precision.accumulate,
    )
