"""A rational function of sizes, rates and moments: found by interpolation, evaluated at numbers, written out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import flint

from .expectation import MOMENTS
from .moments import Distribution

SYMBOLS = ("N", "f", "eta", *MOMENTS, "v", "s2")
"""Examples, features, step size, moments of an input's entry, variance of a weight, variance of the noise."""
CONTEXT = flint.fmpq_mpoly_ctx.get(SYMBOLS, flint.Ordering.degrevlex)
SYMBOL = dict(zip(SYMBOLS, CONTEXT.gens(), strict=True))
ONE = CONTEXT.constant(1)

Coefficients = Mapping[tuple[int, ...], Any]
"""By the exponents of η and of the moments."""


class NotOfThatDegree(ArithmeticError):
    """A value at a further size is not the one that was interpolated."""


@dataclass(frozen=True)
class Formula:
    """numerator / denominator in the symbols `SYMBOLS`."""

    numerator: Any
    denominator: Any = field(default_factory=lambda: ONE)

    def __add__(self, other: Formula) -> Formula:
        top = self.numerator * other.denominator + other.numerator * self.denominator
        return Formula(top, self.denominator * other.denominator).reduced()

    def __sub__(self, other: Formula) -> Formula:
        return self + Formula(-1 * other.numerator, other.denominator)

    def __mul__(self, other: Formula) -> Formula:
        return Formula(
            self.numerator * other.numerator, self.denominator * other.denominator
        ).reduced()

    def __truediv__(self, other: Formula) -> Formula:
        return Formula(
            self.numerator * other.denominator, self.denominator * other.numerator
        ).reduced()

    def reduced(self) -> Formula:
        """Without common factors, the denominator's leading coefficient 1."""
        common = self.numerator.gcd(self.denominator)
        top, bottom = (divmod(part, common)[0] for part in (self.numerator, self.denominator))
        leading = bottom.leading_coefficient()
        return Formula(top / leading, bottom / leading)

    def coefficient(self, symbol: str, power: int) -> Formula:
        """Of a power of a symbol that is not in the denominator."""
        place = SYMBOLS.index(symbol)
        found = {
            (*exponents[:place], 0, *exponents[place + 1 :]): c
            for exponents, c in self.numerator.to_dict().items()
            if exponents[place] == power
        }
        return Formula(CONTEXT.from_dict(found), self.denominator).reduced()

    def at(
        self,
        inputs: Distribution,
        *,
        N: int = 1,
        f: int = 1,
        eta: Fraction | int = 0,
        v: Fraction | int = 1,
        s2: Fraction | int = 0,
    ) -> Fraction:
        """The value for inputs of this distribution.

        Raises:
            ZeroDivisionError: where the denominator is 0.
        """
        values = {"N": N, "f": f, "eta": eta, "v": v, "s2": s2}
        values |= {name: inputs.moment(int(name[1:])) for name in MOMENTS}
        point = [flint.fmpq(*Fraction(values[name]).as_integer_ratio()) for name in SYMBOLS]
        top, bottom = (part(*point) for part in (self.numerator, self.denominator))
        quotient = Fraction(int(top.p), int(top.q)) / Fraction(int(bottom.p), int(bottom.q))
        return quotient

    def put(self, inputs: str) -> Any:
        """As a sympy expression in lowest terms, factored.

        Args:
            inputs: "uniform" on (−a, a), "normal" with deviation σ, or "any" with moments m₂, m₄, ….
        """
        import sympy

        symbols: dict[str, Any] = {n: sympy.Symbol(n, positive=True) for n in SYMBOLS}
        symbols["s2"] = sympy.Symbol("s", positive=True) ** 2
        a, sigma = sympy.symbols("a sigma", positive=True)
        if inputs != "any":
            scale = a if inputs == "uniform" else sigma
            for name in MOMENTS:
                moment = Distribution(inputs).moment(int(name[1:]))
                symbols[name] = sympy.Rational(*moment.as_integer_ratio()) * scale ** int(name[1:])
        values = [symbols[name] for name in SYMBOLS]
        top, bottom = (_as_sympy(part, values) for part in (self.numerator, self.denominator))
        return sympy.factor(sympy.cancel(top / bottom))


def _as_sympy(polynomial: Any, values: Sequence[Any]) -> Any:
    import sympy

    return sympy.Add(
        *(
            sympy.Mul(
                sympy.Rational(int(c.p), int(c.q)),
                *(x**e for x, e in zip(values, exps, strict=True)),
            )
            for exps, c in polynomial.to_dict().items()
        )
    )


def constant(value: Fraction | int) -> Formula:
    """A number."""
    return Formula(CONTEXT.constant(flint.fmpq(*Fraction(value).as_integer_ratio())))


def symbol(name: str) -> Formula:
    """One of `SYMBOLS`."""
    return Formula(SYMBOL[name])


def interpolated(
    value: Callable[[int, int], Coefficients],
    degree_N: int,
    degree_f: int,
    further: Iterable[tuple[int, int]],
) -> Formula:
    """The polynomial in N and f of at most these degrees that has these values, and has them at further sizes, too.

    Lagrange's: right where the bounds on the degrees are, which the caller argues. The sizes from 1 on are used.

    Raises:
        NotOfThatDegree: if a value at one of the further sizes differs: a bound was wrong.
    """
    every_N, every_f = range(1, degree_N + 2), range(1, degree_f + 2)
    total = CONTEXT.constant(0)
    for N in every_N:
        for f in every_f:
            total += _basis("N", N, every_N) * _basis("f", f, every_f) * polynomial(value(N, f))
    for N, f in further:
        there = total.compose(*(_size(name, N, f) for name in SYMBOLS))
        if there != polynomial(value(N, f)):
            raise NotOfThatDegree(f"at N = {N}, f = {f} the interpolated polynomial is wrong")
    return Formula(total)


def _size(name: str, N: int, f: int) -> Any:
    return CONTEXT.constant({"N": N, "f": f}[name]) if name in ("N", "f") else SYMBOL[name]


def _basis(name: str, at: int, every: Iterable[int]) -> Any:
    """Lagrange's polynomial that is 1 at one size and 0 at the others."""
    product = ONE
    for other in every:
        if other != at:
            product = product * (SYMBOL[name] - other) / (at - other)
    return product


def polynomial(coefficients: Coefficients) -> Any:
    """A polynomial in η and the moments."""
    start, after = SYMBOLS.index("eta"), len(SYMBOLS) - SYMBOLS.index("v")
    return CONTEXT.from_dict(
        {(*[0] * start, *exponents, *[0] * after): c for exponents, c in coefficients.items()}
    )
