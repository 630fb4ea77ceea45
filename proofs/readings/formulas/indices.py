"""Entries taken from elsewhere, as formulas: slices, transposes, diagonals, what is repeated along axes."""

from __future__ import annotations

from typing import Any

from ...statement import making, nodes
from ...statement.nodes import Node
from ...statement.whole import Axis, Whole, substituted
from ...statement.whole import Number as WholeNumber
from ..slices import Expression
from ..taking import affine
from .ones import I, J
from .products import Products

SHORT_BASE = 24
"""What is longer, and has no name, gets one where an entry of it is taken."""


class Indices(Products):
    """Writes `Take`."""

    def take(self, node: nodes.Take) -> Expression:
        """Entries of an array, or a number where guards hold."""
        value = making.constant(node)
        if value is not None:
            if isinstance(value, int) and value == 0:
                return "0", 9
            return self.shown(
                self.piece(making.number(value)).times(self._all_ones(node.shape, False))
            )
        if not node.places:
            if making.constant(node.of) == 1:
                return self._indicator(node)
            return self.shown(self.scaled_indicator(node, False))
        core, axes = self.core(node, node.shape)
        if len(axes) < len(node.shape):
            return self._repeated(core, axes, node)
        plain = self._plain(node)
        if plain is not None and not node.guards:
            return plain
        if plain is not None:
            triangle = self._triangle(node.guards, node.shape)
            inner = making.take(node.of, node.places, node.shape)
            if triangle is not None:
                return triangle(self.text(inner)[0]), 9
        if len(node.shape) == 2 and node.guards == {I - J, J - I}:
            vector = making.take(node.of, [_without(p) for p in node.places], node.shape[:1])
            return self.a.call(self.a.function("diag"), self.text(vector)[0]), 9
        letters = self.letters(len(node.shape))
        base = self.base(node.of)
        entry = self.entry(base, *[self.numbered(p, letters, tight=True) for p in node.places])
        held = self.condition(node.guards, letters)
        if not letters:
            return f"{entry} {held}".strip(), 2 if held else 9
        inside = self.a.parenthesised(f"{entry} {held}".strip())
        return self.a.sub(inside, "".join(letters)), 9

    def _repeated(self, core: Node, axes: tuple[int, ...], node: nodes.Take) -> Expression:
        """An array with axes along which it does not change."""
        long = [k for k in range(len(node.shape)) if k not in axes and node.shape[k] != 1]
        rank = len(node.shape)
        if not axes and core.shape == ():
            return self.shown(
                self.number_piece(core).times(
                    self._all_ones(tuple(node.shape[k] for k in long), False)
                )
            )
        if rank == 2 and len(axes) == 1 and not long:
            return self.shown(self.piece(core, axes == (1,)))
        if rank == 2 and len(axes) == 1:
            return self.shown(self._spread(core, axes, node.shape, False))
        if not long:
            return self.text(core)
        letters = self.letters(rank)
        entry = self.entry(self.base(core), "".join(letters[k] for k in axes))
        return self.a.sub(self.a.parenthesised(entry), "".join(letters)), 9

    def _plain(self, node: nodes.Take) -> Expression | None:
        """By slices and a transpose, where each axis is used once."""
        found = [affine(place) for place in node.places]
        used = [next(iter(steps)) for _, steps in found if steps]
        simple = all(len(steps) < 2 for _, steps in found) and len(used) == len(node.shape)
        if not simple or used not in (sorted(set(used)), [1, 0]):
            if simple and len(node.shape) == 1 and len(used) == 2:
                return None
            return self._diagonal_of(node)
        index = [self._place(place, node, k) for k, place in enumerate(found)]
        if None in index:
            return None
        shown = [text for text in index if text is not None]
        while shown and shown[-1] == self.a.everything:
            shown.pop()
        base = self.base(node.of)
        rows = isinstance(node.of, nodes.Loop | nodes.Build) and not found[0][1]
        if rows and len(shown) > 1:
            base = self.a.sub(base, shown.pop(0))
        text = self.entry(base, *shown) if shown else base
        return (self.a.transposed(text), 8) if used == [1, 0] else (text, 9)

    def base(self, node: Node) -> str:
        """What has a subscript: a name, if it is not short."""
        text = self.text(node)
        if self.is_name(text[0]):
            return text[0]
        if len(text[0]) > SHORT_BASE and not isinstance(node, nodes.Placeholder):
            return self.with_name(node)
        return self.a.within(text, 9)

    def _diagonal_of(self, node: nodes.Take) -> Expression | None:
        if len(node.shape) == 1 and len(node.places) == 2 and node.places == (I, I):
            return self.a.call(self.a.function("diag"), self.text(node.of)[0]), 9
        return None

    def _place(self, place: Any, node: nodes.Take, k: int) -> str | None:
        start, steps = place
        if not steps:
            return self.numbered(start, tight=True)
        ((axis, step),) = steps.items()
        count, length = node.lengths[axis], node.of.shape[k]
        if (start, step, count) == (0, 1, length):
            return self.a.everything
        first = self.numbered(start, tight=True)
        last = self.numbered(start + (count - 1) * step, tight=True)
        if step in (1, -1):
            return f"{first}{self.a.through}{last}"
        if isinstance(step, Whole):
            return None
        second = self.numbered(start + step, tight=True)
        return f"{first}, {second}{self.a.through}{last}"


def _without(place: WholeNumber) -> WholeNumber:
    """A place along the diagonal."""
    return substituted(place, {Axis(1): I})
