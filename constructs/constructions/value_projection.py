"""SSD layers with a value projection V, as Mamba-2 blocks have it: z_i ← z_i + (1/n) Σ_j L_ji (z_jᵀ S z_i) V z_j.

Such a layer is `lsa.layer` with a mask of decays (ssd Defs. 3.1 and 3.2), P = V and Q = S. Tokens are columns.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ..arrays.array_api import Array, outer, unit
from ..arrays.definition import definition
from ..layers import lsa
from .hybrid import decays_of_column, on_features


class Value(NamedTuple):
    """V and S of a layer, both (d + 1, d + 1)."""

    V: Array
    S: Array


class Selection(NamedTuple):
    """Example t and the tokens after it, as indicators; a stack of them has a leading axis."""

    example: Array
    """1 at token t, shape (T,)."""
    later: Array
    """1 at the tokens after t, shape (T,)."""


@definition
def label_value(xp: Any, d: int, scale: Array) -> Value:
    """V = diag(0, …, 0, 1), which lets only the labels change, and S = scale · diag(I, 0)."""
    label = unit(xp, d + 1, d)
    return Value(V=outer(label, label), S=scale * on_features(xp, xp.eye(d)))


@definition
def opposed_value(xp: Any, d: int, scale: Array) -> Value:
    """V = diag(I, −1), with which labels move against the features, and S = scale · diag(I, 0)."""
    label = unit(xp, d + 1, d)
    return Value(V=xp.eye(d + 1) - 2 * outer(label, label), S=scale * on_features(xp, xp.eye(d)))


@definition
def selections(xp: Any, length: int, count: int) -> Selection:
    """The selections of examples 1, …, `count` among `length` tokens, stacked."""
    later = 1 - xp.tril(xp.ones((length, length)))
    return Selection(xp.eye(length)[:count], later[:count])


@definition
def selecting(chosen: Selection) -> Array:
    """The mask L_ji = [j = t < i]: (T, T)."""
    return outer(chosen.example, chosen.later)


@definition
def selecting_decays(xp: Any, t: int, after: int, eps: Array) -> Array:
    """Decays 1, …, 1, a_t = ε, a_{t+1} = 1/ε, 1, …, 1 of t + after tokens, after ≥ 1: (t + after,).

    Their mask is L_ji = p_j/p_i with p_t = 1/ε and p_j = 1 elsewhere. ε L tends to [j = t < i] as ε → 0, and differs
    from it by ε times `unselected`.
    """
    p = xp.ones((t + after,)) + (1 / eps - 1) * unit(xp, t + after, t - 1)
    return decays_of_column(p)


@definition
def unselected(xp: Any, t: int, after: int, eps: Array) -> Array:
    """1 for j ≤ i, but for 0 at j = t < i and ε at j < t = i: what tokens other than t still weigh, (T, T)."""
    length = t + after
    eye, seen = xp.eye(length), lsa.causal_mask(xp, length)
    row = eye[t - 1]
    return seen - outer(row, seen[t - 1] - row) - (1 - eps) * outer(seen[:, t - 1] - row, row)
