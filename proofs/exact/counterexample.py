"""A counterexample as the report renders it: where a statement fails, and what both of its sides are there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Counterexample:
    """Sizes and inputs at which a statement fails, with the exact values of both sides."""

    sizes: dict[str, int]
    inputs: dict[str, Any]
    part: int
    """Which of the claim's statements at these sizes fails."""
    claimed: Any
    actual: Any
    label: str = ""
    """The name of the failing part, if it has one."""
    collision: bool = False
    """Whether `inputs` are two inputs that no map of a statistic can serve."""
    lines: tuple[str, ...] = ()
    """The numbers in an argument about limits, which is about all parameters, as a Python program."""

    def as_json(self) -> dict[str, Any]:
        """The counterexample as the report has it."""
        found = {
            "sizes": self.sizes,
            "inputs": self.inputs,
            "claimed": self.claimed,
            "actual": self.actual,
        }
        return {**found, "part": self.label} if self.label else found
