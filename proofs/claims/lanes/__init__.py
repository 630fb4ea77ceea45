"""Rows of the house's own source `lanes`: importing a module adds its rows."""

from . import chunked  # noqa: I001
from . import prefix
from . import wy
from .source import lanes as SOURCE

__all__ = ["SOURCE", "chunked", "prefix", "wy"]
