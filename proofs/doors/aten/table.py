"""The table: for each operation of ATen what nodes it is. Rules have the arguments' names of PyTorch's schemas.

An argument that a rule does not take refuses where it is not the schema's default, save for those of `PLACEMENT`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ...statement.nodes import Node
from ..infinities import Value, moved

PLACEMENT = ("layout", "device", "pin_memory", "memory_format", "non_blocking")
"""Arguments that say where numbers lie, and nothing of which numbers."""


@dataclass(frozen=True)
class Rule:
    """What an operation is."""

    made: Callable[..., Any]
    computes: bool = False
    """Whether whole numbers that it makes may be too great for their format."""
    takes_nan: bool = False
    """Whether it moves or chooses entries, or asks which are NaN; what else is computed of NaN is refused."""

    @cached_property
    def takes(self) -> frozenset[str]:
        """The arguments that it binds."""
        return frozenset(list(inspect.signature(self.made).parameters)[1:])


RULES: dict[str, Rule] = {}
"""By the operation's name, such as "add.Tensor"."""


def rule(
    *names: str, computes: bool = False, takes_nan: bool = False
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Enter a function of (lowering, arguments…) that gives a node, a `Value`, or several."""

    def enter(made: Callable[..., Any]) -> Callable[..., Any]:
        for name in names:
            RULES[name if "." in name else f"{name}.default"] = Rule(made, computes, takes_nan)
        return made

    return enter


def moving(*names: str) -> Callable[[Callable[..., Node]], Callable[..., Node]]:
    """Enter a function of (lowering, self: Node, …) that moves entries; where they are no numbers moves with them."""

    def enter(made: Callable[..., Node]) -> Callable[..., Node]:
        signature = inspect.signature(made)

        def of_values(at: Any, self: Value, **given: Any) -> Value:
            return moved(lambda node: made(at, node, **given), [self])

        of_values.__signature__ = signature  # type: ignore[attr-defined]
        rule(*names, takes_nan=True)(of_values)
        return made

    return enter
