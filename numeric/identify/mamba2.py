"""`identify` for real Mamba-2 weights: measured against gradient descent, and compared entry by entry with ours.

The block is not a polynomial, so the rule cannot be derived. The report says how far predictions on seeded tasks are
from the best gradient descent. It says that the rule is gradient descent if each prediction is within the certificate
of the constructed model with that rule, or if every entry is that of such a model. Where tensors laid out like a
constructed model's differ from it, it names them; what these entries do to data that was not tried is not known.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from scanproof.constructs.constructions import mamba2_gd, mamba2_sizes
from scanproof.constructs.constructions.instance import Instance
from scanproof.constructs.errors import UsageError
from scanproof.constructs.layouts import hf_mamba2
from scanproof.constructs.tokens.mamba2 import LAYOUTS, Layout

from ..export.certificates.mamba2 import Bound, Domain, bound, domain_of
from ..export.exporting import HALVES
from ..export.loading import Loaded
from ..export.mamba2 import bound_in
from ..rounding.arithmetic import FORMATS
from . import (
    fitting,
    mamba2_certificate,
    mamba2_model,
    mamba2_tasks,
    mamba2_verdict,
    manifest,
)
from .asked import NOTHING, Asked
from .blame import blamed
from .entries import LISTED, Comparison
from .fitting import Learner, Tasks, quotient_of_largest
from .mamba2_construction import Near, close_in, held, nearest, simple, simply
from .mamba2_model import Model, for_transformers, layouts, model_of
from .mamba2_tasks import Measured
from .mamba2_verdict import FORM, WITHIN, number
from .manifest import Manifest
from .report import (
    ALONE,
    ASCENT,
    CONSTANT,
    DESCENT,
    NEAR,
    NONE,
    Contradiction,
    Report,
    Running,
    StepSize,
)
from .verdict import steps

NEARBY = 2.0**-7
"""Relative distance above which no certificate is asked for."""
MOST_FEATURES = 1024
CHANNEL = 2.0**24
"""K of what is exported."""
LARGEST = 2**24
"""Numbers in a tensor of a constructed model that is made for its bound alone."""
GROUPS, FEW = 3, 2
"""Groups of tasks, and tasks of each, on which entries are blamed."""
TENSORS = 6
"""Tensors whose deviating entries are counted in words."""


@np.errstate(all="ignore")
def identify_mamba2(loaded: Loaded, asked: Asked = NOTHING) -> Report:
    """Which learning rule the weights of a Mamba-2 model implement, by measurement.

    Args:
        loaded: of the target hf-mamba2 or mamba-ssm.
        asked: on which data.

    Raises:
        UsageError: if no tokenisation has the width that the encoding takes, or there are too many features to measure.
    """
    loaded = for_transformers(loaded)
    settings = loaded.settings or {}
    model = model_of(settings, loaded.tensors, loaded.encoding)
    possible = _tokenisations(loaded, model, asked.tokens)
    near = nearest(loaded, model, possible)
    measured = mamba2_tasks.measure(
        model,
        [near.instance.layout] if near else possible,
        [near.instance.W0] if near else [],
        loaded.manifest["sizes"]["examples"] if loaded.manifest else None,
        asked,
    )
    first = hf_mamba2.key(0, "in_proj")
    stored_as = loaded.dtypes.get(first, "float32")
    dtype = held(loaded.tensors[first], stored_as)
    tasks = sum(len(values) for _, values in measured.trials)
    report = Report(
        folder=str(loaded.folder),
        target=loaded.target,
        family="mamba2",
        sizes={
            "features": measured.layout.slots.d,
            "targets": model.targets,
            "layers": len(model.blocks),
        },
        asserted=loaded.manifest is not None,
        method=f"measured on {tasks} seeded tasks: the block's definition in float64, with the {dtype} weights",
    )
    effect = _effect(settings, measured, near) if near else 0.0
    if near:
        _name_entries(report, settings, measured, loaded, near, effect)
    if measured.finite:
        _compare(report, model, measured, near, effect, dtype, stored_as)
    else:
        report.verdict = f"{NONE}: predictions overflow on the tasks, and nothing can be compared"
    if loaded.manifest:
        _check_manifest(report, loaded.manifest, model, measured, near, dtype)
    return report


def _tokenisations(loaded: Loaded, model: Model, asked: str | None) -> list[Layout]:
    """Those that the encoding's width allows, or the one that is asked for."""
    r, k = model.encode_weight.shape[1], model.targets
    possible = layouts(r, k)
    if not possible:
        raise UsageError(
            f"identify {loaded.folder}: encode.weight takes tokens of {r} numbers and readout.weight makes {k} "
            "predictions; no tokenisation has that width: labelled d + k + 1, concatenated 2d + k, interleaved d + k."
        )
    own = [layout for layout in possible if asked in (None, layout.name)]
    if not own:
        raise UsageError(
            f"identify {loaded.folder} --tokens {asked}: they do not fit the weights; those that do: "
            f"{', '.join(layout.name for layout in possible)}."
        )
    possible = own
    small = [layout for layout in possible if layout.slots.d <= MOST_FEATURES]
    if not small:
        raise UsageError(
            f"identify {loaded.folder}: tokens of {r} numbers are more than are measured; "
            f"{MOST_FEATURES} features are the most."
        )
    return small


