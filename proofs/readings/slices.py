"""How entries that are taken from elsewhere are written in NumPy: slices, transposes, triangles, arrays of indices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from ..statement import making, nodes
from ..statement.nodes import Node
from ..statement.order import nonnegative
from ..statement.whole import Axis, Symbol, Whole, whole
from ..statement.whole import Number as WholeNumber

Expression = tuple[str, float]
"""A text, and how tightly its last operator binds; names and calls bind by 9."""


class Writer(Protocol):
    """What writes nodes."""

    def name(self, wanted: str) -> str:
        """A new name that begins so."""
        ...

    def symbol(self, symbol: Symbol) -> str:
        """A size's or position's name."""
        ...

    def text(self, node: Node) -> Expression:
        """A node's text."""
        ...

    def within(self, node: Node, binds: float) -> str:
        """A node's text as an operand of what binds so tightly."""
        ...

    def states(self, node: nodes.Loop) -> str:
        """The name of the list of a loop's states."""
        ...

    def line(self, text: str) -> None:
        """Write a line where the node stands that is being written."""
        ...


def shape_text(shape: nodes.Shape, symbol: Any) -> str:
    return (
        f"({', '.join(number_text(n, symbol)[0] for n in shape)}{',' if len(shape) == 1 else ''})"
    )


def number_text(number: WholeNumber, symbol: Any) -> Expression:
    """A whole number as Python writes it."""
    if not isinstance(number, Whole):
        return str(number), 9 if number >= 0 else 3
    text, count = "", 0
    for m, c in number.parts:
        factors = [symbol(s) for s in m]
        if abs(c) != 1 or not factors:
            factors.insert(0, str(abs(c)))
        sign = ("-" if c < 0 else "") if not text else (" - " if c < 0 else " + ")
        text += sign + " * ".join(factors)
        count = len(factors)
    if len(number.parts) > 1:
        return text, 1
    return text, 9 if count == 1 and text[0] != "-" else 2


