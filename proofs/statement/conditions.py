"""What has to hold for a statement to mean something: denominators are not 0, logarithms are of what is above 0.

Every division, logarithm and root that the statement is computed by adds a condition on every entry, selected or not.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from . import making, nodes
from .nodes import Node
from .order import nonnegative
from .statement import Statement, every_node
from .whole import Whole

SAYS = {"divide": "≠ 0", "log": "> 0", "sqrt": "≥ 0"}
"""What each function needs of its last argument, in every entry."""


def conditions(statement: Statement) -> Iterator[tuple[Node, str]]:
    """Each node of which something is needed, with what that is; not where it is seen to hold."""
    seen: set[tuple[Node, str]] = set()
    for node in every_node(statement.nodes):
        if isinstance(node, nodes.Map) and node.function in SAYS:
            needed = node.arguments[-1], SAYS[node.function]
            if needed not in seen and not _holds(*needed):
                seen.add(needed)
                yield needed


def _holds(node: Node, says: str) -> bool:
    """Whether a condition on a number, or on whole numbers that sizes and positions determine, is seen to hold."""
    value = making.constant(node)
    if isinstance(value, int | Fraction):
        return value > 0 or (says == "≠ 0" and value != 0) or (says == "≥ 0" and value == 0)
    number = making.entry_of(node)
    if not isinstance(number, Whole):
        return False
    above = nonnegative(number - (0 if says == "≥ 0" else 1), node.shape)
    return above or (says == "≠ 0" and nonnegative(-number - 1, node.shape))
