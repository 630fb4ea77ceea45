"""Mamba-2 weights as transformers' module computes them whose weights are of some format.

Norms, heads and functions are computed in float32 there, projections and the convolution in the format, to which what
the functions and norms make is rounded; the residual stream is in float32, unless a setting says otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from scanproof.constructs.arrays.array_api import namespace
from scanproof.constructs.layers import mamba2_block
from scanproof.constructs.layers.mamba import softplus
from scanproof.constructs.layers.mamba2_block import RELEASED, Parameters, Sizes

from ..rounding.batch import ROUNDINGS, to_float32


def _time_step(z: Any) -> Any:
    """softplus(z) = max(z, 0) + softplus(−|z|), which does not overflow, as it does not in the modules."""
    xp = namespace(z)
    return softplus(-xp.abs(z)) + xp.maximum(z, 0)


PARTS = RELEASED._replace(time_step=_time_step)
"""The released block's functions, for floats."""


class Model(NamedTuple):
    """A model with its encoding, in float64."""

    sizes: Sizes
    blocks: list[Parameters]
    norm: np.ndarray
    """Weight of the final norm, (M,)."""
    readout: np.ndarray
    """From the final norm to the predictions, (k, M)."""
    encode_weight: np.ndarray
    """(M, r)."""
    encode_bias: np.ndarray
    """(M,)."""
    eps: float
    wide: bool = True
    """Whether the residual stream is held in float32 whatever the format of the weights is."""

    @property
    def targets(self) -> int:
        """k."""
        return self.readout.shape[0]


@np.errstate(all="ignore")
def as_loaded(dtype: str, model: Model) -> Callable[[Any], np.ndarray]:
    """The last prediction of the module, from raw tokens: a `Batch` (T, r) -> (tasks, k).

    Args:
        dtype: the format of the weights, by name.
        model: the weights, which are rounded to it.
    """
    to_own, eps = ROUNDINGS[dtype], np.float32(model.eps)
    to_stream = to_float32 if model.wide else to_own

    def own(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
        return lambda z: function(z.to(to_float32)).to(to_own)

    def norm(rows: Any, weight: Any) -> Any:
        return PARTS.norm(rows.to(to_float32), np.float32(1), eps).to(rows.rounding) * weight

    parts = PARTS._replace(activation=own(PARTS.activation), time_step=own(PARTS.time_step))
    blocks = []
    for block in model.blocks:
        near = Parameters(*map(to_own, block))
        blocks.append((near, Parameters(*map(to_float32, near))))
    last_norm, readout = to_own(model.norm), to_own(model.readout).T

    def run(raw: Any) -> np.ndarray:
        embedded = raw @ model.encode_weight.T + model.encode_bias
        stream = embedded.to(to_own).to(to_stream)
        for near, wide in blocks:
            normed = norm(stream.to(to_own), near.norm)
            projected = mamba2_block.project(near, model.sizes, normed, parts)
            projected = type(projected)(*(part.to(to_float32) for part in projected))
            heads = [
                mamba2_block.head(wide, model.sizes, h, projected, PARTS)[1]
                for h in range(model.sizes.heads)
            ]
            gated = mamba2_block.gated_norm(wide, model.sizes, heads, projected.z, eps, PARTS)
            stream = stream + gated.to(to_own) @ near.out_proj.T
        last = norm(stream[-1:], last_norm).to(to_own)
        return (last @ readout).data[:, 0].astype(np.float64)

    return run
