"""`identify` for real Mamba-2 weights: measured against gradient descent, and compared entry by entry with ours.

The block is no polynomial, so the rule cannot be derived. What is said is how far predictions on seeded tasks are from
the best gradient descent; that they are gradient descent's is said if each is within the certificate of the constructed
model with that rule, or if every entry is that of such a model. Tensors laid out like a constructed model's are told
from it by name; what entries that differ do to data that was not tried is not known.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from scanproof.constructs.constructions import mamba2_gd, mamba2_sizes
from scanproof.constructs.constructions.instance import Instance
from scanproof.constructs.errors import UsageError
from scanproof.constructs.layouts import hf_mamba2, mamba_ssm
from scanproof.constructs.tokens.mamba2 import LAYOUTS, Layout

from ..export.certificates.mamba2 import bound, domain_of
from ..export.loading import Loaded
from ..rounding.arithmetic import FORMATS
from . import measured_distance, measured_manifest
from .measured import quotient
from .measured_construction import Near, held, nearest, simple
from .measured_distance import Measured, explicit
from .measured_model import Model, layouts, model_of
from .report import ASCENT, DESCENT, NONE, Report, StepSize

FORM = 2.0**-40
"""Relative change of predictions that is put down to float64 arithmetic."""
NEARBY = 2.0**-7
"""Relative distance above which no certificate is asked for."""
MOST_FEATURES = 1024
CHANNEL = 2.0**24
"""K of what is exported."""
LARGEST = 2**24
"""Numbers in a tensor of a constructed model that is made for its bound alone."""
LISTED = 20
"""Entries that a report names."""
TENSORS = 6
"""Tensors whose deviating entries it counts."""


class Learner(NamedTuple):
    """The gradient descent that predictions are compared with."""

    steps: int
    step_size: float
    simple: Fraction | None
    """The simple number that `step_size` is a rounding of."""
    W0: np.ndarray
    stored: float
    """The step size before it was taken for a simple number."""


@np.errstate(all="ignore")
def identify_mamba2(loaded: Loaded) -> Report:
    """Which learning rule the weights of a Mamba-2 model implement, by measurement.

    Args:
        loaded: of the target hf-mamba2 or mamba-ssm.

    Raises:
        UsageError: if no tokenisation has the width that the encoding takes, or there are too many features to measure.
    """
    settings, state = loaded.settings or {}, loaded.tensors
    if "ssm_cfg" in settings:
        settings, state = mamba_ssm.for_transformers(settings, state)
    model = model_of(settings, state, loaded.encoding)
    possible = _tokenisations(loaded, model)
    near = nearest(state, loaded.encoding, loaded.dtypes, model, possible)
    measured = measured_distance.measure(
        model,
        [near.instance.layout] if near else possible,
        [near.instance.W0] if near else [],
        loaded.manifest["sizes"]["examples"] if loaded.manifest else None,
    )
    first = hf_mamba2.key(0, "in_proj")
    dtype = held(state[first], loaded.dtypes.get(first, "float32"))
    report = _report(loaded, settings, model, measured, near, dtype)
    if loaded.manifest:
        measured_manifest.check(loaded.manifest, report, model, measured, near, dtype)
    return report


def _tokenisations(loaded: Loaded, model: Model) -> list[Layout]:
    """Those that the encoding's width allows."""
    r, k = model.encode_weight.shape[1], model.targets
    possible = layouts(r, k)
    if not possible:
        raise UsageError(
            f"identify {loaded.folder}: encode.weight takes tokens of {r} numbers and readout.weight makes {k} "
            "predictions; no tokenisation has that width: labelled d + k + 1, concatenated 2d + k, interleaved d + k."
        )
    small = [layout for layout in possible if layout.slots.d <= MOST_FEATURES]
    if not small:
        raise UsageError(
            f"identify {loaded.folder}: tokens of {r} numbers are more than are measured; "
            f"{MOST_FEATURES} features are the most."
        )
    return small


def _report(
    loaded: Loaded,
    settings: Mapping[str, Any],
    model: Model,
    measured: Measured,
    near: Near | None,
    dtype: str,
) -> Report:
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
    )
    tasks = sum(len(group.x) for group in measured.groups)
    report.method = f"measured on {tasks} seeded tasks: the block's definition in float64, with the {dtype} weights"
    effect = _effect(settings, measured, near) if near else 0.0
    _name_entries(report, near, effect)
    if not measured.finite:
        report.verdict = f"{NONE}: predictions overflow on the tasks, and nothing can be compared"
        return report
    rounding = 8 * len(model.blocks) * FORMATS[dtype].unit
    kept = near is not None and effect <= rounding
    learner = _of_construction(near) if near and kept else _fitted(measured, dtype)
    report.steps, report.W0 = learner.steps, learner.W0.tolist()
    if learner.steps:
        report.step_size = StepSize(learner.stored, learner.simple)
    predict = measured_distance.predictor(model, measured.layout)
    report.distances = measured_distance.compare(
        measured, predict, learner.W0, learner.step_size, learner.steps
    )
    made = near.instance if near and kept else _instance(measured, learner, model)
    certified = made is not None and _certified(measured, made, learner, dtype)
    if near and not kept:  # edited: the certificate is wider than what an edit may change
        certified = certified and report.distances.relative <= rounding
    if certified or (learner.steps and _constructed(near)):
        report.rule = DESCENT if learner.step_size > 0 else ASCENT
    report.verdict = _verdict(report, measured, near, learner, effect)
    report.notes += _notes(report, measured, near, certified)
    return report


def _of_construction(near: Near) -> Learner:
    made = near.instance
    steps = near.steps if near.stored else 0
    return Learner(steps, float(made.eta), near.step_size, np.asarray(made.W0), near.stored)


