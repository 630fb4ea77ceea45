"""How it runs: the definitions on accelerators, and how far rounding can take them from the exact value.

JAX is imported by the first lane that runs. Some names are those of the modules that hold them; they are bound here at
once, since importing such a module later would put itself in the place of its function.
"""

from .blocks import in_blocks
from .chunked import chunked
from .delta import delta, longhorn
from .gates import Gate, classify, log_decays
from .jax_backend import x64
from .precision import BFLOAT16, FLOAT32, FLOAT64, Precision
from .recurrent import recurrent
from .sharded import sharded
from .streaming import stepwise, streaming

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
