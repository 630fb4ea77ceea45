"""Tokenisations: how examples (x_i, y_i) and a query become a sequence."""

from __future__ import annotations

from typing import NamedTuple

from ..arrays.array_api import Array, namespace
from ..arrays.definition import definition
from ..arrays.ranges import build
from ..layers import delta_rule, gd_ssm, gril


@definition
def concatenated(x: Array, y: Array) -> gd_ssm.Token:
    """c_t = [x_t y_t, x_{t+1}], t = 1..N (gd-ssm Prop. 1, gril A.1).

    Args:
        x: inputs and the query, shape (N + 1, f).
        y: scalar targets, shape (N,).
    """
    xp = namespace(x)
    c = xp.concat([x[:-1] * y[:, None], x[1:]], axis=1)
    return gd_ssm.Token(c, steps(xp, y.shape[0]))


@definition
def interleaved(x: Array, y: Array) -> Array:
    """The stream x_1, y_1, x_2, y_2, …, x_{N+1}: (N + 1, f) and (N, f) -> (2N + 1, f)."""
    xp = namespace(x)
    pairs = xp.stack([x[:-1], y], axis=1)
    stream = xp.reshape(pairs, (2 * y.shape[0], x.shape[1]))
    return xp.concat([stream, x[-1:]], axis=0)


@definition
def windows(stream: Array, width: int, stride: int, first: int = 1) -> gril.Window:
    """Sliding windows C_t over a stream, tokens as columns.

    Args:
        stream: shape (T, f).
        width: w ≥ 1 tokens a window, stride ≥ 1 tokens apart; windows that would run over the end are left out.
        first: the step count of the first window.

    Raises:
        ValueError: if no window fits.
    """
    xp = namespace(stream)
    if width < 1 or stride < 1 or stream.shape[0] < width:
        raise ValueError(
            f"windows(width={width}, stride={stride}) expects 1 ≤ width ≤ {stream.shape[0]}, the length of the "
            "stream, and stride ≥ 1."
        )
    count = (stream.shape[0] - width) // stride + 1
    cut = build(xp, count, lambda k: stream[k * stride : k * stride + width].T)
    return gril.Window(cut, steps(xp, count, first))


class Windows(NamedTuple):
    """The tokenisation of gril: `windows` over the interleaved stream x_1, y_1, x_2, …, as a value.

    A window reads a prediction where it ends with an input: (x_t, y_t, x_{t+1}), or (y_t, x_{t+1}) for width 2.
    """

    width: int = 3
    stride: int = 2
    first: int = 1
    """The step count of the first window."""
    apart: bool = False
    """Whether inputs and targets have coordinates of their own (gril footnote 1)."""

    def __call__(self, x: Array, y: Array) -> gril.Window:
        """x (N + 1, k) and y (N, l), k = l unless they are apart, -> windows of k or of k + l features."""
        rows = embedded(x, y) if self.apart else (x, y)
        return windows(interleaved(*rows), self.width, self.stride, self.first)

    @property
    def an_example(self) -> int:
        """Windows for each example."""
        return 2 // self.stride

    @property
    def slot(self) -> int:
        """Which of them, counted from 0, reads a prediction."""
        return (self.width + 1) % self.an_example

    def reading(self, outputs: Array) -> Array:
        """Of the outputs at every window those that are predictions: (N, …)."""
        return outputs if self.an_example == 1 else outputs[self.slot :: self.an_example]


@definition
def embedded(x: Array, y: Array) -> tuple[Array, Array]:
    """Inputs in the first coordinates and targets in the last ones, zeros elsewhere: (N + 1, k) and (N, l)."""
    return padded(x, 0, y.shape[1]), padded(y, x.shape[1], 0)


@definition
def embedded_weights(W: Array) -> Array:
    """The weights (k, l) of a predictor for such data: (k + l, k + l)."""
    k, l = W.shape
    return padded(padded(W, k, 0).T, 0, l).T


@definition
def keyed(x: Array, y: Array) -> delta_rule.Token:
    """Keys x_t, values y_t, queries x_{t+1} and strengths 1: x (N + 1, m), y (N, d)."""
    return delta_rule.Token(x[:-1], y, x[1:], namespace(x).ones((y.shape[0],)))


@definition
def left_padded_windows(stream: Array, width: int) -> gril.Window:
    """(x_{t−w+1}, …, x_t) at every position t, zeros before the start (gril App. F.2): (T, f) -> T windows."""
    xp = namespace(stream)
    padding = xp.zeros((width - 1, stream.shape[1]))
    return windows(xp.concat([padding, stream], axis=0), width, 1)


@definition
def padded(rows: Array, before: int, after: int) -> Array:
    """Zero coordinates put before and after each row (gril footnote 1): (T, k) -> (T, before + k + after)."""
    xp = namespace(rows)
    length = rows.shape[0]
    return xp.concat([xp.zeros((length, before)), rows, xp.zeros((length, after))], axis=1)


@definition
def labelled(x: Array, y: Array) -> Array:
    """Rows z_i = [x_i; y_i] with the query's label 0 (ssd eq. 1, tokens as rows): -> (n + 1, d + 1).

    Args:
        x: inputs and the query, shape (n + 1, d).
        y: scalar targets, shape (n,).
    """
    xp = namespace(x)
    label = xp.concat([y, xp.zeros((1,))], axis=0)
    return xp.concat([x, label[:, None]], axis=1)


def labelled_columns(x: Array, y: Array) -> Array:
    """The tokens of `labelled` as columns: (d + 1, n + 1)."""
    return labelled(x, y).T


def steps(xp, length: int, first: int = 1) -> Array:
    """The step counts first, first + 1, … of `length` tokens."""
    return build(xp, length, lambda k: xp.asarray(first + k))
