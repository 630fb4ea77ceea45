"""Checks of arguments that PyTorch's distributions make: they ask for numbers, and are taken to pass."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

VALID = "arguments of distributions are valid (PyTorch raises where they are not)"


@contextmanager
def taken_as_valid(taken: set[str]) -> Iterator[None]:
    """Inside the `with` block distributions check nothing unless they are told to; `taken` learns that one was made."""
    module = sys.modules.get("torch.distributions.distribution")
    if module is None:
        yield
        return
    kind: Any = module.Distribution
    begin, checks = kind.__init__, kind._validate_args

    def noting(distribution: Any, *given: Any, **named: Any) -> None:
        taken.add(VALID)
        begin(distribution, *given, **named)

    kind.__init__, kind._validate_args = noting, False
    try:
        yield
    finally:
        kind.__init__, kind._validate_args = begin, checks


def run_as_valid(run: Callable[[], Any]) -> Any:
    """What a program returns; where it raises, what it returns where distributions check nothing.

    Raises:
        BaseException: what it raises in both cases, or where it makes no distribution.
    """
    try:
        return run()
    except ValueError:
        taken: set[str] = set()
        with contextlib.suppress(Exception), taken_as_valid(taken):
            result = run()
            if taken:
                return result
        raise
