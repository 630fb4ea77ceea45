"""Tokenisations: how examples (x_i, y_i) and a query become the sequence that a layer reads."""

from .examples import (
    concatenated,
    interleaved,
    labelled,
    left_padded_windows,
    padded,
    steps,
    windows,
)

__all__ = [
    "concatenated",
    "interleaved",
    "labelled",
    "left_padded_windows",
    "padded",
    "steps",
    "windows",
]
