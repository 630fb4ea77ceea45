"""What floating-point numbers in a program mean: the exact real numbers that they were rounded from.

A jaxpr has 0.3333333333333333 where somebody wrote 1/3, 9.999999974752427e-07 where they wrote 1e-6 in single
precision, and 0.7071067811865476 for 2 ** -0.5. Rounding is not looked at, so that of literals is not either: a literal
is read as the simplest number that it may have been rounded from, and what is read so is reported.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, NamedTuple

from ..exact.polynomials import rational_root

DYADIC = 2**20
"""Binary fractions with no greater denominator, and few digits, are meant as they are."""
PLAIN, ANYWHERE = 16, 4
"""The most binary digits they have; with no more than the second, as powers of two, any denominator is meant."""
TABLE = 400
"""More different numbers than this in one array are a table."""
LARGEST_LOG = 14
"""Logarithms are recognised up to this one, of a million."""
LARGEST_PART = 64
"""Parts of logarithms, as log(10000)/24, down to this one."""
PI = Fraction("3.14159265358979323846264338327950288419716939937510582097494459")
POWERS = (1, -1, 2, -2)
"""The powers of π that are recognised, in multiples; under roots the first two."""
LEAST_MULTIPLE = 64
"""Multiples of π under a logarithm have no greater denominator."""
BLUR = Fraction(1, 2**20)
"""A literal with about six digits may be off what its author meant by so much, relatively; see `Meant.blur`."""


class Format(NamedTuple):
    """A floating-point format, and how much of what fits a number of it is not a coincidence."""

    precision: int
    """Binary digits of a number."""
    smallest: int
    """The exponent of two of its least normal number."""
    largest: int
    """That of the first power of two which it lacks."""
    off: Fraction
    """How many of its last places a literal may be off what is meant."""
    digits: int
    """The most decimal digits that are taken for meant: about two thirds of what the format distinguishes, or six."""
    cost: int
    """The most binary digits that a fraction, or a number under a root, may have: three fifths of the precision."""
    pi: int = 16
    """The binary digits that π costs: with few of them 3.14, or a decimal of five digits, is next to some multiple."""


HALF = Fraction(1, 2)
FORMATS = {
    # Python computes literals in this one, as in 1 - 2/3 and T ** -0.5, and is off by more than one rounding.
    "float64": Format(53, -1022, 1024, Fraction(4), 6, 31, 3),
    "float32": Format(24, -126, 128, HALF, 6, 14, 7),
    "float16": Format(11, -14, 16, HALF, 3, 6),
    "bfloat16": Format(8, -126, 128, HALF, 2, 4),
}


class Meant(NamedTuple):
    """An exact real number: a fraction, a multiple of a power of π, or ± the root or logarithm of one, or part of it.

    Of both, root and logarithm, it is the logarithm of the root.
    """

    number: Fraction
    """The number; under a root or logarithm without its sign."""
    root: bool = False
    sign: int = 1
    """That of a root or logarithm."""
    plain: bool = False
    """Whether it is a small binary fraction, of which nothing was rounded."""
    understood: bool = True
    """Whether it is more than the binary number, for want of a simpler one."""
    precision: int = 53
    """That of the format which it was rounded to."""
    log: bool = False
    """Whether it is the natural logarithm of the number, as `math.log(T)` leaves it at T = 3."""
    pi: int = 0
    """The power of π by which the number is multiplied, under a root or logarithm too."""
    over: int = 1
    """What the logarithm is divided by."""

    def is_exactly(self, value: float) -> bool:
        """Whether it is the literal's binary number."""
        return not (self.root or self.log or self.pi) and self.number == Fraction(value)

    def blur(self) -> Fraction:
        """How far, relatively, the literal may be off what its author meant: a few roundings of its format."""
        return max(BLUR, Fraction(8, 2**self.precision))

    def __str__(self) -> str:
        p, q = self.number.as_integer_ratio()
        sign = "-" if self.sign < 0 else ""
        if self.pi:
            text = _multiple(p, q, self.pi)
            root = f"√({text})" if self.root else text
            return f"{sign}log({root})" if self.log else f"{sign}{root}"
        if self.log:
            return f"{sign}log {p}" + (f" / {self.over}" if self.over > 1 else "")
        if self.root:
            if q == 1:
                return f"{sign}√{p}"
            return f"{sign}1/√{q}" if p == 1 else f"{sign}√({p}/{q})"
        text = str(self.number)
        return text if len(text) <= 20 else f"{float(self.number):.6g}"


