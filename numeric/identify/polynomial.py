"""Predictions of a neutral model as exact numbers and as polynomials in the examples and the query.

The numbers of the weights are binary fractions, so nothing is rounded. Three kinds of scalars run the definition:
rationals at a point, polynomials as far as a budget of work goes, and degrees, which bound that of the prediction and
so the chance that two different predictions agree at a random point (Schwartz–Zippel).
"""

from __future__ import annotations

import hashlib
import math
import operator
import random
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from scanproof.constructs.arrays.scan import leaves
from scanproof.constructs.layouts.neutral import Model, mapped, predict, sizes
from scanproof.proofs.doors.record.exactly import Record
from scanproof.proofs.exact.entries import arranged, filled
from scanproof.proofs.exact.polynomials import FlintField, RationalField, rational_root
from scanproof.proofs.exact.scalar import DivisionByZero, NotPolynomial, Ratio, as_fraction

from .neutral_form import arrays

BITS = 64
"""Random points have whole coordinates below 2^BITS."""
BUDGET = 20_000_000
"""Products of terms, with up to eight symbols and short coefficients, that a polynomial may cost: about a second."""
MANY = 32
"""Products of terms in one multiplication above which the length of coefficients counts too."""
NO_POLYNOMIAL = (NotPolynomial, DivisionByZero, ZeroDivisionError)
"""The errors that a prediction raises if it is not a polynomial in the data."""

Coefficients: TypeAlias = dict[tuple[int, ...], Fraction]
"""Of a polynomial, by the exponents of its field's symbols, in their order."""


class OverBudget(Exception):
    """A polynomial would cost more than its budget."""


def _matmul(self: Any, left: np.ndarray, right: np.ndarray) -> Any:
    """The product of two matrices or vectors without the terms that are 0 in every sum.

    Released layers are padded with zeros: of a model with 16 keys for 2 features hardly one entry in a hundred is none.
    """
    if left.ndim > 2 or right.ndim > 2:
        return np.matmul(left, right)
    columns = left.astype(bool).reshape(-1, left.shape[-1]).any(axis=0)
    met = columns & right.astype(bool).reshape(len(right), -1).any(axis=1)
    if not met.any():
        return filled(left.shape[:-1] + right.shape[1:], self.number(0))[()]
    return np.matmul(left[..., met], right[met])


class Rational(RationalField):
    """`flint.fmpq`: exact numbers, several times faster than `fractions.Fraction`."""

    matmul = _matmul

    def __init__(self) -> None:
        import flint

        self._made = flint.fmpq

    def number(self, value: Any) -> Any:
        """A number as an exact fraction of the library."""
        if isinstance(value, self._made):
            return value
        exact = as_fraction(value)
        return self._made(exact.numerator, exact.denominator)

    def sqrt(self, scalar: Any) -> Any:
        """The exact square root of a number that has one."""
        return self.number(_root(fraction(scalar)))


def _root(value: Fraction) -> Fraction:
    """√value, in float64 if it is irrational: modules scale queries by a root that their language has rounded, too."""
    if value < 0:
        raise NotPolynomial("the root of a negative number")
    root = rational_root(value)
    return Fraction(math.sqrt(value)) if root is None else root


class _Budget:
    """Work that may still be done.

    What has no budget left is not computed, and nothing is raised until all is over: NumPy's product of object arrays
    (2.4) loses references to entries when one of their operations raises, and the interpreter crashes later.
    """

    __slots__ = ("left", "words")

    def __init__(self, left: int, words: int) -> None:
        self.left = left
        self.words = words

    def pays(self, terms: int) -> bool:
        self.left -= terms * self.words
        return self.left >= 0


