"""Sizes and constants of the constructed Mamba-2 models: the least ones with limits, and those of released modules."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..layers.mamba2_block import Sizes
from ..tokens.mamba2 import Layout


class Constants(NamedTuple):
    """Numbers that stand for limits; `IDEAL` has the limits themselves."""

    channel: Any
    """K, the constant channel of the residual stream."""
    inner: Any
    """κ, the constant channel of the gated norm."""
    gate: Any
    """z, the same at every channel."""
    dt_bias: Any
    """Of heads that read and write."""
    time_step: Any
    """dt that dt_bias gives; the values are divided by it."""
    closing: Any
    """Added to dt's projection by a token's flag, so that dt is 0."""
    silent: Any
    """dt_bias of heads that carry the constant channel and write nothing."""
    keep: Any
    """A_log of a decay of 1."""
    forget: Any
    """A_log of a decay of 0."""
    scale: Any
    """√mean(u²) of a residual stream u that is 0 beside its constant channels."""
    inner_scale: Any
    """The same in the gated norm, for a gate of 1."""


IDEAL = Constants(
    channel=1,
    inner=1,
    gate=1,
    dt_bias=1,
    time_step=1,
    closing=-1,
    silent=0,
    keep=1,
    forget=0,
    scale=1,
    inner_scale=1,
)
"""For blocks whose dt is its projection plus dt_bias, whose decay is A_log, and whose norms only weigh."""


class Widths(NamedTuple):
    """The sizes of a model's tensors."""

    stream: Any
    """M, coordinates of the residual stream."""
    heads: Sizes
    taps: int
    """W, the width of the convolution."""
    channels: int
    """How many of the M coordinates hold K."""
    inner_channels: int
    """How many channels of a group hold κ."""

    @property
    def inner(self) -> Any:
        """I, the inner width."""
        return self.heads.heads * self.heads.head_dim

    @property
    def heads_per_group(self) -> int:
        """H / G."""
        return self.heads.heads // self.heads.groups


def reading_head(widths: Widths, group: int) -> int:
    """The head of a group that reads and writes; the others are there for the constant channel.

    There are as many heads a group, G/2 + 1, as it takes for h // (H / G) = h mod G at one of them: releases differ in
    which of the two maps heads to groups.
    """
    return group * widths.heads_per_group + (group % 2) * (widths.heads.groups // 2)


def minimal(layout: Layout, *, queries: int, values: Any, keys: Any) -> Widths:
    """The least sizes for this many queries, with this many values and keys each."""
    groups = 2 * queries
    sizes = Sizes(groups * (queries + 1), groups, 2 * values, 2 * keys)
    return Widths(layout.slots.used + 1, sizes, layout.width, 1, 1)


def released(
    layout: Layout, *, queries: int, values: int, keys: int, channel: float = 2**24
) -> tuple[Widths, Constants]:
    """Sizes that the released modules allow, and constants that their arithmetic scales by without rounding.

    M and P are powers of two, I is a multiple of M, W is 4. There are as many constant channels as make mean(u²) K²
    over a power of four, so that for a power of two K each norm multiplies by one. In float32 softplus(32) and
    silu(32) are 32, softplus(−992) is 0, exp(−32 e^−256) is 1 and exp(−32 e^8) is 0.

    Args:
        layout: the tokenisation.
        queries: heads of linear attention that differ in their queries.
        values: coordinates of a value.
        keys: coordinates of a key.
        channel: K and κ.
    """
    groups, per_group = 2 * queries, queries + 1
    stream = _power_of_two(layout.slots.used + 2)
    head_dim = _power_of_two(max(2 * values, 2 * per_group))
    while groups * per_group * head_dim % stream:
        head_dim *= 2
    channels = _odd_power(stream)
    inner = _odd_power(head_dim)
    sizes = Sizes(groups * per_group, groups, head_dim, 2 * keys)
    constants = Constants(
        channel=channel,
        inner=channel,
        gate=32,
        dt_bias=32,
        time_step=32,
        closing=-1024,
        silent=-1024,
        keep=-256,
        forget=8,
        scale=channel / _root(stream // channels),
        inner_scale=channel / _root(head_dim // inner),
    )
    return Widths(stream, sizes, 4, channels, per_group * inner), constants


def _power_of_two(least: int) -> int:
    """The least power of two that is at least so large."""
    return 1 << (least - 1).bit_length()


def _odd_power(power_of_two: int) -> int:
    """1 for a power of four, 2 for twice one: what makes the quotient a power of four."""
    return 2 - power_of_two.bit_length() % 2


def _root(power_of_four: int) -> int:
    return 1 << (power_of_four.bit_length() - 1) // 2
