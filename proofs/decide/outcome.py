"""What `prove` finds out about a program."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ..check.result import Result
from ..doors.meant import Literal


@dataclass
class Outcome:
    """What was found out about a program."""

    program: str
    specification: str
    shapes: dict[str, str]
    result: Result
    literals: list[Literal] = field(default_factory=list)
    """The literals that were read as the number meant, which is not the binary one."""
    seconds: float = 0.0
    proved: list[str] = field(default_factory=list)
    """What was proved for all sizes, in the program's own names."""
    leftover: list[str] = field(default_factory=list)
    """The equation that a proof for all sizes would have to show besides, likewise."""
    format: str = "float64"
    """That of the inputs with which the program was traced."""
    how: str = ""
    """How a counterexample shows as programs run: "compiled", "given NumPy's arrays", or eagerly."""
    frameworks: tuple[str, str] = ("jax", "jax")
    """Those of the program and of the specification."""
    calls: tuple[str, str] | None = None
    """The arguments of each as Python has them, where the inputs in their order are not all."""
    cases: list[str] = field(default_factory=list)
    """The cases of sizes that were proved one by one, if there are several."""
    notes: list[str] = field(default_factory=list)
    """What came of running the two besides: formats that one of them does not take, numbers too large for one."""

    def as_dict(self) -> dict[str, Any]:
        """For JSON; the fields of a claim's report have the names that they have there."""
        found = self.result
        shown = found.counterexample
        return {
            "program": self.program,
            "specification": self.specification,
            "shapes": self.shapes,
            "verdict": found.verdict,
            "scope": found.scope,
            "reason": found.reason,
            "evidence": found.evidence,
            "counterexample": None if shown is None else shown.as_json(),
            "near_misses": found.near_misses,
            "cases": self.cases,
            "proved": self.proved,
            "left_over": self.leftover,
            "literals": [str(one) for one in self.literals],
            "runs": self.notes,
            "arithmetic": "real numbers; rounding is not looked at",
        }

    def renamed(self, names: Mapping[str, str]) -> Outcome:
        """The same with other names for inputs, in what is said of them as well.

        Args:
            names: by the names that are there now, those that differ from them.
        """
        if not names:
            return self
        known = re.compile(rf"\b({'|'.join(map(re.escape, names))})\b")

        def text(line: str) -> str:
            return known.sub(lambda matched: names[matched[1]], line)

        shown = self.result.counterexample
        if shown is not None:
            inputs = {names.get(n, n): value for n, value in shown.inputs.items()}
            shown = replace(shown, inputs=inputs)
        evidence = [
            {**one, "assumes": [*map(text, one["assumes"])]} if "assumes" in one else one
            for one in self.result.evidence
        ]
        reason = None if self.result.reason is None else text(self.result.reason)
        result = replace(
            self.result,
            reason=reason,
            evidence=evidence,
            counterexample=shown,
            near_misses=[*map(text, self.result.near_misses)],
        )
        said = {n: [*map(text, getattr(self, n))] for n in ("proved", "leftover", "cases")}
        return replace(self, result=result, **said)
