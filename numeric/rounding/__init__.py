"""How far rounding can take a run from the exact value: a priori bounds, known before it.

`linear` and `delta` bound the ops, `a_priori` any JAX program; `probable` says what to expect of roundings that are
independent; `tightest` looks for inputs that come close (`python -m scanproof.numeric.rounding` prints how close). All
of them read the very program that will run, from its jaxpr, on `Enclosed` numbers: magnitudes and errors.
"""

from .chunked import linear
from .delta_rule import delta
from .inputs import Magnitude
from .probability import probable
from .programs import ErrorBound, a_priori
from .search import tightest

__all__ = ["ErrorBound", "Magnitude", "a_priori", "delta", "linear", "probable", "tightest"]
