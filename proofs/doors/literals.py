"""Floats of a program as nodes: each stands for the number that it was most likely rounded from."""

from __future__ import annotations

from ..interpret.programs.literals import Meant
from ..statement import choices, making
from ..statement.nodes import Node


def meant_by(found: Meant) -> Node:
    """The number that a float means (`literals.meant`, of which this is the result)."""
    if not (found.root or found.log):
        return making.number(found.number)
    node = making.entrywise("log" if found.log else "sqrt", making.number(found.number))
    return node if found.sign > 0 else choices.negative(node)
