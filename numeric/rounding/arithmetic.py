"""What is assumed of the machine: each operation is off by a few unit roundoffs of its result, or underflows.

An operation on computed numbers gives (exact result)·(1 + δ) + η with |δ| ≤ k·u and |η| ≤ k·ν. u is the unit roundoff
of the result's format. ν is the smallest *normal* number, because XLA's CPU programs and some GPUs replace subnormal
numbers by 0, as operands and as results: every value carries that ν from the moment it is made. k is 1 for + − × and
√; `DIVISION` leaves room for a reciprocal that is then multiplied; exp, log and their kin are off by `FUNCTION`.

A sum of n numbers, and a product of matrices of inner length n, may be added up in any order, with or without fused
multiplication: relative to the sum of absolute values it is off by γ_n = n u / (1 − n u) (Higham, Accuracy and
Stability of Numerical Algorithms, 2nd ed., §3.1 and §4.2). Products of bfloat16 matrices are accumulated in float32,
but by units that may chop instead of rounding, so that `CHOPPED` units are allowed an addition.

Nothing may overflow: where a magnitude can leave the format, the bound is infinite.
"""

from __future__ import annotations

from typing import Any, NamedTuple

DIVISION = 4
"""Unit roundoffs of a division, a reciprocal or a reciprocal root."""
FUNCTION = 8
"""Unit roundoffs of exp, log, tanh, …: four units in the last place."""
LOG1P = 1024
"""Unit roundoffs of log(1 + x) in float64, of which XLA's CPU program is 236 off at x = −0.414."""
CHOPPED = 2
"""Unit roundoffs of an addition in a product of matrices with 16-bit entries."""


class Format(NamedTuple):
    """A floating-point format."""

    unit: float
    """u, the unit roundoff: half the distance from 1 to the next number."""
    tiny: float
    """ν, the smallest normal number."""
    largest: float
    operation: float = 1.0
    """What an operation rounds, in units: less than 1 where only what is stored is rounded to the format."""


FORMATS = {
    "float64": Format(2.0**-53, 2.0**-1022, (2 - 2.0**-52) * 2.0**1023),
    "float32": Format(2.0**-24, 2.0**-126, (2 - 2.0**-23) * 2.0**127),
    "bfloat16": Format(2.0**-8, 2.0**-126, (2 - 2.0**-7) * 2.0**127),
    "float16": Format(2.0**-11, 2.0**-14, 65504.0),
}
WIDE = {
    **FORMATS,
    "bfloat16": FORMATS["bfloat16"]._replace(
        operation=FORMATS["float32"].unit / FORMATS["bfloat16"].unit
    ),
}
"""The same formats where operations run in float32 at least, and what is stored is rounded to the format."""
OWN = FORMATS["float64"]
"""The format in which the bounds themselves are computed."""
OUTWARD = 1 + 2.0**-20
"""What the finished bound is multiplied by. Magnitudes and errors are made of non-negative numbers by additions,
multiplications and divisions in float64, so a bound made by up to 2³² of them in a row is too small by less."""


def format_of(dtype: Any) -> Format:
    """The format of a floating-point dtype.

    Raises:
        KeyError: if it is none of float64, float32, bfloat16 and float16.
    """
    return FORMATS[str(dtype)]


def gamma(terms: float, unit: float) -> float:
    """γ_n = n u / (1 − n u), infinite where n u ≥ 1."""
    return settled(terms * unit, terms * unit)


def settled(fixed: float, again: float) -> float:
    """The error e = fixed + again · e, of which a share comes back with each of its own; infinite where again ≥ 1."""
    return fixed / (1 - again) if again < 1 else float("inf")
