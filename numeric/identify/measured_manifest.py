"""What a manifest asserts of Mamba-2 weights, against what was measured of them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from ..export.built import LOSS
from ..export.certificates.mamba2 import Bound, Domain, bound
from ..rounding.arithmetic import FORMATS
from . import measured_distance
from .measured import Tasks, quotient
from .measured_construction import ROUNDINGS, Near
from .measured_distance import LONGEST, SEED, Measured, explicit
from .measured_model import Model
from .report import DESCENT, Contradiction, Promise, Report

TASKS = 8
"""Drawn at random from the certificate's domain."""
CORNERS = 2
"""At which all examples and the query are."""
AXES = 32
"""On which queries lie, in both directions."""
FEW = 2
"""Examples before those."""
SLACK = 1 + 2.0**-20
"""For the last digits of a bound."""


def check(
    manifest: Mapping[str, Any],
    report: Report,
    model: Model,
    measured: Measured,
    near: Near | None,
    dtype: str,
) -> None:
    """Adds to a report what the weights contradict, and what becomes of the certificate's promise."""
    report.contradictions += _learner(manifest["learner"], report, dtype)
    if report.recognised:
        report.contradictions += _sizes(manifest, report, measured)
    if report.recognised and not report.contradictions:
        _certificate(manifest, report, model, measured, near)


def _learner(learner: Mapping[str, Any], report: Report, dtype: str) -> list[Contradiction]:
    # Descent with a negative step size is what a report calls ascent.
    if not report.recognised or learner["rule"] not in (report.rule, DESCENT):
        return [Contradiction("learner.rule", learner["rule"], report.rule)]
    found = []
    if learner["loss"] != LOSS:
        found.append(Contradiction("learner.loss", learner["loss"], LOSS))
    if learner["steps"] != report.steps:
        found.append(Contradiction("learner.steps", str(learner["steps"]), str(report.steps)))
    asserted, size = Fraction(learner["step_size"]), report.step_size
    unit = 2 * ROUNDINGS * FORMATS[dtype].unit
    if size and abs(asserted - Fraction(size.value)) > Fraction(unit) * abs(asserted):
        shown = str(size.nearest) if size.nearest is not None else f"{float(size.value):.9g}"
        found.append(Contradiction("learner.step_size", learner["step_size"], shown))
    return found + _start(learner["W0"], report, unit)


def _start(asserted: list[list[str]], report: Report, unit: float) -> list[Contradiction]:
    W0 = np.asarray(report.W0, dtype=float)
    shape = (len(asserted), len(asserted[0]))
    if {len(row) for row in asserted} != {shape[1]} or shape != W0.shape:
        return [Contradiction("learner.W0", f"shape {shape}", f"shape {W0.shape}")]
    told = np.array([[_float(w) for w in row] for row in asserted])
    scale = np.maximum(np.abs(W0), np.abs(W0).max() / 8)
    wrong = np.argwhere(np.abs(told - W0) > unit * scale)
    if not len(wrong):
        return []
    a, c = (int(i) for i in wrong[0])
    more = f", and {len(wrong) - 1} more entries" if len(wrong) > 1 else ""
    return [Contradiction(f"learner.W0[{a}][{c}]", asserted[a][c], f"{W0[a, c]:.9g}{more}")]


def _float(text: str) -> float:
    """An exact number, rounded; infinite if no float is so large."""
    try:
        return float(Fraction(text))
    except OverflowError:
        return math.inf


def _sizes(manifest: Mapping[str, Any], report: Report, measured: Measured) -> list[Contradiction]:
    """Sizes and tokens of a model whose rule was recognised."""
    layout, tokens = measured.layout, manifest["tokens"]
    # A token's prediction depends on those before it alone: they are a shorter task, if no flag marks the query.
    every = layout.read != slice(-1, None)
    held = {
        "family": (manifest["family"], report.family),
        "sizes.features": (manifest["sizes"]["features"], layout.slots.d),
        "sizes.targets": (manifest["sizes"]["targets"], layout.slots.k),
        "sizes.steps": (manifest["sizes"]["steps"], report.steps),
        "tokens.name": (tokens["name"], layout.name),
        "tokens.raw": (
            [width for _, width in tokens["raw"]],
            [stop - start for start, stop in layout.fields],
        ),
        "tokens.predicts": (tokens["predicts"], tokens["predicts"] if every else "last"),
    }
    return [
        Contradiction(name, str(told), str(found))
        for name, (told, found) in held.items()
        if told != found
    ]


