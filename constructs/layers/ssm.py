"""Linear time-invariant state-space models: discretisations, recurrence and convolution (ch9 §§9.1.1–9.1.3)."""

from __future__ import annotations

from typing import NamedTuple

from ..array_api import Array, namespace
from ..definition import definition
from ..inverse import inverse


class Discrete(NamedTuple):
    """Ā (m, m), B̄ (m,) and C (m,) of h_i = Ā h_{i−1} + B̄ x_i, y_i = C h_i."""

    A: Array
    B: Array
    C: Array


@definition
def evolution(A: Array, B: Array, h: Array, x: Array) -> Array:
    """A h + B x, h' in ch9 eq. 9.1; with Ā and B̄ the next state in eq. 9.5.

    Shapes: A (m, m), B (m,), h (m,), x a scalar.
    """
    return A @ h + B * x


@definition
def step(parameters: Discrete, state: Array, token: Array) -> tuple[Array, Array]:
    """h_i = Ā h_{i−1} + B̄ x_i, y_i = C h_i (ch9 eq. 9.8): state (m,), token a scalar."""
    state = evolution(parameters.A, parameters.B, state, token)
    return state, parameters.C @ state


@definition
def lagged_step(
    parameters: Discrete, state: tuple[Array, Array], token: Array
) -> tuple[tuple[Array, Array], Array]:
    """h_i = Ā h_{i−1} + B̄ x_{i−1}, y_i = C h_i: the index that forward Euler and zero-order hold give.

    Args:
        parameters: see `Discrete`.
        state: (h_{i−1}, x_{i−1}).
        token: x_i, kept for the next step.
    """
    h, previous = state
    h = evolution(parameters.A, parameters.B, h, previous)
    return (h, token), parameters.C @ h


@definition
def forward_euler(A: Array, B: Array, delta: Array, h: Array, x: Array) -> Array:
    """h(Δ), …, h(nΔ) by h(t + Δ) = h(t) + Δ (A h(t) + B x(t)) (ch9 eqs. 9.2–9.4): -> (n, m).

    Args:
        A: (m, m).
        B: (m,).
        delta: Δ.
        h: h(0), shape (m,).
        x: x(0), …, x((n − 1)Δ), shape (n,).
    """
    states = []
    for i in range(x.shape[0]):
        h = h + delta * evolution(A, B, h, x[i])
        states.append(h)
    return namespace(x).stack(states, axis=0)


@definition
def euler(A: Array, B: Array, delta: Array) -> tuple[Array, Array]:
    """Forward Euler: Ā = I + ΔA, B̄ = ΔB (ch9 eqs. 9.6–9.7); A (m, m), B (m,)."""
    return namespace(A).eye(A.shape[0]) + delta * A, delta * B


@definition
def bilinear(A: Array, B: Array, delta: Array) -> tuple[Array, Array]:
    """Bilinear (Tustin): Ā = (I − ½ΔA)⁻¹(I + ½ΔA), B̄ = (I − ½ΔA)⁻¹ ΔB, the input by its mean over the step."""
    xp = namespace(A)
    half = delta / 2 * A
    backward = inverse(xp.eye(A.shape[0]) - half)
    return backward @ (xp.eye(A.shape[0]) + half), backward @ (delta * B)


@definition
def zero_order_hold(a: Array, b: Array, delta: Array) -> tuple[Array, Array]:
    """Zero-order hold for a diagonal A = diag(a), a_k ≠ 0: ā = exp(Δa), b̄ = (exp(Δa) − 1)/a · b, each (m,)."""
    exponent = delta * a
    decay = namespace(exponent).exp(exponent)
    return decay, (decay - 1) / a * b


@definition
def zero_order_hold_series(A: Array, B: Array, delta: Array, order: int) -> tuple[Array, Array]:
    """Zero-order hold for any A (m, m), as series in Δ up to Δ^order.

    Ā = Σ_k Δ^k A^k / k! = exp(ΔA), B̄ = Σ_{k≥1} Δ^k A^{k−1} B / k!, which is A⁻¹(exp(ΔA) − I) B where A has an inverse.
    """
    transition, gain = namespace(A).eye(A.shape[0]), B - B
    power, direction, factor = transition, B, 1
    for k in range(1, order + 1):
        power, factor = power @ A, factor * delta / k
        transition, gain = transition + factor * power, gain + factor * direction
        direction = A @ direction
    return transition, gain


@definition
def power(matrix: Array, exponent: int) -> Array:
    """matrix^exponent as a repeated matrix product, exponent ≥ 0: (m, m) -> (m, m)."""
    product = namespace(matrix).eye(matrix.shape[0])
    for _ in range(exponent):
        product = product @ matrix
    return product


@definition
def convolution(parameters: Discrete, x: Array) -> Array:
    """y_i = Σ_{j=0}^i C Ā^j B̄ x_{i−j} (ch9 eqs. 9.9–9.11): (n,) -> (n,)."""
    xp = namespace(x)
    kernel, power = [], parameters.B
    for _ in range(x.shape[0]):
        kernel.append(parameters.C @ power)
        power = parameters.A @ power
    rows = []
    for i in range(x.shape[0]):
        total = kernel[0] * x[i]
        for j in range(1, i + 1):
            total = total + kernel[j] * x[i - j]
        rows.append(total)
    return xp.stack(rows, axis=0)
