"""What to expect of rounding errors that are independent: not a bound, and called so."""

from __future__ import annotations

import math

import numpy as np

from .arithmetic import format_of
from .programs import ErrorBound, formats


def probable(
    known: ErrorBound, precision: object = "float32", *, failing: float = 1e-6
) -> np.ndarray:
    """What an entry's error exceeds with probability at most `failing`, if roundings are independent with mean 0.

    To first order the error is Σ_i δ_i A_i, where |δ_i| ≤ u and A_i is what the terms that rounding i scales add up to.
    In a program of sums and products A_i is at most the magnitude M, and u Σ_i A_i at most the bound E, so that the
    variance proxy is u² Σ A_i² ≤ u E M, and Hoeffding's inequality gives λ √(u E M) with λ = √(2 log(2 / failing)).
    For a sum of n numbers this is λ √n u M, where the bound is n u M. Real roundings are not independent, sums of
    many equal numbers least of all. Rounding of inputs to 16 bits is larger than u and is not covered.

    Args:
        known: the bound and the magnitude.
        precision: that of the run.
        failing: a probability.
    """
    unit = format_of(formats(precision)[2]).unit
    times = math.sqrt(2 * math.log(2 / failing))
    return np.minimum(known.bound, times * np.sqrt(unit * known.bound * known.magnitude))
