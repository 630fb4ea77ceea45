"""Rows of the source `gril`, in the order of the paper: importing a module adds its rows."""

from . import forms  # noqa: I001
from . import scalar
from . import one_step
from . import block
from . import multi_step
from . import nonlinear
from . import ridge
from . import cross_entropy
from . import window
from . import size
from . import causality
from . import longhorn
from . import tables
from . import figures
from .source import gril as SOURCE

__all__ = [
    "SOURCE",
    "block",
    "causality",
    "cross_entropy",
    "figures",
    "forms",
    "longhorn",
    "multi_step",
    "nonlinear",
    "one_step",
    "ridge",
    "scalar",
    "size",
    "tables",
    "window",
]
