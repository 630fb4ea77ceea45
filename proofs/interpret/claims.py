"""A claim as formulas of the kernel: its statements, and its conditions that are bounds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..kernel.index import Index, reach
from ..kernel.rules import has_values
from ..kernel.term import Term
from ..language.statements import AtMost, Equal, Statement
from . import areas
from .array import KernelArray, comprehension
from .measured import Measured
from .namespace import array
from .questions import Unreadable
from .session import Session


@dataclass(frozen=True)
class Part:
    """A statement, its two sides (or a statistic and a value) kernel arrays."""

    kind: type[Statement]
    left: KernelArray
    right: KernelArray
    shared: tuple[str, ...] = ()
    """The symbols that two inputs have in common, where there is a statistic."""
    measure: str = ""
    """What is taken of `left` before it is compared: "" nothing, else "norm", "absolute" or "operator" (a norm)."""
    condition: str = ""
    """For a condition its text."""

    @property
    def variables(self) -> set[int]:
        """All that it speaks of."""
        found = self.left.shared.scope | self.right.shared.scope
        indices = [*self.left.dims, *self.right.dims, *self.left.at, *self.right.at]
        return reach(found.union(*(e.variables() for e in indices)))


@dataclass(frozen=True)
class Interpretation:
    """A claim's statements with symbols for sizes."""

    sizes: dict[str, Index]
    parts: list[Part]
    session: Session
    conditions: list[Part] = field(default_factory=list)
    """The side conditions that are bounds. Those for plain numbers alone are not read: no proof uses them."""

    @property
    def equations(self) -> list[tuple[KernelArray, KernelArray]]:
        """The two sides of each part that is an equation."""
        return [(part.left, part.right) for part in self.parts if part.kind is Equal]

    @property
    def has_bounds(self) -> bool:
        """Whether a part or a condition is an inequality."""
        return any(part.kind is AtMost for part in (*self.parts, *self.conditions))

    @property
    def variables(self) -> dict[str, int]:
        """The kernel's variable for each size."""
        return {name: v for name, e in self.sizes.items() for v in e.variables()}

    def expect_turns(self, left: Term, right: Term, axes: Sequence[Index] = ()) -> None:
        """An equation in which a loop's variable stands says nothing at sizes where the loop has no turn.

        Raises:
            Unreadable: if there may be such sizes.
        """
        own = {v for e in (*axes, *self.sizes.values()) for v in e.variables()}
        if not all(map(has_values, (left.scope | right.scope) - own)):
            raise Unreadable("a loop that may have no turn")


Given = Callable[[str, Sequence[Index]], KernelArray]
"""What an array of the claim is, from its name and lengths."""


def bound(of: AtMost, condition: str = "") -> Part:
    """left ≤ right; a number stands for all entries of the other side."""
    left, right = array(of.left), plain(of.right)
    right = _spread(right, left.dims)
    if isinstance(left, Measured):
        part = Part(AtMost, left.of, right, measure=left.measure, condition=condition)
    else:
        left = _spread(left, right.dims)
        part = Part(AtMost, left, right, condition=condition)
    if left.dims != right.dims:
        raise Unreadable(
            f"the two sides have shapes {areas.shape(left.dims)} and {areas.shape(right.dims)}"
        )
    return part


def plain(value: Any) -> KernelArray:
    """An array of terms, with none of the kernel's own words for a norm."""
    found = array(value)
    return KernelArray(found.dims, found.at, found.shared)


def _spread(one: KernelArray, dims: Sequence[Index]) -> KernelArray:
    return comprehension(dims, lambda *at: one.shared) if dims and not one.dims else one
