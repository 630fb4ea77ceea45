"""Rows of the source `ch9`, in the order of the chapter: importing a module adds its rows."""

from . import discretisation  # noqa: I001
from . import state_space
from . import linear_transformer
from . import in_context
from .source import ch9 as SOURCE

__all__ = ["SOURCE", "discretisation", "in_context", "linear_transformer", "state_space"]
