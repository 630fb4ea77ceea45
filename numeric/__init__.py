"""How it runs: the definitions on accelerators, and how far rounding can take them from the exact value.

JAX is imported by the first op that runs. `bounds` is the room `rounding` by its name for users.
"""

from typing import Any

from .jax_backend import x64
from .ops.blocks import in_blocks
from .ops.chunked import chunked
from .ops.delta import delta, longhorn
from .ops.gates import Gate, classify, log_decays
from .ops.recurrent import recurrent
from .ops.sharded import sharded
from .ops.streaming import stepwise, streaming
from .precision import BFLOAT16, FLOAT32, FLOAT64, Precision

__all__ = [
    "BFLOAT16",
    "FLOAT32",
    "FLOAT64",
    "Gate",
    "Precision",
    "chunked",
    "classify",
    "delta",
    "in_blocks",
    "log_decays",
    "longhorn",
    "recurrent",
    "sharded",
    "stepwise",
    "streaming",
    "x64",
]


def __getattr__(name: str) -> Any:
    if name != "bounds":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import rounding

    return rounding


def __dir__() -> list[str]:
    return sorted({*globals(), "bounds"})
