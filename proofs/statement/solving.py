"""A triangular system as a loop: each turn finds one row of the solution from those before it."""

from __future__ import annotations

from . import binding, making, nodes
from .nodes import Node
from .whole import Axis, whole


def by_rows(node: nodes.Solve) -> Node:
    """The same array by forward substitution: X_t = (B_t − Σ_{j<t} L_tj X_j) / L_tt, rows not yet found being 0."""
    matrix, right = node.matrix, node.right
    *batch, n, m = right.shape
    axes = making.places_of(right.shape)
    here, last = axes[:-2], axes[-2]
    time = binding.fresh(0, n)
    turn = whole(time)
    (before,) = binding.placeholders([right.shape])
    names = tuple(range(len(batch)))
    j, column = len(batch), len(batch) + 1
    row = making.take(matrix, (*here, turn, last), (*batch, n), [turn - 1 - last])
    known = making.contracted([row, before], [(*names, j), (*names, j, column)], (*names, column))
    new = making.take(right, (*here, turn, last), (*batch, m))
    new = making.entrywise("subtract", new, known)
    if not node.unit:
        entry = making.take(matrix, (*here, turn, turn), (*batch, 1))
        new = making.entrywise("divide", new, entry)
    gap = last - turn
    placed = making.take(new, (*here, whole(Axis(column))), right.shape, [gap, -gap])
    start = making.full(making.number(0), right.shape)
    after = making.entrywise("add", before, placed)
    found = binding.recursion(time, (before,), (start,), (after,))
    return making.row(nodes.Loop(found, 0), n)
