"""Changes of a hidden basis that change no prediction, divided out before entries are compared.

A matrix A takes one array of a factorisation to A X and its partner to A⁻ᵀ Z: the keys and queries of a head, its
values and output, and all that the residual stream goes through. Scalings of the factors and orthogonal bases are such
matrices, and so is the number by which PV of a layer of self-attention grows and KQ shrinks. Each array of the weights
tells which A the construction's would need; the one after which most entries agree is divided out, so that an entry
that was changed stands out: it misleads the A of its own array alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from scanproof.constructs.layouts.neutral import Model

from .entries import FLOOR, apart, bits_of

Arrays = Mapping[str, np.ndarray]

RANK = 1e-6
"""Singular values, relative to the largest, that are taken for 0."""
SIZE = 512
"""Coordinates of a basis whose matrix is looked for, at most."""


class Place(NamedTuple):
    """An array, or one head of it, and the axis that has the basis."""

    name: str
    axis: int | None
    """None: the matrix is a number, by which all entries are multiplied."""
    dual: bool
    """Whether it goes with A⁻ᵀ instead of A."""
    head: int | None = None
    """The index of the first axis, of which `axis` is one of the others."""


Gauge = Sequence[Place]


def of_family(model: Model) -> list[Gauge]:
    """The bases of a neutral model that any invertible matrix may change."""
    layers = range(len(model.layers))
    encode = [Place("encode.weight", 0, False), Place("encode.bias", 0, False)]
    readout = [Place("readout.weight", 1, True)]
    if model.family == "linear-attention":
        inner = []
        stream = []
        for i in layers:
            for h in range(np.shape(model.layers[i].query)[0]):
                keys = [("key", 0, False), ("query", 0, True)]
                values = [("value", 0, False), ("output", 1, True)]
                inner += [_gauge(i, keys, h), _gauge(i, values, h)]
            projections = [(name, 2, True) for name in ("query", "key", "value")]
            stream += _gauge(i, [*projections, ("output", 1, False)])
        return [*inner, [*encode, *stream, *readout]]
    if model.family == "ssd":
        states = _gauge(0, [("S_B", 0, False), ("S_C", 0, True)])
        return [states, [*encode, *_gauge(0, [("S_B", 1, True), ("S_C", 1, True)]), *readout]]
    if model.family in ("lsa", "attention-to-examples"):
        value, keys = model.layers[0]._fields[:2]
        axes = [(value, 0, False), (value, 1, True), (keys, 0, True), (keys, 1, True)]
        factors = [_gauge(i, [(value, None, False), (keys, None, True)]) for i in layers]
        return [
            *factors,
            [*encode, *(place for i in layers for place in _gauge(i, axes)), *readout],
        ]
    return []


def _gauge(
    layer: int, axes: Sequence[tuple[str, int | None, bool]], head: int | None = None
) -> list[Place]:
    return [Place(f"layers.{layer}.{name}", axis, dual, head) for name, axis, dual in axes]


def changed(arrays: Arrays, gauge: Gauge, A: np.ndarray) -> dict[str, np.ndarray]:
    """The arrays in the basis that A leads to."""
    moved, dual = dict(arrays), np.linalg.inv(A).T
    for name, axis, contrary, head in gauge:
        array = np.array(moved[name], dtype=np.float64)
        part = array if head is None else array[head]
        if axis is None:
            moved[name] = float(dual[0, 0] if contrary else A[0, 0]) * array
            continue
        made = np.moveaxis(np.tensordot(dual if contrary else A, part, axes=(1, axis)), 0, axis)
        if head is None:
            array = made
        else:
            array[head] = made
        moved[name] = array
    return moved


def changed_alike(
    made: Sequence[Arrays], found: Arrays, gauges: Sequence[Gauge], close: float
) -> tuple[Sequence[Arrays], float]:
    """Arrays of constructions with each basis as the weights have it, where fewer bits say what the weights are then.

    The matrices have bits of their own, the second of what is returned: where entries differ by noise, some matrix
    makes a few of them agree, and explains nothing.

    Args:
        made: of a construction, and of others in the same bases, which follow it.
        found: of the weights, of the same names and shapes.
        gauges: the bases.
        close: the relative distance within which numbers are roundings of each other.
    """
    least, spent = apart(made[0], found, close), 0.0
    for _ in gauges:  # the basis first whose change says most: a part of it may pass for another's
        best = least, 0.0, made
        for gauge in gauges:
            for A, numbers in _matrices(made[0], found, gauge):
                one = changed(made[0], gauge, A)
                own = _bits(A, numbers, close)
                total = apart(one, found, close) + own
                if total < best[0]:
                    best = total, own, [one, *(changed(other, gauge, A) for other in made[1:])]
        if best[2] is made:
            break
        total, own, made = best
        least, spent = total - own, spent + own
    return made, spent


def _bits(A: np.ndarray, numbers: int, close: float) -> float:
    """How many bits say what a matrix is: those of the entries in which it is not I, or of the numbers it is told by.

    r orthonormal vectors of length m are rm − r(r + 1)/2 numbers.
    """
    unit = np.eye(len(A))
    if np.abs(A.T @ A - unit).max() <= len(A) * close:
        rank = numbers // len(A)
        numbers = numbers - rank * (rank + 1) // 2
    return min(bits_of(A, unit, close), numbers * (1 - math.log2(close)))


def floored(array: np.ndarray) -> np.ndarray:
    """The size of each entry, at least a part of the largest: smaller ones are as exact as one of that size."""
    size = np.abs(array)
    return np.maximum(size, FLOOR * size.max(initial=0.0))


def _matrices(made: Arrays, found: Arrays, gauge: Gauge) -> Iterator[tuple[np.ndarray, int]]:
    """The A that all arrays tell together, then that each tells, and how many numbers it takes from them."""
    joint = _joint(made, found, gauge)
    if joint is not None:
        yield joint, joint.size
    for place in gauge:
        theirs, ours = _slices(made, place), _slices(found, place)
        if not 1 <= len(ours) <= SIZE:
            continue
        A, rank = _solved(theirs, ours)
        if A is None:
            continue
        if place.dual:
            A = np.linalg.inv(A).T
        if np.isfinite(A).all():
            yield A, rank * len(A)


def _joint(made: Arrays, found: Arrays, gauge: Gauge) -> np.ndarray | None:
    """The A with A C = F for places as they are and Aᵀ G = D for dual ones, by least squares; where none tells, as I.

    A CCᵀ + GGᵀ A = F Cᵀ + G Dᵀ is solved in the eigenvectors of CCᵀ and GGᵀ.
    """
    theirs, ours = ({}, {})
    for dual in (False, True):
        places = [place for place in gauge if place.dual == dual]
        for arrays, kept in ((made, theirs), (found, ours)):
            kept[dual] = np.concatenate([_slices(arrays, place) for place in places], axis=1)
    C, F, D, G = theirs[False], ours[False], theirs[True], ours[True]
    if not 1 <= len(C) <= SIZE or not all(np.isfinite(array).all() for array in (F, G)):
        return None
    with np.errstate(all="ignore"):
        sides, right = (C @ C.T, G @ G.T), F @ C.T + G @ D.T
        if not all(np.isfinite(array).all() for array in (*sides, right)):
            return None
        (a, U), (b, V) = map(np.linalg.eigh, sides)
        size = b[:, None] + a
        told = size > RANK**2 * size.max()
        A = V @ np.where(told, (V.T @ right @ U) / np.where(told, size, 1.0), V.T @ U) @ U.T
    usable = told.any() and np.isfinite(A).all() and np.linalg.cond(A) < 1 / RANK
    return A if usable else None


def _solved(theirs: np.ndarray, ours: np.ndarray) -> tuple[np.ndarray | None, int]:
    """An invertible A with A theirs = ours, and the rank; what the array does not reach goes to such, orthogonally.

    None where numbers overflow, on which LAPACK may not return.
    """
    if not (np.isfinite(theirs).all() and np.isfinite(ours).all()):
        return None, 0
    rows, sizes, _ = np.linalg.svd(theirs)
    rank = int((sizes > RANK * sizes.max(initial=0.0)).sum())
    if not rank:
        return None, 0
    with np.errstate(all="ignore"):
        A = ours @ np.linalg.pinv(theirs, rcond=RANK)
    if not np.isfinite(A).all():
        return None, rank
    others, own, _ = np.linalg.svd(A)
    if own[rank - 1] <= RANK * own[0]:
        return None, rank
    if rank < len(A):
        A = A + _aligned(others[:, rank:], rows[:, rank:])
    return (A if np.linalg.cond(A) < 1 / RANK else None), rank


def _aligned(to: np.ndarray, of: np.ndarray) -> np.ndarray:
    """The orthogonal map of one subspace to another that is nearest to the identity."""
    left, _, right = np.linalg.svd(to.T @ of)
    return to @ left @ right @ of.T


def _slices(arrays: Arrays, place: Place) -> np.ndarray:
    array = np.asarray(arrays[place.name], dtype=np.float64)
    if place.axis is None:
        return array.reshape(1, -1)
    array = np.moveaxis(array if place.head is None else array[place.head], place.axis, 0)
    return array.reshape(len(array), -1)
