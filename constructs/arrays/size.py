"""How many numbers a layer's parameters or its state hold."""

from __future__ import annotations

from typing import Any

from .array_api import Array, namespace
from .definition import definition
from .scan import leaves


@definition
def entries(tree: Any) -> Array:
    """The number of entries of all arrays in a (nested, named) tuple of arrays, a scalar: a 1 for each, added up."""
    counts = [namespace(leaf).ones(leaf.shape).sum() for leaf in leaves(tree)]
    return sum(counts[1:], start=counts[0])
