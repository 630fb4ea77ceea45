"""`@definition` marks a function as one that claims are about; a recorder notes which of them ran.

A verdict is worth something only if the definition it speaks of took part in it. Reports therefore list the
definitions that ran, as file and line, beside the functions of a user's file that its claims call.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

_recorder: ContextVar[set[Callable[..., Any]] | None] = ContextVar("recorder", default=None)


def note(function: Callable[..., Any]) -> None:
    """Report to the active recorder, if there is one, that `function` runs."""
    running = _recorder.get()
    if running is not None:
        running.add(function)


def definition(function: F) -> F:
    """Mark `function` as a definition: each call is noted while a recorder is active."""

    @functools.wraps(function)
    def noted(*args: Any, **kwargs: Any) -> Any:
        note(function)
        return function(*args, **kwargs)

    return noted  # type: ignore[return-value]


@contextmanager
def recording() -> Iterator[set[Callable[..., Any]]]:
    """Collect the definitions that run inside the `with` block."""
    seen: set[Callable[..., Any]] = set()
    token = _recorder.set(seen)
    try:
        yield seen
    finally:
        _recorder.reset(token)
