"""The construction that a linear model's tensors come nearest to, and the entries in which they differ from it.

A construction's entries are constants, multiples of η, or multiples of entries of W0. It is built for a few values of
them, every entry of the weights then says which value it would be right for, and most of them decide; so an entry that
was changed stands out by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial

import numpy as np

from scanproof.constructs.errors import UsageError
from scanproof.constructs.layouts import neutral
from scanproof.constructs.layouts.neutral import Model

from . import bases, candidates, gauges, polynomial, recognition
from .candidates import Candidate
from .entries import Comparison, Near, compared
from .neutral_form import arrays, predictor, rounding
from .polynomial import RATIONAL, Symbols
from .rule import Rule
from .tasks import SEED, sample

MOST_WEIGHTS = 256
"""Entries of W0 that are read off the tensors, one build each."""
TASKS, ROUNDINGS = 4, 4
"""Tasks, and the deviation on them relative to that of one number, that separate one gradient descent from another."""
FEW, ORDERED = 1, 2.0**-40
"""Entries that differ, above which hidden coordinates are put in order, and what another order of sums may change."""
POINTS = 2
"""Random points at which two models are compared as exact numbers."""


def asserted(model: Model, id: str, examples: int, learner: Rule, target: str) -> Near | None:
    """The construction of a statement that does this after n examples; None if none of its family has these shapes."""
    candidate = candidates.of_statement(id, model, examples)
    pair = candidate and _pair(model, candidate, learner.W0)
    if candidate is None or pair is None:
        return None
    return _near(
        candidate.what, model, _at(*pair, learner.step_sizes[0] if learner.steps else 0.0), target
    )


def nearest(
    model: Model,
    examples: int,
    W0: np.ndarray | None,
    target: str,
    step_sizes: Sequence[float] = (),
) -> Near | None:
    """The construction with the fewest entries that differ; None if none has these shapes.

    Args:
        model: in floats.
        examples: n, for constructions that are for one number of examples.
        W0: (d, k); None if it is not known, and is read off the tensors.
        target: whose names entries have.
        step_sizes: η after n examples, to be tried before the one that most entries are right for.
    """
    found = []
    for candidate in candidates.candidates(model, examples):
        for start in _starts(model, candidate) if W0 is None else [W0]:
            pair = _pair(model, candidate, start)
            if pair is not None:
                for eta in [*step_sizes, *_step_size(model, *pair)]:
                    found.append(_near(candidate.what, model, _at(*pair, eta), target))
    least = min(found, key=lambda near: near.entries.bits, default=None)
    if least is None or least.entries.deviating <= FEW:
        return least
    for candidate in candidates.candidates(model, examples):
        pair = _pair(model, candidate, np.zeros(neutral.sizes(model)) if W0 is None else W0)
        if pair is None:
            continue
        # What η seems to be is near enough for hidden coordinates to be recognised; then it is read again.
        every = [
            eta for eta in (*step_sizes, *_step_size(model, *pair)) if eta and np.isfinite(eta)
        ]
        for eta in every or [1.0]:
            own = _at(*pair, eta), _at(*pair, 2 * eta)
            for alike in (_in_order, _in_basis, partial(_in_basis, factors=False)):
                (one, two), spent = alike(model, *own)
                if _is_one_function(own[0], one):
                    for times in _step_size(model, one, two):
                        made = _at(one, two, times)
                        found.append(_near(candidate.what, model, made, target, spent))
    return min(found, key=lambda near: near.entries.bits)


def _near(what: str, model: Model, made: Model, target: str, spent: float = 0.0) -> Near:
    """A construction beside the weights, as it is or with its hidden bases as they have them.

    Args:
        what: the statement.
        model: the weights.
        made: the construction.
        target: whose names entries have.
        spent: the bits that say how it was changed already.
    """
    entries = _beside(model, made, target, spent)
    for alike, size in ((_in_order, np.abs), (_in_basis, gauges.floored)):
        if entries.deviating <= FEW:
            break
        (moved,), more = alike(model, made)
        other = _beside(model, moved, target, spent + more, size)
        if other.bits < entries.bits and _is_one_function(made, moved):
            made, entries = moved, other
    return Near(what, made, entries)


def _beside(
    model: Model,
    made: Model,
    target: str,
    spent: float,
    size: Callable[[np.ndarray], np.ndarray] = np.abs,
) -> Comparison:
    """The entries of the weights beside a construction's, of which bits are spent already."""
    close = float(rounding(model))
    entries = compared(arrays(model, target), arrays(made, target), close, size)
    return entries._replace(bits=entries.bits + spent)


def _in_order(model: Model, *made: Model) -> tuple[list[Model], float]:
    """Constructions with their hidden coordinates in the order of the model's, as far as the first tells it; 0 bits."""
    basis, close = bases.of_family(model), float(rounding(model))
    moved = bases.reordered([arrays(each) for each in made], arrays(model), basis, close)
    return [_model(each, made[0].tokens) for each in moved], 0.0


