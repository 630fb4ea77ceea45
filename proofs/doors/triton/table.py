"""The table: for each operation of Triton's IR what it makes of its operands. What is not in it is refused by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

RULES: dict[str, Callable[..., Any]] = {}
"""By the operation's name, functions of (program, operation, operands…) that give a value, or several."""


def rule(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Enter a rule."""

    def enter(made: Callable[..., Any]) -> Callable[..., Any]:
        RULES.update(dict.fromkeys(names, made))
        return made

    return enter