def _compare(
    report: Report,
    model: Model,
    measured: Measured,
    near: Near | None,
    effect: float,
    dtype: str,
    stored_as: str,
) -> None:
    """Adds to a report the gradient descent that the predictions are nearest to, and whether they are its."""
    unit = FORMATS[dtype].unit
    rounding = 8 * len(model.blocks) * min(unit, FORMATS["float32"].unit)
    kept = near if near and effect <= rounding else None
    if kept:
        made, stored, exact = kept.instance, kept.stored, kept.step_size
        learner = Learner(np.asarray(made.W0), float(made.eta), kept.steps if stored else 0)
        if kept.each:
            stored, exact = float(np.mean(kept.each)), None
            learner = learner._replace(
                step_size=stored, steps=kept.steps, each=tuple(map(simply, kept.each))
            )
    else:
        fit = measured.best
        stored = fit.step_size
        exact = simple(stored, 2 * unit) if stored and unit < 2.0**-20 else None
        learner = Learner(measured.W0, float(exact) if exact else stored, fit.steps)
        unequal = _unequal(measured)
        if unequal is not None:
            learner, stored, exact = unequal, unequal.step_size, None
    report.steps, report.W0 = learner.steps, learner.W0.tolist()
    if learner.steps:
        numbers = sorted({trial.tasks.examples for trial in measured.trials})
        dependence = CONSTANT if len(numbers) > 1 else ALONE.format(numbers[0])
        report.step_size = StepSize(stored, exact, dependence, learner.each)
    report.distances = mamba2_tasks.compare(measured, learner)
    report.running = _running(model, measured, learner, stored_as)
    off = report.distances.relative
    certified = bool(learner.each) and off <= WITHIN
    made = kept.instance if kept else _instance(measured, learner, model)
    if not learner.each:  # certificates are for equal steps
        own = kept is not None and not kept.entries.deviating
        within = bound_in if own else bound_of
        certified = made is not None and _certified(measured, made, learner, dtype, within)
    if near and not kept:  # edited: the certificate is wider than what an edit may change
        certified = certified and off <= rounding
    own = near is not None and not near.entries.deviating
    channel = float(near.instance.constants.channel) if near else 0.0
    if off <= NEAR and (certified or (learner.steps and own and channel == CHANNEL)):
        up = all(eta < 0 for eta in learner.each or (learner.step_size,))
        report.rule = ASCENT if up else DESCENT
    else:
        report.nearest = mamba2_tasks.nearest(measured, len(model.blocks))
    each = ", ".join(number(simple(eta, 2 * unit), eta) for eta in learner.each if eta)
    eta = f"({each})" if each else number(exact, learner.step_size)
    report.verdict = mamba2_verdict.of(report, measured, near, eta, len(model.blocks))
    report.notes += mamba2_verdict.notes(report, measured, near, certified)


def _unequal(measured: Measured) -> Learner | None:
    """Steps of unequal sizes that explain the predictions, where equal ones do not."""
    if measured.best.distance <= WITHIN:
        return None
    for count in range(2, len(measured.fits)):
        each = fitting.unequal(measured.trials, measured.W0, count)
        learner = Learner(measured.W0, float(np.mean(each or 0.0)), count, each)
        if not each:
            continue
        expected = [learner.predictions(tasks) for tasks, _ in measured.trials]
        off = [
            quotient_of_largest(t.predicted - e, e)
            for t, e in zip(measured.trials, expected, strict=True)
        ]
        if max(off) <= WITHIN:
            return learner
    return None


def _running(model: Model, measured: Measured, learner: Learner, dtype: str) -> Running:
    """The model on all tasks as it is loaded."""
    predict, found, count = mamba2_model.predictor(model, measured.layout, dtype), 0.0, 0
    for tasks, _ in measured.trials:
        expected = learner.predictions(tasks)
        off = quotient_of_largest(predict(*tasks) - expected, expected)
        found, count = float(np.max([found, off])), count + len(expected)  # NaN if one of them is
    how = f"as transformers loads it: projections in {dtype}, norms, functions and scan in float32"
    return Running(dtype, found, count, how)


def _effect(settings: Mapping[str, Any], measured: Measured, near: Near) -> float:
    """How far the entries that differ from the construction's move predictions, relative to the largest."""
    if not near.entries.deviating:
        return 0.0
    if not measured.finite:
        return np.inf
    mended = near.entries.mended
    predict = mamba2_model.predictor(model_of(settings, mended, mended), measured.layout)
    found = 0.0
    for tasks, values in measured.trials:
        expected = predict(*tasks)
        found = max(found, quotient_of_largest(values - expected, expected))
    return found


