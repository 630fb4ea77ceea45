"""Where a program's operations are defined, also those that are simplified away before there is a statement."""

from __future__ import annotations

from collections.abc import Iterable

from ..statement.conditions import domain
from ..statement.nodes import Node, operands_first
from ..statement.statement import every_node


class Domains:
    """What the operations of a program need of their operands, noted as they are recorded."""

    def __init__(self) -> None:
        self._seen: set[Node] = set()
        self._words: dict[str, None] = {}

    def note(self, made: Node) -> None:
        """Look at what an operation made, outside of binders."""
        for node in operands_first(made, lambda one: one not in self._seen):
            self._seen.add(node)
            word = domain(node)
            if word is not None:
                self._words.setdefault(word)

    def lost(self, outputs: Iterable[Node]) -> list[str]:
        """Those of which nothing is left in the results, in words: 0·log(x) is 0 where x > 0."""
        left = set(map(domain, every_node(outputs))) if self._words else set()
        return [word for word in self._words if word not in left]
