"""All rules for kernel arrays, in one table."""

from __future__ import annotations

from typing import Any

from ..array import KernelArray
from ..questions import Unreadable
from . import arithmetic, associative, contraction, control_flow, scattering, structure
from .values import whole

RULES = {
    **arithmetic.RULES,
    **structure.RULES,
    **scattering.RULES,
    **contraction.RULES,
    **control_flow.RULES,
    **associative.RULES,
}
"""What each primitive means on kernel arrays, by its name."""

KEEPING = (
    *("reshape", "slice", "gather", "dynamic_slice", "concatenate"),
    *("convert_element_type", "stop_gradient", "copy", "optimization_barrier"),
)
"""Primitives that may leave axes that a reshape joined, and arrays end to end, as they are."""


def prepared(name: str, value: Any) -> Any:
    """An input as its rule takes it."""
    return value if name in KEEPING else whole(value)


def made(equation: Any, values: list[Any]) -> None:
    """Refuse booleans that were read as real numbers: their sums and products are other ones (1 + 1 is 1).

    Raises:
        Unreadable: for them.
    """
    for variable, value in zip(equation.outvars, values, strict=True):
        real = variable.aval.dtype == bool and isinstance(value, KernelArray)
        if real and equation.primitive.name not in control_flow.RULES:
            raise Unreadable("arithmetic of booleans")
