"""The verdict on a linear model as one sentence."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..rounding.arithmetic import FORMATS
from .recognition import UNDEFINED, Recognition, listed
from .report import (
    ASCENT,
    CONSTANT,
    DESCENT,
    NEAREST,
    NONE,
    OF_LARGEST,
    PRECONDITIONED,
    Report,
    Running,
    as_float,
    shown,
)

MEASURED = "as far as measured"
SMALL = 2.0**-30
"""Initial weights that were measured and are no more than this are what is left of 0."""
ROUGH = 2**7
"""Unit roundoffs, relative: what runs of layers that neither overflow nor cancel are off by, at most."""


def of(report: Report, formats: Sequence[str], found: Recognition | None) -> str:
    """The sentence for a report that is complete otherwise.

    Args:
        report: on a linear model.
        formats: those of the weights.
        found: the rule, if one was derived.
    """
    if report.rule == NONE:
        return _none(report, found)
    size = report.step_size
    rounded = (
        size is not None
        and size.nearest is not None
        and any(each != size.nearest for each in size.each or (size.value,))
    )
    how = "exactly "
    if found is None:
        how = f"{MEASURED} "
    elif found.deviation:
        how = f"up to a relative deviation of {found.deviation:.1e} "
    elif rounded:
        how = f"up to rounding of its {' and '.join(sorted(set(formats)))} numbers "
    running = report.running
    rough = running is not None and is_rough(running)
    if rough:
        how = (
            f"in exact numbers, {how}"
            if (found and found.deviation) or rounded
            else "in exact numbers "
        )
    where = " on examples with linear targets y = Wᵀx" if found and found.linear else ""
    W0 = np.array(report.W0, dtype=object)
    start = "W0 = 0" if not W0.any() else "a W0 other than 0"
    sentence = f"{how}{steps(report.steps or 0)} of {_what(report, found)} from {start}{where}"
    sentence += f", {_numbers(found)}" if found else ""
    sentence += f"; but {running.words}" if running and rough else ""
    if report.deviations_in_all and report.same_function:
        sentence += "; it differs in form from the construction, and is the same function"
    return sentence


def is_rough(running: Running, layers: int = 1, least: str = "float64") -> bool:
    """Whether running is further off than rounding is, where nothing overflows or cancels.

    Args:
        running: in the format of the weights.
        layers: of the model.
        least: the format in which a part of it runs, if that one is wider.
    """
    unit = max(FORMATS[dtype].unit for dtype in (running.dtype, least))
    return not running.relative <= layers * ROUGH * unit


def _numbers(found: Recognition) -> str:
    """The numbers of examples for which a rule was established."""
    said = [f"at n = {listed(found.everywhere)}"] if found.everywhere else []
    if found.likely:
        said.append(f"at random points for n = {listed(found.likely)}")
    return " and ".join(said)


def _what(report: Report, found: Recognition | None) -> str:
    size = report.step_size
    assert size is not None
    over = "" if size.dependence == CONSTANT else f" {size.dependence}"
    if found is not None and len(found.rules) == 1:  # the sentence ends with that number
        over = ""
    if report.rule == PRECONDITIONED:
        return f"preconditioned gradient descent with the matrix Γ{over} ({report.preconditioner_kind})"
    eta = shown(size.value if size.nearest is None else size.nearest)
    if size.each and size.nearest is None:
        eta = f"({', '.join(map(shown, size.each))})"
        up = sum(each < 0 for each in (found.first.step_sizes if found else size.each))
        eta += f", {up} of them up the gradient" if 0 < up < len(size.each) else ""
    sign = ", up the gradient" if report.rule == ASCENT else ""
    if found and "negative" in over:
        sign = f"{sign or ', down the gradient'} there"
    if report.ridge is not None:
        return f"{report.rule}, η = {eta}{over}{sign} and λ = {shown(report.ridge)},"
    if report.momentum is not None:
        return f"{report.rule}, η = {eta}{over}{sign} and β = {shown(report.momentum)},"
    if report.gamma is not None:
        return f"{report.rule}, η = {eta}{over}{sign} and γ = {shown(report.gamma)},"
    return f"{report.rule} with η = {eta}{over}{sign}"


def _none(report: Report, found: Recognition | None) -> str:
    if found is not None:
        start = "0" if not found.first.W0.any() else "W0ᵀx"
        return f"{NONE}: the prediction is {start}, whatever the examples are"
    if report.method == UNDEFINED:
        return f"{NONE}: {report.method.removeprefix('derived: ')}"
    return unrecognised(report)


def unrecognised(report: Report) -> str:
    """The sentence of weights whose predictions are no rule's, with the rule that they are nearest to."""
    distances = report.distances
    off = (
        f"{distances.relative:.2g}"
        if distances and np.isfinite(distances.relative)
        else "any amount"
    )
    value = report.step_size.value if report.step_size else 0.0
    best = (
        f"{steps(report.steps or 0)} with η = {as_float(value):.6g}"
        if report.steps
        else "no step at all"
    )
    sentence = f"{NONE}: the nearest is {best}, off by {off} {OF_LARGEST}"
    if report.nearest is not None:
        near = report.nearest
        sentence = (
            f"nearest to {near.words}"
            if report.grade == NEAREST
            else (f"{NONE}: the nearest is {near.words}")
        )
        sentence += f", from {start(report)}"
    elif report.grade == NEAREST:
        rule = best.replace(" with", f" of {DESCENT} with")
        sentence = f"nearest to {rule} from {start(report)}, off by {off} {OF_LARGEST}"
    count = report.deviations_in_all
    if count:
        entries = "entry is" if count == 1 else "entries are"
        sentence += f"; {count} {entries} not as in the construction"
        idle = report.deviations_idle
        sentence += f", of which {idle} change no prediction that was tried" if idle else ""
    return sentence


def start(report: Report) -> str:
    """The weights that a measured rule starts from."""
    largest = np.abs(np.array(report.W0, dtype=np.float64)).max(initial=0.0)
    return "a W0 other than 0" if largest > SMALL else "W0 = 0"


def steps(count: int) -> str:
    """1 step, 2 steps."""
    return "1 step" if count == 1 else f"{count} steps"
