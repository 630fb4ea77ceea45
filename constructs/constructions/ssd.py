"""Parameters of Theorem 4.1 of ssd, as printed and with named corrections, and those of linear self-attention."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

from ..arrays.array_api import Array, namespace, outer, unit
from ..arrays.definition import definition
from ..layers import lsa, ssd
from ..layers.sequence import Masked
from ..layers.ssd import Parameters
from ..learners.learner import Descent
from ..learners.losses import HALF_MEAN, HALF_SUM, MEAN, SUM
from ..tokens import labelled_columns
from .construction import SCALAR, Construction


@definition
def theorem4_1(
    xp: Any,
    n: int,
    d: int,
    eta: Array,
    k: int = 1,
    upper_right: Array | None = None,
    lower_left: Array | None = None,
    lower_right: Array | None = None,
    corrections: Collection[str] = (),
) -> Parameters:
    """Thm. 4.1 (App. A): S_C = diag(I, 0), S_Bᵀ = [[ηI, *], [*, *]], every decay 1.

    Args:
        xp: namespace of the arrays to build.
        n: examples.
        d: features.
        eta: step size η.
        k: coordinates of the state beyond d, so that N = d + k; Def. 3.2 has N = D, that is k = 1.
        upper_right: the star beside ηI, shape (d, k); 0 if not given, as are the others.
        lower_left: the star below ηI, shape (d,).
        lower_right: the last star, shape (k,).
        corrections: "factor" takes 2ηI for ηI, since the loss of the theorem has no ½.
    """
    step_size = xp.asarray(2 * eta if "factor" in corrections else eta)
    upper_right = xp.zeros((d, k)) if upper_right is None else upper_right
    lower_left = xp.zeros((d,)) if lower_left is None else lower_left
    lower_right = xp.zeros((k,)) if lower_right is None else lower_right
    upper = xp.concat([step_size * xp.eye(d), upper_right], axis=1)
    lower = xp.concat([lower_left, lower_right], axis=0)
    left = xp.concat([xp.eye(d), xp.zeros((k, d))], axis=0)
    return Parameters(
        decays=xp.ones((n + 1,)),
        S_B=xp.concat([upper, lower[None, :]], axis=0).T,
        S_C=xp.concat([left, xp.zeros((d + k, 1))], axis=1),
    )


class Attention(NamedTuple):
    """P and Q of a linear self-attention layer (ssd eq. 2), both (d + 1, d + 1)."""

    P: Array
    Q: Array


@definition
def label_attention(xp: Any, d: int, eta: Array) -> Attention:
    """P = diag(0, …, 0, 1), which lets only the labels change, and Q = −2η diag(I, 0) (ssd Remark 4.1).

    Each label then becomes y_i − (2η/n) Σ_j y_j x_j·x_i over the tokens j that token i sees: the residual of one
    gradient step on (1/n) Σ (w·x_j − y_j)², and, in the query's slot, the negative of the prediction.

    Args:
        xp: namespace of the arrays to build.
        d: features.
        eta: step size η.
    """
    label = unit(xp, d + 1, d)
    return Attention(P=outer(label, label), Q=-2 * eta * (xp.eye(d + 1) - outer(label, label)))


@definition
def one_feature_attention(xp: Any, eta: Array) -> Attention:
    """For d = 1: P = e_2 e_1ᵀ and the antisymmetric Q = −2η (e_1 e_2ᵀ − e_2 e_1ᵀ).

    Token i's label then becomes y_i − (2η/n) Σ_j x_j (x_j y_i − y_j x_i) over the tokens j that it sees: on linear
    data the examples' labels stay, and a token adds nothing to itself.

    Args:
        xp: namespace of the arrays to build.
        eta: step size η.
    """
    feature, label = unit(xp, 2, 0), unit(xp, 2, 1)
    return Attention(
        P=outer(label, feature), Q=-2 * eta * (outer(feature, label) - outer(label, feature))
    )


class QueryOnly(NamedTuple):
    """Two SSD layers of eq. 5 under one mask that Def. 3.2 does not have."""

    mask: Array
    """L, (n + 1, n + 1): the query sees every example, and no token sees anything else."""
    first: Array
    """S of the first layer, (d + 1, d + 1)."""
    second: Array
    """S of the second layer."""


@definition
def two_steps_query_only(xp: Any, n: int, d: int, eta: Array) -> QueryOnly:
    """S = 2η (1 ± √2) diag(I, 0): (1 + c_1 s)(1 + c_2 s) = 2 − (1 − αs)² for c = α (1 ± √2).

    Args:
        xp: namespace of the arrays to build.
        n: examples.
        d: features.
        eta: step size η.
    """
    query = xp.concat([xp.ones((n, 1)), xp.zeros((1, 1))], axis=0)
    label = unit(xp, d + 1, d)
    features = 2 * eta * (xp.eye(d + 1) - outer(label, label))
    root = xp.sqrt(xp.asarray(2))
    return QueryOnly(
        mask=xp.concat([xp.zeros((n + 1, n)), query], axis=1),
        first=(1 + root) * features,
        second=(1 - root) * features,
    )


@definition
def causal_attention(parameters: Attention, Z: Array) -> Array:
    """A layer in which token i sees the tokens j ≤ i: Z of shape (D, T) -> (D, T)."""
    mask = lsa.causal_mask(namespace(Z), Z.shape[1])
    return lsa.layer(Z, mask, parameters.P, parameters.Q)


@definition
def attention_to_examples(parameters: Attention, Z: Array) -> Array:
    """A layer in which every token sees all the examples, and none the query: Z of shape (D, T) -> (D, T)."""
    mask = lsa.examples_mask(namespace(Z), Z.shape[1])
    return lsa.layer(Z, mask, parameters.P, parameters.Q)


@definition
def query_only(parameters: QueryOnly, Z: Array) -> Array:
    """The two layers of `QueryOnly`, one after the other: Z of shape (D, T) -> (D, T)."""
    Z = ssd.layer(Z, parameters.mask, parameters.first)
    return ssd.layer(Z, parameters.mask, parameters.second)


def query_label(Z: Array, following: Array, W0: Any, **symbols: Any) -> Array:
    """The label of the last token, which is the query's."""
    return Z[-1, -1]


