"""Rows of the house's own source `rounding`: importing a module adds its rows."""

from . import recurrent  # noqa: I001
from . import chunked
from . import delta_rule
from . import outputs
from . import powers
from .source import rounding as SOURCE

__all__ = ["SOURCE", "chunked", "delta_rule", "outputs", "powers", "recurrent"]
