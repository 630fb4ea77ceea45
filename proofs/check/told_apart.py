"""Which sizes would have to be told apart for a question about them to have one answer in each case."""

from __future__ import annotations

import math
import operator
from collections import Counter
from functools import reduce

from ..doors.refused import Depends
from ..language.partition import Number, Order, Remainder, Split
from ..statement.whole import Monomial, Size, parts
from ..statement.whole import Number as WholeNumber


def cases(one: Depends | None) -> Split | None:
    """The cases in each of which what was asked has one answer; None if none are seen."""
    if one is None:
        return None
    return _by_sign(one.number) if one.by is None else _by_remainder(one.number, one.by)


def _by_sign(gap: WholeNumber) -> Split | None:
    """Those in which a number, without the sizes that are factors of it, is negative, 0 or positive throughout."""
    terms, const = _linear(_without_factors(dict(parts(gap))))
    if len(terms) == 1:
        ((name, c),) = terms.items()
        return Number(name, -const // c if c > 0 else const // -c)
    if sorted(terms.values()) == [-1, 1]:
        one, other = terms
        return Order(one, other)
    return None


def _by_remainder(number: WholeNumber, by: WholeNumber) -> Split | None:
    """Those in which a number divided by another leaves one remainder."""
    if isinstance(number, int):  # a divisor that is greater leaves it, as in rolls by 1
        return _by_sign(by - abs(number))
    if not isinstance(by, int) or not by:
        return None
    for name, c in _linear(dict(parts(number)))[0].items():
        among = abs(by) // math.gcd(c, by)
        if among > 1:
            return Remainder(name, among)
    return None


Sum = dict[Monomial, int]
"""Products of sizes, with their coefficients."""


def _without_factors(number: Sum) -> Sum:
    """The sum without the sizes that are factors of all its terms."""
    common = reduce(operator.and_, map(Counter, number)) if number else Counter()
    shared = {m: tuple((Counter(m) - common).elements()) for m in number}
    return {shared[m]: c for m, c in number.items()}


def _linear(number: Sum) -> tuple[dict[str, int], int]:
    """The sizes with their coefficients, and what is added; no sizes where it is not such a sum."""
    found = dict(number)
    const = found.pop((), 0)
    if not all(len(m) == 1 and isinstance(m[0], Size) for m in found):
        return {}, const
    return {m[0].name: c for m, c in found.items()}, const  # type: ignore[union-attr]
