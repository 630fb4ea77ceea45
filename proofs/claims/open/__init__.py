"""Rows of the source `open`: importing a module adds its rows."""

from . import lsa  # noqa: I001
from . import two_layers
from . import first_order
from . import value_projection
from . import batch_steps
from . import window
from . import masks
from . import existence
from . import printed_form
from .source import open_questions as SOURCE

__all__ = [
    "SOURCE",
    "batch_steps",
    "existence",
    "first_order",
    "lsa",
    "masks",
    "printed_form",
    "two_layers",
    "value_projection",
    "window",
]
