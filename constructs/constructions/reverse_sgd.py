"""Layers SSD ∘ LSA that move the query alone, and do SGD on the examples in the reverse order; tokens are columns.

A layer with S = diag(I, 0) moves a token by z_i ← z_i + Σ_{j≤i} c_ji ⟨x_j, x_i⟩ z_j, c_ji = L_ji/n. Decays (ssd
Def. 3.2) give L_ji = p_j/p_i for any numbers p_j but 0, p_{n+1} = 1. With S = ε² diag(I, 0), p_t of the order 1/ε² for
the examples t of the step and 1/ε for the others, all weights but c_{t,n+1} vanish as ε → 0: the query alone moves.

The parameters are given with the mask times ε² and S divided by it, which is the same layer and makes sense for ε = 0.
"""

from __future__ import annotations

from typing import Any

from ..arrays.array_api import Array, namespace, outer
from ..arrays.definition import definition
from ..arrays.ranges import build
from ..arrays.scan import scan
from ..layers import hybrid, lsa, ssd
from ..layers.hybrid import Parameters
from ..layers.sequence import Masked
from ..learners.learner import Descent, Stochastic
from ..learners.losses import MEAN, Loss
from .hybrid import on_features
from .ssd import THEOREM4_1


@definition
def weighted(weights: Array) -> Loss:
    """½ Σ_j V_j (w·x_j − y_j)², V of shape (N,): one step with η = 1 on it is a step with weight V_j on example j."""

    def loss(w: Array, x: Array, y: Array) -> Array:
        residual = x @ w - y
        return (weights * residual * residual).sum() / 2

    return loss


@definition
def with_masks(xp: Any, d: int, masks: Array) -> Parameters:
    """S = diag(I, 0) under any mask, and an LSA sublayer that does nothing (P = 0).

    Args:
        xp: namespace of the arrays to build.
        d: features.
        masks: (T, T), or (l, T, T) for l layers.
    """
    none = xp.zeros((d + 1, d + 1))
    return Parameters(
        ssd_mask=masks,
        S=on_features(xp, xp.eye(d)),
        lsa_mask=lsa.causal_mask(xp, masks.shape[-1]),
        P=none,
        Q=none,
    )


@definition
def layer_step(parameters: Parameters, Z: Array, mask: Array) -> tuple[Array, Array]:
    """One of the layers that differ in their masks alone, for `scan`: Z (D, T) -> (D, T), put out as well."""
    Z = hybrid.layer(parameters._replace(ssd_mask=mask), Z)
    return Z, Z


@definition
def query_mask(weights: Array) -> Array:
    """The mask −n V_j in the query's column and 0 elsewhere, a limit of masks of decays: (n,) -> (n + 1, n + 1).

    Under it z_{n+1} ← z_{n+1} − Σ_j V_j ⟨x_j, x_{n+1}⟩ z_j, and the examples stay.
    """
    xp = namespace(weights)
    n = weights.shape[0]
    column = xp.concat([-n * weights, xp.zeros((1,))], axis=0)
    return xp.concat([xp.zeros((n + 1, n)), column[:, None]], axis=1)


@definition
def reverse(xp: Any, d: int, V: Array) -> Parameters:
    """The l layers in the limit ε → 0: layer k has the weights of step l + 1 − k.

    Args:
        xp: namespace of the arrays to build.
        d: features.
        V: weights of the steps, first step first, shape (l, n); a row η e_t is a step of SGD on example t.
    """
    l = V.shape[0]
    return with_masks(xp, d, build(xp, l, lambda k: query_mask(V[l - 1 - k])))


@definition
def rows(chosen: Array, eta: Array, eps: Array) -> Array:
    """−ε² p_j: ηn at the chosen examples, ε at the others.

    Args:
        chosen: 1 for the examples of the step, else 0, shape (n,).
        eta: step size η, not 0.
        eps: ε, not 0 in a mask of decays.
    """
    return eta * chosen.shape[0] * chosen + eps * (1 - chosen)


@definition
def columns(chosen: Array, eta: Array, eps: Array) -> Array:
    """−1/p_i = ε²/`rows`, as a polynomial in ε; arguments and shape of `rows`."""
    return eps * eps / (eta * chosen.shape[0]) * chosen + eps * (1 - chosen)


@definition
def decays(chosen: Array, eta: Array, eps: Array) -> Array:
    """a_{j+1} = p_j/p_{j+1} with p_{n+1} = 1, and a_1 = 1; arguments of `rows`, shape (n + 1,).

    For ε, η > 0 the last one is negative and the others are positive.
    """
    xp = namespace(chosen)
    own, square = rows(chosen, eta, eps), eps * eps
    between = own[:-1] * columns(chosen, eta, eps)[1:] / square
    return xp.concat([xp.ones((1,)), between, -own[-1:] / square], axis=0)


@definition
def small_mask(chosen: Array, eta: Array, eps: Array) -> Array:
    """ε² L for the mask L of `decays`: a polynomial in ε, at ε = 0 `query_mask` of η · chosen; (n + 1, n + 1)."""
    xp = namespace(chosen)
    n = chosen.shape[0]
    own = rows(chosen, eta, eps)
    examples = outer(own, columns(chosen, eta, eps)) * lsa.causal_mask(xp, n)
    last = xp.concat([-own, xp.ones((1,)) * (eps * eps)], axis=0)
    above = xp.concat([examples, xp.zeros((1, n))], axis=0)
    return xp.concat([above, last[:, None]], axis=1)


@definition
def after_each(parameters: Parameters, Z: Array) -> Array:
    """The tokens after each of the layers, (l, D, T), which differ in their masks alone: Z (D, T)."""
    return scan(layer_step, parameters, Z, parameters.ssd_mask).states


@definition
def stack(parameters: Parameters, Z: Array) -> Array:
    """The tokens after all the layers: Z (D, T) -> (D, T)."""
    return scan(layer_step, parameters, Z, parameters.ssd_mask).final_state


@definition
def ssd_sublayer(parameters: Parameters, Z: Array) -> Array:
    """The SSD sublayer alone: Z (D, T) -> (D, T)."""
    return ssd.layer(Z, parameters.ssd_mask, parameters.S)


LIMITS = ("The layers at ε = 0: limits of masks of decays.",)
IN_TURN = THEOREM4_1._replace(
    does=(
        "minus the prediction for x_{n+1} after L steps on the examples in turn, in the query's label, by L layers"
    ),
    parameters=reverse,
    layer=Masked(stack),
    learner=Stochastic(from_zero=True, sign=-1, in_turn=True),
    several=True,
    notes=LIMITS,
)
"""A layer for each step; their masks hold the steps, so that they are run once."""


@definition
def full_batches(xp: Any, n: int, d: int, eta: Array) -> Parameters:
    """The layer of a full step of gradient descent on the mean of squares."""
    return with_masks(xp, d, query_mask(2 * eta / n * xp.ones((n,))))


FULL_BATCHES = IN_TURN._replace(
    does="minus the prediction for x_{n+1} after L steps from 0, in the query's label, by L SSD layers",
    parameters=full_batches,
    layer=Masked(ssd_sublayer),
    learner=Descent(MEAN, from_zero=True, sign=-1),
    stacked=True,
)
"""Equal SSD layers, each for a step on all examples."""