class Taking:
    """How a `Take` is written: as an index with slices, a transpose, a triangle; else by arrays of indices."""

    def __init__(self, writer: Writer, node: nodes.Take) -> None:
        self.writer, self.node = writer, node
        self.shape = node.lengths

    def _number(self, number: WholeNumber) -> Expression:
        return number_text(number, self.writer.symbol)

    def _lengths(self, shape: nodes.Shape) -> str:
        return shape_text(shape, self.writer.symbol)

    def text(self) -> Expression:
        """The text, and how tightly it binds."""
        node, writer = self.node, self.writer
        value = making.constant(node.of)
        if not node.of.shape:
            if not node.guards:
                return self._full(value)
            mask = self._mask()
            return mask if value == 1 else (f"{mask[0]} * {writer.within(node.of, 3)}", 2)
        plain = self._plain()
        if plain is None:
            return self._gathered()
        if not node.guards:
            return plain
        mask, binds = self._mask()
        text = plain[0] if plain[1] >= 2 else f"({plain[0]})"
        return f"{text} * {mask if binds > 2 else f'({mask})'}", 2

    def _full(self, value: Any) -> Expression:
        shape = self._lengths(self.shape)
        if value in (0, 1):
            return f"np.{'ones' if value else 'zeros'}({shape})", 9
        return f"np.full({shape}, {self.writer.text(self.node.of)[0]})", 9

    def _mask(self) -> Expression:
        """Ones where the guards hold."""
        rows = set(self.node.guards)
        axes = [whole(Axis(k)) for k in range(len(self.shape))]
        square = len(axes) == 2 and self.shape[0] == self.shape[1]
        if square and rows == {axes[0] - axes[1], axes[1] - axes[0]}:
            return f"np.eye({self._number(self.shape[0])[0]})", 9
        names, shape = self._indices(", sparse=True"), self._lengths(self.shape)
        mask = f"np.where({self._conditions(names)}, 1.0, 0.0)"
        asked = {one for guard in rows if isinstance(guard, Whole) for one in guard.symbols}
        absent = [n for k, n in enumerate(self.shape) if Axis(k) not in asked and n != 1]
        return f"np.broadcast_to({mask}, {shape})" if absent else mask, 9

    def _indices(self, option: str = "") -> list[str]:
        """Names of the indices along each axis, which a line gives them; a number has none."""
        names = [self.writer.name("k") for _ in self.shape]
        if names:
            commas = f"{', '.join(names)}{',' if len(names) == 1 else ''}"
            self.writer.line(f"{commas} = np.indices({self._lengths(self.shape)}{option})")
        return names

    def _conditions(self, names: Sequence[str]) -> str:
        """Where all guards hold; e ≥ 0 and −e ≥ 0 say e = 0."""
        left = sorted(self.node.guards, key=str)
        found: list[str] = []
        while left:
            guard = left.pop(0)
            if isinstance(guard, Whole) and -guard in left:
                left.remove(-guard)
                axis = next(((m, c) for m, c in guard.parts if _is_axis(m) and abs(c) == 1), None)
                if axis is not None:
                    (one,), c = axis
                    rest = (guard - whole(one)) * -1 if c > 0 else guard + whole(one)
                    found.append(
                        f"{self._condition(whole(one), names)} == {self._condition(rest, names)}"
                    )
                    continue
                found.append(f"{self._condition(guard, names)} == 0")
            else:
                found.append(f"{self._condition(guard, names)} >= 0")
        return found[0] if len(found) == 1 else " & ".join(f"({one})" for one in found)

    def _condition(self, number: WholeNumber, names: Sequence[str]) -> str:
        def symbol(one: Symbol) -> str:
            return names[one.number] if isinstance(one, Axis) else self.writer.symbol(one)

        return number_text(number, symbol)[0]

    def _plain(self) -> Expression | None:
        """With slices, where each axis of the result is used once at most, with a coefficient."""
        parts = [_affine(place) for place in self.node.places]
        used = [axis for _, axis, _ in parts if axis is not None]
        if any(one is None for one, _, _ in parts) or len(set(used)) < len(used):
            return None
        index = [self._index(*part, self.node.of.shape[k]) for k, part in enumerate(parts)]
        if None in index:
            return None
        while index and index[-1] == ":":
            index.pop()
        of = self.node.of
        trajectory = isinstance(of, nodes.Loop)
        text = self.writer.states(of) if trajectory else self.writer.within(of, 9)
        if trajectory and index and ":" not in index[0]:  # type: ignore[operator]
            text = f"{text}[{index.pop(0)}]"
        elif trajectory:
            text = f"np.array({text})"
        if index:
            text = f"{text}[{', '.join(index)}]"  # type: ignore[arg-type]
        return self._arranged(text, used), 9

    def _arranged(self, text: str, used: Sequence[int]) -> str:
        """The axes in the order of the result, and those that it has besides."""
        order = sorted(range(len(used)), key=lambda n: used[n])
        if order == [1, 0]:
            text = f"{text}.T"
        elif order != sorted(order):
            text = f"{text}.transpose({', '.join(map(str, order))})"
        lacking = [k for k in range(len(self.shape)) if k not in used]
        if lacking:
            keys = ", ".join("None" if k in lacking else ":" for k in range(len(self.shape)))
            text = f"{text}[{keys}]"
        if any(self.shape[k] != 1 for k in lacking):
            text = f"np.broadcast_to({text}, {self._lengths(self.shape)})"
        return text

    def _index(self, start: Any, axis: int | None, step: int, length: WholeNumber) -> str | None:
        last = start if axis is None else start + (self.shape[axis] - 1) * step
        inside = all(making.lies_within(end, length) for end in (start, last))
        if self.node.guards and not inside:
            return None
        if axis is None:
            return "-1" if start == length - 1 else self._number(start)[0]
        count = self.shape[axis]
        if (start, step, count) == (0, 1, length):
            return ":"
        if (start, step, count) == (length - 1, -1, length):
            return "::-1"
        if step < 1:
            return None
        stop = start + (count - 1) * step + 1
        if not nonnegative(stop):  # where there is none, it would be counted from the end
            stop = start + count * step
        ends = "" if start == 0 else self._number(start)[0]
        last = "" if stop == length else self._number(stop)[0]
        return f"{ends}:{last}" + (f":{step}" if step > 1 else "")

    def _gathered(self) -> Expression:
        node, writer = self.node, self.writer
        names = self._indices()
        places = [self._condition(place, names) for place in node.places]
        if node.guards:
            places = [
                f"np.clip({p}, 0, {self._number(n - 1)[0]})"
                for p, n in zip(places, node.of.shape, strict=True)
            ]
        of = writer.within(node.of, 9)
        if node.guards and not all(nonnegative(n - 1) for n in node.of.shape):
            of = f"np.pad({of}, (0, 1))"  # where it is empty, no guard holds
        text = f"{of}[{', '.join(places)}]"
        if not node.guards:
            return text, 9
        return f"np.where({self._conditions(names)}, {text}, 0.0)", 9


def _is_axis(m: Any) -> bool:
    return len(m) == 1 and isinstance(m[0], Axis)


def _affine(place: WholeNumber) -> tuple[Any, int | None, int]:
    """(start, axis, step) of a place; a start of None for one that is no such sum."""
    start: Any = 0
    axis, step = None, 0
    for m, c in place.parts if isinstance(place, Whole) else (((), place),):
        axes = [one for one in m if isinstance(one, Axis)]
        if not axes:
            start = start + (Whole(((m, c),)) if m else c)
        elif len(m) > 1 or axis is not None:
            return None, None, 0
        else:
            axis, step = axes[0].number, c
    return start, axis, step
