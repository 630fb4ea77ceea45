"""What a window of the stream x_1, y_1, x_2, … lets a layer see in one step (gril §4.5)."""

from __future__ import annotations

from typing import Any

from ..arrays.array_api import Array
from ..arrays.definition import definition
from .examples import interleaved, windows


@definition
def exposures(xp: Any, N: int, width: int, stride: int) -> Array:
    """For t = 1..N the number of windows that hold x_t, y_t and x_{t+1} at once, shape (N,).

    The 2N + 1 tokens are different unit vectors here, so that the columns of a window add up to the indicator of
    the tokens in it.
    """
    unit_vectors = xp.eye(2 * N + 1)
    stream = interleaved(unit_vectors[::2], unit_vectors[1::2])
    held = windows(stream, width, stride).window.sum(axis=2)
    return (held[:, :-2:2] * held[:, 1:-1:2] * held[:, 2::2]).sum(axis=0)
