"""Entries taken from elsewhere, of arrays with NumPy's indexing: by slices where they do, else by arrays of indices."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from ..statement.whole import Axis, Number, Whole, parts

Place = tuple[Any, Mapping[int, Any]]
"""A number, and the coefficient of each axis of the result."""
Mask = Callable[[np.ndarray], Any]
"""Truths as ones and zeros of a kind of arrays."""


@lru_cache(maxsize=50_000)
def affine(place: Number) -> tuple[Number, dict[int, Number]]:
    """A place as a number without axes, and the coefficient of each axis."""
    start: Number = 0
    steps: dict[int, Number] = {}
    for m, c in parts(place):
        axes = [one.number for one in m if isinstance(one, Axis)]
        others = tuple(one for one in m if not isinstance(one, Axis))
        amount = Whole(((others, c),)) if others else c
        if axes:
            steps[axes[0]] = steps.get(axes[0], 0) + amount
        else:
            start = start + amount
    return start, steps


def taken(
    mask: Mask,
    of: Any,
    places: Sequence[Place],
    shape: tuple[int, ...],
    truths: np.ndarray | None,
) -> Any:
    """The entries of an array at places that are affine in the result's positions, times ones and zeros.

    By slices, transposes and new axes where every axis of the result is used once at most, and by arrays of indices
    elsewhere.
    """
    if 0 in shape:
        return mask(np.ones(shape, dtype=bool))
    found = sliced(of, places, shape)
    if found is None:
        found = gathered(of, places, shape, truths)
        return found if truths is None else found * mask(truths)
    if truths is not None:
        return found * mask(truths)
    present = {k for _, steps in places for k in steps}
    wide = any(k not in present and shape[k] != 1 for k in range(len(shape)))
    if wide or (shape and not present):
        return found * mask(np.ones(shape, dtype=bool))
    return found


def sliced(of: Any, places: Sequence[Place], shape: tuple[int, ...]) -> Any:
    """The entries by slices, transposes and new axes, of length 1 where they repeat; None where these do not do."""
    moves = tuple((start, tuple(steps.items())) for start, steps in places)
    found = _moves(moves, of.shape, shape)
    if found is None:
        return None
    index, order, new = found
    of = of if index is None else of[index]
    of = of if order is None else of.transpose(order)
    return of[new] if new is not None and getattr(of, "shape", ()) else of  # scalars have none


@lru_cache(maxsize=50_000)
def _moves(places: tuple[Any, ...], lengths: tuple[int, ...], shape: tuple[int, ...]) -> Any:
    """The index, the order of axes and the new axes by which they are taken, each None where nothing is to do."""
    moves = [next(iter(steps), None) for _, steps in places]
    used = [move[0] for move in moves if move is not None]
    plain = all(len(steps) < 2 for _, steps in places) and len(set(used)) == len(used)
    ends = zip(places, lengths, strict=True)
    inside = all(0 <= end < length for place, length in ends for end in _ends(place, shape))
    if not plain or (not inside and 0 not in shape):
        return None
    index = tuple(
        int(start) if move is None else _slice(start, move[1], shape[move[0]])
        for (start, _), move in zip(places, moves, strict=True)
    )
    order = sorted(range(len(used)), key=lambda n: used[n])
    new = tuple(slice(None) if k in used else None for k in range(len(shape)))
    return (
        None if all(isinstance(k, slice) and k == slice(None) for k in index) else index,
        None if order == [*range(len(used))] else order,
        None if len(used) == len(shape) else new,
    )


def _ends(place: tuple[int, Any], shape: tuple[int, ...]) -> tuple[int, int]:
    """The least and the greatest place; the start where there is none."""
    start, steps = place
    ways = [c * (shape[k] - 1) for k, c in steps if shape[k]]
    return start + sum(min(0, way) for way in ways), start + sum(max(0, way) for way in ways)


def _slice(start: int, step: int, count: int) -> slice:
    stop = start + step * count
    if count == 0:
        return slice(0, 0)
    return slice(start, None if stop < 0 else stop, None if step == 1 else step)


def gathered(
    of: Any, places: Sequence[Place], shape: tuple[int, ...], truths: np.ndarray | None
) -> Any:
    """The entries by arrays of indices; where truths are false, entries from any place, or zeros."""
    grid = np.indices(shape, sparse=True)
    index = []
    for (start, steps), length in zip(places, of.shape, strict=True):
        place = np.asarray(start + sum(c * grid[k] for k, c in steps.items()))
        if truths is None and ((place < 0).any() or (place >= length).any()):
            raise IndexError(f"places {place.min()} to {place.max()} of an axis of length {length}")
        index.append(np.broadcast_to(np.clip(place, 0, length - 1), shape))
    if 0 in of.shape:  # no guard holds
        return np.zeros(shape, dtype=int)
    return of[tuple(index)]
