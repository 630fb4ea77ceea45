"""The certificate of a manifest on Mamba-2 weights: against its construction's a priori bound, and against errors."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from scanproof.constructs.constructions import mamba2_gd
from scanproof.proofs.decide.construction import quick_result
from scanproof.proofs.decide.ledger import built_in

from ..export.certificates.mamba2 import Bound, Domain
from ..export.mamba2 import bound_in, largest_prediction
from ..export.row_choice import rows_of
from .fitting import SEED, Tasks, quotient
from .mamba2_construction import Near
from .mamba2_model import Model, predictor
from .mamba2_tasks import LONGEST, Measured
from .manifest import Manifest, asserted_learner, certificate_at, unequal, within_itself
from .report import Contradiction, Report

TASKS = 8
"""Drawn at random from the certificate's domain."""
CORNERS = 2
"""At which all examples and the query are."""
AXES = 32
"""On which queries lie, in both directions."""
FEW = 2
"""Examples before those."""
NEEDED = ("examples", "input_norm", "target")
"""What a domain says at least."""
SLACK = 1 + 2.0**-20
"""For the last digits of a bound."""


def check(
    report: Report, manifest: Manifest, model: Model, measured: Measured, near: Near | None
) -> None:
    """Adds to a report what contradicts the certificate, and the error beside it if it holds for these weights."""
    certificate = manifest["certificate"]
    report.contradictions += within_itself(manifest, NEEDED, Domain._fields)
    report.contradictions += _another(manifest, len(model.blocks))
    if certificate["absolute"] is None or not certificate["magnitude"]:
        return
    known = {n: bound for n, bound in certificate["domain"].items() if n in Domain._fields}
    try:
        domain = Domain(**{**known, "examples": int(known["examples"])})
    except (KeyError, TypeError):
        report.notes.append("the certificate names no domain that could be checked")
        return
    own = near if near and not near.entries.deviating else None
    if own:
        report.contradictions += _unproved(manifest, own, domain)
        report.contradictions += _larger(manifest, own, domain)
    groups = _tasks(domain, measured.layout.slots.d, measured.layout.slots.k)
    learner, dtype = asserted_learner(manifest), certificate["dtype"]
    predict = predictor(model, measured.layout, dtype)
    errors = [np.abs(predict(*tasks) - learner.predictions(tasks)).max() for tasks in groups]
    count = sum(len(tasks.x) for tasks in groups)
    how = f"the largest of {count} tasks of the certificate's domain, run in {dtype}"
    beside = certificate_at(report, manifest, float(np.max(errors)), how)  # NaN if one of them is
    if own:
        report.promise = beside
        return
    why = (
        f"{near.entries.deviating} of their entries are not the construction's"
        if near
        else "they are not laid out as those of a constructed model"
    )
    report.notes.append(
        f"the certificate is not established for these weights: {why}; relative error {beside.found:.2e}, {how}, "
        "which proves nothing of others"
    )


def _another(manifest: Manifest, blocks: int) -> Iterator[Contradiction]:
    """Where a manifest names a statement that is not about such weights, or another verdict on it."""
    id, rows = manifest["construction"]["id"], rows_of(mamba2_gd.NETWORK)
    if id not in rows:
        yield Contradiction("construction.id", id, "none of the family mamba2")
    elif rows[id].in_one_block != (blocks == 1):
        yield Contradiction(
            "construction.id",
            id,
            "it is about "
            + ("one block" if rows[id].in_one_block else "a stack of blocks")
            + f", and the weights have {blocks}",
        )
    else:
        claim = next(row.claim for row in built_in().rows if row.claim.id == id)
        yield from unequal(manifest, {"construction.verdict": quick_result(claim).verdict})


def _unproved(manifest: Manifest, near: Near, domain: Domain) -> Iterator[Contradiction]:
    """Bounds that are smaller than the one of the construction that the weights are."""
    certificate = manifest["certificate"]
    try:
        own = bound_in(certificate["dtype"], near.instance, domain)
    except OverflowError:  # a square of what the domain bounds
        own = Bound(math.inf, math.inf)
    proved = {"absolute": own.prediction, "relative": quotient(own.prediction, own.magnitude)}
    for name, found in proved.items():
        asserted = certificate[name]
        if asserted is not None and not asserted * SLACK >= found:  # or NaN, of two infinities
            yield Contradiction(
                f"certificate.{name}", f"{asserted:.3g}", f"{found:.3g} is what can be proved"
            )


def _larger(manifest: Manifest, near: Near, domain: Domain) -> Iterator[Contradiction]:
    """Predictions of the learner that a manifest says are attained, or are possible, and are not."""
    certificate = manifest["certificate"]
    if certificate.get("attained") is None:  # as earlier versions wrote it
        return
    most = largest_prediction(near.instance, domain)
    for name, derived in (("attained", most.attained), ("magnitude", most.proved)):
        if certificate[name] > derived * SLACK:
            yield Contradiction(
                f"certificate.{name}", f"{certificate[name]:.3g}", f"{derived:.3g}, derived"
            )


def _tasks(domain: Domain, d: int, k: int) -> list[Tasks]:
    """With as large data as the domain allows: at random, with queries on the axes, and at a corner."""
    rng = np.random.default_rng((SEED, 2))
    n = max(1, min(domain.examples, LONGEST))
    edge = domain.input_norm / math.sqrt(d)
    unit = np.eye(d)[:: -(-d // AXES)]
    queries = domain.input_norm * np.concatenate([unit, -unit])
    drawn = []
    for count, ends in ((n, None), (min(n, FEW), queries)):
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
