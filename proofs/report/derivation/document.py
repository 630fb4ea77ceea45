"""A derivation as a list of numbered lines: what is to be printed, whatever it is printed in."""

from __future__ import annotations

from dataclasses import dataclass, field

from .expression import Addition, Linear, Relation


@dataclass(frozen=True)
class Quantifier:
    """low ≤ each letter < high, or low ≤ each letter."""

    letters: tuple[str, ...]
    low: Linear
    high: Linear | None


@dataclass(frozen=True)
class Formula:
    """parts[0] = parts[1] = …, for all values of some letters, where conditions hold."""

    parts: tuple[Addition, ...]
    over: tuple[Quantifier, ...] = ()
    sign: str = "="


@dataclass(frozen=True)
class Line:
    """One step: its number, what it says, why, and on which earlier lines it rests."""

    number: int
    reason: str
    formulas: tuple[Formula, ...] = ()
    conditions: tuple[Relation, ...] = ()
    words: str = ""
    places: tuple[str, ...] = ()
    rests_on: tuple[int, ...] = ()


@dataclass
class Section:
    """A heading and the lines under it."""

    heading: str
    lines: list[Line] = field(default_factory=list)


@dataclass
class Derivation:
    """How a claim is proved, or where it breaks."""

    id: str
    sections: list[Section]

    @property
    def lines(self) -> list[Line]:
        """The lines of all sections, in order."""
        return [line for section in self.sections for line in section.lines]
