"""What `--engine` may name, and which engines each name stands for; `exact.engines` has the engines themselves."""

from __future__ import annotations

ENGINES: dict[str, tuple[str, ...]] = {
    "all": ("flint", "sympy", "kernel"),
    "sympy": ("sympy",),
    "flint": ("flint",),
    "kernel": ("kernel",),
}
"""The first that has what a claim needs decides it, the others are second opinions; kernel: proofs for all sizes."""
