"""`identify` for the linear targets: the rule is derived from the prediction as a polynomial, and told in words."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial
from typing import NamedTuple

import numpy as np

from scanproof.constructs.errors import UsageError
from scanproof.constructs.layouts import neutral
from scanproof.constructs.layouts.neutral import Model

from ..export.loading import Loaded
from . import (
    asserted,
    coefficients,
    comparison,
    differences,
    factor,
    neutral_form,
    recognition,
    rounding,
    sampled,
    verdict,
)
from .differences import Assertion, Names, Near
from .factor import Factor
from .measured_construction import simple
from .preconditioner import kind
from .recognition import MEASURED, UNDEFINED, UNKNOWN, Recognition, TooLarge
from .report import (
    ASCENT,
    DESCENT,
    PRECONDITIONED,
    Contradiction,
    Number,
    Report,
    StepSize,
    as_float,
)

MOST = 5e10
"""Multiplications of all predictions that are made, about."""
ENTRIES = 2**18
"""Entries of the largest model that is compared with a construction, whose numbers are exact ones."""
WITHIN = 2.0**-20
"""Relative distance on tasks below which a model too large to derive its rule is said to follow one."""


class _Read(NamedTuple):
    """A model, and what was derived of it."""

    model: Model
    numbers: tuple[int, ...]
    """Of examples, at which it was looked at."""
    found: Recognition | None
    how: str
    """If nothing was found: why."""


def identify_linear(loaded: Loaded) -> Report:
    """Which learning rule the weights of a linear target implement.

    Args:
        loaded: of any target with a neutral form.

    Raises:
        UsageError: for a model that takes no examples.
    """
    with np.errstate(all="ignore"):  # of weights that are no numbers to compute with
        return _identified(loaded)


def _identified(loaded: Loaded) -> Report:
    read = _read(loaded)
    model = read.model
    d, k = neutral.sizes(model)
    report = Report(
        folder=str(loaded.folder),
        target=loaded.target,
        family=model.family,
        sizes={"features": d, "targets": k, "layers": len(model.layers)},
        method=read.how,
        notes=[f"{model.tokens} tokens"],
    )
    if len(read.numbers) == 1:
        report.sizes["examples"] = read.numbers[0]
    by = _derived(report, read) if read.found else None
    near = _near(report, read, loaded, by)
    if report.rule not in (DESCENT, ASCENT):
        _measured(report, read, loaded, near)
    report.verdict = verdict.of(report, list(loaded.dtypes.values()), read.found)
    if loaded.manifest:
        asserted.check(report, loaded.manifest, model, by, read.found)
    return report


def _read(loaded: Loaded) -> _Read:
    """The model with the first tokenisation that makes it a rule's, or with the first that it can have."""
    tried = []
    for model in neutral_form.models(loaded):
        numbers = recognition.numbers_of_examples(model)
        _check(loaded, model, numbers)
        try:
            found = recognition.recognise(model)
        except TooLarge:
            tried.append(_Read(model, numbers, None, MEASURED))
        except recognition.NO_POLYNOMIAL:
            tried.append(_Read(model, numbers, None, UNDEFINED))
        else:
            tried.append(_Read(model, numbers, found, found.method if found else UNKNOWN))
            if found and found.first.step_sizes:
                return tried[-1]
    return tried[0] if len(tried) == 1 else min(tried, key=partial(_unlike, loaded))


def _check(loaded: Loaded, model: Model, numbers: tuple[int, ...]) -> None:
    if not numbers:
        raise UsageError(
            f"identify {loaded.folder}: the tensors' shapes are those of a context without examples."
        )
    d, _ = neutral.sizes(model)
    fixed = numbers[0] if len(numbers) == 1 else None
    products = recognition.operations(model, sampled.examples(model, fixed)) * (d + 64)
    if products > MOST:
        raise UsageError(
            f"identify {loaded.folder}: a model of {d} features and {_entries(model):,} entries is too large: it takes "
            f"{products:.1e} multiplications to measure it, and {MOST:.0e} are the most."
        )


def _unlike(loaded: Loaded, read: _Read) -> float:
    """How many entries are not as in the nearest construction; infinite if there is none."""
    if _entries(read.model) > ENTRIES:
        return math.inf
    n, named = read.numbers[-1], partial(neutral_form.named, loaded.target)
    near = differences.nearest(read.model, n, None, named)
    return math.inf if near is None else near.count


