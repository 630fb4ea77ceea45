"""Where a program's operations are defined, also those that are simplified away before there is a statement."""

from __future__ import annotations

from collections.abc import Iterable

from ..statement.conditions import asked, domain
from ..statement.nodes import Node, operands_first
from ..statement.statement import every_node


class Domains:
    """What the operations of a program need of their operands, noted as they are recorded."""

    def __init__(self) -> None:
        self._seen: set[Node] = set()
        self._asked: dict[tuple[Node, str], str] = {}
        """What is needed of which operand, with the words for it."""

    def note(self, made: Node) -> None:
        """Look at what an operation made, outside of binders."""
        for node in operands_first(made, lambda one: one not in self._seen):
            self._seen.add(node)
            needed, word = asked(node), domain(node)
            if needed is not None and word is not None:
                self._asked.setdefault(needed, word)

    def lost(self, outputs: Iterable[Node]) -> list[str]:
        """Those of which nothing is left in the results, in words: 0·log(x) is 0 where x > 0.

        What is needed of an operand within a binder, which is another one in the results, is left if its words are.
        """
        every = every_node(outputs) if self._asked else []
        left, words = set(map(asked, every)), set(map(domain, every))
        return list(
            dict.fromkeys(
                word
                for needed, word in self._asked.items()
                if (word not in words if needed[0].free else needed not in left)
            )
        )
