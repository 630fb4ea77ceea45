"""Python's audit events for those who listen: one hook, because Python takes none back."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Any

Listener = Callable[[str, tuple[Any, ...]], None]
_listeners: dict[str, list[Listener]] = {}
_hooks: list[Any] = []


def listen(events: Iterable[str], listener: Listener) -> None:
    """Have a function called with each event of these names and its arguments, from now on."""
    for event in events:
        own = _listeners.setdefault(event, [])
        if listener not in own:
            own.append(listener)
    if not _hooks:
        _hooks.append(_heard)
        sys.addaudithook(_heard)


def _heard(event: str, arguments: tuple[Any, ...]) -> None:
    if event in _listeners:
        for listener in _listeners[event]:
            listener(event, arguments)