def _fitted(measured: Measured, dtype: str) -> Learner:
    found = measured.best
    unit = FORMATS[dtype].unit
    nearby = simple(found.step_size, 2 * unit) if found.step_size and unit < 2.0**-20 else None
    return Learner(
        found.steps,
        float(nearby) if nearby else found.step_size,
        nearby,
        measured.W0,
        found.step_size,
    )


def _effect(settings: Mapping[str, Any], measured: Measured, near: Near) -> float:
    """How far the entries that differ from the construction's move predictions, relative to the largest."""
    if not near.deviating:
        return 0.0
    if not measured.finite:
        return np.inf
    predict = measured_distance.predictor(
        model_of(settings, near.mended, near.mended), measured.layout
    )
    found = 0.0
    for tasks, values in zip(measured.groups, measured.predicted, strict=True):
        expected = predict(*tasks)
        found = max(found, quotient(np.abs(values - expected).max(), np.abs(expected).max()))
    return found


def _name_entries(report: Report, near: Near | None, effect: float) -> None:
    if near is None:
        return
    made = near.instance
    blocks = "one block" if made.model.step is None else f"{near.steps + 1} blocks"
    step_size = _number(near.step_size, made.eta)
    report.nearest_construction = (
        f"{_steps(near.steps)} in {blocks}, {made.layout.name} tokens, η = {step_size}"
    )
    report.deviations = near.deviations[:LISTED]
    report.deviations_in_all = near.deviating
    report.same_function = not near.deviating
    if not near.deviating:
        report.notes.append("every entry is that of the construction, up to rounding")
        return
    most = sorted(near.counts.items(), key=lambda item: -item[1])[:TENSORS]
    more = (
        f", and more in {len(near.counts) - TENSORS} others" if len(near.counts) > TENSORS else ""
    )
    report.notes.append(
        f"entries that differ: {', '.join(f'{name} {count}' for name, count in most)}{more}"
    )
    if effect <= FORM:
        report.notes.append(
            "they change no prediction on the tasks that were tried, which proves nothing of others"
        )
    elif effect < np.inf:
        report.notes.append(f"they change predictions by {effect:.1e}, relative to the largest")


def _constructed(near: Near | None) -> bool:
    """Whether every entry is that of an instance, and so are its constants."""
    if near is None or near.deviating:
        return False
    return float(near.instance.constants.channel) == CHANNEL


def _certified(measured: Measured, made: Instance, learner: Learner, dtype: str) -> bool:
    """Whether every prediction is within the certificate of the constructed model, for its own data."""
    for tasks, values in zip(measured.groups, measured.predicted, strict=True):
        off = np.abs(values - explicit(tasks, learner.W0, learner.step_size, learner.steps))
        for x, y, error in zip(*tasks, off.max(axis=1), strict=True):
            domain = domain_of(x, y, learner.W0, learner.step_size, learner.steps)
            if not error <= bound(made, domain, dtype).prediction < np.inf:
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
    return mamba2_gd.instance(
        np,
        slots.d,
        learner.steps,
        learner.step_size,
        learner.W0,
        tokens=layout.name,
        in_one_block=one,
    )


def _verdict(
    report: Report, measured: Measured, near: Near | None, learner: Learner, effect: float
) -> str:
    what = f"{_steps(learner.steps)} with η = {_number(learner.simple, learner.step_size)}"
    tokens = f"on {measured.layout.name} tokens"
    distances = report.distances
    within = f"{distances.relative:.1e}" if distances else "?"
    if report.recognised:
        edited = ""
        if near and near.deviating:
            edited = f"; {near.deviating} {_differ(near)} from the construction, which other data may show"
        return f"{report.rule}: {what} {tokens}, within {within} of it on the tasks that were tried (relative){edited}"
    if near and near.deviating:
        return (
            f"{NONE}: {near.deviating} {_differ(near)} from the construction of {report.nearest_construction}, "
            f"and move predictions by {effect:.1e} (relative)"
        )
    best = measured.best
    if best.steps == 0 and best.distance <= 2.0**-20:
        return f"{NONE}: the predictions {tokens} do not depend on the examples"
    if best.steps == 0:
        return f"{NONE}: no step size brings any number of steps nearer {tokens} than W0ᵀx, which is off by {within}"
    return f"{NONE}: the nearest is {what} {tokens}, off by {within} (relative)"


def _differ(near: Near) -> str:
    return "entry differs" if near.deviating == 1 else "entries differ"


def _notes(report: Report, measured: Measured, near: Near | None, certified: bool) -> list[str]:
    around = [
        f"L = {f.steps}{f', η = {f.step_size:.6g}' if f.steps else ''}: {f.distance:.1e}"
        for f in measured.fits
        if abs(f.steps - (report.steps or 0)) <= 1
    ]
    notes = [f"relative l2 distances with the best η: {'; '.join(around)}"]
    if measured.bent > FORM:
        notes.append(
            f"predictions without examples are not linear in the query, by {measured.bent:.1e} (relative); "
            "W0 is what they are at the unit vectors"
        )
    if near and not near.deviating and not certified and report.steps:
        notes.append(
            f"no certificate holds for K = {float(near.instance.constants.channel):g} on these tasks"
        )
    if near is None:
        notes.append(
            "the tensors are not laid out as those of a constructed model, so no entries are named"
        )
    return notes


def _steps(count: int) -> str:
    return "1 step" if count == 1 else f"{count} steps"


def _number(exact: Fraction | None, value: float) -> str:
    return str(exact) if exact is not None else f"{value:.9g}"
