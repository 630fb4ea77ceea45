"""A claim at exact numbers: its statements, whether their two sides differ, and the numbers as text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from ...exact.expressions import ExpressionField
from ...exact.instance import Point, scalars
from ...exact.mutation import OnLeaf
from ...exact.roots import FlintRootsField, RootsField, as_fractions
from ...exact.scalar import DivisionByZero, NotPolynomial
from ...language.claim import Claim
from ...language.numbers import exceeds, is_nonzero
from ...language.sizes import Sizes
from ...language.statements import AtMost, Statement
from .evaluate import evaluate
from .hypotheses import meets_hypotheses


def statements_at(
    claim: Claim, sizes: Sizes, point: Point, mutate: OnLeaf | None = None, numbers: Any = None
) -> list[Statement] | None:
    """The statements at a point in Python's fractions and roots, or in sympy's constants where exp and log need them.

    None where a hypothesis fails, a denominator vanishes, or a number has no exact form.
    """
    numbers = numbers or RootsField()
    try:
        if not meets_hypotheses(claim, sizes, point):
            return None
        try:
            found = evaluate(claim, numbers, sizes, scalars(claim, numbers, point), mutate)
        except NotPolynomial:
            field = ExpressionField([])
            found = evaluate(claim, field, sizes, scalars(claim, field, point), mutate)
    except (DivisionByZero, ZeroDivisionError, NotPolynomial):
        return None
    found = [replace(s, **{n: as_fractions(a) for n, a in _sides(s).items()}) for s in found]
    return found if all(map(_is_real, found)) else None


def quick_statements_at(
    claim: Claim, sizes: Sizes, point: Point, mutate: OnLeaf | None = None
) -> list[Statement] | None:
    """The same for a search, far faster on flint's numbers."""
    return statements_at(claim, sizes, point, mutate, FlintRootsField())


def _is_real(statement: Any) -> bool:
    """Whether both sides (or statistic and value) are finite real numbers in every entry."""
    entries = [e for side in _sides(statement).values() for e in side.flat]
    return all(isinstance(e, int | Fraction) or _is_finite(e) for e in entries)


def _sides(statement: Any) -> dict[str, np.ndarray]:
    """Its two sides, or statistic and value, by their names."""
    return {n: v for n, v in vars(statement).items() if isinstance(v, np.ndarray)}


def _is_finite(number: Any) -> bool:
    """Whether one of sympy's constants is a real number, and not one divided by 0, as sympy lets one write.

    Sympy takes milliseconds to deduce it of a sum of exponentials, of which it is seen.
    """
    if _is_seen_real(number):
        return True
    return not (
        number.is_extended_real is False or number.is_finite is False or number.has(*_no_numbers())
    )


def _is_seen_real(number: Any, positive: bool = False) -> bool:
    """Whether it is made of rational numbers, e and π by sums, products, exp, and powers of what is > 0, or counts."""
    if number.is_Rational or number.is_NumberSymbol:
        return bool(number > 0) or not positive
    if number.is_Add or number.is_Mul:
        return all(_is_seen_real(one, positive) for one in number.args)
    if number.func.__name__ == "exp":
        return _is_seen_real(number.exp)
    if not number.is_Pow or not number.exp.is_Rational:
        return False
    count = number.exp.is_Integer and number.exp > 0
    return _is_seen_real(number.base, positive or not count)


def _no_numbers() -> tuple[Any, ...]:
    import sympy

    return sympy.nan, sympy.zoo, sympy.oo


def difference_index(statement: Any) -> tuple[int, ...] | None:
    """The first entry in which two numeric sides differ (or, for ≤, the left exceeds the right)."""
    for index in np.ndindex(statement.left.shape):
        gap = statement.left[index] - statement.right[index]
        if isinstance(statement, AtMost):
            if exceeds(gap):
                return index
        elif is_nonzero(gap):
            return index
    return None


def inputs_as_text(point: Mapping[str, np.ndarray]) -> dict[str, Any]:
    """The point as nested lists of exact numbers in strings."""
    return {name: nested(array) for name, array in point.items()}


def nested(array: np.ndarray, relation: str = "") -> Any:
    """An array of numbers as nested lists of strings, each after `relation`; a 0-d array as one string."""
    if array.ndim == 0:
        return f"{relation}{_text(array.item())}"
    return [nested(np.asarray(row, dtype=object), relation) for row in array]


LONG = 40
"""Operations of an exact number from which on its terms are not ordered: sympy takes decimals of each to do it."""


def _text(number: Any) -> str:
    """The exact number, or its decimals where it has more digits than Python writes."""
    try:
        if hasattr(number, "count_ops") and number.count_ops() > LONG:
            return _unordered(number)
        return str(number)
    except ValueError:
        return f"{float(number):.12g}"


def _unordered(number: Any) -> str:
    """An exact number with its terms as they come: sympy's order takes decimals of each of them."""
    import sympy

    return sympy.sstr(number, order="none")
