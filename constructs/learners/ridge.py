"""Ridge regression (gd-ssm A.4, gril A.5): the squared error with ‖W‖² beside it, and descent on that."""

from __future__ import annotations

from fractions import Fraction

from .learner import Descent
from .losses import SquaredError

LOSS = SquaredError(Fraction(1, 2), mean=True, ridge=1)
"""(1/2N) Σ ‖Wᵀx_i − y_i‖² + ‖W‖²."""
LEARNER = Descent(LOSS)