def _certificate(
    manifest: Mapping[str, Any],
    report: Report,
    model: Model,
    measured: Measured,
    near: Near | None,
) -> None:
    told = manifest["certificate"]
    if told["absolute"] is None or not told["magnitude"]:
        return
    known = {name: v for name, v in told["domain"].items() if name in Domain._fields}
    try:
        domain = Domain(**{**known, "examples": int(known["examples"])})
    except (KeyError, TypeError):
        report.notes.append("the certificate names no domain that could be checked")
        return
    own = near if near and not near.deviating else None
    if own:
        for name, claimed, found in _unproved(told, own, domain):
            report.contradictions.append(Contradiction(name, claimed, found))
    groups = _within(domain, measured.layout.slots.d, measured.layout.slots.k)
    predict = measured_distance.predictor(model, measured.layout)
    learner = manifest["learner"]
    W0 = np.array([[_float(w) for w in row] for row in learner["W0"]])
    eta = _float(learner["step_size"])
    off = float(
        np.max(  # NaN if one of them is
            [
                np.abs(predict(*tasks) - explicit(tasks, W0, eta, learner["steps"])).max()
                for tasks in groups
            ]
        )
    )
    if not off <= told["absolute"]:
        report.contradictions.append(
            Contradiction("certificate.absolute", f"{told['absolute']:.3g}", f"{off:.3g}, measured")
        )
    tried = (
        f"the largest of {sum(len(tasks.x) for tasks in groups)} tasks of the certificate's domain"
    )
    if own:
        report.promise = Promise(
            told["absolute"] / told["magnitude"], off / told["magnitude"], tried
        )
        return
    why = (
        f"{near.deviating} of their entries are not the construction's"
        if near
        else "they are not laid out as those of a constructed model"
    )
    report.notes.append(
        f"the certificate is not established for these weights: {why}; relative error {off / told['magnitude']:.2e}, "
        f"{tried}, which proves nothing of others"
    )


def _unproved(
    told: Mapping[str, Any], near: Near, domain: Domain
) -> Iterator[tuple[str, str, str]]:
    """Bounds that are smaller than the one of the construction that the weights are."""
    try:
        own = bound(near.instance, domain, told["dtype"])
    except OverflowError:  # a square of what the domain bounds
        own = Bound(math.inf, math.inf)
    for name, claimed, found in (
        ("absolute", told["absolute"], own.prediction),
        ("relative", told["relative"], quotient(own.prediction, own.magnitude)),
    ):
        if claimed is not None and not claimed * SLACK >= found:  # or NaN, of two infinities
            yield f"certificate.{name}", f"{claimed:.3g}", f"{found:.3g} is what can be proved"


def _within(domain: Domain, d: int, k: int) -> list[Tasks]:
    """Tasks with as large data as the domain allows: at random, with queries on the axes, and at a corner."""
    rng = np.random.default_rng((SEED, 2))
    n = max(1, min(domain.examples, LONGEST))
    edge = domain.input_norm / math.sqrt(d)
    few, axes = min(n, FEW), np.arange(d)[:: -(-d // AXES)]
    unit = np.eye(d)[axes]
    queries = domain.input_norm * np.concatenate([unit, -unit])
    drawn = []
    for count, ends in ((n, None), (few, queries)):
        tasks = TASKS if ends is None else len(ends)
        x = rng.uniform(-1, 1, (tasks, count + 1, d)) * edge
        if ends is not None:
            x[:, -1] = ends
        drawn.append((x, rng.uniform(-1, 1, (tasks, count, k)) * domain.target))
    corners = rng.choice([-1.0, 1.0], (CORNERS, 1, d)) * edge
    signs = rng.choice([-1.0, 1.0], (CORNERS, 1, k)) * domain.target
    drawn.append((np.repeat(corners, n + 1, axis=1), np.repeat(signs, n, axis=1)))
    return [Tasks(_flat(x, domain.curvature), y) for x, y in drawn]


def _flat(x: np.ndarray, most: float) -> np.ndarray:
    """With examples that are scaled down until their curvature is at most this; queries stay."""
    curvature = np.linalg.norm(x[:, :-1], axis=(1, 2), ord=2).max() ** 2
    scale = min(1.0, math.sqrt(most / curvature) * (1 - 2.0**-30)) if curvature else 1.0
    return np.concatenate([scale * x[:, :-1], x[:, -1:]], axis=1)
