"""Rows on what runs: the JAX programs of the ops, read from their jaxprs. Importing a module adds its rows.

The bodies import JAX when they are read; without it the rows can be listed and not decided.
"""

from . import recurrent  # noqa: I001
from . import chunked
from . import delta
from . import sharded
from . import learners
from . import constructions
from .source import lanes as SOURCE

__all__ = ["SOURCE", "chunked", "constructions", "delta", "learners", "recurrent", "sharded"]
