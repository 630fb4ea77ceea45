"""Equations between programs as text, a line each, for tables of many."""

import re
from collections.abc import Callable
from typing import Any, NamedTuple


class Equation(NamedTuple):
    """Two functions of arrays of these shapes, which are equal or not."""

    shapes: str
    left: Callable[..., Any]
    right: Callable[..., Any]
    holds: bool


def equations(names: dict[str, Any], text: str) -> dict[str, Equation]:
    """By its name each equation of a text: `name | x: T d, y: T | x[:, 0] + y = y + x[:, 0]`.

    Args:
        names: what the expressions use besides the arrays: `globals()`, mostly.
        text: an equation a line, or an inequation, with ≠; a line that begins with spaces goes on.
    """
    found = {}
    for line in re.sub(r"\n +", " ", text).strip().splitlines():
        name, shapes, equation = line.split(" | ")
        left, sign, right = re.split(" ([=≠]) ", equation)
        arrays = ", ".join(part.partition(":")[0] for part in shapes.split(", "))
        one, other = (function_of(arrays, side, names) for side in (left, right))
        found[name] = Equation(shapes, one, other, sign == "=")
    return found


def function_of(arrays: str, expression: str, names: dict[str, Any]) -> Callable[..., Any]:
    """The function of the arrays that an expression is; of `f(x, y)` it is f itself."""
    called = expression.removesuffix(f"({arrays})")
    if called != expression and called.isidentifier():
        return names[called]
    code = compile(f"lambda {arrays}: {expression}", names["__file__"], "eval")
    return eval(code, names)  # as if it were written there: what it asks of sizes is a user's
