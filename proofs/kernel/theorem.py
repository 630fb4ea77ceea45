"""Theorems: equations for all values of their variables, made by the kernel's rules only."""

from __future__ import annotations

from dataclasses import InitVar, dataclass, field
from typing import Any

from . import index
from .errors import IllTyped
from .term import Factor, Term

HYPOTHESIS = "induction hypothesis"
BY_THE_KERNEL = object()


@dataclass(frozen=True, eq=False, slots=True)
class Theorem:
    """left = right for all values of the variables `over` in their ranges; what else is free is fixed."""

    name: str
    left: Term | Factor
    """A factor can be rewritten by the theorem."""
    right: Term
    over: frozenset[int]
    used: frozenset[Any]
    """The theorems that it rests on, and the inverses 1/T that were taken for such: T ≠ 0."""
    key: InitVar[object] = None
    proof: tuple[Any, ...] = ()
    """How it was made: what a proof is written down from. Nothing rests on it."""
    assumed: frozenset[Any] = frozenset()
    """For what was concluded from hypotheses of an induction, these."""
    logarithms: tuple[Factor, ...] = ()
    """Those of numbers > 0 only: it is of use where a problem takes them."""
    registry: index.Registry = field(default_factory=lambda: index.current, init=False)

    def __post_init__(self, key: object) -> None:
        if key is not BY_THE_KERNEL:
            raise IllTyped("theorems are made by the kernel's rules only")
        index.current.theorems.append(self)

    @property
    def under(self) -> frozenset[Theorem]:
        """The hypotheses without which it says nothing."""
        return frozenset([self]) if self.name == HYPOTHESIS else self.assumed
