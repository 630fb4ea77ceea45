"""Coefficients of odd polynomials from their values at a few points: exact, and linear in the values."""

from __future__ import annotations

from fractions import Fraction

from scanproof.constructs.arrays.array_api import times

POINTS = (1, 2, 3, 4)
"""Arguments k; a polynomial is k times one of degree 3 in k²."""


def weights(power):
    """How the values at the points are weighed to give the coefficient of k^power, for odd power ≤ 7."""
    found = []
    for k in POINTS:
        basis = [
            Fraction(1, k)
        ]  # Lagrange's polynomial in k² that is 1/k at this point and 0 at the others
        for other in POINTS:
            if other != k:
                raised, kept = [Fraction(0), *basis], [*basis, Fraction(0)]
                pairs = zip(raised, kept, strict=True)
                basis = [(u - other**2 * v) / (k**2 - other**2) for u, v in pairs]
        found.append(basis[power // 2])
    return found


def coefficient(values, power):
    """The coefficient of k^power from values[k]."""
    pairs = zip(POINTS, weights(power), strict=True)
    return sum((times(u, values[k]) for k, u in pairs), start=0)


def coefficient_of_two(values, i, j):
    """The coefficient of k^i l^j from values[k, l]."""
    rows = {k: coefficient({l: values[k, l] for l in POINTS}, j) for k in POINTS}
    return coefficient(rows, i)
