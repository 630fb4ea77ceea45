"""The verdict on an empirical row: `supported` if every finding agrees, which is no proof; else `unknown`, and why."""

from __future__ import annotations

from collections.abc import Callable

from scanproof.constructs.arrays.definition import recording
from scanproof.constructs.errors import UsageError

from ..language.measurement import Finding, Measurement
from .result import Result, place

WORDS = ("not reproduced", "undecided", "not measured", "agrees")
"""Of findings, in the order in which a reason has them."""


def measured(of: Callable[[], Measurement]) -> Result:
    """What comes of a measurement. A figure that disagrees refutes nothing: another sample, or reading, may agree."""
    try:
        with recording() as ran:
            found = of()
    except UsageError as error:
        return Result("error", reason=str(error))
    findings = found.findings
    if not findings:
        return Result("error", reason="the measurement has no findings")
    alike = {word: [one for one in findings if one.word == word] for word in WORDS}
    parts = [f"{word}: {_listed(those)}" for word, those in alike.items() if those]
    supported = all(one.holds for one in findings)
    result = Result("supported" if supported else "unknown", reason="; ".join(parts))
    if result.verdict == "supported":
        result.scope = "sampled"
    if any(one.word != "not measured" for one in findings):
        result.evidence = [
            {
                "method": "measurement",
                "scope": "sampled",
                "sizes": None,
                "engine": "rational",
                "axioms": [],
                "figures": [f"{one.word}: {one.label}: {one.says}" for one in findings],
            }
        ]
    result.definitions = sorted({place(function) for function in ran})
    return result


def _listed(findings: list[Finding]) -> str:
    """The labels, those with the same words together."""
    said: dict[str, list[str]] = {}
    for one in findings:
        said.setdefault(one.says, []).append(one.label)
    return "; ".join(f"{', '.join(labels)} ({says})" for says, labels in said.items())
