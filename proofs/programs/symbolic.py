"""All rules for kernel arrays, in one table."""

from __future__ import annotations

from . import arithmetic, contraction, loops, structure

RULES = {**arithmetic.RULES, **structure.RULES, **contraction.RULES, **loops.RULES}
"""What each primitive means on kernel arrays, by its name."""

__all__ = ["RULES"]
