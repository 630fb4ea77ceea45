"""What kind of matrix a preconditioner is."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np


def kind(matrix: np.ndarray) -> str:
    """Whether a matrix of Fractions is symmetric, and the signs of its symmetric part's eigenvalues."""
    import flint

    size = len(matrix)
    symmetric = bool((matrix == matrix.T).all())
    part = (matrix + matrix.T) / 2
    numbers = [[flint.fmpq(v.numerator, v.denominator) for v in row] for row in part.tolist()]
    coefficients = flint.fmpq_mat(numbers).charpoly().coeffs()
    positive = _sign_changes(coefficients)  # Descartes' rule is exact where all roots are real
    negative = _sign_changes([c * (-1) ** i for i, c in enumerate(coefficients)])
    signs = {
        (True, False): "positive definite" if positive == size else "positive semidefinite",
        (False, True): "negative definite, up the gradient"
        if negative == size
        else "negative semidefinite",
        (True, True): "indefinite",
        (False, False): "zero",
    }[positive > 0, negative > 0]
    return f"symmetric, {signs}" if symmetric else f"not symmetric; its symmetric part is {signs}"


def _sign_changes(coefficients: list[Any]) -> int:
    signs = [c > 0 for c in coefficients if c != 0]
    return sum(a != b for a, b in pairwise(signs))
