"""A jaxpr computed exactly at numeric sizes: object arrays of a field's scalars, NumPy's integers and booleans.

It shares no rule with the symbolic interpretation, which is compared with it at small sizes.
"""

from . import arithmetic, comparisons, loops, structure, sums
from .computer import Computer

RULES = {**arithmetic.RULES, **comparisons.RULES, **structure.RULES, **sums.RULES, **loops.RULES}
"""What each primitive means on exact numbers, by its name."""

__all__ = ["RULES", "Computer"]
