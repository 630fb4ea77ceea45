"""How raw numbers (x, y) become the rows that an encoding takes, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ..arrays.array_api import Array, namespace
from ..arrays.definition import definition
from . import mamba2 as mamba2_tokens
from .examples import concatenated
from .separate import separate_tokens


class Tokenisation(NamedTuple):
    """Rows of r numbers for n examples and a query."""

    name: str
    tokens: Callable[[Array, Array], Array]
    """(x, y) -> raw (T, r): x (n + 1, d) with the query last, y (n, k)."""
    columns: Callable[[int, int], list[tuple[str, int]]]
    """From d and k to what the columns hold, in their order, and how many each."""
    length: Callable[[int], int]
    """From n to T."""

    def width(self, d: int, k: int) -> int:
        """r."""
        return sum(count for _, count in self.columns(d, k))

    def features(self, width: int, k: int) -> int | None:
        """d ≥ 1, given r and k; None if no d has that width."""
        base, slope = self.width(0, k), self.width(1, k) - self.width(0, k)
        d = (width - base) // slope
        return d if d >= 1 and self.width(d, k) == width else None


@definition
def interleaved_tokens(x: Array, y: Array) -> Array:
    """Rows (x_1, 0, 0), (0, y_1, 0), (x_2, 0, 0), …, (x_{n+1}, 0, 1): (2n + 1, d + k + 1)."""
    xp = namespace(x)
    stream = mamba2_tokens.interleaved_tokens(x, y)
    flags = xp.concat([xp.zeros((2 * y.shape[0], 1)), xp.ones((1, 1))], axis=0)
    return xp.concat([stream, flags], axis=1)


@definition
def product_tokens(x: Array, y: Array) -> Array:
    """Rows (x_t y_t, x_{t+1}) for scalar targets, y (n, 1): (n, 2d)."""
    return concatenated(x, y[:, 0]).c


def _flagged(d: int, k: int) -> list[tuple[str, int]]:
    return [("x", d), ("y", k), ("is_query", 1)]


TOKENISATIONS = {
    each.name: each
    for each in (
        Tokenisation("labelled", mamba2_tokens.labelled_tokens, _flagged, lambda n: n + 1),
        Tokenisation("interleaved", interleaved_tokens, _flagged, lambda n: 2 * n + 1),
        Tokenisation(
            "products", product_tokens, lambda d, k: [("x y", d), ("x of the next", d)], lambda n: n
        ),
        Tokenisation(
            "concatenated",
            mamba2_tokens.concatenated_tokens,
            lambda d, k: [("x", d), ("y", k), ("x of the next", d)],
            lambda n: n,
        ),
        Tokenisation(
            "separate",
            separate_tokens,
            lambda d, k: [("x", d), ("y", k), ("x of the query", d), ("is_query", 1)],
            lambda n: n + 1,
        ),
    )
}
"""By name; "products" is for one target."""


def encoding(xp: Any, tokens: str, d: int, k: int, *, apart: bool = True) -> tuple[Array, Array]:
    """`encode.weight` (M, r) and `readout.weight` (k, M) of layers that keep inputs and targets as they are.

    Args:
        xp: namespace of the arrays to build.
        tokens: "labelled", "interleaved" or "products"; the flag of a query is left out.
        d: features.
        k: targets.
        apart: inputs in the first d coordinates of a row, targets in the other k; else in the same d = k coordinates.
            Products are left as they are, and their readout takes the one output of the layer, (1, 1).
    """
    if tokens == "products":
        return xp.eye(2 * d), xp.eye(1)
    rows = xp.eye(d + k + 1)
    if apart:
        return rows[: d + k], xp.eye(d + k)[d:]
    return rows[:d] + rows[d : d + k], xp.eye(d)
