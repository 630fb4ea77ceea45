"""S5's layer: a linear time-invariant state-space model with diagonal complex transitions (Smith et al. 2023).

Its parameters are those that S5 trains: poles, input and output maps in the basis of the poles, a skip and a time step
for each pole; zero-order hold makes the recurrence. Every pole stands for itself and its conjugate.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ..arrays.array_api import Array, namespace
from ..arrays.definition import definition
from .sequence import Recurrent
from .ssm import zero_order_hold


class Parameters(NamedTuple):
    """P poles, H inputs and outputs; complex numbers by their parts."""

    log_rate: Array
    """log(−Re λ), shape (P,): the real parts are negative whatever is trained."""
    frequency: Array
    """Im λ, shape (P,)."""
    input_real: Array
    """Re B̃, shape (P, H)."""
    input_imag: Array
    output_real: Array
    """Re C̃, shape (H, P)."""
    output_imag: Array
    skip: Array
    """D, shape (H,)."""
    log_step: Array
    """log Δ, shape (P,)."""


class Recurrence(NamedTuple):
    """What zero-order hold makes of them: arrays of complex numbers."""

    decay: Array
    """exp(Δλ), shape (P,)."""
    input: Array
    """(P, H)."""
    output: Array
    """(H, P)."""
    skip: Array


@definition
def discrete(parameters: Parameters) -> Recurrence:
    """ā = exp(Δλ) and B̄ = (exp(Δλ) − 1)/λ · B̃, for λ = −exp(log_rate) + i frequency."""
    p, xp = parameters, namespace(parameters.log_rate)
    i = xp.asarray(1j)
    poles = -xp.exp(p.log_rate) + i * p.frequency
    decay, held = zero_order_hold(poles, 1, xp.exp(p.log_step))
    return Recurrence(
        decay,
        held[:, None] * (p.input_real + i * p.input_imag),
        p.output_real + i * p.output_imag,
        p.skip,
    )


@definition
def step(parameters: Recurrence, state: Array, token: Array) -> tuple[Array, Array]:
    """h_t = ā ⊙ h_{t−1} + B̄ u_t, y_t = 2 Re(C̃ h_t) + D ⊙ u_t.

    Args:
        parameters: see `Recurrence`.
        state: h_{t−1}, shape (P,), complex.
        token: u_t, shape (H,).
    """
    xp = namespace(token)
    state = parameters.decay * state + parameters.input @ (token + 0 * xp.asarray(1j))
    return state, 2 * xp.real(parameters.output @ state) + parameters.skip * token


def empty(parameters: Recurrence, tokens: Array, W0: Any = None) -> Array:
    """h_0 = 0, of shape (P,)."""
    return 0 * parameters.decay


LAYER = Recurrent(step, empty)
"""The layer from h = 0."""
