"""A counterexample as the report renders it: where a statement fails, and what both of its sides are there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

MOST = 24
"""With more entries no small numbers all differ, and nothing is said of equal ones."""
NAMED = 3
"""So many entries are named that are special."""


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
    special: str = ""
    """What is special about the inputs, where no plain ones are known that show it: "ids[0] = ids[2]"."""

    def as_json(self) -> dict[str, Any]:
        """The counterexample as the report has it."""
        found = {
            "sizes": self.sizes,
            "inputs": self.inputs,
            "claimed": self.claimed,
            "actual": self.actual,
        }
        more = {"part": self.label, "special": self.special}
        return {**found, **{name: text for name, text in more.items() if text}}


def special(inputs: Mapping[str, Any]) -> str:
    """What is special about inputs, nested lists of exact numbers: "ids[0] = ids[2]"; nothing of plain ones."""
    named = [
        (name + _place(at), entry) for name, value in inputs.items() for at, entry in _flat(value)
    ]
    if len(named) > MOST:
        return ""
    first: dict[Any, str] = {}
    said = []
    for name, text in named:
        entry = Fraction(text)
        if entry == 0:
            said.append(f"{name} = 0")
        elif entry in first:
            said.append(f"{first[entry]} = {name}")
        first.setdefault(entry, name)
    more = f" and {len(said) - NAMED} more" if len(said) > NAMED else ""
    return ", ".join(said[:NAMED]) + more


def _place(at: tuple[int, ...]) -> str:
    return f"[{', '.join(map(str, at))}]" if at else ""


def _flat(value: Any, at: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], Any]]:
    if not isinstance(value, list):
        yield at, value
        return
    for i, one in enumerate(value):
        yield from _flat(one, (*at, i))
