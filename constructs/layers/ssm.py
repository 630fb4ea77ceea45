"""Linear time-invariant state-space models: discretisations, recurrence and convolution (ch9 §§9.1.1–9.1.3)."""

from __future__ import annotations

from typing import NamedTuple

from ..arrays.array_api import Array, namespace
from ..arrays.definition import definition
from ..arrays.inverse import inverse
from ..arrays.iteration import iterate, iterates
from ..arrays.ranges import build
from ..arrays.scan import scan


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


class Sampled(NamedTuple):
    """A (m, m) and B (m,) of h' = A h + B x, and the time Δ between samples of x."""

    A: Array
    B: Array
    delta: Array


@definition
def euler_step(parameters: Sampled, state: Array, token: Array) -> tuple[Array, Array]:
    """h(t + Δ) = h(t) + Δ (A h(t) + B x(t)) (ch9 eqs. 9.2–9.4), which is also the output: state (m,), token x(t)."""
    A, B, delta = parameters
    state = state + delta * evolution(A, B, state, token)
    return state, state


@definition
def forward_euler(A: Array, B: Array, delta: Array, h: Array, x: Array) -> Array:
    """h(Δ), …, h(nΔ) by `euler_step`: -> (n, m).

    Args:
        A: (m, m).
        B: (m,).
        delta: Δ.
        h: h(0), shape (m,).
        x: x(0), …, x((n − 1)Δ), shape (n,).
    """
    return scan(euler_step, Sampled(A, B, delta), h, x).outputs


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
    xp = namespace(A)
    count = order + 1
    powers = iterates(lambda power: power @ A, xp.eye(A.shape[0]), count)
    directions = iterates(lambda direction: A @ direction, B, count)

    def following(factor: tuple[Array, Array]) -> tuple[Array, Array]:
        value, k = factor
        return value * delta / (k + 1), k + 1

    factors, _ = iterates(following, (delta - delta + 1, xp.asarray(0)), count)
    transition = (factors[:, None, None] * powers).sum(axis=0)
    return transition, (factors[1:, None] * directions[:-1]).sum(axis=0)


@definition
def power(matrix: Array, exponent: int) -> Array:
    """matrix^exponent as a repeated matrix product, exponent ≥ 0: (m, m) -> (m, m)."""
    one = namespace(matrix).eye(matrix.shape[0])
    return iterate(lambda product: product @ matrix, one, exponent)


@definition
def convolution(parameters: Discrete, x: Array) -> Array:
    """y_i = Σ_{j=0}^i C Ā^j B̄ x_{i−j} (ch9 eqs. 9.9–9.11): (n,) -> (n,)."""
    xp = namespace(x)
    length = x.shape[0]
    kernel = iterates(lambda power: parameters.A @ power, parameters.B, length) @ parameters.C
    return build(xp, length, lambda i: build(xp, i + 1, lambda j: kernel[j] * x[i - j]).sum(axis=0))
