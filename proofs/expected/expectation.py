"""Expectations of polynomials in independent symmetric variables: monomial by monomial, by their moments.

E[x₁^a x₂^b …] = E[x₁^a] E[x₂^b] …, and an odd moment is 0. The moments m₂, m₄, … of the common distribution stay
symbols, so that one computation is for every symmetric distribution.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..exact.entries import arranged, filled
from ..exact.polynomials import FlintField
from ..exact.scalar import Ratio

ORDERS = (2, 4, 6, 8)
"""The moments that have symbols."""
MOMENTS = tuple(f"m{order}" for order in ORDERS)


class RandomArrays:
    """Arrays of random symbols beside symbols that are not random, and expectations over the former.

    Args:
        shapes: the random arrays by name.
        free: names of symbols that are kept, such as a step size.
    """

    def __init__(self, shapes: dict[str, tuple[int, ...]], free: Iterable[str] = ()) -> None:
        names = [
            f"{name}[{','.join(map(str, index))}]"
            for name, shape in shapes.items()
            for index in np.ndindex(shape)
        ]
        self.free = tuple(free)
        self.field = FlintField([*names, *self.free, *MOMENTS])
        self._random = len(names)
        symbols = iter(self.field.generators.values())
        self.arrays: dict[str, np.ndarray] = {}
        for name, shape in shapes.items():
            self.arrays[name] = arranged((next(symbols) for _ in np.ndindex(shape)), shape)

    def symbol(self, name: str) -> np.ndarray:
        """A symbol that is not random, as an array of shape ()."""
        return filled((), self.field.generators[name])

    def expectation(self, value: Ratio) -> dict[tuple[int, ...], Any]:
        """The expectation of a polynomial, as coefficients by the exponents of the free symbols and the moments.

        Raises:
            ArithmeticError: if it is no polynomial, or has a higher moment than the last of `ORDERS`.
        """
        return self._of(_polynomial(value))

    def of_product(self, left: Ratio, right: Ratio) -> dict[tuple[int, ...], Any]:
        """The expectation of a product, for which terms are multiplied that are odd in the same variables.

        The product of any other two is odd in some variable, and its expectation 0.
        """
        found: dict[tuple[int, ...], Any] = {}
        others = self._by_parity(_polynomial(right))
        for odd, part in self._by_parity(_polynomial(left)).items():
            if odd in others:
                for key, c in self._of(part * others[odd]).items():
                    found[key] = found.get(key, 0) + c
        return {key: c for key, c in found.items() if c}

    def _by_parity(self, polynomial: Any) -> dict[tuple[int, ...], Any]:
        """The terms by the random variables in which they are odd."""
        parts: dict[tuple[int, ...], dict[Any, Any]] = {}
        for exponents, coefficient in polynomial.to_dict().items():
            odd = tuple(k for k, e in enumerate(exponents[: self._random]) if e and e % 2)
            parts.setdefault(odd, {})[exponents] = coefficient
        context = polynomial.context()
        return {odd: context.from_dict(terms) for odd, terms in parts.items()}

    def _of(self, polynomial: Any) -> dict[tuple[int, ...], Any]:
        found: dict[tuple[int, ...], Any] = {}
        for exponents, coefficient in polynomial.to_dict().items():
            orders = [e for e in exponents[: self._random] if e]
            if any(order % 2 for order in orders):
                continue
            if orders and max(orders) > ORDERS[-1]:
                raise ArithmeticError(
                    f"a moment of order {max(orders)} is needed; {ORDERS} are there"
                )
            kept = list(exponents[self._random :])
            for order in orders:
                kept[len(self.free) + ORDERS.index(order)] += 1
            key = tuple(kept)
            found[key] = found.get(key, 0) + coefficient
        return {key: c for key, c in found.items() if c}


def _polynomial(value: Ratio) -> Any:
    if value.den is not None:
        raise ArithmeticError("no polynomial in the data: its expectation is not one of moments")
    return value.num
