"""What one hybrid layer changes, split as in the proof of ssd Thm. 5.1: tokens as columns, Z of shape (D, T).

With the SSD sublayer's matrix −S and the LSA sublayer's Q = S and P = I a column z_i changes by
`half_step_term` + `mask_term`. The feature rows of the two are I_1 and I_2 of the proof; the label row of the first
is ±E_2, and that of the second is the update's leading part with E_1 in it.
"""

from __future__ import annotations

from ..arrays.array_api import Array, namespace
from ..arrays.definition import definition
from . import hybrid, ssd


@definition
def half_step(parameters: hybrid.Parameters, Z: Array) -> Array:
    """Z^{l+½}, the tokens after the SSD sublayer."""
    return ssd.layer(Z, parameters.ssd_mask, parameters.S)


@definition
def increment(parameters: hybrid.Parameters, Z: Array) -> Array:
    """Z^{l+1} − Z^l, what the whole layer adds to the tokens."""
    return hybrid.layer(parameters, Z) - Z


@definition
def half_step_term(parameters: hybrid.Parameters, Z: Array, S: Array) -> Array:
    """(1/n) Σ_j M_ji (⟨S z_i^½, z_j^½⟩ z_j^½ − ⟨S z_i, z_j⟩ z_j) in column i, M the mask of the LSA sublayer."""
    mask, n = parameters.lsa_mask, Z.shape[1] - 1
    after = ssd.masked_mixing(half_step(parameters, Z), mask, S)
    return (after - ssd.masked_mixing(Z, mask, S)) / n


@definition
def mask_term(parameters: hybrid.Parameters, Z: Array, S: Array) -> Array:
    """(1/n) Σ_j (M_ji − L_ji) ⟨S z_i, z_j⟩ z_j in column i, L and M the masks of the two sublayers."""
    difference = parameters.lsa_mask - parameters.ssd_mask
    return ssd.masked_mixing(Z, difference, S) / (Z.shape[1] - 1)


@definition
def other_examples_term(
    parameters: hybrid.Parameters, Z: Array, S: Array, start: int, stop: int
) -> Array:
    """`mask_term` without the summands start ≤ j < stop (counted from 0): its label row is −E_1."""
    length = Z.shape[1]
    others = 1 - namespace(Z).eye(length)[start:stop].sum(axis=0)
    difference = parameters.lsa_mask - parameters.ssd_mask
    return ssd.masked_mixing(Z, others[:, None] * difference, S) / (length - 1)


@definition
def contribution(B: Array, u: Array, v: Array, w: Array) -> Array:
    """⟨B u, v⟩ w, what one token adds to another in the proof's sums: u and v of shape (d,), w of any shape."""
    return (v @ (B @ u)) * w
