"""What kind of gate a layer has, which decides the programs that can run it.

With H_t = A_t ⊙ H_{t−1} + …, the matrix form of a chunk needs one number A_t for the whole state: the product
Π_{s<r≤t} A_r then comes out of the sum over s as an entry of a C × C matrix. A gate with different entries has no such
form and keeps the recurrence.

Lanes take log-decays, because products of decays over a chunk would underflow. A zero decay has no logarithm: it is a
reset, at which the state is dropped before the token is written.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from scanproof.constructs.errors import UsageError

UNIT, SCALAR, PER_TOKEN, GENERIC = "unit", "scalar", "per-token scalar", "generic"


class Gate(NamedTuple):
    """A gate as the ops take it."""

    kind: str
    """`unit`, `scalar`, `per-token scalar` or `generic`."""
    log_decay: np.ndarray | None
    """log a: None for a unit gate and for a generic one, () for a scalar, (…, T) for one scalar a token."""
    reset: np.ndarray | None
    """Where a_t = 0, (…, T); None if it is nowhere."""
    reason: str
    """Why it is of this kind, a sentence."""

    @property
    def has_matrix_form(self) -> bool:
        """Whether `chunked`, `sharded` and their like can run it; otherwise `recurrent` does."""
        return self.kind != GENERIC


def classify(gate: Any, *, state_axes: int = 2, token_axes: int = 0) -> Gate:
    """Tell what kind of gate this is, from its values.

    Args:
        gate: the decays, of shape (tokens…, state…): () is one scalar, (d, m) a gate of the state's shape, (T,) with
            `token_axes=1` one scalar a token. An axis of the state may be missing or have length 1.
        state_axes: how many axes the state has.
        token_axes: how many leading axes of `gate` run over tokens (heads and sequences included).

    Raises:
        UsageError: if the gate is no array of finite numbers or has more axes than tokens and state together.
    """
    try:
        array = np.asarray(gate)
        known = array.dtype.kind in "fiu" and np.isfinite(array).all()
    except (TypeError, ValueError):  # of JAX for a traced array, of NumPy for ragged rows
        known, array = False, np.asarray(None)
    if not known:
        raise UsageError(
            f"classify(gate) expects finite real numbers, got dtype {array.dtype} with shape {array.shape}; "
            "a gate that is computed inside jit must be classified before."
        )
    if not token_axes <= array.ndim <= token_axes + state_axes:
        raise UsageError(
            f"classify(gate) expects {token_axes} token axes and at most {state_axes} state axes, "
            f"got shape {array.shape}."
        )
    flat = array.reshape(*array.shape[:token_axes], -1).astype(np.float64)
    if flat.size == 0:
        raise UsageError(f"classify(gate) expects at least one entry, got shape {array.shape}.")
    decays = flat[..., 0]
    first = float(decays.flat[0])

    def generic(reason: str) -> Gate:
        return Gate(GENERIC, None, None, f"{reason}, recurrent only")

    if (flat == 1).all():
        return Gate(UNIT, None, None, "every decay is 1")
    if (flat != decays[..., None]).any():
        return generic("entries of the state decay differently: no matrix form")
    if (decays < 0).any():
        return generic("a negative decay has no logarithm: no matrix form here")
    if (decays == first).all() and first > 0:
        return Gate(SCALAR, np.log(first), None, f"every decay is {first:.6g}")
    if token_axes == 0:
        return generic("every decay is 0: there is nothing to carry")
    return Gate(PER_TOKEN, *log_decays(decays), "one decay for the whole state at each token")


def log_decays(decays: Any) -> tuple[np.ndarray, np.ndarray | None]:
    """(log a, reset) of decays a ≥ 0 of any shape; reset is None if no decay is 0, and log a is 0 where one is.

    Raises:
        UsageError: if a decay is negative or not finite.
    """
    decays = np.asarray(decays, dtype=np.float64)
    if not np.isfinite(decays).all() or (decays < 0).any():
        raise UsageError(
            "log_decays(decays) expects finite decays ≥ 0, got "
            f"some in [{decays.min()}, {decays.max()}]; negative decays run on the recurrent op only."
        )
    reset = decays == 0
    return np.log(np.where(reset, 1.0, decays)), reset if reset.any() else None
