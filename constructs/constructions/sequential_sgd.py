"""Layers SSD ∘ LSA that take the examples in turn, with the printed sign of ssd Thm. 5.1; tokens are columns.

As in `reverse_sgd` a layer moves a token by z_i ← z_i + Σ_{j≤i} c_ji ⟨x_j, x_i⟩ z_j, c_ji = ε² L_ji/n, L_ji = p_j/p_i.
With p_t = ηn/ε² for example t, −1 for the other examples and 1 for the query, c_ti → −η at the examples i > t,
c_{t,n+1} → +η at the query, and all other weights vanish as ε → 0. The last decay is −1 for t < n.
"""

from __future__ import annotations

from typing import Any

from ..arrays.array_api import Array, namespace, outer
from ..arrays.definition import definition
from ..arrays.ranges import build
from ..layers import lsa
from ..layers.hybrid import Parameters
from .hybrid import decays_of_column
from .reverse_sgd import with_masks


@definition
def decays(chosen: Array, eta: Array, eps: Array) -> Array:
    """The decays of p.

    Args:
        chosen: e_t, shape (n,).
        eta: step size η, not 0.
        eps: ε, not 0.

    Returns:
        Shape (n + 1,).
    """
    xp = namespace(chosen)
    examples = eta * chosen.shape[0] / (eps * eps) * chosen - (1 - chosen)
    return decays_of_column(xp.concat([examples, xp.ones((1,))], axis=0))


@definition
def small_mask(chosen: Array, eta: Array, eps: Array) -> Array:
    """ε² L for the mask L of `decays`, as a polynomial in ε: arguments of `decays`, shape (n + 1, n + 1)."""
    xp = namespace(chosen)
    n, square = chosen.shape[0], eps * eps
    rows = eta * n * chosen - square * (1 - chosen)  # ε² p_j
    columns = square / (eta * n) * chosen - (1 - chosen)  # 1/p_i
    causal = lsa.causal_mask(xp, n)
    not_itself = outer(rows, columns) * (causal - xp.eye(n)) + square * xp.eye(n)
    above = xp.concat([not_itself, xp.zeros((1, n))], axis=0)
    last = xp.concat([rows, xp.ones((1,)) * square], axis=0)
    return xp.concat([above, last[:, None]], axis=1)


@definition
def sequential(xp: Any, n: int, d: int, eta: Array, l: int) -> Parameters:
    """The first l layers in the limit ε → 0: layer t has −ηn in row t at the examples i > t and +ηn at the query.

    Args:
        xp: namespace of the arrays to build.
        n: examples.
        d: features.
        eta: step size η.
        l: layers, at most n; their masks are stacked, (l, T, T).
    """
    return with_masks(xp, d, eta * build(xp, l, lambda t: unscaled_mask(xp.eye(n)[t])))


@definition
def unscaled_mask(chosen: Array) -> Array:
    """`small_mask` at ε = 0, divided by η: −n at the examples behind the chosen one and n at the query, in its row."""
    xp = namespace(chosen)
    n = chosen.shape[0]
    later = lsa.causal_mask(xp, n) - xp.eye(n)
    examples = xp.concat([chosen[:, None] * later, xp.zeros((1, n))], axis=0)
    last = xp.concat([chosen, xp.zeros((1,))], axis=0)
    return n * xp.concat([-examples, last[:, None]], axis=1)
