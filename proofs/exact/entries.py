"""Object arrays of exact scalars. NumPy takes some scalars for sequences, and hands 0-d results out bare: not here."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np


def arranged(values: Iterable[Any], shape: tuple[int, ...]) -> np.ndarray:
    """The values in row-major order, as an array of this shape."""
    return np.fromiter(values, dtype=object).reshape(shape)


def filled(shape: Any, value: Any) -> np.ndarray:
    """One value at every place."""
    out = np.empty(shape, dtype=object)
    out.fill(value)
    return out


def as_array(value: Any) -> np.ndarray:
    """An array as it is, and a scalar as an array of shape ()."""
    return value if isinstance(value, np.ndarray) else filled((), value)
