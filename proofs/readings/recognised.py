"""Kinds of nodes that are written in a way of their own: zeros, identities, parts of arrays, plain products."""

from __future__ import annotations

from collections.abc import Sequence

from ..statement import making, nodes
from ..statement.nodes import Node
from ..statement.whole import Whole
from .reading import is_matrix_product
from .taking import affine


def zeros(shape: nodes.Shape) -> Node:
    return making.full(making.number(0), shape)


def is_zero(node: Node) -> bool:
    """Whether every entry is seen to be 0."""
    while isinstance(node, nodes.Take):
        if any(not isinstance(guard, Whole) and guard < 0 for guard in node.guards):
            return True
        node = node.of
    return isinstance(node, nodes.Number) and node.value == 0


def number_everywhere(node: Node) -> Node | None:
    """The number that every entry is."""
    if not node.shape:
        return node
    spread = isinstance(node, nodes.Take) and not node.of.shape and not node.guards
    return node.of if spread else None  # type: ignore[union-attr]


def is_identity(node: Node) -> bool:
    """Whether it is the identity matrix."""
    if len(node.shape) != 2 or node.shape[0] != node.shape[1]:
        return False
    return node is making.identity(node.shape[0])


def is_small(node: Node, limit: int) -> bool:
    """Whether few operations make it of what has a name."""
    waiting, count = [node], 0
    while waiting and count <= limit:
        one = waiting.pop()
        if isinstance(one, nodes.Take):
            waiting.append(one.of)
        elif not isinstance(
            one, nodes.Input | nodes.Number | nodes.Placeholder | nodes.Parameter | nodes.Loop
        ):
            count += 1 + (3 if isinstance(one, nodes.Join | nodes.Reshape | nodes.Gradient) else 0)
            waiting += one.operands
    return count <= limit


def is_part(node: nodes.Take) -> bool:
    """Whether it is a part of an array, by slices along different axes: less than all of it, and no repetition."""
    found = [affine(place)[1] for place in node.places]
    axes = [axis for steps in found for axis in steps]
    if any(len(steps) > 1 for steps in found) or len(set(axes)) < len(axes):
        return False
    less = any(not steps for steps in found) or node.of.shape != tuple(
        node.lengths[axis] for axis in axes
    )
    return less and len(node.of.shape) > 0


def indicator(one: Node, other: Node, shape: nodes.Shape) -> Node | None:
    """The product of two arrays of ones and zeros, as one."""
    both = (one, other)
    if not all(isinstance(n, nodes.Take) and n.guards and n.shape == shape for n in both):
        return None
    if any(n.of != making.number(1) for n in both):  # type: ignore[union-attr]
        return None
    return making.take(making.number(1), (), shape, one.guards | other.guards)  # type: ignore[union-attr]


def extreme(node: nodes.Map) -> tuple[str, Node, Node] | None:
    """NumPy's function of two numbers where a node is b + relu(a − b) or a − relu(a − b).

    As they stand they lose the digits of the smaller number, as of 10⁻⁹ + 0.7 − 0.7.
    """
    if node.function not in ("add", "subtract"):
        return None
    one, other = node.arguments
    if not isinstance(other, nodes.Map) or other.function != "relu":
        return None
    (gap,) = other.arguments
    if not isinstance(gap, nodes.Map) or gap.function != "subtract":
        return None
    name, same = ("maximum", 1) if node.function == "add" else ("minimum", 0)
    return (name, *gap.arguments) if gap.arguments[same] == one else None


def squared(of: Node, names: Sequence[int]) -> tuple[list[Node], list[Sequence[int]]]:
    """The factors of a sum over products of entries."""
    if isinstance(of, nodes.Map):
        first = of.arguments[0]
        if of.function == "power" and of.arguments[1] == making.number(2):
            return [first, first], [names, names]
        if of.function == "multiply" and all(a.shape == of.shape for a in of.arguments):
            return [*of.arguments], [names, names]
    return [of], [names]


def is_plain(node: nodes.Contract) -> bool:
    """Whether it is written with matrices and vectors: as a product, an outer one, a sum of rows or columns."""
    ranks = [len(names) for names in node.axes]
    if len(node.factors) == 1 and isinstance(node.factors[0], nodes.Build):
        return node.result == node.axes[0][1:]
    if max(ranks) > 2 or len(node.factors) > 2:
        return False
    if len(node.factors) == 1:
        return True
    one, other = node.axes
    if is_matrix_product(node):
        return len(node.shape) + 2 == sum(ranks)
    outer = ranks == [1, 1] and node.result == (*one, *other)
    return outer or (not node.result and set(one) == set(other))
