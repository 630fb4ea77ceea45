"""The certificate of a manifest on a linear model: against its construction's a priori bound, and against errors."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from scanproof.constructs.errors import UsageError
from scanproof.constructs.layouts import neutral
from scanproof.constructs.layouts.neutral import Model
from scanproof.constructs.tokens.encoding import TOKENISATIONS
from scanproof.proofs.decide.construction import quick_result
from scanproof.proofs.doors.record.exactly import exactly

from ..export.certificates.domain import Domain
from ..export.parts import Export, Request
from ..export.request import build, checked
from ..export.targets import TARGETS
from . import certificate
from .certificate import SLACK
from .manifest import Manifest, asserted_learner, start, unequal
from .neutral_form import predictor, rounding
from .polynomial import RATIONAL, exact, fraction
from .recognition import Recognition, operations, point
from .report import Contradiction, Report
from .rule import exact_prediction
from .tasks import SEED, Tasks

ROUNDINGS = 16
"""Deviation of an output of every token, beside that of one number."""
TASKS = 8
"""Drawn from the certificate's domain."""
MOST_STEPS = 64
"""Of a learner that is compared with."""
WORK, TOKEN = 2e9, 20_000
"""Products of all tasks, about, and what a token costs at least; models that need more are tried on fewer tasks."""
LARGEST = 2**16
"""Features times examples, and entries of W0, for which a construction is built again."""
NEEDED = ("examples", "entry", "target")
"""What a domain says at least."""
NOT_CHECKED = (
    "construction.asked",
    "construction.statement",
    "construction.scope",
    "construction.evidence",
    "construction.beyond",
    "target.tested",
    "tool.version",
    "certificate.covers",
)
"""Of a manifest on a linear model: words, and what was so when the export was made."""
WITHOUT_CONSTRUCTION = (
    "construction.verdict",
    "certificate.absolute against the construction's",
    "certificate.magnitude",
)
"""What is not checked either, if the construction cannot be built again."""


def check(report: Report, manifest: Manifest, model: Model, found: Recognition | None) -> None:
    """Adds to a report what contradicts the certificate, the error beside it, and what was not checked."""
    every = manifest["tokens"]["predicts"] == "every"
    if every and found and not _every(model, found):
        report.contradictions.append(Contradiction("tokens.predicts", "every", "last"))
    report.contradictions += certificate.within_itself(manifest, NEEDED, Domain._fields)
    built = _built(manifest)
    if built is not None:
        report.contradictions += _against(built, manifest, wide=TARGETS[report.target].wide)
    _measure(report, manifest, model)
    unchecked = NOT_CHECKED if built else NOT_CHECKED + WITHOUT_CONSTRUCTION
    report.notes.append(f"not checked: {', '.join(unchecked)}")


def _every(model: Model, found: Recognition) -> bool:
    """Whether each output is the prediction for the next input from the examples before it, at a random point.

    Up to rounding, if the last one is the rule's only up to rounding.
    """
    n = max(found.rules)
    close = ROUNDINGS * rounding(model) if found.deviation else Fraction(0)
    x, y = point(model, found.rules[n], n, found.linear)

    def every(xp: Any, model: Model, x: Any, y: Any) -> Any:
        raw = TOKENISATIONS[model.tokens].tokens(x, y)
        stream = raw @ model.encode_weight.T + model.encode_bias
        return neutral.outputs(model, stream) @ model.readout.T

    rows = exactly(RATIONAL, every, exact(model), x, y)
    if rows.shape[0] != n:
        return False
    for t, own in found.rules.items():
        wanted = exact_prediction(RATIONAL, own, x[: t + 1], y[:t])
        for a, b in zip(rows[t - 1], wanted, strict=True):
            if abs(fraction(a - b)) > close * abs(fraction(b)):
                return False
    return True


def _built(manifest: Manifest) -> Export | None:
    """The construction that the manifest names, exactly; None if there is none, or it is too large."""
    sizes, domain = manifest["sizes"], manifest["certificate"]["domain"]
    d, k, n, L = (sizes[name] for name in ("features", "targets", "examples", "steps"))
    W0 = start(manifest)
    large = max(d * n, d * k, d * L) > LARGEST
    if large or W0.shape != (d, k) or not set(NEEDED) <= domain.keys():
        return None
    try:
        request = Request(
            manifest["construction"]["id"],
            features=d,
            targets=k,
            examples=n,
            steps=L,
            step_size=Fraction(manifest["learner"]["step_size"]),
            W0=W0 if W0.any() else None,
            input_bound=domain["entry"],
            target_bound=domain["target"],
            as_stated=True,
        )
        return build(checked(request))
    except (UsageError, ValueError, ArithmeticError):
        return None