def _derived(report: Report, read: _Read) -> Factor | None:
    """The rule, and its factor; None where the examples have no influence."""
    found = read.found
    assert found is not None
    first = found.first
    report.method, report.exact = found.method, not found.deviation
    report.data = "linear targets" if found.linear else "any"
    report.steps, report.W0 = len(first.step_sizes), first.W0.tolist()
    if not first.step_sizes:
        return None
    own = factor.of(found.rules)
    divisor = Fraction(1) if own.shift is None else min(found.rules) + own.shift
    if first.preconditioner is not None:
        matrix = first.preconditioner * divisor
        report.rule = PRECONDITIONED
        report.preconditioner, report.preconditioner_kind = matrix.tolist(), kind(matrix)
        report.step_size = StepSize(Fraction(1), dependence=own.words)
        return own
    each = [s * divisor for s in first.step_sizes]
    report.step_size = _step_size(each, own.words, read.model)
    report.rule = ASCENT if all(s < 0 for s in first.step_sizes) else DESCENT
    return own


def _step_size(each: list[Fraction], dependence: str, model: Model) -> StepSize:
    rounded = [_simple(s, model) for s in each]
    mean = sum(each, Fraction(0)) / len(each)
    if len(set(each)) == 1:
        return StepSize(mean, rounded[0], dependence)
    if len(set(rounded)) == 1 and rounded[0] is not None:  # all are roundings of one number
        return StepSize(mean, rounded[0], dependence, tuple(each))
    return StepSize(mean, None, dependence, tuple(each))


def _simple(value: Number, model: Model) -> Fraction | None:
    """The simple number that a number of the model is a rounding of, if it is one."""
    number = as_float(value)
    return simple(number, float(rounding.of(model))) if number and math.isfinite(number) else None


def _near(report: Report, read: _Read, loaded: Loaded, by: Factor | None) -> Near | None:
    """The construction nearest to the weights: the one that the manifest names, if there is one."""
    model, numbers, found, how = read
    d, k = neutral.sizes(model)
    near, n, named = None, numbers[-1], partial(neutral_form.named, loaded.target)
    descends = found is not None and by is not None and found.first.preconditioner is None
    if loaded.manifest and _entries(model) <= ENTRIES:
        assertion = asserted.construction(loaded.manifest, numbers, d, k)
        near = differences.asserted(model, assertion, named) if assertion else None
        if assertion and (near is None or near.count):
            report.contradictions += _another(model, assertion, named, near)
    known = False
    if _entries(model) > ENTRIES:
        report.notes.append("the model is too large to compare its entries with a construction's")
        return None
    if near is None:
        total = by.at(n) if by and descends else None
        equal = report.step_size is not None and not report.step_size.each
        step = [as_float(total / (report.steps or 1))] if total is not None and equal else []
        W0 = None if found is None else np.vectorize(as_float, otypes=[float])(found.first.W0)
        near = differences.nearest(model, n, W0, named, step)
        known = near is not None and descends and comparison.is_close(model, near.model, numbers)
    if near is None:
        report.notes.append("no construction has tensors of these shapes, so no entries are named")
        return None
    report.nearest_construction = near.what
    report.deviations, report.deviations_in_all = near.deviations, near.count
    report.same_function = (
        not near.count
        or known
        or (how != MEASURED and comparison.is_same(model, near.model, numbers))
    )
    return near


def _another(
    model: Model, assertion: Assertion, named: Names, near: Near | None
) -> list[Contradiction]:
    """That a manifest names another construction than the one that all entries are as in."""
    own = differences.nearest(model, assertion.examples, assertion.W0, named, [assertion.step_size])
    if own is None or own.count or own.what == assertion.id:
        return []
    if near is None:
        found = f"{own.what}, entry by entry; that one has other shapes"
    else:
        found = f"{own.what}, entry by entry; {near.count} entries are not as in that one"
    return [Contradiction("construction.id", assertion.id, found)]


def _measured(report: Report, read: _Read, loaded: Loaded, near: Near | None) -> None:
    """Distances to the nearest gradient descent; for an unknown rule also its steps, and coefficients that deviate."""
    model, numbers, found, how = read
    examples = numbers[0] if len(numbers) == 1 else asserted.examples(loaded.manifest)
    starts = [] if near is None or report.W0 is None else [np.array(report.W0, dtype=np.float64)]
    nearest = sampled.nearest(model, examples, starts)
    report.distances = nearest.distances
    if found is not None:
        return
    fit = nearest.fit
    report.steps, report.W0 = fit.steps, nearest.W0.tolist()
    report.step_size = StepSize(fit.step_size, _simple(fit.step_size, model))
    if how == MEASURED:
        if nearest.distances.relative <= WITHIN and fit.step_size:
            report.rule = DESCENT if fit.step_size > 0 else ASCENT
        return
    rules = {n: coefficients.fitted(fit, nearest.W0) for n in numbers}
    if near is not None and near.count <= _entries(model) // 4:
        rules = coefficients.of_construction(comparison.rounded(model, near.model), numbers, rules)
    coefficients.tell(report, model, rules)


def _entries(model: Model) -> int:
    return sum(array.size for array in differences.arrays(model).values())
