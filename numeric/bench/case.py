"""A program that is timed, and the names by which others are compared with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

PLAIN, SCAN, CHUNKED, DELTA = "matrix product of 4d²", "lax.scan", "chunked", "delta"


class Case(NamedTuple):
    """One program."""

    run: Callable[[], Any]
    """Returns the outputs (heads, T, d), alone or first in a tuple."""
    layer: str | None = None
    """Which of `Problem.exact` the outputs are compared with; None: they are not."""
    dtype: str = "float32"
    share: float = 1.0
    """The share of all tokens and heads that it runs."""
    derivative: bool = False
    """Whether it returns the cotangents of v, k and q, each (heads, T, d), where those of the outputs are v."""
