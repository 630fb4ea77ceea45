"""Where gradients are recorded: inside `torch.func.grad`, and there not in a block of `torch.no_grad()`."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

LEVELS: list[bool] = [True]
"""Outside of all derivatives, and inside each of those that are being taken: whether it is recorded."""


@contextmanager
def outside() -> Iterator[None]:
    """No derivative is being taken."""
    before, LEVELS[:] = list(LEVELS), [True]
    try:
        yield
    finally:
        LEVELS[:] = before


@contextmanager
def derivative() -> Iterator[None]:
    """One more derivative is being taken, whose function records whatever is around it."""
    LEVELS.append(True)
    try:
        yield
    finally:
        LEVELS.pop()


def differentiating() -> bool:
    """Whether what is computed now is differentiated."""
    return len(LEVELS) > 1 and LEVELS[-1]


def stopped() -> bool:
    """Whether what is computed now is a constant of the derivative that is being taken."""
    return len(LEVELS) > 1 and not LEVELS[-1]


class Recording:
    """`torch.no_grad()` and `torch.enable_grad()`, as blocks and as decorators."""

    def __init__(self, on: bool) -> None:
        self.on = on
        self.before: list[bool] = []

    def __enter__(self) -> None:
        self.before.append(LEVELS[-1])
        LEVELS[-1] = self.on

    def __exit__(self, *_: Any) -> None:
        LEVELS[-1] = self.before.pop()

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        if not inspect.isfunction(function) or inspect.isgeneratorfunction(function):
            raise TypeError("no_grad and enable_grad are read as decorators of functions alone")

        @functools.wraps(function)
        def run(*given: Any, **named: Any) -> Any:
            with Recording(self.on):
                return function(*given, **named)

        return run


def recording(on: bool) -> Callable[..., Any]:
    """`torch.no_grad` or `torch.enable_grad`, which may decorate a function without being called."""

    def make(function: Callable[..., Any] | None = None) -> Any:
        return Recording(on) if function is None else Recording(on)(function)

    return make
