"""Rows of the source `mamba2`: importing a module adds its rows."""

from . import block  # noqa: I001
from . import sign_pairs
from . import gradient_descent
from . import one_step
from .source import mamba2 as SOURCE

__all__ = ["SOURCE", "block", "gradient_descent", "one_step", "sign_pairs"]