def _against(built: Export, manifest: Manifest, *, wide: bool) -> Iterator[Contradiction]:
    """Where a manifest says more than what its construction is, and what can be proved of that."""
    promised, verdict = manifest["certificate"], quick_result(built.claim).verdict
    yield from unequal(manifest, {"construction.verdict": verdict})
    own = built.certify(promised["dtype"], wide=wide)
    if promised.get("data", manifest["learner"]["data"]) == "any" != built.data:
        yield Contradiction("certificate.data", "any", built.data)
    yield from certificate.too_large(manifest, {"attained": own.attained}, SLACK)
    for name, asserted in promised["domain"].items():
        bound = own.domain.get(name, math.inf)
        if asserted > bound * SLACK:
            yield Contradiction(f"certificate.domain.{name}", f"{asserted:.9g}", f"{bound:.9g}")
    for name in own.domain.keys() - promised["domain"].keys():
        yield Contradiction(f"certificate.domain.{name}", "any", f"{own.domain[name]:.9g}")
    for name, bound in (("absolute", own.absolute), ("magnitude", own.magnitude)):
        asserted = promised[name]
        # Without what is attained, as earlier versions wrote it, a larger magnitude is true, too.
        strict = name == "magnitude" and promised.get("attained") is not None
        more = strict and asserted is not None and asserted > bound * SLACK
        if asserted is not None and (more or asserted * SLACK < bound):
            derived = f"{bound:.3g}, derived" if math.isfinite(bound) else "no bound is known"
            yield Contradiction(f"certificate.{name}", f"{asserted:.3g}", derived)


def _measure(report: Report, manifest: Manifest, model: Model) -> None:
    """The certificate beside the largest error that was measured in its domain and format."""
    promised, (d, k) = manifest["certificate"], neutral.sizes(model)
    if promised["absolute"] is None or not promised["magnitude"]:
        return
    domain = {n: bound for n, bound in promised["domain"].items() if n in Domain._fields}
    learner, n = asserted_learner(manifest), report.sizes.get("examples")
    usable = set(NEEDED) <= set(domain) and learner.W0.shape == (d, k)
    if (
        not usable
        or "weights" in domain
        or not all(map(math.isfinite, learner.step_sizes))
        or learner.steps > MOST_STEPS
    ):
        report.notes.append("the certificate names no domain that could be checked")
        return
    n = max(int(domain["examples"]), 1) if n is None else n
    length = TOKENISATIONS[model.tokens].length(n)
    count = min(TASKS, int(WORK // max(operations(model, n), TOKEN * length)))
    if not count:  # at fewer examples the step size would be another
        report.notes.append(f"the certificate was not tried: {n:,} examples take too long")
        return
    tasks = _tasks(count, n, d, k, domain, linear=manifest["learner"]["data"] != "any")
    predict = predictor(model, promised["dtype"], wide=TARGETS[report.target].wide)
    report.promise = certificate.beside(
        report, manifest, predict, learner.predictions, [tasks], "in"
    )


def _tasks(
    count: int, n: int, d: int, k: int, domain: Mapping[str, float], *, linear: bool
) -> Tasks:
    """As large as the domain allows, of exactly n examples: the factor of others may be another."""
    rng = np.random.default_rng((SEED, 2))
    x = rng.uniform(-1, 1, (count, n + 1, d)) * domain["entry"]
    y = rng.uniform(-1, 1, (count, n, k)) * domain["target"]
    curvature = Tasks(x, y).curvatures.max()
    most = domain.get("curvature", math.inf)
    x = x * min(1.0, math.sqrt(most / curvature)) if curvature else x
    if linear and domain["entry"]:
        y = x[:, :-1] @ rng.uniform(-1, 1, (count, d, k)) * (domain["target"] / d / domain["entry"])
    return Tasks(x, y)
