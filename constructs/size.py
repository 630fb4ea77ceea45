"""How many numbers a layer's parameters or its state hold."""

from __future__ import annotations

from math import prod
from typing import Any

from .definition import definition
from .scan import leaves


@definition
def entries(tree: Any) -> int:
    """The number of entries of all arrays in a (nested, named) tuple of arrays."""
    return sum(prod(leaf.shape) for leaf in leaves(tree))
