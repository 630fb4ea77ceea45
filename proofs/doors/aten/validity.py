"""Checks of arguments that PyTorch's distributions make: they ask for numbers, and are taken to pass."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

VALID = "arguments of distributions are valid (PyTorch raises where they are not)"


@contextmanager
def taken_as_valid(taken: set[str] | None = None) -> Iterator[None]:
    """Inside the `with` block distributions check nothing unless they are told to; `taken` learns that one was made."""
    module = sys.modules.get("torch.distributions.distribution")
    if module is None:
        yield
        return
    kind: Any = module.Distribution
    begin, checks = kind.__init__, kind._validate_args

    def noting(distribution: Any, *given: Any, **named: Any) -> None:
        if taken is not None:
            taken.add(VALID)
        begin(distribution, *given, **named)

    kind.__init__, kind._validate_args = noting, False
    try:
        yield
    finally:
        kind.__init__, kind._validate_args = begin, checks
