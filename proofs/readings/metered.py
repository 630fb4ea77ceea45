"""A statement's program that counts its operations, so that it stops at sizes that are too dear."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import reduce
from typing import Any

import numpy as np

from ..exact.meter import CALL, Meter
from ..statement import nodes
from ..statement.nodes import Node
from ..statement.statement import Relation, Turns
from ..statement.whole import Number as WholeNumber
from .program import Writer
from .slices import Expression


class Metered(Writer):
    """Writes nodes for a namespace `np` that has a function `spend` besides NumPy's.

    Each scope of a binder begins with what its turns cost.
    """

    def __init__(self, sides: Sequence[Node], taken: Sequence[str]) -> None:
        super().__init__(sides, taken)
        self._costs: dict[int, WholeNumber] = {}
        """For the lines of each scope that is open what the nodes in it cost."""

    def text(self, node: Node) -> Expression:
        depth = self._depth(node)
        if node not in self._texts[depth]:
            lines = id(self._scopes[depth])
            self._costs[lines] = self._costs.get(lines, 0) + _cost(node)
        return super().text(node)

    @contextmanager
    def scope(self, names: Mapping[Any, str]) -> Iterator[list[str]]:
        with super().scope(names) as lines:
            yield lines
            self._begin(lines)

    def relations(self, every: Sequence[Relation | Turns]) -> list[str]:
        lines = super().relations(every)
        if len(self._scopes) == 1:
            self._begin(lines)
        return lines

    def _begin(self, lines: list[str]) -> None:
        cost = self._costs.pop(id(lines), 0)
        lines[:0] = [f"np.spend({self.whole(cost)[0]})"] if cost else []


def _cost(node: Node) -> WholeNumber:
    """The operations that a node takes, counted as `exact.Exact` counts them."""
    match node:
        case nodes.Map() | nodes.Positions() | nodes.Opaque():
            return CALL + _product(node.shape)
        case nodes.Contract():
            named = zip(node.axes, node.factors, strict=True)
            lengths = {k: n for names, one in named for k, n in zip(names, one.shape, strict=True)}
            return (CALL + _product(tuple(lengths.values()))) * max(1, len(node.factors) - 1)
        case nodes.Fold() | nodes.Lookup():
            return CALL + _product(node.of.shape)
        case nodes.Take() | nodes.Reshape() | nodes.Join() | nodes.Build():
            return CALL
    return 0


def _product(shape: nodes.Shape) -> WholeNumber:
    return reduce(lambda a, b: a * b, shape, 1)


class Counting:
    """NumPy's namespace, with a meter if there is one."""

    def __init__(self, meter: Meter | None) -> None:
        self.meter = meter

    def spend(self, operations: int) -> None:
        """Raises TooLong if they are more than there are left."""
        if self.meter is not None:
            self.meter.spend(operations)

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)