def _in_basis(model: Model, *made: Model, factors: bool = True) -> tuple[list[Model], float]:
    """Constructions with their hidden bases as the model has them, as far as the first tells it, and the bits spent.

    Args:
        model: the weights.
        made: the constructions.
        factors: whether a number may grow one array and shrink another; where η is not known, that would take its part.
    """
    every, close = gauges.of_family(model), float(rounding(model))
    own = [gauge for gauge in every if factors or all(place.axis is not None for place in gauge)]
    moved, spent = gauges.changed_alike([arrays(each) for each in made], arrays(model), own, close)
    return [_model(each, made[0].tokens) for each in moved], spent


def _is_one_function(made: Model, moved: Model) -> bool:
    """Whether a construction predicts in another order of hidden coordinates what it did."""
    return _alike(moved, made, recognition.numbers_of_examples(made)[-1:], ORDERED, 5)


def _pair(model: Model, candidate: Candidate, W0: np.ndarray) -> tuple[Model, Model] | None:
    """The construction at η = 1 and η = 2; None if it has other shapes, or is none from this W0."""
    try:
        one, two = (candidate.build(W0, Fraction(eta)) for eta in (1, 2))
    except (UsageError, ValueError):
        return None
    shapes = [{key: array.shape for key, array in arrays(m).items()} for m in (one, model)]
    return (one, two) if shapes[0] == shapes[1] else None


def _starts(model: Model, candidate: Candidate) -> Iterator[np.ndarray]:
    """Candidates for W0: 0, and what most entries that depend on it are right for, entry by entry."""
    W0 = np.zeros(neutral.sizes(model))
    yield W0
    pair = _pair(model, candidate, W0)
    if pair is None or W0.size > MOST_WEIGHTS:
        return
    constant, at_two = map(arrays, pair)
    for index in np.ndindex(W0.shape):
        unit = np.zeros(W0.shape)
        unit[index] = 1
        moved = _pair(model, candidate, unit)
        if moved is None:
            return
        slopes = {
            key: np.where(constant[key] == at_two[key], array - constant[key], 0)
            for key, array in arrays(moved[0]).items()
        }
        W0[index] = next(iter(_most_frequent(model, constant, slopes)), 0.0)
    if W0.any():
        yield W0


def _step_size(model: Model, one: Model, two: Model) -> list[float]:
    """The η that most entries which depend on it are right for; none if no entry does."""
    at_one, at_two = arrays(one), arrays(two)
    slopes = {key: at_two[key] - array for key, array in at_one.items()}
    return _most_frequent(model, {key: at_one[key] - slopes[key] for key in at_one}, slopes)


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
    close = float(rounding(model))
    last = np.searchsorted(every, every + close * np.abs(every), side="right")
    counts = last - np.arange(every.size)
    frequent = every[counts == counts.max()]
    return [float(frequent[(len(frequent) - 1) // 2])]


def _at(one: Model, two: Model, eta: float) -> Model:
    """The construction at another η: its entries are linear in it."""
    at_two = arrays(two)
    made = {
        key: np.where(
            array == at_two[key], array, 2 * array - at_two[key] + eta * (at_two[key] - array)
        )
        for key, array in arrays(one).items()
    }
    return _model(made, one.tokens)


def _model(made: Mapping[str, np.ndarray], tokens: str) -> Model:
    layers = {key: array for key, array in made.items() if key not in neutral.ENCODING}
    return neutral.from_tensors(layers, {key: made[key] for key in neutral.ENCODING}, tokens)


def rounded(model: Model, construction: Model) -> Model:
    """The construction in the model's formats; entries that agree with the model's up to rounding are the model's."""
    own = arrays(model)
    cast = {
        key: array.astype(own[key].dtype).astype(np.float64)
        for key, array in arrays(construction).items()
    }
    return _model(compared(own, cast, float(rounding(model))).mended, construction.tokens)


def is_close(model: Model, other: Model, numbers: Sequence[int]) -> bool:
    """Whether two models predict alike on tasks; if both are some gradient descent, it is the same up to rounding."""
    return _alike(model, other, numbers, ROUNDINGS * float(rounding(model)))


def _alike(model: Model, other: Model, numbers: Sequence[int], close: float, *seed: int) -> bool:
    """Whether two models predict alike on tasks of so many examples, relative to the other's largest prediction."""
    (d, k), ours, theirs = neutral.sizes(model), predictor(model), predictor(other)
    for n in numbers:
        tasks = sample(d, k, n, TASKS, seed=(SEED, n, *seed), sampler="uniform")
        found, expected = ours(*tasks), theirs(*tasks)
        if not np.abs(found - expected).max() <= close * np.abs(expected).max():
            return False
    return True


def is_same(model: Model, construction: Model, numbers: Sequence[int]) -> bool:
    """Whether the model predicts what the construction does, rounded as the model is, at random points."""
    ours, theirs = polynomial.exact(model), polynomial.exact(rounded(model, construction))
    chance = polynomial.source_of_chance(model)
    try:
        for n in [n for n in numbers for _ in range(POINTS)]:
            x, y = Symbols(n, *neutral.sizes(model)).random(chance)
            a, b = (polynomial.predicted(RATIONAL, each, x, y) for each in (ours, theirs))
            if any(p != q for p, q in zip(a, b, strict=True)):
                return False
    except polynomial.NO_POLYNOMIAL:
        return False
    return True
