"""Tokenisations: how examples (x_i, y_i) and a query become the sequence that a layer reads."""

from .examples import (
    Windows,
    concatenated,
    embedded,
    embedded_weights,
    interleaved,
    keyed,
    labelled,
    labelled_columns,
    left_padded_windows,
    padded,
    steps,
    windows,
)

__all__ = [
    "Windows",
    "concatenated",
    "embedded",
    "embedded_weights",
    "interleaved",
    "keyed",
    "labelled",
    "labelled_columns",
    "left_padded_windows",
    "padded",
    "steps",
    "windows",
]