def _blame(
    report: Report,
    settings: Mapping[str, Any],
    measured: Measured,
    loaded: Loaded,
    entries: Comparison,
) -> None:
    """The entries that differ in the order of their effect on a few tasks, without those that have none."""
    some = [Tasks(tasks.x[:FEW], tasks.y[:FEW]) for tasks, _ in measured.trials[:GROUPS]]

    def predictions(tensors: Mapping[str, np.ndarray]) -> np.ndarray:
        predict = mamba2_model.predictor(model_of(settings, tensors, tensors), measured.layout)
        return np.concatenate([predict(*tasks) for tasks in some])

    found = blamed({**loaded.tensors, **loaded.encoding}, entries.mended, predictions)
    if found.deviations:
        report.deviations, report.deviations_idle = found.deviations, found.idle


def _name_entries(
    report: Report,
    settings: Mapping[str, Any],
    measured: Measured,
    loaded: Loaded,
    near: Near,
    effect: float,
) -> None:
    made, entries = near.instance, near.entries
    blocks = "one block" if made.model.step is None else f"{near.steps + 1} blocks"
    step_size = number(near.step_size, made.eta)
    report.nearest_construction = (
        f"{steps(near.steps)} in {blocks}, {made.layout.name} tokens, η = {step_size}"
    )
    report.deviations = entries.deviations[:LISTED]
    if entries.deviating and FORM < effect < np.inf:
        _blame(report, settings, measured, loaded, entries)
    report.deviations_in_all = entries.deviating
    report.same_function = not entries.deviating
    if not entries.deviating:
        report.notes.append("every entry is that of the construction, up to rounding")
        return
    most = sorted(entries.counts.items(), key=lambda item: -item[1])[:TENSORS]
    each, others = (
        ", ".join(f"{name} {count}" for name, count in most),
        len(entries.counts) - TENSORS,
    )
    more = f", and more in {others} others" if others > 0 else ""
    report.notes.append(f"entries that differ: {each}{more}")
    if effect <= FORM:
        report.notes.append(
            "they change no prediction on the tasks that were tried, which proves nothing of others"
        )
    elif effect < np.inf:
        report.notes.append(f"they change predictions by {effect:.1e}, relative to the largest")


def bound_of(dtype: str, made: Instance, domain: Domain) -> Bound:
    """The bound of arithmetic in a format, for weights that need not be the construction's."""
    return bound(made, domain, dtype)


def _certified(
    measured: Measured,
    made: Instance,
    learner: Learner,
    dtype: str,
    within: Callable[[str, Instance, Domain], Bound],
) -> bool:
    """Whether every prediction is within the certificate of the constructed model, for its own data."""
    for tasks, values in measured.trials:
        off = np.abs(values - learner.predictions(tasks))
        for x, y, error in zip(*tasks, off.max(axis=1), strict=True):
            domain = domain_of(x, y, learner.W0, learner.step_size, learner.steps)
            if not error <= within(dtype, made, domain).prediction < np.inf:
                return False
    return learner.steps > 0


def _instance(measured: Measured, learner: Learner, model: Model) -> Instance | None:
    """The constructed model for a learner that is near; None if it is too large to be made for its bound alone."""
    if not learner.steps or measured.best.distance > NEARBY:
        return None
    slots = measured.layout.slots
    one = learner.steps == len(model.blocks) == 1
    layout = LAYOUTS[measured.layout.name](slots.d, slots.k, weights=not one)
    widths, _ = mamba2_sizes.released(layout, **mamba2_gd.shape(layout, in_one_block=one))
    if widths.inner * widths.stream > LARGEST:
        return None
    W0, step_size, steps, _ = learner
    return mamba2_gd.instance(
        np, slots.d, steps, step_size, W0, tokens=layout.name, in_one_block=one
    )


def _check_manifest(
    report: Report,
    asserted: Manifest,
    model: Model,
    measured: Measured,
    near: Near | None,
    dtype: str,
) -> None:
    """Adds to a report what the weights contradict, and what becomes of the certificate."""
    # no export rounds a number to 16 bits
    close = close_in("float32" if dtype in HALVES else dtype)
    report.contradictions += manifest.learner(asserted, report, close, measured=True)
    if not report.recognised:
        return
    layout = measured.layout
    held = {
        "family": report.family,
        "sizes.features": layout.slots.d,
        "sizes.targets": layout.slots.k,
        "tokens.name": layout.name,
    }
    # A token's prediction depends on those before it alone: they are a shorter task, if no flag marks the query.
    if layout.read == slice(-1, None):
        held["tokens.predicts"] = "last"
    report.contradictions += manifest.unequal(asserted, held)
    widths = [stop - start for start, stop in layout.fields]
    claimed = [width for _, width in asserted["tokens"]["raw"]]
    if claimed != widths:
        report.contradictions.append(Contradiction("tokens.raw", str(claimed), str(widths)))
    if not report.contradictions:
        mamba2_certificate.check(report, asserted, model, measured, near)
