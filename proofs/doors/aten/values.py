"""What the edges of a graph carry: nodes with PyTorch's formats, of which entries may be −∞ or ∞."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ...statement import choices, making
from ...statement.formats import REAL, Format
from ...statement.nodes import Node


@dataclass(frozen=True)
class Value:
    """A tensor."""

    node: Node
    """Its entries; any number where they are infinite."""
    dtype: Any
    """PyTorch's."""
    finite: Node | None = None
    """1 where an entry is a number, 0 where it is infinite; None where all are numbers."""
    sign: int = -1
    """The sign of the infinite ones."""

    def with_node(self, node: Node, finite: Node | None = None) -> Value:
        """The same format and sign, with other entries."""
        return replace(self, node=node, finite=finite)

    @property
    def only_infinite(self) -> bool:
        """Whether all entries are infinite."""
        return self.finite is not None and making.constant(self.finite) == 0

    @property
    def number(self) -> Node:
        """The entries, with 0 where they are infinite."""
        return self.node if self.finite is None else choices.multiply(self.finite, self.node)


def format_of(dtype: Any) -> Format:
    """What numbers of a format of PyTorch's an array holds."""
    name = str(dtype).removeprefix("torch.")
    if name == "bool":
        return Format("bool")
    for kind in ("uint", "int"):
        if name.startswith(kind):
            return Format(kind, int(name.removeprefix(kind)))
    return REAL


def is_whole(dtype: Any) -> bool:
    """Whether a format holds whole numbers, truths among them."""
    return format_of(dtype).is_whole


def joined_finite(values: list[Value], shape: Any) -> tuple[Node | None, int]:
    """Where a result is finite that is infinite where one of these is; and the sign, which they share."""
    infinite = [v for v in values if v.finite is not None]
    if not infinite:
        return None, -1
    found = making.full(making.number(1), shape)
    for one in infinite:
        assert one.finite is not None
        found = choices.both(found, making.spread(one.finite, shape))
    return found, infinite[0].sign
