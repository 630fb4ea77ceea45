"""Parameters of the propositions of gril (arXiv 2410.11687 v3), as printed and with named corrections."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ..arrays.array_api import Array, outer, unit
from ..arrays.definition import definition
from ..layers import delta_rule, gd_ssm, gril, longhorn
from ..learners import ridge as ridge_regression
from ..learners.learner import Descent, Implicit, Stochastic
from ..learners.losses import HALF_MEAN
from ..tokens import Windows, embedded_weights, keyed
from .construction import ANY, Construction, targets_only
from .gd_ssm import (
    AVERAGE,
    BLOCK,
    CONSTANT,
    NETWORK,
    NONLINEAR,
    PROP1,
    PROP3,
    prop1,
)
from .gril_width_two import width_two


@definition
def a1(xp: Any, f: int, N: int, eta: Array, corrections: Collection[str] = ()) -> gd_ssm.Scalar:
    """A.1, eqs. 12–14: Ψ = [I 0], Θ = [0 I], β = −η/N, the same numbers as Prop. 1 of gd-ssm.

    Args:
        xp: namespace of the arrays to build.
        f: features.
        N: examples.
        eta: step size η.
        corrections: "sign" makes β = +η/N; "scale" makes it ±η/t, for a prediction at every token;
            "input-sign" makes Ψ = −[I 0], so that the state accumulates the gradient itself, as in eq. 5.
    """
    parameters = prop1(xp, f, N, eta, corrections)
    return parameters._replace(Psi=-parameters.Psi) if "input-sign" in corrections else parameters


@definition
def prop4_1(xp: Any, f: int, eta: Array, corrections: Collection[str] = ()) -> gril.Block:
    """Prop. 4.1, eqs. 7–10: A = 1, Q = e_2 e_1ᵀ, q = e_3, β = η/t.

    Args:
        xp: namespace of the arrays to build.
        f: features.
        eta: step size η.
        corrections: "index" makes β = η/(t + 1), for tokens counted from 0.
    """
    x, y, query = (unit(xp, 3, k) for k in range(3))
    return gril.Block(
        gate=xp.ones((f, f)),
        mixing=outer(y, x),
        query=query,
        beta=xp.asarray(eta),
        count=xp.asarray((1, 1) if "index" in corrections else AVERAGE),
    )


@definition
def a2(xp: Any, f: int, N: int, eta: Array, corrections: Collection[str] = ()) -> gril.Block:
    """A.2: the block of Prop. 4.1 with β = η/N; "scale" makes it η/t, as in Prop. 4.1."""
    block = prop4_1(xp, f, eta)
    if "scale" in corrections:
        return block
    return block._replace(beta=block.beta / N, count=xp.asarray(CONSTANT))


@definition
def propA_1(xp: Any, N: int, eta: Array, corrections: Collection[str] = ()) -> gril.TwoHead:
    """Prop. A.1, A.3: Q = e_2 e_1ᵀ “as before” and Q̃ = e_1 e_1ᵀ, q = e_3, step size η/N.

    Args:
        xp: namespace of the arrays to build.
        N: examples.
        eta: step size η.
        corrections: "transpose" makes Q = e_1 e_2ᵀ, so that Z accumulates x_t y_tᵀ, of the shape of W;
            "scale" makes the step size η/t, for a prediction at every token.
    """
    x, y, query = (unit(xp, 3, k) for k in range(3))
    scaled = "scale" in corrections
    return gril.TwoHead(
        mixing=outer(x, y) if "transpose" in corrections else outer(y, x),
        cross_mixing=outer(x, x),
        query=query,
        beta=xp.asarray(eta) if scaled else xp.asarray(eta) / N,
        count=xp.asarray(AVERAGE if scaled else CONSTANT),
        ridge=xp.asarray(0),
    )


@definition
def a5(xp: Any, N: int, eta: Array, corrections: Collection[str] = ()) -> gril.TwoHead:
    """A.5: the layer of Prop. A.1 with + W_{l−1} inside the bracket that η/N multiplies.

    Args:
        xp: namespace of the arrays to build.
        N: examples.
        eta: step size η.
        corrections: "ridge" adds 2N W_{l−1} instead; "transpose" as in `propA_1`.
    """
    ridge = 2 * N if "ridge" in corrections else 1
    return propA_1(xp, N, eta, corrections)._replace(ridge=xp.asarray(ridge))


@definition
def embedded(xp: Any, k: int, l: int, eta: Array) -> gril.Block:
    """`prop4_1` for inputs of k and targets of l coordinates of their own (footnote 1)."""
    return prop4_1(xp, k + l, eta)


A1 = PROP1._replace(parameters=a1)
"""The network of A.1, read at the last token."""
A1_EVERY = NETWORK._replace(parameters=a1)
"""Read at every token."""
A1_NONLINEAR = NONLINEAR._replace(
    parameters=a1, read=lambda outputs, following, W0, b, **symbols: b * outputs
)
"""For targets h(w·x): the MLP ρ(z) = h'(0) z, with h'(0) = b."""

PROP4_1 = BLOCK._replace(parameters=prop4_1)
"""The block on windows of three, two tokens apart."""
FROM_0 = PROP4_1._replace(tokens=Windows(first=0))
"""With tokens counted from 0."""
EMBEDDED = PROP4_1._replace(
    parameters=embedded, tokens=Windows(apart=True), read=targets_only, targets=ANY
)
"""With inputs and targets in coordinates of their own."""
A2 = PROP4_1._replace(parameters=a2)
A2_LAST = A2._replace(every=False)
"""Read at the last token."""
TWO_CYCLES = EMBEDDED._replace(parameters=width_two, tokens=Windows(2, 1, apart=True))
"""With windows of two, one token apart."""

PROP_A1 = PROP3._replace(parameters=propA_1)
"""L layers on windows of three, at the last token."""
PROP_A1_EMBEDDED = PROP_A1._replace(
    tokens=Windows(apart=True), read=targets_only, targets=ANY, start=embedded_weights
)
"""With inputs and targets in coordinates of their own."""
A5 = PROP_A1._replace(parameters=a5, learner=ridge_regression.LEARNER)
"""L layers with a ridge."""


def fading_ridge(W: Array, x: Array, y: Array) -> Array:
    """(1/2N) (Σ ‖Wᵀx_i − y_i‖² + ‖W‖²)."""
    return HALF_MEAN(W, x, y) + (W * W).sum() / (2 * x.shape[0])


A5_FADING = A5._replace(learner=Descent(fading_ridge))
"""With a penalty that fades with N."""

ONLINE = Construction(
    "prediction S_t x_{t+1} for the next input, from W0ᵀ",
    None,
    keyed,
    delta_rule.RULE,
    Stochastic(),
    targets=ANY,
    every=False,
)
"""The delta rule: stochastic gradient descent (App. G)."""


def recall(S: Array, previous: Array, k: Array, v: Array, beta: Array) -> Array:
    """Longhorn's objective for one example."""
    return longhorn.objective(S, previous, delta_rule.Token(k, v, k, beta))


LONGHORN = ONLINE._replace(layer=longhorn.RULE, learner=Implicit(recall))
"""Longhorn: an implicit step for each example (App. G)."""
