"""The equations of a jaxpr: which are needed, which programs they run, and the user's lines that they came from."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ...interpret.questions import shown


def needed(jaxpr: Any) -> list[Any]:
    """The equations that the outputs depend on: a program may trace others, for shapes or checks."""
    wanted, found = {v for v in jaxpr.outvars if not hasattr(v, "val")}, []
    for equation in reversed(jaxpr.eqns):
        if not wanted.isdisjoint(equation.outvars) or equation.primitive.name == "swap":
            wanted.update(v for v in equation.invars if not hasattr(v, "val"))
            found.append(equation)
    return found[::-1]


TURN = re.compile(r"\.<locals>\._scanproof_\w+")
"""How functions are called that a loop's body was made."""


def place(equation: Any) -> str:
    """The user's line that an equation came from, or "" where JAX does not say."""
    try:
        from jax._src.source_info_util import summarize

        where = summarize(equation.source_info)
        file, colon, rest = where.partition(":")
        return f"{shown(file)}{colon}{TURN.sub('', rest)}" if colon else ""
    except (ImportError, AttributeError, TypeError):
        return ""


def equations(jaxpr: Any) -> Iterator[Any]:
    """Every equation of a jaxpr, and of those inside it."""
    for equation in getattr(jaxpr, "jaxpr", jaxpr).eqns:
        yield equation
        for one in inner(equation):
            yield from equations(one)


def formats(jaxpr: Any) -> Iterator[str]:
    """The formats of all that a jaxpr computes."""
    for equation in equations(jaxpr):
        yield from (str(v.aval.dtype) for v in equation.outvars if hasattr(v.aval, "dtype"))


def inner(equation: Any) -> Iterator[Any]:
    """The jaxprs, open or closed, that an equation runs."""
    for value in equation.params.values():
        for one in value if isinstance(value, tuple | list) else (value,):
            if hasattr(one, "eqns") or hasattr(one, "jaxpr"):
                yield one
