"""Where rows come from: the ledger of `proofs`, and the rows of `numeric` on JAX programs, if JAX is installed."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scanproof.proofs.language.source import Source

JAX_ROWS = 48
"""How many rows `numeric.claims` has, which takes longer to import than all others; tests count them."""


def sources() -> list[Source]:
    """Every source whose rows can be decided here."""
    from scanproof.proofs.decide.ledger import built_in

    found = list(built_in().sources)
    if has_jax():
        from scanproof.numeric.claims import SOURCE

        found.append(SOURCE)
    return found


def has_jax() -> bool:
    """Whether JAX is installed, without importing it."""
    return importlib.util.find_spec("jax") is not None


def left_out() -> str | None:
    """A line that names the rows which are not counted, if there are any."""
    if has_jax():
        return None
    return (
        f"{JAX_ROWS} rows lanes.jax.* on JAX programs are not counted: JAX is not installed; "
        "try: pip install 'scanproof[jax]'"
    )
