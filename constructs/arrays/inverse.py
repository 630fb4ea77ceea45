"""The inverse of a small matrix, by elimination, for any array backend."""

from __future__ import annotations

from .array_api import Array, namespace


def inverse(matrix: Array) -> Array:
    """The inverse by Gauss–Jordan elimination without pivoting, shape (m, m).

    Leading principal minors must be nonzero, as those of a positive definite matrix are.
    """
    xp = namespace(matrix)
    size = matrix.shape[0]
    rows = [xp.concat([matrix[a], xp.eye(size)[a]], axis=0) for a in range(size)]
    for a in range(size):
        rows[a] = rows[a] / rows[a][a]
        rows = [row if b == a else row - row[a] * rows[a] for b, row in enumerate(rows)]
    return xp.stack(rows, axis=0)[:, size:]
