"""Parameters of the propositions of gd-ssm (arXiv 2410.11687 v1/v2), as printed and with named corrections."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from ..arrays.array_api import Array, outer, unit
from ..arrays.definition import definition
from ..layers import gd_ssm, gril
from ..layers.multi_step import TwoHeads
from ..learners import ridge as ridge_regression
from ..learners.learner import Descent
from ..learners.losses import HALF_MEAN
from ..tokens import Windows, concatenated
from .construction import ANY, SCALAR, Construction, targets_only

CONSTANT, AVERAGE = (1, 0), (0, 1)
"""Readout scales β and β/t."""


@definition
def prop1(xp: Any, f: int, N: int, eta: Array, corrections: Collection[str] = ()) -> gd_ssm.Scalar:
    """Prop. 1, eqs. 12–16: Ψ = [I 0], Θ = [0 I], β = −η/N.

    Args:
        xp: namespace of the arrays to build.
        f: features.
        N: examples.
        eta: step size η.
        corrections: "sign" makes β = +η/N; "scale" makes it ±η/t, for a prediction at every token; "square" takes
            the square 2f × 2f matrices with diagonal entries that the text describes after eqs. 12 and 13.
    """
    first, last = xp.eye(2 * f)[:f], xp.eye(2 * f)[f:]
    if "square" in corrections:
        empty = xp.zeros((f, 2 * f))
        first, last = xp.concat([first, empty], axis=0), xp.concat([empty, last], axis=0)
    beta = xp.asarray(eta) if "sign" in corrections else -xp.asarray(eta)
    scaled = "scale" in corrections
    return gd_ssm.Scalar(
        Psi=first,
        Theta=last,
        beta=beta if scaled else beta / N,
        count=xp.asarray(AVERAGE if scaled else CONSTANT),
    )


@definition
def prop2(xp: Any, f: int, N: int, eta: Array, corrections: Collection[str] = ()) -> gril.Block:
    """Prop. 2, eqs. 17–21: Q = e_1 e_2ᵀ, A = 1, q = e_3, β = −η/N.

    Args:
        xp: namespace of the arrays to build.
        f: features.
        N: examples.
        eta: step size η.
        corrections: "transpose" makes Q = e_2 e_1ᵀ, so that the state accumulates y_t x_tᵀ; "sign" makes β = +η/N;
            "scale" makes it ±η/t.
    """
    x, y, query = (unit(xp, 3, k) for k in range(3))
    beta = xp.asarray(eta) if "sign" in corrections else -xp.asarray(eta)
    scaled = "scale" in corrections
    return gril.Block(
        gate=xp.ones((f, f)),
        mixing=outer(y, x) if "transpose" in corrections else outer(x, y),
        query=query,
        beta=beta if scaled else beta / N,
        count=xp.asarray(AVERAGE if scaled else CONSTANT),
    )


@definition
def prop3(xp: Any, N: int, eta: Array) -> gril.TwoHead:
    """Prop. 3, A.2: Q = e_1 e_2ᵀ and Q̃ = e_1 e_1ᵀ, so that Z = Σ x yᵀ and Z̃ = Σ x xᵀ; q = e_3, step size η/N.

    The update itself is the layer's: `gd_ssm.two_head_step` as printed, `gril.two_head_step` with the transposes right.
    """
    x, y, query = (unit(xp, 3, k) for k in range(3))
    return gril.TwoHead(
        mixing=outer(x, y),
        cross_mixing=outer(x, x),
        query=query,
        beta=xp.asarray(eta) / N,
        count=xp.asarray(CONSTANT),
        ridge=xp.asarray(0),
    )


@definition
def ridge(xp: Any, N: int, eta: Array, corrections: Collection[str] = ()) -> gril.TwoHead:
    """A.4: the layer of Prop. 3 with W_{l−1} added inside the bracket; "scale" adds 2N W_{l−1} instead."""
    return prop3(xp, N, eta)._replace(ridge=xp.asarray(2 * N if "scale" in corrections else 1))


def vanishing_cubic(b: Array, c: Array, d: Array, **symbols: Any) -> Callable[[Array], Array]:
    """z ↦ bz + cz² + dz³, which stands for any g with g(0) = 0."""
    return lambda z: b * z + c * z * z + d * z * z * z


FROM_ZERO = Descent(HALF_MEAN, from_zero=True)
NETWORK = Construction(
    "prediction for x_{t+1} after one step from 0 on t examples",
    prop1,
    concatenated,
    gd_ssm.NETWORK,
    FROM_ZERO,
    targets=SCALAR,
)
"""The network of Prop. 1, read at every token."""
PROP1 = NETWORK._replace(every=False)
"""Read at the last one."""
PRODUCTS = PROP1._replace(
    does=f"minus the {PROP1.does}", learner=Descent(HALF_MEAN, from_zero=True, sign=-1)
)
"""With the printed β = −η/N, where that is taken for granted."""
NONLINEAR = NETWORK._replace(learner=Descent(HALF_MEAN, from_zero=True, link=vanishing_cubic))
"""For targets g(w·x)."""

BLOCK = Construction(
    "prediction for x_{t+1} after one step from 0 on t examples",
    prop2,
    Windows(),
    gril.BLOCK,
    FROM_ZERO,
)
"""The layer of Prop. 2 at every token."""
PROP2 = BLOCK._replace(every=False)


@definition
def embedded(
    xp: Any, k: int, l: int, N: int, eta: Array, corrections: Collection[str] = ()
) -> gril.Block:
    """`prop2` for inputs of k and targets of l coordinates of their own."""
    return prop2(xp, k + l, N, eta, corrections)


EMBEDDED = PROP2._replace(
    parameters=embedded, tokens=Windows(stride=1, apart=True), read=targets_only, targets=ANY
)
"""Windows one token apart, on inputs and targets in coordinates of their own."""

PROP3 = Construction(
    "prediction for x_{N+1} after L steps from W0 on N examples, by L layers",
    prop3,
    Windows(),
    TwoHeads(gril.two_head_step),
    Descent(HALF_MEAN),
    every=False,
    several=True,
    stacked=True,
    notes=(
        "The states of the layers do not see the weights, so one pass serves all; stacked layers are run at the "
        "last token only, where they equal the loop.",
    ),
)
"""L layers with the transposes right."""
PRINTED = PROP3._replace(layer=TwoHeads(gd_ssm.two_head_step))
"""L layers as A.2 prints them."""
PRINTED_RIDGE = PRINTED._replace(parameters=ridge, learner=ridge_regression.LEARNER)
"""L layers of A.4 as printed."""
RIDGE = PROP3._replace(parameters=ridge, learner=ridge_regression.LEARNER)
"""L layers of A.4 with the transposes right."""
