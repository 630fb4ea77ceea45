"""Launches of kernels as they were traced: PyTorch's graph has the number of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Launch:
    """One launch, as it was traced."""

    kernel: Any
    """What `triton.jit` returned."""
    grid: tuple[Any, ...]
    """How many programs there are along each axis: numbers, and PyTorch's symbolic ones."""
    arguments: dict[str, Any]
    """By name, but for those that are arrays: these have their place among the operation's arrays."""
    arrays: dict[str, int]
    constants: frozenset[str]
    """The names of those that are constants of the kernel."""
    choice: str = ""
    """What is taken for granted of a kernel that is tuned: its configuration, where it has several."""


LAUNCHES: list[Launch] = []
"""By the number that the graph has."""