def _multiple(p: int, q: int, power: int) -> str:
    """p/q times a power of π, as it is read."""
    of = "π" if abs(power) == 1 else f"π^{abs(power)}"
    over = [str(p), of] if power > 0 else [str(p)]
    under = [str(q)] if power > 0 else [str(q), of]
    over, under = ([one for one in side if one != "1"] for side in (over, under))
    below = f"/({' '.join(under)})" if len(under) > 1 else f"/{under[0]}" if under else ""
    return " ".join(over or ["1"]).replace("-1 ", "-") + below


@functools.lru_cache(maxsize=65_536)
def meant(value: float, dtype: Any = "float64") -> Meant:
    """The exact number that a finite literal of this format most likely means.

    The simplest number within rounding of it wins, where simplicity is counted in digits, as everything else about a
    literal is a guess: n decimal digits cost n·log₂10, a fraction the binary digits of its two parts, a root one more
    than the fraction under it, a logarithm of a whole number two more than that and the digits of what it is divided
    by, a multiple of a power of π three more than the same without it, and the binary number itself its own significant
    digits. So 0.1 is 1/10 (one decimal digit, not 52 binary ones), 0.59375 is 19/32 in bfloat16 too (5 binary digits,
    not the decimal 0.594), and 0.70703125 in bfloat16 is 1/√2. Three rules stand beside it:

    * Small binary fractions are as they are, before anything else: 77/128 is not a coarse 0.6. Those of few digits
      only: 10.1 in single precision is a fraction over 2¹⁹, and one that nobody wrote.
    * What costs about as much as the format has digits fits any literal, and is not taken; see `Format`.
    * A literal may have been rounded to a narrower format before: JAX writes jnp.float32(1e-6) as float64. It is taken
      for that where it is exactly such a number.

    What is not understood is the binary number that it is.
    """
    name = str(dtype)
    exact = Fraction(value)
    if not exact or name not in FORMATS:
        return Meant(exact, plain=True)
    own, size = FORMATS[name], abs(exact)
    bits = _bits(size)
    few = min(PLAIN, own.precision // 2)
    if bits <= ANYWHERE or (bits <= few and size.denominator <= DYADIC):
        return Meant(exact, plain=True, precision=own.precision)
    known = bits <= PLAIN < own.precision or size.denominator == 1
    candidates: list[tuple[float, Meant]] = [
        (bits, Meant(exact, understood=known, precision=own.precision))
    ]
    sign = 1 if exact > 0 else -1
    for one in FORMATS.values():
        if one.precision <= own.precision and bits <= one.precision and _is_normal(size, one):
            candidates += _candidates(size, sign, one)
    return min(candidates, key=lambda found: found[0])[1]


def _candidates(size: Fraction, sign: int, form: Format) -> Iterator[tuple[float, Meant]]:
    """What may have been rounded to this number, each with its cost."""
    slack = form.off * Fraction(2) ** (_exponent(size) - form.precision + 1)
    low, high = size - slack, size + slack
    for digits in range(1, form.digits + 1):
        decimal = _decimal(size, digits)
        if low <= decimal <= high:
            yield digits * math.log2(10), Meant(sign * decimal, precision=form.precision)
            break
    fraction = _simplest(low, high)
    if _cost(fraction) <= form.cost:
        yield _cost(fraction), Meant(sign * fraction, precision=form.precision)
    square = _simplest(low * low, high * high)
    if _cost(square) + 1 <= form.cost and rational_root(square) is None:
        yield _cost(square) + 1, Meant(square, True, sign, precision=form.precision)
    if size < LARGEST_LOG and form is FORMATS["float64"]:  # in others a decimal may be near one
        for over in range(1, min(LARGEST_PART, int(LARGEST_LOG / size)) + 1):
            whole = round(math.exp(size * over))
            cost = whole.bit_length() + 2 + (over.bit_length() if over > 1 else 0)
            near = whole > 1 and low <= Fraction(math.log(whole)) / over <= high
            if near and cost <= form.cost:
                of = Fraction(whole)
                yield cost, Meant(of, sign=sign, precision=form.precision, log=True, over=over)
    for cost, multiple in _multiples(low, high, sign, form):
        if cost + form.pi <= form.cost:
            yield cost + form.pi, multiple


def _multiples(
    low: Fraction, high: Fraction, sign: int, form: Format
) -> Iterator[tuple[float, Meant]]:
    """What multiples of powers of π, their roots and logarithms lie there, each with its cost but for that of π."""
    for power in POWERS:
        of = PI**power
        fraction = _simplest(low / of, high / of)
        yield _cost(fraction), Meant(sign * fraction, precision=form.precision, pi=power)
        if abs(power) == 1:
            square = _simplest(low * low / of, high * high / of)
            yield _cost(square) + 1, Meant(square, True, sign, precision=form.precision, pi=power)
    if high >= LARGEST_LOG or form is not FORMATS["float64"]:
        return
    for times, root in ((1, False), (2, True)):
        size = math.exp(times * float(low + high) / 2)
        fraction = Fraction(size / math.pi).limit_denominator(LEAST_MULTIPLE)
        if fraction and low <= Fraction(math.log(fraction * math.pi) / times) <= high:
            found = Meant(fraction, root, sign, precision=form.precision, log=True, pi=1)
            yield _cost(fraction) + 2, found


def _bits(size: Fraction) -> int:
    """The significant digits of a binary fraction."""
    odd = size.numerator
    return (odd // (odd & -odd)).bit_length()


def _exponent(size: Fraction) -> int:
    """e with 2ᵉ ≤ size < 2ᵉ⁺¹."""
    e = size.numerator.bit_length() - size.denominator.bit_length()
    return e if Fraction(2) ** e <= size else e - 1


def _is_normal(size: Fraction, form: Format) -> bool:
    return form.smallest <= _exponent(size) < form.largest


def _decimal(size: Fraction, digits: int) -> Fraction:
    """The nearest number of this many decimal digits."""
    return Fraction(f"{float(size):.{digits - 1}e}")


def _simplest(low: Fraction, high: Fraction) -> Fraction:
    """The fraction with the least denominator in an interval of positive numbers."""
    whole = math.ceil(low)
    if whole <= high:
        return Fraction(whole)
    return whole - 1 + 1 / _simplest(1 / (high - whole + 1), 1 / (low - whole + 1))


def _cost(fraction: Fraction) -> int:
    p, q = fraction.as_integer_ratio()
    return p.bit_length() + (q.bit_length() if q > 1 else 0)


class Literal(NamedTuple):
    """A number in a program that is more than a small binary fraction."""

    value: float
    meant: Meant
    place: str
    side: str = "program"

    def shown(self) -> str:
        """The number and its line."""
        return f"{self.value!r} ({self.place})" if self.place else repr(self.value)

    def __str__(self) -> str:
        return f"the {self.side} computes with {self.shown()}, read as {self.meant}"


def taken(value: float, given: Meant) -> str:
    """What a proof takes for granted about a literal."""
    return f"literals are the numbers that they mean: {value!r} is {given}"
