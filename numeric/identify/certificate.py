"""The certificate of a manifest: against what is derived of its construction, and against errors that are measured."""

from __future__ import annotations

import math
from collections.abc import Container, Iterator, Mapping, Sequence

import numpy as np

from scanproof.proofs.decide.construction import quick_result
from scanproof.proofs.decide.ledger import built_in

from .manifest import Manifest, unequal
from .report import APrioriBound, Contradiction, Report
from .tasks import Learned, Predictor, Tasks

LAST_DIGITS = 1 + 2.0**-20
"""The quotient of bounds that differ in their last digits, at most."""
SLACK = 1 + 2.0**-10
"""Bounds whose quotient is less are alike."""
PROVED, DERIVED = "{} is what can be proved", "{}, derived"
"""What a bound is, in words."""


def within_itself(
    manifest: Manifest, needed: Sequence[str], known: Sequence[str]
) -> Iterator[Contradiction]:
    """Where a certificate contradicts the manifest that it is part of.

    Args:
        manifest: what it says.
        needed: what its domain must bound.
        known: what it may.
    """
    certificate, n = manifest["certificate"], manifest["sizes"]["examples"]
    domain = certificate["domain"]
    missing = [name for name in needed if name not in domain]
    if missing:
        without = f"no data: {', '.join(missing)} missing"
        yield Contradiction("certificate.domain", str(dict(domain)), without)
        return
    for name, bound in domain.items():
        if name not in known:
            asserted = f"{bound:.9g}"
            yield Contradiction(f"certificate.domain.{name}", asserted, "no such bound of data")
    if domain["examples"] != n:
        yield Contradiction("certificate.domain.examples", f"{domain['examples']:.9g}", str(n))
    absolute, magnitude, relative = (
        certificate[key] for key in ("absolute", "magnitude", "relative")
    )
    quotient = absolute / magnitude if absolute is not None and magnitude else None
    given = [number for number in (relative, quotient) if number is not None]
    alike = len(given) == 2 and math.isclose(*given, rel_tol=SLACK - 1)
    if given and not alike:
        words = "none" if quotient is None else f"{quotient:.3g}"
        yield Contradiction("certificate.relative", str(relative), words)
    for less, more in (("found", "absolute"), ("attained", "magnitude")):
        least, most = certificate.get(less), certificate[more]
        if least is not None and most is not None and least > most * SLACK:
            found = f"at most {most:.3g}, by certificate.{more}"
            yield Contradiction(f"certificate.{less}", f"{least:.3g}", found)


def of_statement(
    manifest: Manifest, statements: Container[str], family: str
) -> Iterator[Contradiction]:
    """Where a manifest names a statement of another family, or another verdict on the statement."""
    id = manifest["construction"]["id"]
    if id not in statements:
        yield Contradiction("construction.id", id, f"none of the family {family}")
        return
    claim = next(row.claim for row in built_in().rows if row.claim.id == id)
    yield from unequal(manifest, {"construction.verdict": quick_result(claim).verdict})


def too_small(manifest: Manifest, bounds: Mapping[str, float]) -> Iterator[Contradiction]:
    """Bounds of a certificate that are less than the ones of its construction, by name."""
    for name, proved in bounds.items():
        asserted = manifest["certificate"][name]
        if asserted is not None and not asserted * LAST_DIGITS >= proved:  # or NaN
            yield _bound(name, asserted, proved, PROVED)


def too_large(
    manifest: Manifest, sizes: Mapping[str, float], slack: float = LAST_DIGITS
) -> Iterator[Contradiction]:
    """Predictions that a certificate says are attained, or are possible, and are not, by name."""
    for name, derived in sizes.items():
        asserted = manifest["certificate"].get(name)
        if asserted is not None and asserted > derived * slack:
            yield _bound(name, asserted, derived, DERIVED)


def _bound(name: str, asserted: float, other: float, words: str) -> Contradiction:
    return Contradiction(f"certificate.{name}", f"{asserted:.3g}", words.format(f"{other:.3g}"))


def beside(
    report: Report,
    manifest: Manifest,
    predict: Predictor,
    learned: Learned,
    groups: Sequence[Tasks],
    run: str = "run in",
) -> APrioriBound:
    """A certificate beside the largest error on tasks of its domain, which contradicts it if it is larger.

    Args:
        report: gets the contradiction.
        manifest: has the certificate.
        predict: the model, run in the certificate's format.
        learned: predictions of the learner that it is compared with.
        groups: the tasks.
        run: how the format is said.
    """
    certificate = manifest["certificate"]
    absolute, magnitude = certificate["absolute"], certificate["magnitude"]
    errors = [np.abs(predict(*tasks) - learned(tasks)).max() for tasks in groups]
    error = float(np.max(errors))  # NaN if one of them is
    count = sum(len(tasks.x) for tasks in groups)
    how = f"the largest of {count} tasks of the certificate's domain, {run} {certificate['dtype']}"
    if not error <= absolute:
        report.contradictions.append(
            Contradiction("certificate.absolute", f"{absolute:.3g}", f"{error:.3g}, measured")
        )
    return APrioriBound(absolute / magnitude, error / magnitude, how)