class _Paid:
    """A polynomial of flint whose products and sums are paid from a budget; never a sequence for NumPy."""

    __slots__ = ("budget", "poly")

    def __init__(self, poly: Any, budget: _Budget) -> None:
        self.poly = poly
        self.budget = budget

    def _computed(self, operation: Callable[..., Any], other: _Paid, terms: int) -> _Paid:
        if not self.budget.pays(terms):
            return self
        return _Paid(operation(self.poly, other.poly), self.budget)

    def __add__(self, other: _Paid) -> _Paid:
        return self._computed(operator.add, other, len(self.poly) + len(other.poly))

    def __sub__(self, other: _Paid) -> _Paid:
        return self._computed(operator.sub, other, len(self.poly) + len(other.poly))

    def __mul__(self, other: Any) -> _Paid:
        if not isinstance(other, _Paid):
            return _Paid(self.poly * other, self.budget)
        terms = len(self.poly) * len(other.poly)
        if terms > MANY:  # the length of the coefficients is looked at where it matters
            leading = (each.leading_coefficient().height_bits() for each in (self, other))
            terms *= 1 + sum(leading) // BITS
        return self._computed(operator.mul, other, terms)

    def __neg__(self) -> _Paid:
        return _Paid(-self.poly, self.budget)

    def __bool__(self) -> bool:
        return bool(self.poly)

    def is_constant(self) -> bool:
        return self.poly.is_constant()

    def leading_coefficient(self) -> Any:
        return self.poly.leading_coefficient()


