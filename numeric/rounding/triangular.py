"""Triangular systems: how far substitution can be from the exact solution.

Substitution in any order, by rows, columns or blocks of substitutions, returns x̂ with (A + ΔA) x̂ = r, |ΔA| ≤ γ_n |A|
(Higham, Accuracy and Stability, 2nd ed., Thm. 8.5), so what it misses is A⁻¹ times what the errors of A and r and that
ΔA make of x̂. Of A⁻¹ the magnitudes are needed: those of the inverse itself where A is known up to small errors; else
those of the comparison matrix's inverse, which may grow exponentially where A⁻¹ does not.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scanproof.constructs.errors import UsageError

from . import compressed
from .arithmetic import OWN, format_of, gamma
from .compressed import full
from .control_flow import control
from .enclosed import Enclosed, error, magnitude, overflowing


@control("triangular_solve")
def triangular_solve(reader: Any, equation: Any, values: list[Any]) -> list[Any]:
    """Any of XLA's eight kinds, as a lower triangular system from the left."""
    params, (matrix, right), xp = equation.params, values, reader.xp
    if not params["unit_diagonal"] or params["conjugate_a"]:
        raise UsageError(
            "a bound has a rule for real triangular systems with ones on the diagonal only."
        )

    def turned(value: Enclosed) -> Enclosed:
        shape = (*value.shape[:-2], value.shape[-1], value.shape[-2])
        return compressed.fields(lambda f: xp.swapaxes(f, -1, -2), value, shape)

    def reversed_(value: Enclosed, *axes: int) -> Enclosed:
        return compressed.fields(lambda f: xp.flip(f, axis=axes), value, value.shape)

    lower, from_left = params["lower"], params["left_side"]
    if params["transpose_a"] == from_left:  # X A = B is Aᵀ Xᵀ = Bᵀ
        matrix, lower = turned(matrix), not lower
    if not from_left:
        right = turned(right)
    if not lower:
        matrix, right = reversed_(matrix, -2, -1), reversed_(right, -2)
    found = _substituted(xp, matrix, right)
    if not lower:
        found = reversed_(found, -2)
    if not from_left:
        found = turned(found)
    return [found._replace(dtype=equation.outvars[0].aval.dtype)]


def _substituted(xp: Any, matrix: Enclosed, right: Enclosed) -> Enclosed:
    """X with (I + L) X = B: of `matrix` only what is below the diagonal counts."""
    n, own = matrix.shape[-1], format_of(matrix.dtype)

    def strict(field: Any) -> Any:
        return xp.tril(full(xp, field, matrix.shape), -1)

    L = strict(magnitude(xp, matrix))
    wrong = strict(error(matrix) + xp.zeros_like(L))
    if matrix.lower is not None and xp is np:
        inverse = _inverse(strict(matrix.lower), strict(matrix.upper))
    else:
        inverse = _comparison(xp, L)
    r = full(xp, magnitude(xp, right), right.shape)
    r_wrong = full(xp, xp.asarray(error(right) + xp.zeros_like(r)), right.shape)
    size = inverse @ r
    # e ≤ G (e_r + F (|x| + e)) with F = e_L + γ_n (I + |L| + e_L) and the underflows of n products
    moved = wrong + gamma(n, own.unit) * (xp.eye(n) + L + wrong)
    lost = 2 * n * own.tiny * (1 + xp.sum(inverse, axis=(-2, -1), keepdims=True))
    first = inverse @ (r_wrong + moved @ size + lost)
    again = inverse @ moved
    norm = xp.max(xp.sum(again, axis=-1, keepdims=True), axis=-2, keepdims=True)
    largest = xp.max(first, axis=-2, keepdims=True)
    rest = xp.sum(again, axis=-1, keepdims=True) * largest / xp.where(norm < 1, 1 - norm, 1.0)
    found = xp.where(norm < 1, first + rest, xp.inf)
    bound = overflowing(xp, right.dtype, size, found)
    return Enclosed(right.shape, right.dtype, size + n * OWN.tiny, None, bound)


def _comparison(xp: Any, L: Any) -> Any:
    """(I − |L|)⁻¹ = Π (I + |L|^(2^k)), entries ≥ 0."""
    n = L.shape[-1]
    inverse, power, reached = xp.eye(n) + L, L, 2
    while reached < n:
        power = power @ power
        inverse, reached = inverse @ (xp.eye(n) + power), 2 * reached
    return inverse


def _inverse(lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
    """A bound of |(I + L)⁻¹| for all strictly lower triangular L between two, infinite if they are too far apart."""
    L, n = (lower + upper) / 2, lower.shape[-1]
    found = np.broadcast_to(np.eye(n), L.shape).copy()
    for row in range(1, n):
        found[..., row, :] -= (L[..., row, None, :row] @ found[..., :row, :])[..., 0, :]
    size = np.abs(found)
    # (I + L') X' = I is X' = X − X (L' − L) X' …, with K = |X| (|L' − L| + what substitution has lost)
    moved = size @ ((upper - lower) + gamma(2 * n, OWN.unit) * (np.eye(n) + np.abs(L)))
    norm = moved.sum(axis=-1, keepdims=True).max(axis=-2, keepdims=True)
    tail = moved.sum(axis=-1, keepdims=True) * norm / np.where(norm < 1, 1 - norm, 1.0)
    bound = size + moved @ size + tail * size.max(axis=-2, keepdims=True)
    return np.where(norm < 1, bound, np.inf)
