"""Heads of linear attention as tensors of a Mamba-2 block, with SiLU undone by sign pairs.

A head (values v, keys b, queries q) becomes two groups of the block. Both have the keys [b; −b]; the queries are
[q; −q] in the first and [−q; q] in the second, and the values [v; −v] in both. With a(u) − a(−u) = u for a = SiLU, the
first group's product of keys and queries minus the second's is b·q, and the first half of the values minus the second
is v. So the state holds Σ_j v_j b_jᵀ in four signed parts.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ..arrays.array_api import Array
from ..layers.mamba2_block import Parameters
from ..tokens.mamba2 import Layout, Slot
from .mamba2_sizes import Constants, Widths, reading_head


class Rows(NamedTuple):
    """Rows of in_proj (m, M), and how many tokens ago the convolution takes what they read."""

    rows: Array
    tap: int = 0


class Head(NamedTuple):
    """A head of linear attention."""

    values: list[Rows]
    keys: list[Rows]
    queries: list[Rows]
    output: Array
    """Where the values go in the residual stream, (M, values)."""


def accumulated(states: Array, values: Any, keys: Any) -> Array:
    """Σ_j v_j b_jᵀ from the state of a head that reads: (…, P, S) -> (…, values, keys).

    Args:
        states: of the head `mamba2_sizes.reading_head` names.
        values: coordinates of v.
        keys: coordinates of b.
    """
    odd = states[..., :values, :] - states[..., values : 2 * values, :]
    return odd[..., :keys] - odd[..., keys : 2 * keys]


class Writer:
    """Writes heads into the tensors of a block of given sizes and constants."""

    def __init__(self, xp: Any, layout: Layout, widths: Widths, constants: Constants) -> None:
        self.xp, self.slots, self.widths, self.constants = xp, layout.slots, widths, constants

    def pick(self, slot: Slot) -> Array:
        """The rows (stop − start, M) that read a slot."""
        return self.xp.eye(self.widths.stream)[slot[0] : slot[1]]

    def one(self) -> Array:
        """The row (1, M) that reads 1 from the constant channel."""
        start = self.slots.used
        return self.pick((start, start + 1)) / self.constants.channel

    def constant_channels(self) -> Array:
        """K in its channels and 0 elsewhere, (M,)."""
        start = self.slots.used
        channels = self.pick((start, start + self.widths.channels))
        return self.constants.channel * channels.sum(axis=0)

    def norm_weight(self) -> Array:
        """The weight (M,) with which a norm of the residual stream nearly leaves it as it is."""
        return self.constants.scale * self.xp.ones((self.widths.stream,))

    def block(self, heads: list[Head], A_log: Any, *, closed: bool) -> Parameters:
        """The block in which head i has groups 2i and 2i + 1.

        Args:
            heads: as many as `widths` was made for.
            A_log: `keep` or `forget`.
            closed: whether the flag of a token makes dt 0.
        """
        xp, constants, sizes = self.xp, self.constants, self.widths.heads
        groups = [(head, sign) for head in heads for sign in (1, -1)]
        reading = {reading_head(self.widths, g): signed for g, signed in enumerate(groups)}
        every = range(sizes.heads)
        nothing = xp.zeros((1, self.widths.stream))
        opened = constants.closing * self.pick(self.slots.flags) if closed else nothing
        gate = constants.gate * xp.ones((self.widths.inner, 1)) @ self.one()
        convolved = [
            *(self._values(h, reading) for h in every),
            *(self._filled(_pair(head.keys, 1), sizes.state) for head, _ in groups),
            *(self._filled(_pair(head.queries, sign), sizes.state) for head, sign in groups),
        ]
        channels = [rows for part in convolved for rows in part]

        def by_head(own: Any, other: Any) -> Array:
            return xp.stack([xp.asarray(own if h in reading else other) for h in every], axis=0)

        return Parameters(
            norm=self.norm_weight(),
            in_proj=xp.concat(
                [
                    gate,
                    *(r.rows for r in channels),
                    *(opened if h in reading else nothing for h in every),
                ],
                axis=0,
            ),
            conv_weight=xp.concat([self._taps(rows) for rows in channels], axis=0),
            conv_bias=xp.zeros((self.widths.inner + 2 * sizes.groups * sizes.state,)),
            dt_bias=by_head(constants.dt_bias, constants.silent),
            A_log=by_head(A_log, A_log),
            D=by_head(0, 1),
            gated_norm=constants.inner_scale * xp.ones((self.widths.inner,)),
            out_proj=xp.concat([self._output(h, reading) for h in every], axis=1),
        )

    def _values(self, h: int, reading: dict[int, tuple[Head, int]]) -> list[Rows]:
        """The values of a head that reads; κ in the first other head of each group; else nothing."""
        if h in reading:
            return self._filled(_pair(reading[h][0].values, 1), self.widths.heads.head_dim)
        first = h - h % self.widths.heads_per_group
        constant = []
        if h == next(i for i in range(first, h + 1) if i not in reading):
            ones = self.xp.ones((self.widths.inner_channels, 1))
            constant = [Rows(self.constants.inner * ones @ self.one())]
        return self._filled(constant, self.widths.heads.head_dim)

    def _filled(self, parts: list[Rows], length: Any) -> list[Rows]:
        """The parts with rows of zeros after them, `length` rows in all."""
        missing = length - sum(part.rows.shape[0] for part in parts)
        return [*parts, Rows(self.xp.zeros((missing, self.widths.stream)))]

    def _taps(self, part: Rows) -> Array:
        """The convolution's weights (m, W) that pass on what is `tap` tokens ago."""
        xp, m, own = self.xp, part.rows.shape[0], self.widths.taps - 1 - part.tap
        columns = [
            xp.ones((m, 1)) if s == own else xp.zeros((m, 1)) for s in range(own + 1 + part.tap)
        ]
        return xp.concat(columns, axis=1)

    def _output(self, h: int, reading: dict[int, tuple[Head, int]]) -> Array:
        """The columns (M, P) of out_proj: ± the output for v, ∓ for −v."""
        xp, (M, P) = self.xp, (self.widths.stream, self.widths.heads.head_dim)
        if h not in reading:
            return xp.zeros((M, P))
        head, sign = reading[h]
        missing = P - 2 * head.output.shape[1]
        return xp.concat([sign * head.output, -sign * head.output, xp.zeros((M, missing))], axis=1)


def _pair(parts: list[Rows], sign: int) -> list[Rows]:
    """The rows [u; −u], or [−u; u] for the sign −1."""
    return [Rows(s * part.rows, part.tap) for s in (sign, -sign) for part in parts]
