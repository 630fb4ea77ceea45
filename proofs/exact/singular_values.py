"""The largest singular value of a matrix of exact scalars: in square roots where one side has at most two rows."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from .entries import arranged
from .field import Field


def largest_singular_value(field: Field, matrix: np.ndarray) -> Any:
    """√ of the largest eigenvalue of A Aᵀ or Aᵀ A, whichever is smaller; 0 for a matrix without entries.

    Raises:
        NotPolynomial: if the field has no such root.
    """
    if field.remembers:
        return _remembered(type(field), matrix.shape, tuple(matrix.flat))
    return _computed(field, matrix)


@lru_cache(maxsize=10_000)
def _remembered(kind: Any, shape: tuple[int, ...], entries: tuple[Any, ...]) -> Any:
    return _computed(kind(), arranged(entries, shape))


def _computed(field: Field, matrix: np.ndarray) -> Any:
    if matrix.size == 0:
        return field.number(0)
    if matrix.size == 1:
        return field.abs(matrix.item())
    gram = np.matmul(
        *((matrix, matrix.T) if len(matrix) <= matrix.shape[1] else (matrix.T, matrix))
    )
    if len(gram) == 1:
        return field.sqrt(gram.item())
    if len(gram) == 2:
        gap, beside = gram[0, 0] - gram[1, 1], gram[0, 1] + gram[1, 0]
        root = field.sqrt(gap * gap + beside * beside)
        return field.sqrt((gram[0, 0] + gram[1, 1] + root) / field.number(2))
    return field.sqrt(field.largest_eigenvalue(gram))
