"""A construction in the order of hidden coordinates that other weights have, which changes no prediction.

The coordinates of a hidden basis are axes of several arrays. Each coordinate of the weights is matched with the
construction's that shares most entries, along all these axes; the order that is found is divided out before entries are
compared, so that a permuted model is not blamed for being one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from scanproof.constructs.layouts.families import FAMILIES
from scanproof.constructs.layouts.neutral import Model

from .entries import apart

Basis = Sequence[tuple[str, int]]
"""The arrays, by name, and the axes that have its coordinates."""
Arrays = Mapping[str, np.ndarray]

WORK = 10**9
"""Comparisons of entries, at most, to match the coordinates of a basis."""
ROUNDS = 2
"""Over all bases: where several are permuted, one that is known tells more of another."""


def of_family(model: Model) -> list[Basis]:
    """The hidden bases of a neutral model: the stream, then those within each layer, each by its letter."""
    family = FAMILIES[model.family]
    stream = [("encode.weight", 0), ("encode.bias", 0)]
    stream += [("readout.weight", 1)] if family.outputs == family.width else []
    inner: dict[tuple[int, str], list[tuple[str, int]]] = {}
    for i in range(len(model.layers)):
        for field, letters in family.shapes.items():
            for axis, letter in enumerate(letters.split()):
                place = (f"layers.{i}.{field}", axis)
                if letter == family.width:
                    stream.append(place)
                elif letter.isalpha() and letter != "T":
                    inner.setdefault((i, letter), []).append(place)
    return [stream, *inner.values()]


def reordered(
    made: Sequence[Arrays], found: Arrays, bases: Sequence[Basis], close: float
) -> Sequence[Arrays]:
    """Arrays of constructions with each basis in the order of the weights, where fewer bits say what these are then.

    Args:
        made: of a construction, and of others in the same order of coordinates, which follow it.
        found: of the weights, of the same names and shapes.
        bases: hidden bases, whose order changes no prediction.
        close: the relative distance within which numbers are roundings of each other.
    """
    least = apart(made[0], found, close)
    for _ in range(ROUNDS):
        before = least
        for basis in bases:
            for order in orders(made[0], found, basis, close):
                moved = [permuted(arrays, basis, order) for arrays in made]
                now = apart(moved[0], found, close)
                places = int((order != np.arange(len(order))).sum())
                if now + places * math.log2(len(order)) < least:
                    made, least = moved, now
        if least == before or not least:
            break
    return made


def permuted(arrays: Arrays, basis: Basis, order: np.ndarray) -> Arrays:
    """The arrays with coordinate `order[c]` of a basis in place c."""
    moved = dict(arrays)
    for name, axis in basis:
        moved[name] = np.take(moved[name], order, axis=axis)
    return moved


def orders(made: Arrays, found: Arrays, basis: Basis, close: float) -> Iterator[np.ndarray]:
    """Orders in which the construction's coordinates are like those of the weights.

    First by the entries as they are, then by what other bases' order does not change: each slice's entries in order
    of their size.
    """
    for alike in (_entries, _sorted):
        ours, theirs = (alike(arrays, basis) for arrays in (found, made))
        size, width = ours.shape
        if size < 2 or size * size * width > WORK:
            continue
        apart = np.stack(
            [(np.abs(own - theirs) > close * np.abs(theirs)).sum(axis=1) for own in ours]
        )
        yield _matched(apart)


def _entries(arrays: Arrays, basis: Basis) -> np.ndarray:
    """For each coordinate the entries at it, of arrays that have the basis along one axis."""
    names = [name for name, _ in basis]
    parts = [_slices(arrays, place) for place in basis if names.count(place[0]) == 1]
    return np.concatenate(parts or [_slices(arrays, basis[0])], axis=1)


def _sorted(arrays: Arrays, basis: Basis) -> np.ndarray:
    return np.concatenate([np.sort(_slices(arrays, place), axis=1) for place in basis], axis=1)


def _slices(arrays: Arrays, place: tuple[str, int]) -> np.ndarray:
    name, axis = place
    array = np.moveaxis(np.asarray(arrays[name], dtype=np.float64), axis, 0)
    return array.reshape(len(array), -1)


def _matched(apart: np.ndarray) -> np.ndarray:
    """A coordinate of the construction for each one of the weights, the likest pairs first, in place where alike."""
    size = len(apart)
    moved = ~np.eye(size, dtype=bool)
    pairs = np.lexsort((moved.ravel(), apart.ravel()))
    order, taken = np.full(size, -1), np.zeros(size, dtype=bool)
    for pair in pairs:
        own, other = divmod(int(pair), size)
        if order[own] < 0 and not taken[other]:
            order[own], taken[other] = other, True
    return order
