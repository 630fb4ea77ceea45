"""Longhorn: the implicit online step argmin_S ‖S − S_{t−1}‖_F² + β‖S k − x‖² (gril App. G)."""

from __future__ import annotations

from ..arrays.array_api import Array
from ..arrays.definition import definition
from . import delta_rule
from .delta_rule import Token
from .sequence import Recurrent


@definition
def objective(S: Array, previous: Array, token: Token) -> Array:
    """‖S − S_{t−1}‖_F² + β‖S k − v‖²: S and `previous` (d, m)."""
    change, residual = S - previous, S @ token.k - token.v
    return (change * change).sum() + token.beta * (residual * residual).sum()


@definition
def strength(token: Token) -> Array:
    """Δ = β / (1 + β‖k‖²), with which the delta rule takes the online step."""
    return token.beta / (1 + token.beta * (token.k @ token.k))


@definition
def step(parameters: None, state: Array, token: Token) -> tuple[Array, Array]:
    """The delta rule with strength Δ: S_t = S_{t−1} + Δ (v − S_{t−1} k) kᵀ, o_t = S_t q_t.

    The state has shape (d, m).
    """
    return delta_rule.step(parameters, state, token._replace(beta=strength(token)))


RULE = Recurrent(step, delta_rule.from_weights, delta_rule.at_rate)
"""Longhorn from initial weights."""
