"""The numbers by which steps of a certificate name what is known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from typing import Any

from ..kernel.index import Index
from ..kernel.term import Factor, Monomial, Term
from .statements import Inequality

NUMBERS = ("fact", "most", "gap", "root", "square", "rest")
"""The fields of steps that are such numbers; an induction has several at a time."""


def used(step: Any) -> list[int]:
    """The numbers that a step names, in order; of an induction those of its start, then those of its end."""
    if hasattr(step, "later"):
        return [*step.start, *step.later]
    found: list[int] = []

    def noted(number: int) -> int:
        found.append(number)
        return number

    renumbered(step, noted)
    return found


def renumbered(value: Any, new: Callable[[int], int]) -> Any:
    """A step, no induction, that calls what is known by other numbers."""
    if isinstance(value, Index | Factor | Monomial | Term | Inequality):
        return value
    if isinstance(value, tuple):
        return tuple([renumbered(one, new) for one in value])
    if not is_dataclass(value):
        return value
    changed = {}
    for field in fields(value):
        old = getattr(value, field.name)
        is_number = field.name in NUMBERS and type(old) is int
        changed[field.name] = new(old) if is_number else renumbered(old, new)
    return replace(value, **changed)  # type: ignore[type-var]
