"""What an empirical row is compared with: findings in words, each of which agrees, contradicts, or is not there."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """One printed figure, or one sentence about figures, and what it is compared with."""

    label: str
    says: str
    """The figures, in words."""
    holds: bool | None
    """Whether they agree; None if there is nothing to compare with, or what there is decides nothing."""
    undecided: bool = False
    """With None: that there are figures, such as a quick run's, and they decide nothing."""

    @property
    def word(self) -> str:
        """What is found, in a word or two."""
        missing = "undecided" if self.undecided else "not measured"
        return {True: "agrees", False: "not reproduced", None: missing}[self.holds]


@dataclass(frozen=True)
class Measurement:
    """All findings on one row."""

    findings: tuple[Finding, ...]
