"""The entries that differ from a construction's: their names in a report, those that move predictions the most first.

An entry's effect is what mending it alone changes. Many are looked at in groups, which are split where mending all of a
group changes something; so an entry that never reaches the readout costs little, and is not blamed.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ..export.loading import Loaded
from .entries import LISTED, Near, entry
from .family import Family
from .report import Deviation, Report
from .tasks import Predictor, Tasks, Trial, finite, furthest, quotient_of_largest

IDLE = 2.0**-40
"""Relative change of predictions in float64 that is put down to rounding."""
MOST = 400
"""Models that are run."""
PARTS = 8
"""Into which a group is split."""
GROUPS, FEW = 3, 2
"""Groups of tasks, and tasks of each, on which entries are blamed."""

Arrays = Mapping[str, np.ndarray]
PredictorOf = Callable[[Arrays], Predictor]
"""The model of other tensors and another encoding of the same shapes, as a function of tasks."""


def predictor_of(family: Family, loaded: Loaded, tokens: str) -> PredictorOf:
    """What weights predict when their arrays are others, on a tokenisation."""

    def of(arrays: Arrays) -> Predictor:
        tensors, encoding = (
            {name: arrays.get(name, array) for name, array in held.items()}
            for held in (loaded.tensors, loaded.encoding)
        )
        other = loaded._replace(tensors=tensors, encoding=encoding)
        return family.predictor(family.models(other)[tokens])

    return of


def name(report: Report, near: Near) -> None:
    """Adds to a report the construction that the weights are nearest to, and their entries that are not its."""
    report.nearest_construction = near.what
    report.deviations, report.deviations_in_all = near.entries.deviations, near.entries.deviating
    report.same_function = not near.entries.deviating


def name_measured(
    report: Report,
    near: Near,
    loaded: Loaded,
    predictor: PredictorOf,
    trials: Sequence[Trial],
    tensors: int | None = None,
) -> Near:
    """Names the entries of weights whose rule is measured, and says what they change.

    Args:
        report: on the weights.
        near: the construction beside them.
        loaded: the weights and their encoding.
        predictor: what other such arrays predict.
        trials: the tasks on which the weights are measured.
        tensors: how many are counted in words, those with most such entries first; all in turn if it is not given.

    Returns:
        The construction, with the effect of these entries.
    """
    name(report, near)
    counts = list(near.entries.counts.items())
    if not counts:
        report.notes.append("every entry is that of the construction, up to rounding")
        return near
    mended, changed = predictor(near.entries.mended), np.inf
    if finite(trials):
        changed = furthest(trials, lambda tasks: mended(*tasks))
    if IDLE < changed < np.inf:
        some = [trial.part(slice(FEW)).tasks for trial in trials[:GROUPS]]
        blame(report, near, {**loaded.tensors, **loaded.encoding}, predictor, some)
    if tensors is not None:
        counts.sort(key=lambda item: -item[1])
    each = ", ".join(f"{tensor} {count}" for tensor, count in counts[:tensors])
    others = len(counts) - len(counts[:tensors])
    more = f", and more in {others} others" if others else ""
    report.notes.append(f"entries that differ: {each}{more}")
    if changed <= IDLE:
        report.notes.append(
            "they change no prediction on the tasks that were tried, which proves nothing of others"
        )
    elif changed < np.inf:
        report.notes.append(f"they change predictions by {changed:.1e}, relative to the largest")
    return near._replace(effect=changed)


class _Group(NamedTuple):
    effect: float
    name: str
    places: np.ndarray
    """Flat indices of entries."""


@np.errstate(all="ignore")
def blame(
    report: Report, near: Near, arrays: Arrays, predictor: PredictorOf, groups: Sequence[Tasks]
) -> None:
    """Adds to a report the entries in the order of their effect on tasks, without those that have none.

    Args:
        report: on the weights.
        near: the construction beside them.
        arrays: the weights and their encoding.
        predictor: what other such arrays predict.
        groups: a few tasks.
    """
    mended = near.entries.mended

    def predictions(arrays: Arrays) -> np.ndarray:
        predict = predictor(arrays)
        return np.concatenate([predict(*tasks) for tasks in groups])

    whole = {name: np.asarray(array, dtype=np.float64) for name, array in arrays.items()}
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
    if single:
        report.deviations = [_deviation(group, whole, mended) for group in single]
        report.deviations_idle = idle


def _deviation(group: _Group, found: Arrays, mended: Arrays) -> Deviation:
    array, (place,) = found[group.name], group.places
    at = tuple(int(i) for i in np.unravel_index(place, array.shape))
    return Deviation(
        entry(group.name, at),
        float(array.flat[place]),
        float(mended[group.name].flat[place]),
        group.effect,
    )
