"""What each primitive of JAX becomes, in one table."""

from __future__ import annotations

from . import comparing, control, entrywise, moving, places, summing
from .complex_numbers import with_complex_numbers
from .lowering import Rule
from .transforms import with_transforms

RULES: dict[str, Rule] = with_transforms(
    with_complex_numbers(
        {
            **entrywise.RULES,
            **comparing.RULES,
            **moving.RULES,
            **summing.RULES,
            **places.RULES,
            **control.RULES,
        }
    )
)
"""The rule for each primitive, by its name."""
