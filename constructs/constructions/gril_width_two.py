"""A GRIL block with windows of two tokens that does one step of gradient descent (not in the paper)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from ..arrays.array_api import Array, outer, unit
from ..arrays.definition import definition
from ..layers import gril


@definition
def width_two(xp: Any, k: int, l: int, eta: Array) -> gril.Block:
    """Q = e_2 e_1ᵀ and q = e_2 on windows of two, one token apart; inputs and targets in coordinates of their own.

    A window (x_t, y_t) writes y_t x_tᵀ into the block of targets by inputs. A window (y_t, x_{t+1}) writes
    x_{t+1} y_tᵀ into the block of inputs by targets, which its own readout by x_{t+1} does not see. Window number
    2t gives the prediction from t examples, hence β = η/t.

    Args:
        xp: namespace of the arrays to build.
        k: coordinates of the inputs, the first ones.
        l: coordinates of the targets, the last ones.
        eta: step size η.
    """
    earlier, later = unit(xp, 2, 0), unit(xp, 2, 1)
    return gril.Block(
        gate=xp.ones((k + l, k + l)),
        mixing=outer(later, earlier),
        query=later,
        beta=xp.asarray(eta),
        count=xp.asarray((0, Fraction(1, 2))),
    )
