"""All rules for kernel arrays, in one table."""

from __future__ import annotations

from typing import Any

from ..array import KernelArray
from ..questions import Unreadable
from . import (
    arithmetic,
    associative,
    contraction,
    control_flow,
    convolution,
    long_axes,
    roots,
    scattering,
    structure,
    triangular,
)
from .values import whole

RULES = {
    **arithmetic.RULES,
    **structure.RULES,
    **scattering.RULES,
    **contraction.RULES,
    **control_flow.RULES,
    **associative.RULES,
    **triangular.RULES,
    **convolution.RULES,
}
"""What each primitive means on kernel arrays, by its name."""

ENTRYWISE = (
    *("add", "add_any", "sub", "mul", "div", "neg", "integer_pow", "square", "one_minus_square"),
    *(
        "exp",
        "log",
        "log1p",
        "log2",
        "expm1",
        "sqrt",
        "rsqrt",
        "logistic",
        "sin",
        "cos",
        "tanh",
        "abs",
    ),
    "convert_element_type",
)
"""Primitives that make each entry of those at its place."""
ALONG = {
    **dict.fromkeys(ENTRYWISE, long_axes.entrywise),
    "reduce_sum": long_axes.summed,
    "transpose": long_axes.transposed,
    "dot_general": long_axes.contracted,
    "broadcast_in_dim": long_axes.spread,
}
"""How a primitive is read along axes that a reshape joined."""
RULES |= {name: long_axes.as_they_are(change)(RULES[name]) for name, change in ALONG.items()}

KEEPING = (
    *("reshape", "slice", "gather", "dynamic_slice", "concatenate"),
    *("convert_element_type", "stop_gradient", "copy", "optimization_barrier"),
)
"""Primitives that may leave axes that a reshape joined, and arrays end to end, as they are."""


def prepared(name: str, value: Any) -> Any:
    """An input as its rule takes it."""
    long = (name in ALONG or name == "scan") and long_axes.is_long(value)
    return value if long or name in KEEPING else whole(value)


def made(equation: Any, values: list[Any]) -> list[Any]:
    """What an equation makes, with roots of sizes in one form.

    Booleans that were read as real numbers are refused: their sums and products are other ones (1 + 1 is 1).

    Raises:
        Unreadable: for them.
    """
    for variable, value in zip(equation.outvars, values, strict=True):
        real = variable.aval.dtype == bool and isinstance(value, KernelArray)
        if real and equation.primitive.name not in control_flow.RULES:
            raise Unreadable("arithmetic of booleans")
    return [roots.combined(one) if isinstance(one, KernelArray) else one for one in values]
