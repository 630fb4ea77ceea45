"""Parameters of the propositions of gril (arXiv 2410.11687 v3), as printed and with named corrections."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ..arrays.array_api import Array, outer, unit
from ..arrays.definition import definition
from ..layers import gd_ssm, gril
from .gd_ssm import AVERAGE, CONSTANT, prop1


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
