"""Rows of the source `gd-ssm`, in the order of the paper: importing a module adds its rows."""

from . import regression  # noqa: I001
from . import forms
from . import scalar
from . import vector
from . import multi_step
from . import nonlinear
from . import ridge
from . import figures
from .source import gd_ssm as SOURCE

__all__ = [
    "SOURCE",
    "figures",
    "forms",
    "multi_step",
    "nonlinear",
    "regression",
    "ridge",
    "scalar",
    "vector",
]
