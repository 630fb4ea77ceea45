"""Arrays of ones and zeros as formulas: unit vectors, identities, triangles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...statement import making, nodes
from ...statement.nodes import Node
from ...statement.order import nonnegative
from ...statement.whole import Axis, Whole, whole
from ...statement.whole import Number as WholeNumber
from ..slices import Expression
from ..taking import affine
from .naming import Naming

I, J = whole(Axis(0)), whole(Axis(1))
LETTERS = "ijklmnpqrsuvwxyz"


class Ones(Naming):
    """Writes what is 1 where guards hold and 0 elsewhere."""

    def letters(self, count: int) -> list[str]:
        """Letters for the axes of an array."""
        return [one for one in LETTERS if one not in self._taken][:count]

    def condition(self, guards: Any, letters: Sequence[str]) -> str:
        """Guards as brackets; e ≥ 0 and −e ≥ 0 say e = 0."""
        left, found = sorted(guards, key=str), []
        while left:
            guard = left.pop(0)
            sign = self.a.at_least
            if -guard in left:
                left.remove(-guard)
                sign = "="
            above, below = _sides(guard)
            sides = self.numbered(above, letters), self.numbered(below, letters)
            found.append(f"{sides[0]} {sign} {sides[1]}")
        return self.a.truth(", ".join(found)) if found else ""

    def triangle(self, mask: Node) -> Callable[[str], str] | None:
        """How the entries of a matrix are shown that a mask keeps, if these are a triangle."""
        if isinstance(mask, nodes.Take) and making.constant(mask.of) == 1 and not mask.places:
            return self._triangle(mask.guards, mask.shape)
        return None

    def _triangle(self, guards: Any, shape: nodes.Shape) -> Callable[[str], str] | None:
        if len(guards) != 1 or len(shape) != 2:
            return None
        (guard,) = guards
        for name, base in (("triu", J - I), ("tril", I - J)):
            offset = guard - base
            if isinstance(offset, Whole) and any(isinstance(s, Axis) for s in offset.symbols):
                continue
            shift = -offset if name == "triu" else offset
            end = "" if shift == 0 else f", {self.numbered(shift)}"
            return lambda inside, name=name, end=end: self.a.call(
                self.a.function(name), inside + end
            )
        return None

    def _indicator(self, node: nodes.Take) -> Expression:
        """Ones where guards hold."""
        a, shape = self.a, node.shape
        fixed = _fixed(node.guards, len(shape))
        if fixed is not None:
            vectors = [self._unit(fixed.get(k), shape[k]) for k in range(len(shape))]
            if len(shape) == 1:
                return vectors[0], 9
            if len(shape) == 2 and 1 in shape:
                return (vectors[0], 9) if shape[1] == 1 else (a.transposed(vectors[1]), 8)
            if len(shape) == 2:
                return f"{vectors[0]}{a.gap}{a.transposed(vectors[1])}", 2
        if len(shape) == 2:
            triangle = self._triangle(node.guards, shape)
            if triangle is not None:
                return triangle(f"{a.ones}{a.gap}{a.transposed(a.ones)}"), 9
            placed = self._identity(node)
            if placed is not None:
                return placed, 9
        letters = self.letters(len(shape))
        held = self.condition(node.guards, letters)
        return (a.sub(a.parenthesised(held), "".join(letters)) if letters else held), 9

    def _unit(self, place: WholeNumber | None, length: WholeNumber) -> str:
        """The unit vector of a place; ones where there is none."""
        return (
            self.a.ones
            if place is None
            else self.a.sub(self.unit, self.numbered(place, tight=True))
        )

    def _identity(self, node: nodes.Take) -> str | None:
        """An identity with zeros around it: ones where j = i + shift."""
        rows, columns = node.shape
        equal = [g for g in node.guards if -g in node.guards]
        if len(equal) != 2 or len(node.guards) != 2:
            return None
        shift = next(
            (g - (I - J) for g in equal if _is_free(g - (I - J))), None
        )  # i − j + shift = 0
        if shift is None:
            return None
        if not nonnegative(shift):
            if not nonnegative(-shift):
                return None
            above, size = -shift, _least(rows + shift, columns)
            if size is None:
                return None
            below, right = rows + shift - size, columns - size
            tall = self.a.stacked(self._filled(above, size, below))
            return (
                tall
                if right == 0 and self._several(above, below)
                else self._alone(size, above, below, right)
            )
        size = _least(rows, columns - shift)
        if size is None:
            return None
        right, below = columns - shift - size, rows - size
        if below == 0 and self._several(shift, right):
            return self.a.bracketed(self._filled(shift, size, right))
        if shift == 0 and right == 0 and below != 0:
            return self.a.stacked(self._filled(0, size, below))
        return self._alone(size, shift, right, below)

    def _several(self, *lengths: WholeNumber) -> bool:
        return any(one != 0 for one in lengths)

    def _alone(self, size: WholeNumber, *around: WholeNumber) -> str | None:
        return (
            None
            if self._several(*around)
            else self.a.sub(self.identity, self.numbered(size, tight=True))
        )

    def _filled(self, before: WholeNumber, size: WholeNumber, after: WholeNumber) -> list[str]:
        identity = self.a.sub(self.identity, self.numbered(size, tight=True))
        return ["0"] * (before != 0) + [identity] + ["0"] * (after != 0)


def _is_free(number: WholeNumber) -> bool:
    return not isinstance(number, Whole) or not any(isinstance(s, Axis) for s in number.symbols)


def _least(one: WholeNumber, other: WholeNumber) -> WholeNumber | None:
    if nonnegative(other - one):
        return one
    return other if nonnegative(one - other) else None


def _fixed(guards: Any, rank: int) -> dict[int, WholeNumber] | None:
    """The places of the axes that guards fix, if they say nothing else."""
    found: dict[int, WholeNumber] = {}
    left = set(guards)
    while left:
        guard = left.pop()
        if -guard not in left:
            return None
        left.remove(-guard)
        start, steps = affine(guard)
        if len(steps) != 1:
            return None
        ((axis, step),) = steps.items()
        if step not in (1, -1) or axis in found:
            return None
        found[axis] = -start if step == 1 else start
    return found


def _sides(guard: WholeNumber) -> tuple[WholeNumber, WholeNumber]:
    """e ≥ 0 as a ≥ b, both without minus signs."""
    above: WholeNumber = 0
    below: WholeNumber = 0
    for m, c in guard.parts if isinstance(guard, Whole) else (((), guard),):
        one = Whole(((m, abs(c)),)) if m else abs(c)
        if c > 0:
            above = above + one
        else:
            below = below + one
    return above, below