class Polynomials(FlintField):
    """Polynomials over Q as far as a budget goes; results mean something only while there is some left."""

    matmul = _matmul

    def __init__(self, symbols: list[str], budget: int = BUDGET) -> None:
        super().__init__(symbols)
        self.budget = paid = _Budget(budget, 1 + len(symbols) // 8)
        constant = self._constant
        self._constant = lambda value: _Paid(constant(value), paid)
        self.generators = {n: Ratio(_Paid(g.num, paid)) for n, g in self.generators.items()}

    def sqrt(self, scalar: Ratio) -> Ratio:
        """The exact square root of a constant; raises NotPolynomial for anything else."""
        if scalar.den is not None or not scalar.num.is_constant():
            raise NotPolynomial("sqrt")
        return self.number(
            _root(fraction(scalar.num.leading_coefficient()) if scalar else Fraction(0))
        )

    @property
    def is_spent(self) -> bool:
        """Whether the budget is; then nothing computed with these polynomials means anything."""
        return self.budget.left < 0


class _Degree:
    """An upper bound of a polynomial's total degree; −1 for 0."""

    __slots__ = ("bound",)

    def __init__(self, bound: int) -> None:
        self.bound = bound

    def __bool__(self) -> bool:
        return self.bound >= 0

    def __add__(self, other: _Degree) -> _Degree:
        return self if self.bound >= other.bound else other

    __sub__ = __add__

    def __neg__(self) -> _Degree:
        return self

    def __mul__(self, other: _Degree) -> _Degree:
        if not (self and other):
            return other if self else self
        return _Degree(self.bound + other.bound)

    def __truediv__(self, other: _Degree) -> _Degree:
        if other.bound != 0:
            raise NotPolynomial("a quotient")
        return self


class _Degrees(RationalField):
    name = "degrees"
    matmul = _matmul

    def number(self, value: Any) -> _Degree:
        return value if isinstance(value, _Degree) else _Degree(0 if as_fraction(value) else -1)

    def sqrt(self, scalar: _Degree) -> _Degree:
        if scalar.bound > 0:
            raise NotPolynomial("sqrt")
        return scalar


RATIONAL = Rational()


def fraction(value: Any) -> Fraction:
    """A scalar of flint as a Python number."""
    return Fraction(int(value.p), int(value.q))


def fractions(array: Any) -> np.ndarray:
    """An array of floats as the numbers that they are."""
    return _each(array, lambda number: number)


def exact(model: Model, field: Any = RATIONAL) -> Model:
    """The model, in floats, with the numbers of its arrays as scalars of a field."""
    return mapped(lambda array: _each(array, field.number), model)


def predicted(field: Any, model: Model, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The prediction of a model for such data, (k,), all of them scalars of a field."""
    given = model, x, y
    key = tuple(one.shape if isinstance(one, np.ndarray) else one for one in leaves(given))
    if key not in _recorded:
        if len(_recorded) == RECORDED:
            _recorded.clear()
        _recorded[key] = Record(lambda xp, *given: predict(*given), *given)
    return _recorded[key](field, *given)


_recorded: dict[Any, Record] = {}
"""Predictions by the shapes of what they are of: each is read at many numbers."""
RECORDED = 64


def _each(array: Any, function: Callable[[Fraction], Any]) -> np.ndarray:
    """A function of every entry, called once for equal ones."""
    values, which = np.unique(np.asarray(array), return_inverse=True)
    made = np.empty(len(values), dtype=object)
    made[:] = [function(Fraction(value)) for value in values.tolist()]
    return made[which.ravel()].reshape(np.shape(array))


class Symbols(NamedTuple):
    """What n examples and a query are made of: y_1, …, y_n (y_1[1], … for several targets), then x_1[1], …, x_q[d]."""

    n: int
    d: int
    k: int
    linear: bool = False
    """Whether targets are Wᵀx_j, with symbols W[1], … (W[1,1], … for several) instead of those for y."""

    @property
    def targets(self) -> int:
        """How many symbols are those of targets."""
        return self.k * (self.d if self.linear else self.n)

    @property
    def names(self) -> list[str]:
        """In their order."""
        rows = range(1, 1 + self.targets // self.k)
        one, several = ("W[{0}]", "W[{0},{1}]") if self.linear else ("y_{0}", "y_{0}[{1}]")
        target = several if self.k > 1 else one
        targets = [target.format(row, c) for row in rows for c in range(1, self.k + 1)]
        inputs = [*range(1, self.n + 1), "q"]
        return targets + [f"x_{row}[{a}]" for row in inputs for a in range(1, self.d + 1)]

    def data(self, field: Any, values: Sequence[Any]) -> tuple[np.ndarray, np.ndarray]:
        """x (n + 1, d) with the query last and y (n, k), for these values of the symbols."""
        given = [field.number(value) for value in values]
        targets = arranged(given[: self.targets], (-1, self.k))
        x = arranged(given[self.targets :], (self.n + 1, self.d))
        return x, field.matmul(x[:-1], targets) if self.linear else targets

    def polynomials(self) -> tuple[Polynomials, tuple[np.ndarray, np.ndarray]]:
        """A field of these symbols, and the data that they are."""
        field = Polynomials(self.names)
        return field, self.data(field, list(field.generators.values()))

    def random(self, chance: random.Random) -> tuple[np.ndarray, np.ndarray]:
        """Data of whole numbers, at random below 2^BITS."""
        return self.data(RATIONAL, [chance.getrandbits(BITS) for _ in self.names])


def coefficients(model: Model, field: Polynomials, x: Any, y: Any) -> list[Coefficients]:
    """Those of the prediction, for each target.

    Args:
        model: in floats.
        field: its budget is drawn on.
        x: polynomials, (n + 1, d).
        y: polynomials, (n, k).

    Raises:
        OverBudget: if the polynomials get too large.
        NotPolynomial: if the prediction is none.
    """
    found = predicted(field, exact(model, field), x, y)
    if field.is_spent:
        raise OverBudget
    return [by_exponents(entry) for entry in found]


def by_exponents(scalar: Ratio) -> Coefficients:
    """The coefficients of a polynomial.

    Raises:
        NotPolynomial: if it is a fraction.
    """
    if scalar.den is not None:
        raise NotPolynomial("a quotient")
    return {powers: fraction(c) for powers, c in scalar.num.poly.to_dict().items()}


def degree(model: Model, n: int, *, linear: bool = False) -> int:
    """An upper bound of the prediction's total degree in the symbols of the data.

    Raises:
        NotPolynomial: if it divides by them.
    """
    field, symbols = _Degrees(), Symbols(n, *sizes(model), linear)
    x, y = symbols.data(field, [_Degree(1)] * len(symbols.names))
    return max(entry.bound for entry in predicted(field, exact(model, field), x, y))


def source_of_chance(model: Model) -> random.Random:
    """Random numbers that are the same for the same weights, and that weights can hardly be fitted to."""
    digest = hashlib.sha256()
    for name, array in sorted(arrays(model).items()):
        digest.update(name.encode())
        digest.update(np.ascontiguousarray(array, dtype=np.float64).tobytes())
    return random.Random(digest.digest())
