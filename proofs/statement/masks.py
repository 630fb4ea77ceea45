"""Masks: arrays whose entries are seen to be 0 or 1, whatever their format."""

from __future__ import annotations

from . import nodes
from .making import constant
from .nodes import Join, Map, Node, Take


def is_mask(node: Node) -> bool:
    """Whether every entry is seen to be 0 or 1."""
    match node:
        case nodes.Parameter() | Take() | nodes.Reshape():
            return is_mask(node.of)
        case nodes.Number():
            return node.value in (0, 1)
        case Map(function="nonnegative" | "step" | "zero"):
            return True
        case nodes.Input() | nodes.Held():
            return node.format.kind == "bool"
        case Map(function="multiply"):
            return all(map(is_mask, node.arguments))
        case Map(function="subtract", arguments=(one, other)):
            return constant(one) == 1 and is_mask(other)
        case Map(function="add", arguments=(one, other)):
            return is_mask(one) and is_mask(other) and _never_both(one, other)
        case Join():
            return all(map(is_mask, node.parts))
        case nodes.Build():
            return is_mask(node.entry)
    return False


def _never_both(one: Node, other: Node) -> bool:
    """Whether of two masks one has a factor that is 1 less a factor of the other."""
    ours, theirs = factors_of(one), factors_of(other)
    pairs = [(f, g) for f in ours for g in theirs]
    return any(_is_rest(f, g) or _is_rest(g, f) for f, g in pairs)


def _is_rest(rest: Node, mask: Node) -> bool:
    match rest:
        case Map(function="subtract", arguments=(one, other)):
            return constant(one) == 1 and other is mask and rest.shape == mask.shape
    return False


def factors_of(node: Node) -> set[Node]:
    """The arrays that one is the product of, entry by entry."""
    found: set[Node] = set()
    pending = [node]
    while pending:
        one = pending.pop()
        if isinstance(one, Map) and one.function == "multiply":
            pending += one.arguments
        else:
            found.add(one)
    return found
