"""Runs of axes put together into one, in row-major order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..kernel.index import Index, position
from ..kernel.term import Term
from ..reading.array import KernelArray, comprehension
from ..reading.size import Unreadable
from ..reading.terms import equal_indices, total
from .values import Integers, reals


def merged(a: Any, runs: Sequence[int]) -> Any:
    """The array with each run of so many axes as one axis.

    Raises:
        Unreadable: if a run's later axes have symbolic lengths, or what is merged is an array of integers.
    """
    for axis, count in enumerate(runs):
        for _ in range(count - 1):
            a = _pair(a, axis)
    return a


def _pair(a: Any, axis: int) -> KernelArray:
    """Axes `axis` and `axis + 1` as one: entry r is Σ_q Σ_p [r = width q + p] of the entries (q, p)."""
    if isinstance(a, Integers):
        raise Unreadable("a reshape of integers")
    array = reals(a)
    length, width = array.dims[axis], array.dims[axis + 1]
    if width.terms:
        raise Unreadable("a reshape that merges an axis of symbolic length into another")
    dims = [*array.dims[:axis], length * width.const, *array.dims[axis + 2 :]]

    def at(*place: Index) -> Term:
        q, p = position("q", 0, length), position("p", 0, width)
        inner = [*place[:axis], q, p, *place[axis + 1 :]]
        term = array.entry(inner) * equal_indices(place[axis], q * width.const + p)
        return total(total(term, p), q)

    return comprehension(dims, at)
