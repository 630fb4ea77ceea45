"""Which of the entries that differ from a construction's are to blame: those that move predictions, the most first.

An entry's effect is what mending it alone changes. Many are looked at in groups, which are split where mending all of a
group changes something; so an entry that never reaches the readout costs little, and is not blamed.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from .entries import LISTED, entry
from .fitting import quotient_of_largest
from .report import Deviation

IDLE = 2.0**-40
"""Relative change of predictions in float64 that is put down to rounding."""
MOST = 400
"""Models that are run."""
PARTS = 8
"""Into which a group is split."""

Arrays = Mapping[str, np.ndarray]


class Blame(NamedTuple):
    """Entries that differ."""

    deviations: list[Deviation]
    """Those that move predictions, with their effect, the largest first; the first of them."""
    idle: int
    """How many are known to change no prediction that was tried."""


class _Group(NamedTuple):
    effect: float
    name: str
    places: np.ndarray
    """Flat indices of entries."""


@np.errstate(all="ignore")
def blamed(found: Arrays, mended: Arrays, predictions: Callable[[Arrays], np.ndarray]) -> Blame:
    """The entries in order of their effect.

    Args:
        found: arrays by name.
        mended: the same, with the construction's entries where they differ.
        predictions: of a model with such arrays, on tasks.
    """
    whole = {name: np.asarray(array, dtype=np.float64) for name, array in found.items()}
    now = predictions(whole)
    runs, idle = 0, 0

    def looked_at(name: str, places: np.ndarray) -> _Group:
        nonlocal runs
        runs += 1
        changed = whole[name].copy()
        changed.flat[places] = mended[name].flat[places]
        effect = quotient_of_largest(predictions({**whole, name: changed}) - now, now)
        return _Group(np.inf if np.isnan(effect) else effect, name, places)

    waiting: list[tuple[float, int, _Group]] = []

    def add(group: _Group) -> None:
        nonlocal idle
        if group.effect > IDLE:
            heapq.heappush(waiting, (-group.effect, len(waiting) + runs * PARTS, group))
        else:
            idle += len(group.places)

    for name, array in whole.items():
        places = np.flatnonzero(array != mended[name])
        if len(places):
            add(looked_at(name, places))
    single: list[_Group] = []
    while waiting and len(single) < LISTED:
        _, _, group = heapq.heappop(waiting)
        if len(group.places) == 1 or runs >= MOST:
            single.append(group._replace(places=group.places[:1]))
            continue
        for part in np.array_split(group.places, min(PARTS, len(group.places))):
            add(looked_at(group.name, part))
    single.sort(key=lambda group: -group.effect)
    return Blame([_deviation(group, whole, mended) for group in single], idle)


def _deviation(group: _Group, found: Arrays, mended: Arrays) -> Deviation:
    array, (place,) = found[group.name], group.places
    at = tuple(int(i) for i in np.unravel_index(place, array.shape))
    return Deviation(
        entry(group.name, at),
        float(array.flat[place]),
        float(mended[group.name].flat[place]),
        group.effect,
    )
