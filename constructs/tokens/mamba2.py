"""Where a token of the constructed Mamba-2 models keeps what, for three ways to present examples and a query."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

from ..arrays.array_api import Array, namespace
from ..arrays.definition import definition

Slot: TypeAlias = tuple[Any, Any]
"""The coordinates start, …, stop − 1 of the residual stream."""


class Slots(NamedTuple):
    """The residual stream: w_1, …, w_k, the inputs, the targets, a flag, the k predictions, then the constant."""

    d: Any
    """Features."""
    k: Any
    """Targets."""
    vectors: int
    """How many weight vectors a token carries: k, which is a number then, or 0."""
    inputs: int
    """How many inputs a token carries: 1, or 2."""
    flag: int
    """1 if a token has a flag, else 0."""

    def weights(self, c: int) -> Slot:
        """w_c."""
        return c * self.d, (c + 1) * self.d

    def input(self, which: int) -> Slot:
        """Input number `which` of the token."""
        return (self.vectors + which) * self.d, (self.vectors + which + 1) * self.d

    @property
    def targets(self) -> Slot:
        """y."""
        start = (self.vectors + self.inputs) * self.d
        return start, start + self.k

    def target(self, c: int) -> Slot:
        """y_c."""
        return self.targets[0] + c, self.targets[0] + c + 1

    @property
    def flags(self) -> Slot:
        """The flag, if there is one."""
        start = self.targets[1]
        return start, start + self.flag

    @property
    def predictions(self) -> Slot:
        """The predictions, 0 in the model's input."""
        start = self.flags[1]
        return start, start + self.k

    def prediction(self, c: int) -> Slot:
        """Prediction c."""
        return self.predictions[0] + c, self.predictions[0] + c + 1

    @property
    def used(self) -> Any:
        """Where the constant channel begins."""
        return self.predictions[1]


class Layout(NamedTuple):
    """A tokenisation: how it is made, and which slot, how many tokens ago, holds the parts of an example."""

    name: str
    slots: Slots
    tokens: Callable[[Array, Array], Array]
    """(x, y) -> raw tokens (T, r), x (n + 1, d) with the query last, y (n, k)."""
    read: slice
    """The tokens at which the model predicts, one for each t = 1, …, n, or the last one only."""
    key: Slot
    """x_j of the example that a token adds."""
    key_tap: int
    """How many tokens before that x_j came."""
    target_tap: int
    """How many tokens before its y_j came."""
    input: Slot
    """The token's own input, for which it predicts."""

    @property
    def width(self) -> int:
        """The least width of the convolution."""
        return max(self.key_tap, self.target_tap) + 1

    @property
    def fields(self) -> tuple[Slot, ...]:
        """The slots of a raw token's numbers, in their order."""
        slots = self.slots
        parts = [slots.input(0), slots.targets, *map(slots.input, range(1, slots.inputs))]
        return (*parts, slots.flags) if slots.flag else tuple(parts)

    def encoding(self, xp: Any, width: Any) -> Array:
        """The matrix (M, r) that puts a raw token into a residual stream of `width` M."""
        rows = xp.eye(width)
        return xp.concat([rows[start:stop] for start, stop in self.fields], axis=0).T


class Raw(NamedTuple):
    """A sequence of raw tokens, with the layout that says what is where in them."""

    rows: Array
    """Shape (T, r)."""
    layout: Layout


class RawTokens(NamedTuple):
    """A layout for any numbers of features and targets, as the tokens of a construction."""

    layout: Callable[..., Layout]
    """`labelled_layout`, `concatenated_layout`, `interleaved_layout`, or `separate.separate_layout`."""
    weights: bool = True
    """Whether tokens carry weight vectors."""

    def __call__(self, x: Array, y: Array) -> Raw:
        """x (n + 1, d) with the query last and y (n, k) as raw tokens."""
        layout = self.layout(x.shape[1], y.shape[1], weights=self.weights)
        return Raw(layout.tokens(x, y), layout)


@definition
def labelled_tokens(x: Array, y: Array) -> Array:
    """Rows (x_j, y_j, 0) for the examples and (x, 0, 1) for the query: (n + 1, d + k + 1)."""
    xp = namespace(x)
    n, k = y.shape
    targets = xp.concat([y, xp.zeros((1, k))], axis=0)
    flags = xp.concat([xp.zeros((n, 1)), xp.ones((1, 1))], axis=0)
    return xp.concat([x, targets, flags], axis=1)


@definition
def concatenated_tokens(x: Array, y: Array) -> Array:
    """Rows (x_t, y_t, x_{t+1}): (n, 2d + k)."""
    return namespace(x).concat([x[:-1], y, x[1:]], axis=1)


@definition
def interleaved_tokens(x: Array, y: Array) -> Array:
    """The stream (x_1, 0), (0, y_1), (x_2, 0), …, (x_{n+1}, 0): (2n + 1, d + k)."""
    xp = namespace(x)
    (n, k), d = y.shape, x.shape[1]
    inputs = xp.concat([x, xp.zeros((n + 1, k))], axis=1)
    targets = xp.concat([xp.zeros((n, d)), y], axis=1)
    pairs = xp.stack([inputs[:-1], targets], axis=1)
    stream = xp.reshape(pairs, (2 * n, d + k))
    return xp.concat([stream, inputs[-1:]], axis=0)


def labelled_layout(d: Any, k: Any = 1, *, weights: bool = True) -> Layout:
    """Every token adds its own example, unless its flag says that it is a query: then dt is 0 and it adds nothing."""
    slots = Slots(d, k, k if weights else 0, 1, 1)
    x = slots.input(0)
    return Layout("labelled", slots, labelled_tokens, slice(-1, None), x, 0, 0, x)


def concatenated_layout(d: Any, k: Any = 1, *, weights: bool = True) -> Layout:
    """Every token adds its example and predicts for the next input."""
    slots = Slots(d, k, k if weights else 0, 2, 0)
    x, following = slots.input(0), slots.input(1)
    every = slice(0, None)
    return Layout("concatenated", slots, concatenated_tokens, every, x, 0, 0, following)


def interleaved_layout(d: Any, k: Any = 1, *, weights: bool = True) -> Layout:
    """The convolution finds x_{t−1}, two tokens before x_t, and y_{t−1}, one before.

    A target adds nothing: two tokens before it is another target, whose input slot is 0.
    """
    slots = Slots(d, k, k if weights else 0, 1, 0)
    x = slots.input(0)
    return Layout("interleaved", slots, interleaved_tokens, slice(2, None, 2), x, 2, 1, x)


LAYOUTS = {
    "labelled": labelled_layout,
    "concatenated": concatenated_layout,
    "interleaved": interleaved_layout,
}
"""The tokenisations by name."""
