"""Certified spectral norms of products of known matrices, and what becomes of errors that such products carry on.

‖S‖₂ of a symmetric S is ‖S^(2^k)‖₂^(2^−k) ≤ ‖S^(2^k)‖_F^(2^−k), which is off by a factor n^(2^−k−1) at most. What
float64 loses in each squaring is added.

A chunk takes an error e of the state to e M + Δ with ‖Δ‖ ≤ α ‖e‖ + β. So do 2^k chunks in a row, with the product of
their transitions in the place of M: its norm may be far below the product of the norms, because what one chunk leaves
as it is the next one contracts. Both are followed, for all aligned blocks of 2^k chunks.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .arithmetic import OWN, gamma

SQUARINGS = 6
LEAST = 2.0**-500
"""Entries below it are taken for 0; against what float64 loses beside a norm of 1 they are nothing."""


def spectral_norm(A: np.ndarray) -> np.ndarray:
    """An upper bound of ‖A‖₂: (…, m, n) -> (…)."""
    scale = np.abs(A).max(axis=(-2, -1), keepdims=True)
    A = _flushed(A / np.where(scale > 0, scale, 1.0))
    turned = np.swapaxes(A, -1, -2)
    S = A @ turned if A.shape[-2] <= A.shape[-1] else turned @ A
    lost = 4 * (max(A.shape[-2:]) + 4) * OWN.unit
    trace = np.square(A).sum(axis=(-2, -1))
    factors = []
    for _ in range(SQUARINGS):
        S = (S + np.swapaxes(S, -1, -2)) / 2
        factors.append(frobenius(S))
        S = _flushed(S / np.where(factors[-1] > 0, factors[-1], 1.0)[..., None, None])
        S = S @ S
    norm = frobenius(S) * (1 + lost)
    for factor in reversed(factors):  # λ(S_k) = f_k √λ((S_k / f_k)²)
        norm = factor * np.sqrt(norm + lost)
    return scale[..., 0, 0] * np.sqrt(norm + lost * trace) * (1 + lost)


def _flushed(A: np.ndarray) -> np.ndarray:
    """Without the smallest numbers, whose products would be subnormal, which processors are slow at."""
    return np.where(np.abs(A) < LEAST, 0.0, A)


def frobenius(A: np.ndarray) -> np.ndarray:
    """‖A‖_F, up to rounding: (…, m, n) -> (…)."""
    return np.sqrt(np.square(A).sum(axis=(-2, -1)))


def norms_of_products(M: np.ndarray, wrong: np.ndarray, known: np.ndarray) -> list[np.ndarray]:
    """Norms of the transitions of 2^k neighbouring chunks, (⌊n / 2^k⌋,) for each k ≥ 0.

    Args:
        M: the chunks' transitions as they act on columns, (n, N, N), the first chunk's first.
        wrong: how far they are from the exact ones, (n,).
        known: what is known of their norms otherwise, (n,).
    """
    N = M.shape[-1]
    norms = [np.fmin(spectral_norm(M) + wrong, known)]
    while len(M) > 1:
        first, second = M[0 : len(M) - 1 : 2], M[1::2]
        a, b = wrong[0 : len(M) - 1 : 2], wrong[1::2]
        sizes = frobenius(first), frobenius(second)
        lost = gamma(2 * N, OWN.unit) * sizes[0] * sizes[1]
        wrong = a * sizes[1] + b * sizes[0] + a * b + lost
        wrong = wrong + N * LEAST
        M, one_by_one = _flushed(second @ first), norms[-1][0 : len(M) - 1 : 2] * norms[-1][1::2]
        norms.append(np.fmin(spectral_norm(M) + wrong, one_by_one))
    return norms


def carried(
    start: np.ndarray, norms: list[np.ndarray], alpha: np.ndarray, beta: np.ndarray
) -> np.ndarray:
    """Bounds of errors before each chunk and after the last: (n + 1, w).

    Args:
        start: that of the first incoming state, (w,).
        norms: as `norms_of_products` returns them, or their first entries.
        alpha: (n,).
        beta: (n, w).
    """
    levels = [(alpha[:, None], beta)]
    for norm in norms[: len(norms) - 1]:
        alpha, beta = levels[-1]
        m = len(norm) // 2 * 2
        P1, P2 = norm[0:m:2, None], norm[1:m:2, None]
        a1, a2, b1, b2 = alpha[0:m:2], alpha[1:m:2], beta[0:m:2], beta[1:m:2]
        levels.append((P2 * a1 + a2 * (P1 + a1), (P2 + a2) * b1 + b2))
    return _over_blocks(
        start,
        len(levels[0][1]),
        len(levels),
        lambda k, i, before: (norms[k][i] + levels[k][0][i]) * before + levels[k][1][i],
        lambda i, before: np.full_like(start, np.inf),
    )


def _over_blocks(
    start: np.ndarray,
    count: int,
    levels: int,
    after: Callable[..., Any],
    at_most: Callable[..., Any],
) -> np.ndarray:
    """The least bounds before each of some chunks and after the last, over all ways to get there by aligned blocks.

    Args:
        start: the bound before the first.
        count: how many chunks.
        levels: blocks have 2^k of them, k < `levels`.
        after: (k, i, the bound before) -> the bound after the i-th block of 2^k chunks.
        at_most: (i, the bound before) -> another bound after chunk i.
    """
    found = [start]
    for j in range(1, count + 1):
        best = at_most(j - 1, found[-1])
        for k in range(levels):
            if j % 2**k:
                break
            best = np.fmin(best, after(k, j // 2**k - 1, found[j - 2**k]))
        found.append(best)
    return np.stack(found)


def sizes(
    start: np.ndarray, norms: list[np.ndarray], written: np.ndarray, energy: np.ndarray
) -> np.ndarray:
    """Bounds of ‖state‖ before each chunk and after the last, (n + 1, w).

    Args:
        start: (w,).
        norms: as in `carried`.
        written: of a chunk's state from nothing, (n, w).
        energy: E with ‖state after‖² ≤ ‖state before‖² + E², (n, w); infinite where there is none.
    """
    levels, energies = [written], [energy]
    for norm in norms[: len(norms) - 1]:
        m = len(norm) // 2 * 2
        total = np.hypot(energies[-1][0:m:2], energies[-1][1:m:2])
        one_by_one = norm[1:m:2, None] * levels[-1][0:m:2] + levels[-1][1:m:2]
        levels.append(np.fmin(one_by_one, total))
        energies.append(total)
    return _over_blocks(
        start,
        len(written),
        len(levels),
        lambda k, i, before: norms[k][i] * before + levels[k][i],
        lambda i, before: np.hypot(before, energy[i]),
    )


def substituted(matrix: np.ndarray) -> np.ndarray:
    """The inverses of lower triangular matrices with ones on the diagonal, line after line: (…, C, C).

    They always have one; LAPACK's general one exchanges lines, and may divide by 0 where entries are large.
    """
    X = np.broadcast_to(np.eye(matrix.shape[-1]), matrix.shape).copy()
    with np.errstate(over="ignore", invalid="ignore"):
        for t in range(1, matrix.shape[-1]):
            X[..., t, :t] = -(matrix[..., t, None, :t] @ X[..., :t, :t])[..., 0, :]
    return X
