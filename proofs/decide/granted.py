"""What an answer about programs takes for granted beside what was read: the format of inputs, and domains.

Rounding is not looked at, but a program may ask for the format: `x.dtype == jnp.float32`, `jnp.finfo(x.dtype).eps`.
What was proved of it then holds for inputs of one format. And an identity at some sizes is one of rational functions
and of functions that are known by their names: it says nothing where a denominator is 0, or a logarithm has no value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from ..doors.jaxpr.tracing import FORMATS, Format, Given, format_of, in_format
from ..statement.conditions import DOMAINS, LOGARITHMS, NO_DENOMINATOR_IS_0, NOT_BELOW, domain
from ..statement.formats import REAL
from ..statement.nodes import Node
from ..statement.statement import every_node

CASTS = ("convert_element_type", "reduce_precision", "copy", "copy_p")
"""What a program has in one format and not in another, and does not change a real number."""
NEAR = 1e-5
"""Numbers of two formats that are this near, for their size, are one number rounded."""


def difference(function: Callable[..., Any], shapes: Sequence[Sequence[int]]) -> str | None:
    """In which format a program does something else, in words; None if it does the same, or has one format only."""
    own, other = format_of(function), FORMATS[1]
    if own != FORMATS[0]:
        return None
    with suppress(Exception):  # it may take no other format
        one, two = (list(_done(_in(form, function, shapes))) for form in (own, other))
        if len(one) != len(two) or not all(map(_alike, one, two)):
            return (
                f"inputs are of the format {own.name}: with {other.name} the program is another one"
            )
    return None


def domains(function: Callable[..., Any], shapes: Sequence[Sequence[int]]) -> list[str]:
    """Where the functions that a program takes are not defined, in words; its operations are looked at alone."""
    used = set(_done(_in(format_of(function), function, shapes)))
    return [said for said, names in OUTSIDE.items() if used & names]


def of_nodes(outputs: Sequence[Node]) -> list[str]:
    """The same of a program that is read as nodes."""
    return list(dict.fromkeys(filter(None, map(domain, every_node(outputs)))))


def _in(form: Format, function: Callable[..., Any], shapes: Sequence[Sequence[int]]) -> Any:
    """The jaxpr with real inputs of a format."""
    return in_format(function, [Given(tuple(one), REAL) for one in shapes], form).jaxpr


OUTSIDE = {
    NO_DENOMINATOR_IS_0: {"div", "rem", "rsqrt", "pow", "triangular_solve"},
    LOGARITHMS: {"log", "log1p", "log2"},
    NOT_BELOW: {"sqrt", "rsqrt"},
    **{DOMAINS[name]: {name} for name in ("asin", "acos", "acosh", "atanh")},
}


def _done(closed: Any) -> Iterator[str | float]:
    """The operations of a program, and its numbers, in order."""
    yield from _numbers(closed.consts)
    for equation in closed.jaxpr.eqns:
        name = equation.primitive.name
        if name not in CASTS:
            yield "div" if name == "integer_pow" and equation.params["y"] < 0 else name
            yield from _numbers([v.val for v in equation.invars if hasattr(v, "val")])
        for value in equation.params.values():
            for inner in value if isinstance(value, tuple | list) else (value,):
                if hasattr(inner, "eqns"):
                    inner = _Closed(inner)
                if hasattr(inner, "jaxpr"):
                    yield from _done(inner)


class _Closed:
    """A program without constants."""

    def __init__(self, jaxpr: Any) -> None:
        self.jaxpr, self.consts = jaxpr, ()


def _numbers(values: Sequence[Any]) -> Iterator[float]:
    for value in values:
        array = np.asarray(value)
        if array.dtype.kind not in "OV":
            yield from np.ravel(np.real(array)).astype(float)[:100].tolist()


def _alike(one: str | float, other: str | float) -> bool:
    if isinstance(one, str) or isinstance(other, str):
        return one == other
    return one == other or abs(one - other) <= NEAR * abs(one) or (one != one and other != other)