THEOREM4_1 = Construction(
    "prediction for x_{n+1} after one step from 0 on n examples, in the query's label",
    theorem4_1,
    labelled_columns,
    ssd.LAYER,
    Descent(MEAN, from_zero=True),
    query_label,
    SCALAR,
    every=False,
)
"""Thm. 4.1 in the layer of Def. 3.2, for the loss of the theorem."""
HALVED = THEOREM4_1._replace(learner=Descent(HALF_MEAN, from_zero=True))
"""For half that loss."""
APPENDIX = THEOREM4_1._replace(layer=ssd.MIXING, learner=Descent(SUM, from_zero=True))
"""In the appendix's form of the layer, for the appendix's loss."""
APPENDIX_HALVED = APPENDIX._replace(learner=Descent(HALF_SUM, from_zero=True))
"""For half that loss."""

TWO_STEPS = THEOREM4_1._replace(
    does="prediction for x_{n+1} after two steps from 0, in the query's label, by two layers",
    parameters=two_steps_query_only,
    layer=Masked(query_only),
    learner=Descent(MEAN, from_zero=True, steps=2),
    notes=(
        "The query sees every example and no token sees anything else, which no decays can do.",
    ),
)
"""Two layers under a mask that Def. 3.2 does not have."""
LABELS = THEOREM4_1._replace(
    does=(
        "minus the prediction for x_{n+1} after L steps from 0, in the query's label, by L layers"
    ),
    parameters=label_attention,
    layer=Masked(attention_to_examples),
    learner=Descent(MEAN, from_zero=True, sign=-1),
    several=True,
    stacked=True,
    notes=(
        "Every token sees all the examples: a layer reads its state after they have all been written.",
    ),
)
"""L layers of attention that move labels alone."""
ONE_FEATURE = THEOREM4_1._replace(
    does="prediction for x_{n+1} after L steps from 0, in the query's label, by L causal layers",
    parameters=one_feature_attention,
    layer=Masked(causal_attention),
    several=True,
    stacked=True,
    features=1,
)
"""L causal layers for one feature."""
