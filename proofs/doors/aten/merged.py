"""Axes that were merged are seen as those that they were merged of: by permutations and products of matrices."""

from __future__ import annotations

from collections.abc import Sequence

from ...statement import making, nodes
from ...statement.nodes import Node
from ...statement.reshaping import reshaped


def grouped(node: Node) -> tuple[Node, list[list[int]]]:
    """The array before its axes were merged, and for each of its axes those that it was merged of."""
    own = [[k] for k in range(len(node.shape))]
    bare = reshaped(node, [n for n in node.shape if n != 1])
    if not isinstance(bare, nodes.Reshape):
        return node, own
    inner, groups, k = bare.of, [], 0
    inner = reshaped(inner, [n for n in inner.shape if n != 1])
    for length in node.shape:
        group: list[int] = []
        while k < len(inner.shape) and making.area([inner.shape[j] for j in group]) != length:
            group.append(k)
            k += 1
        if making.area([inner.shape[j] for j in group]) != length:
            return node, own
        groups.append(group)
    return (inner, groups) if k == len(inner.shape) else (node, own)


def permuted(node: Node, order: Sequence[int]) -> Node:
    """The array with its axes in another order, also where they are merged ones."""
    inner, groups = grouped(node)
    if inner is node:
        return making.permuted(node, order)
    turned = making.permuted(inner, [j for k in order for j in groups[k]])
    return reshaped(turned, [node.shape[k] for k in order])


def matrix_product(left: Node, right: Node, batch: int) -> Node:
    """(batch…, i, k) · (batch…, k, j), also where axes are merged: these are summed and kept apart."""
    one, ours = grouped(left)
    other, theirs = grouped(right)
    rows = left.shape[batch:-1]
    columns = right.shape[batch + 1 :]
    shape = (*left.shape[:batch], *rows, *columns)
    pairs = [(ours[k], theirs[k]) for k in range(batch)] + [(ours[-1], theirs[batch])]
    for group, same in pairs:
        if [one.shape[k] for k in group] != [other.shape[k] for k in same]:
            one, ours = left, [[k] for k in range(len(left.shape))]
            other, theirs = right, [[k] for k in range(len(right.shape))]
            pairs = [(ours[k], theirs[k]) for k in range(batch)] + [(ours[-1], theirs[batch])]
            break
    names: dict[int, int] = {}
    for group, same in pairs:
        names.update({b: a for a, b in zip(group, same, strict=True)})
    start = len(one.shape)
    second = [names.get(k, start + k) for k in range(len(other.shape))]
    kept = [k for g in ours[:-1] for k in g]
    kept += [second[k] for g in theirs[batch + 1 :] for k in g]
    found = making.contracted([one, other], [list(range(start)), second], kept)
    return reshaped(found, shape)
