"""Which entries of a model's tensors are not as in the construction nearest to it.

A construction's entries are constants, multiples of η, or multiples of entries of W0. It is built for a few values of
them, every entry of the weights then says which value it would be right for, and most of them decide; so an entry that
was changed stands out by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple, TypeAlias

import numpy as np

from scanproof.constructs.errors import UsageError
from scanproof.constructs.layouts import neutral
from scanproof.constructs.layouts.neutral import Model

from . import constructed, rounding
from .constructed import Construction
from .report import Deviation

LISTED = 20
"""Entries that a report names."""
MOST_WEIGHTS = 256
"""Entries of W0 that are read off the tensors, one build each."""

Names: TypeAlias = Callable[[Model], dict[str, np.ndarray]]
"""A model's arrays under the names that they have in the folder."""


class Near(NamedTuple):
    """The construction that most entries agree with."""

    what: str
    """The statement whose construction it is."""
    model: Model
    """With η, in float64."""
    steps: int
    step_size: float
    """η after as many examples as the model was looked at with."""
    deviations: list[Deviation]
    """The first `LISTED` of them, in the tensors' order."""
    count: int


class Assertion(NamedTuple):
    """What a manifest says that a model is."""

    id: str
    step_size: float
    """η after `examples` examples."""
    W0: np.ndarray
    """(d, k)."""
    examples: int


def asserted(model: Model, assertion: Assertion, named: Names) -> Near | None:
    """The construction that a manifest names; None if there is none of this family, or not of these shapes."""
    id, step_size, W0, examples = assertion
    construction = constructed.of_statement(id, model, examples)
    pair = construction and _pair(model, construction, W0)
    if construction is None or pair is None:
        return None
    return _compared(construction.what, model, _at(*pair, step_size), step_size, named)


def nearest(
    model: Model,
    examples: int,
    W0: np.ndarray | None,
    named: Names,
    step_sizes: Sequence[float] = (),
) -> Near | None:
    """The construction with the fewest entries that differ; None if none has these shapes.

    Args:
        model: in floats.
        examples: n, for constructions that are for one number of examples.
        W0: (d, k); None if it is not known, and is read off the tensors.
        named: see `Names`.
        step_sizes: η after n examples, to be tried before the one that most entries are right for.
    """
    found = []
    for construction in constructed.known(model, examples):
        for start in _starts(model, construction) if W0 is None else [W0]:
            pair = _pair(model, construction, start)
            if pair is not None:
                for eta in [*step_sizes, *_step_size(model, *pair)]:
                    made = _at(*pair, eta)
                    found.append(_compared(construction.what, model, made, eta, named))
    return min(found, key=lambda near: near.count, default=None)


def arrays(model: Model) -> dict[str, np.ndarray]:
    """All its arrays by their neutral names."""
    found = {**neutral.tensors(model), **neutral.encoding(model)}
    return {key: np.asarray(array) for key, array in found.items()}


def _pair(model: Model, construction: Construction, W0: np.ndarray) -> tuple[Model, Model] | None:
    """The construction at η = 1 and η = 2; None if it has other shapes, or is none from this W0."""
    try:
        one, two = (construction.build(W0, Fraction(eta)) for eta in (1, 2))
    except (UsageError, ValueError):
        return None
    shapes = [{key: array.shape for key, array in arrays(m).items()} for m in (one, model)]
    return (one, two) if shapes[0] == shapes[1] else None


def _starts(model: Model, construction: Construction) -> Iterator[np.ndarray]:
    """Candidates for W0: 0, and what most entries that depend on it are right for, entry by entry."""
    W0 = np.zeros(neutral.sizes(model))
    yield W0
    pair = _pair(model, construction, W0)
    if pair is None or W0.size > MOST_WEIGHTS:
        return
    constant, at_two = arrays(pair[0]), arrays(pair[1])
    fixed = {key: array == at_two[key] for key, array in constant.items()}
    for index in np.ndindex(W0.shape):
        moved = _pair(model, construction, _unit(W0.shape, index))
        if moved is None:
            return
        slopes = {
            key: np.where(fixed[key], array - constant[key], 0)
            for key, array in arrays(moved[0]).items()
        }
        W0[index] = next(iter(_most_frequent(model, constant, slopes)), 0.0)
    if W0.any():
        yield W0


def _unit(shape: tuple[int, ...], index: tuple[int, ...]) -> np.ndarray:
    found = np.zeros(shape)
    found[index] = 1
    return found


def _step_size(model: Model, one: Model, two: Model) -> list[float]:
    """The η that most entries which depend on it are right for; none if no entry does."""
    at_two = arrays(two)
    slopes = {key: at_two[key] - array for key, array in arrays(one).items()}
    constant = {key: array - slopes[key] for key, array in arrays(one).items()}
    return _most_frequent(model, constant, slopes)


def _most_frequent(
    model: Model, constant: Mapping[str, np.ndarray], slopes: Mapping[str, np.ndarray]
) -> list[float]:
    """t, for which most entries are constant + t · slope; the middle one of several that are as frequent."""
    votes = [np.zeros(0)]
    for key, array in arrays(model).items():
        depends = slopes[key] != 0
        votes.append((array[depends] - constant[key][depends]) / slopes[key][depends])
    every = np.sort(np.concatenate(votes))
    if not every.size:
        return []
    close = float(rounding.of(model))
    last = np.searchsorted(every, every + close * np.abs(every), side="right")
    counts = last - np.arange(every.size)
    frequent = every[counts == counts.max()]
    return [float(frequent[(len(frequent) - 1) // 2])]


def _at(one: Model, two: Model, eta: float) -> Model:
    """The construction at another η: its entries are linear in it."""
    at_two = arrays(two)
    made = {key: _extended(array, at_two[key], eta) for key, array in arrays(one).items()}
    layers = {key: array for key, array in made.items() if key not in neutral.ENCODING}
    around = {key: made[key] for key in neutral.ENCODING}
    return neutral.from_tensors(layers, around, one.tokens)


def _extended(one: np.ndarray, two: np.ndarray, eta: float) -> np.ndarray:
    return np.where(one == two, one, (2 * one - two) + eta * (two - one))


def _compared(what: str, model: Model, made: Model, eta: float, named: Names) -> Near:
    wanted, close = named(made), float(rounding.of(model))
    deviations, count = [], 0
    for key, array in named(model).items():
        off = np.abs(array.astype(np.float64) - wanted[key]) > close * np.abs(wanted[key])
        count += int(off.sum())
        for index in np.argwhere(off)[: max(0, LISTED - len(deviations))]:
            at = tuple(map(int, index))
            entry = f"{key}[{', '.join(map(str, at))}]" if at else key
            deviations.append(Deviation(entry, float(array[at]), float(wanted[key][at])))
    return Near(what, made, constructed.steps(model), eta, deviations, count)
