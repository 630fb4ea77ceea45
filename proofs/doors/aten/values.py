"""Formats of PyTorch's as those of nodes."""

from __future__ import annotations

from typing import Any

from ...statement.formats import REAL, Format


def format_of(dtype: Any) -> Format:
    """What numbers of a format of PyTorch's an array holds."""
    name = str(dtype).removeprefix("torch.")
    if name == "bool":
        return Format("bool")
    for kind in ("uint", "int"):
        if name.startswith(kind):
            return Format(kind, int(name.removeprefix(kind)))
    return REAL


def is_whole(dtype: Any) -> bool:
    """Whether a format holds whole numbers, truths among them."""
    return format_of(dtype).is_whole
