"""The matrix product of Fractions, in whole numbers: a sum of products is reduced once, not after every step."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from .entries import arranged


def product_of_fractions(left: np.ndarray, right: np.ndarray) -> Any:
    """left @ right, over a common denominator of each side; NumPy's where not all entries are Fractions."""
    one, other = _whole(left), _whole(right)
    if one is None or other is None:
        return np.matmul(left, right)
    (numerators, p), (others, q) = one, other
    product = np.matmul(numerators, others)
    if not isinstance(product, np.ndarray):  # of two vectors
        return Fraction(product, p * q)
    if p * q == 1:
        return arranged(map(Fraction, product.flat), product.shape)
    return arranged((Fraction(n, p * q) for n in product.flat), product.shape)


def _whole(array: np.ndarray) -> tuple[np.ndarray, int] | None:
    """The array times a number that all denominators divide, and that number; None if not all entries are Fractions."""
    entries = array.ravel().tolist()
    if any(type(e) is not Fraction for e in entries):
        return None
    common = math.lcm(*[e.denominator for e in entries])
    if common == 1:
        return arranged((e.numerator for e in entries), array.shape), 1
    return arranged((e.numerator * (common // e.denominator) for e in entries), array.shape), common
