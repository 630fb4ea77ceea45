"""Within what two numbers of a format are roundings of each other."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from scanproof.constructs.layouts import neutral
from scanproof.constructs.layouts.neutral import Model

NARROW, WIDE = Fraction(1, 2**20), Fraction(1, 2**44)
"""Relative, for models with float32 arrays, and for those with float64 arrays alone: a few products and sums."""


def of(model: Model) -> Fraction:
    """The relative deviation that is put down to rounding of a model's arrays: the coarsest format decides."""
    arrays = [*neutral.tensors(model).values(), *neutral.encoding(model).values()]
    wide = all(np.asarray(array).dtype == np.float64 for array in arrays)
    return WIDE if wide else NARROW
