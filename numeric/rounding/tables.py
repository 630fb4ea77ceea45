"""Tables of rules, by the names of JAX's primitives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Rule = Callable[..., Any]


def into(table: dict[str, Rule]) -> Callable[..., Callable[[Rule], Rule]]:
    """A decorator `@rule("name", …)` that puts a function into a table under the names of primitives."""

    def rule(*names: str) -> Callable[[Rule], Rule]:
        def register(function: Rule) -> Rule:
            table.update(dict.fromkeys(names, function))
            return function

        return register

    return rule
