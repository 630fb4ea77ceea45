"""Loops over sizes, for every backend: over numbers where a size is one, once where it is a symbol."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import reduce
from operator import mul
from typing import Any

from .array_api import Array, namespace


def each(first: Any, last: Any) -> Iterable[Any]:
    """first, …, last; a single one that stands for all of them where an end is symbolic.

    The body of such a loop must not carry anything from one turn to the next: it yields its statements, and that is
    all. What does not hold of every turn alone belongs in a scan.
    """
    for end in (last, first):
        symbolic = getattr(type(end), "symbolic_range", None)
        if symbolic is not None:
            return symbolic(end, first, last)
    return range(first, last + 1)


def is_number(size: Any) -> bool:
    """Whether a length or a count is a plain number; a symbolic one says of itself that it is an int."""
    return issubclass(type(size), int)


def build(xp: Any, length: Any, function: Callable[[Any], Array]) -> Array:
    """stack([function(0), …, function(length − 1)]) along a new first axis; `length` ≥ 1."""
    own = getattr(xp, "build", None)
    if own is not None:
        return own(length, function)
    return xp.stack([function(index) for index in range(length)], axis=0)


def product(vector: Array) -> Array:
    """The product of the entries of a vector, 1 for none."""
    xp = namespace(vector)
    own = getattr(xp, "product", None)
    if own is not None:
        return own(vector)
    return reduce(mul, (vector[index] for index in range(vector.shape[0])), xp.asarray(1))
