"""The certificate of a manifest on a linear model, against the one that its own construction has."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from scanproof.constructs.errors import UsageError
from scanproof.proofs.decide.construction import quick_result

from ..export import request
from ..export.built import Built
from ..export.certificates.domain import Domain
from .report import Contradiction, as_float

SLACK = 2.0**-10
"""Relative: bounds that are nearer are alike."""
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


def check(manifest: Mapping[str, Any]) -> tuple[list[Contradiction], list[str]]:
    """What contradicts the verdict and the certificate, and the names of what was not checked."""
    told = manifest["certificate"]
    missing = [name for name in NEEDED if name not in told["domain"]]
    found = _within_itself(manifest, missing)
    built = None if missing else _built(manifest)
    if built is None:
        return found, [
            *NOT_CHECKED,
            "construction.verdict",
            "certificate.absolute against the construction's",
            "certificate.magnitude",
        ]
    verdict = quick_result(built.claim).verdict
    if manifest["construction"]["verdict"] != verdict:
        asserted = manifest["construction"]["verdict"]
        found.append(Contradiction("construction.verdict", asserted, verdict))
    own = built.certify(told["dtype"])
    for name, asserted in told["domain"].items():
        bound = own.domain.get(name, math.inf)
        if asserted > bound * (1 + SLACK):
            found.append(
                Contradiction(f"certificate.domain.{name}", f"{asserted:.9g}", f"{bound:.9g}")
            )
    for name in own.domain.keys() - told["domain"].keys():
        found.append(Contradiction(f"certificate.domain.{name}", "any", f"{own.domain[name]:.9g}"))
    found += _bounds(told, own.absolute, own.magnitude)
    return found, list(NOT_CHECKED)


def _within_itself(manifest: Mapping[str, Any], missing: list[str]) -> list[Contradiction]:
    """Where a certificate contradicts the manifest that it is part of."""
    told, n = manifest["certificate"], manifest["sizes"]["examples"]
    if missing:
        without = f"no data: {', '.join(missing)} missing"
        return [Contradiction("certificate.domain", str(dict(told["domain"])), without)]
    found = [
        Contradiction(f"certificate.domain.{name}", f"{bound:.9g}", "no such bound of data")
        for name, bound in told["domain"].items()
        if name not in Domain._fields
    ]
    if told["domain"]["examples"] != n:
        asserted = f"{told['domain']['examples']:.9g}"
        found.append(Contradiction("certificate.domain.examples", asserted, str(n)))
    absolute, magnitude, relative = (told[key] for key in ("absolute", "magnitude", "relative"))
    quotient = absolute / magnitude if absolute is not None and magnitude else None
    if (relative is None) != (quotient is None) or (
        relative is not None
        and quotient is not None
        and not math.isclose(relative, quotient, rel_tol=SLACK)
    ):
        words = "none" if quotient is None else f"{quotient:.3g}"
        found.append(Contradiction("certificate.relative", str(relative), words))
    return found


def _bounds(told: Mapping[str, Any], absolute: float, magnitude: float) -> list[Contradiction]:
    found = []
    for name, own in (("absolute", absolute), ("magnitude", magnitude)):
        asserted = told[name]
        if asserted is None:
            continue
        more = name == "magnitude" and asserted > own * (1 + SLACK)
        if more or asserted * (1 + SLACK) < own:
            derived = f"{own:.3g}, derived" if math.isfinite(own) else "no bound is known"
            found.append(Contradiction(f"certificate.{name}", f"{asserted:.3g}", derived))
    return found


def _built(manifest: Mapping[str, Any]) -> Built | None:
    """The construction that the manifest names, exactly; None if there is none, or it is too large."""
    sizes, learner = manifest["sizes"], manifest["learner"]
    rows, domain = learner["W0"], manifest["certificate"]["domain"]
    d, k, n = (sizes[name] for name in ("features", "targets", "examples"))
    shape = (len(rows), len(rows[0]) if rows else 0)
    if max(d * n, d * k, d * sizes["steps"]) > LARGEST or shape != (d, k):
        return None
    W0 = np.array([[as_float(Fraction(w)) for w in row] for row in rows])
    try:
        asked = request.checked(
            manifest["construction"]["id"],
            features=d,
            targets=k,
            examples=n,
            steps=sizes["steps"],
            step_size=Fraction(learner["step_size"]),
            W0=W0 if W0.any() else None,
            input_bound=domain["entry"],
            target_bound=domain["target"],
            as_stated=True,
        )
        return request.build(asked)
    except (UsageError, ValueError, ArithmeticError):
        return None
