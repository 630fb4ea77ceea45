"""The verdict on a Mamba-2 model as one sentence, and what is noted beside it."""

from __future__ import annotations

from fractions import Fraction

from .mamba2_construction import Near
from .mamba2_tasks import Measured
from .report import OF_LARGEST, Report
from .verdict import MEASURED, is_rough, start, steps, unrecognised

FORM = 2.0**-40
"""Relative change of predictions that is put down to float64 arithmetic."""
FLAT = 2.0**-20
"""Relative distance within which predictions are said not to depend on the examples."""
WITHIN = 2.0**-20
"""Relative distance on tasks within which steps are said to explain predictions."""
SCAN = "float32"
"""The format that norms, functions and the scan run in, whatever the weights' is."""
TWICE = 2.0
"""Where running is off by no more than this times the distance in float64, it is not to blame."""


def of(report: Report, measured: Measured, near: Near | None, eta: str, blocks: int) -> str:
    """The sentence for a report that is complete otherwise.

    Args:
        report: on a Mamba-2 model.
        measured: its predictions.
        near: the construction nearest to it.
        eta: the step sizes, in words.
        blocks: of the model.
    """
    tokens = f"on {measured.layout.name} tokens"
    count = near.entries.deviating if near else 0
    if report.recognised:
        rule = f"{steps(report.steps or 0)} of {report.rule} with η = {eta}"
        what = f"{rule} from {start(report)} {tokens}"
        numbers = ", ".join(map(str, sorted({t.tasks.examples for t in measured.trials})))
        own = report.distances.relative if report.distances else 0.0  # in float64, too
        how = f"up to {own:.1e} {OF_LARGEST}, as far as measured," if own > WITHIN else MEASURED
        sentence = f"{how} {what}, at n = {numbers}"
        run = report.running
        if run is not None:
            rough = is_rough(run, blocks, SCAN) and not run.relative <= TWICE * own
            sentence = f"in exact numbers, {sentence}; but" if rough else f"{sentence};"
            sentence += f" {run.words}"
        differ = "1 entry differs" if count == 1 else f"{count} entries differ"
        return sentence + (
            f"; {differ} from the construction, which other data may show" if count else ""
        )
    best = measured.best
    if best.steps == 0 and best.distance <= FLAT:
        return f"{report.rule}: the predictions {tokens} do not depend on the examples"
    return unrecognised(report)


def notes(report: Report, measured: Measured, near: Near | None, certified: bool) -> list[str]:
    """What else was found."""
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
    if near and not near.entries.deviating and not certified and report.steps:
        notes.append(
            f"no certificate holds for K = {float(near.instance.constants.channel):g} on these tasks"
        )
    if near is None:
        notes.append(
            "the tensors are not laid out as those of a constructed model, so no entries are named"
        )
    return notes


def number(exact: Fraction | None, value: float) -> str:
    """A step size, as the simple number that it is if it is one."""
    return str(exact) if exact is not None else f"{value:.9g}"
