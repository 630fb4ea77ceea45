"""How far rounding can take a run from the exact value: bounds that are known before it.

`linear` and `delta` bound the lanes, `promise` any JAX program; `probable` says what to expect of roundings that are
independent; `tightest` looks for inputs that come close (`python -m scanproof.numeric.rounding` prints how close). All
of them read the very program that will run, from its jaxpr, on `Enclosed` numbers: magnitudes and errors.
"""

from .delta_rule import delta
from .inputs import Magnitude
from .lanes import linear
from .probability import probable
from .programs import Promise, promise
from .search import tightest

__all__ = ["Magnitude", "Promise", "delta", "linear", "probable", "promise", "tightest"]
