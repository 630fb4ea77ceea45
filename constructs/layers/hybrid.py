"""The hybrid layer of ssd §5: an SSD sublayer, then a linear self-attention sublayer."""

from __future__ import annotations

from typing import NamedTuple

from ..arrays.array_api import Array
from ..arrays.definition import definition
from . import lsa, ssd


class Parameters(NamedTuple):
    """Parameters of one hybrid layer on T = n + 1 tokens of D = d + 1 coordinates, tokens as columns."""

    ssd_mask: Array
    """L, (T, T)."""
    S: Array
    """S of the SSD sublayer, (D, D)."""
    lsa_mask: Array
    """M, (T, T)."""
    P: Array
    """Value matrix of the LSA sublayer, (D, D)."""
    Q: Array
    """Q of the LSA sublayer, (D, D)."""


@definition
def layer(parameters: Parameters, Z: Array) -> Array:
    """LSA(SSD(Z)) (ssd §5.1): Z of shape (D, T) -> (D, T)."""
    middle = ssd.layer(Z, parameters.ssd_mask, parameters.S)
    return lsa.layer(middle, parameters.lsa_mask, parameters.P, parameters.Q)
