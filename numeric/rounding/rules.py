"""What each numerical operation of a JAX program does to magnitudes and errors.

A rule gets the namespace of the fields, the equation's parameters, the shape and dtype of the result, and the values.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np

from ..ops.kernel import ALGORITHMS
from . import compressed
from .arithmetic import CHOPPED, DIVISION, FUNCTION, LOG1P, OWN, format_of, gamma
from .enclosed import (
    Enclosed,
    Shape,
    Value,
    Whole,
    error,
    hull,
    low,
    magnitude,
    overflowing,
    rounded,
    widened,
)
from .tables import Rule, into

RULES: dict[str, Rule] = {}
rule = into(RULES)


def _signed(*values: Enclosed) -> bool:
    return all(v.lower is not None for v in values)


def is_point(x: Enclosed) -> Any:
    """Where the exact number is known, and computed without error."""
    if x.lower is None:
        return False
    known = x.lower == x.upper
    return known if x.error is None else known & (x.error == 0)


def _is_power_of_two(xp: Any, x: Enclosed) -> Any:
    """Where a factor is known to be 0 or a power of two, so that a product with it is not rounded."""
    if x.lower is None:
        return False
    half = xp.abs(xp.frexp(x.upper)[0])
    return is_point(x) & ((half == 0.5) | (half == 0))


def _is_zero(x: Enclosed) -> Any:
    return False if x.lower is None else is_point(x) & (x.upper == 0)


def _representable(xp: Any, value: Any, dtype: Any) -> Any:
    """Where a float64 number is one of `dtype`, and not a subnormal one."""
    same = value.astype(dtype).astype("float64") == value
    return same & ((value == 0) | (xp.abs(value) >= format_of(dtype).tiny))


def _kept(xp: Any, exact: Any, value: Any, result: Enclosed) -> Enclosed:
    """`result`, but where `exact` the number `value` and no error."""
    return result._replace(
        upper=xp.where(exact, value, result.upper),
        lower=xp.where(exact, value, result.lower),
        error=xp.where(exact, 0.0, result.error),
    )


@rule("add", "add_any")
def add(xp: Any, params: Any, shape: Shape, dtype: Any, a: Any, b: Any) -> Value:
    """Errors add up; a sum of known numbers that the format has is exact."""
    ends = a.upper + b.upper, None
    if _signed(a, b):
        ends = widened(xp, a.lower + b.lower, a.upper + b.upper)[::-1]
    elif not (a.lower is None and b.lower is None):
        ends = magnitude(xp, a) + magnitude(xp, b), None
    units = xp.where(_is_zero(a) | _is_zero(b), 0.0, 1.0)
    result = rounded(xp, shape, dtype, ends, error(a) + error(b), units)
    if not _signed(a, b):
        return result
    total = a.upper + b.upper
    other = total - a.upper
    lost = (a.upper - (total - other)) + (b.upper - other)  # Knuth's TwoSum: total + lost is exact
    exact = is_point(a) & is_point(b) & (lost == 0) & _representable(xp, total, dtype)
    return _kept(xp, exact, total, result)


@rule("sub")
def sub(xp: Any, params: Any, shape: Shape, dtype: Any, a: Any, b: Any) -> Value:
    """A sum with the negative."""
    return add(xp, params, shape, dtype, a, neg(xp, params, b.shape, b.dtype, b))


@rule("neg")
def neg(xp: Any, params: Any, shape: Shape, dtype: Any, a: Any) -> Value:
    """The ends change places."""
    if a.lower is None:
        return a
    return Enclosed(shape, dtype, -a.lower, -a.upper, a.error)


@rule("mul")
def mul(xp: Any, params: Any, shape: Shape, dtype: Any, a: Any, b: Any) -> Value:
    """|a| e_b + e_a |b| + e_a e_b; a product with a power of two is not rounded."""
    size_a, size_b = magnitude(xp, a), magnitude(xp, b)
    size = size_a * size_b + OWN.tiny
    carried = size_a * error(b) + error(a) * size_b + error(a) * error(b)
    ends: tuple[Any, Any] = (size, None)
    if a is b:
        nearest = xp.maximum(xp.maximum(low(a), -a.upper), 0.0)  # to 0
        ends = size, nearest**2 * (1 - 4 * OWN.unit)
    elif _signed(a, b):
        ends = _ends(xp, [x * y for x in (a.lower, a.upper) for y in (b.lower, b.upper)])
    simple = _is_power_of_two(xp, a) | _is_power_of_two(xp, b)
    result = rounded(xp, shape, dtype, ends, carried, xp.where(simple, 0.0, 1.0))
    if not _signed(a, b) or a is b:
        return result
    product = a.upper * b.upper
    exact = simple & is_point(a) & is_point(b) & _representable(xp, product, dtype)
    return _kept(xp, exact, product, result)


@rule("square")
def square(xp: Any, params: Any, shape: Shape, dtype: Any, a: Any) -> Value:
    """A product with itself, which is not negative."""
    return mul(xp, params, shape, dtype, a, a)


@rule("one_minus_square")
def one_minus_square(xp: Any, params: Any, shape: Shape, dtype: Any, a: Any) -> Value:
    """(1 + x)(1 − x), as XLA is given it."""
    one = _everywhere(xp, shape, dtype, 1.0)
    grown, less = (f(xp, params, shape, dtype, one, a) for f in (add, sub))
    return mul(xp, params, shape, dtype, grown, less)


@rule("integer_pow")
def integer_pow(xp: Any, params: Any, shape: Shape, dtype: Any, a: Any) -> Value:
    """By any chain of products; a negative power is a reciprocal."""
    exponent = params["y"]
    if exponent < 0:
        return _reciprocal(xp, shape, dtype, integer_pow(xp, {"y": -exponent}, shape, dtype, a))
    size, wrong = magnitude(xp, a), error(a)
    power = size**exponent + exponent * OWN.tiny
    carried = exponent * (size + wrong) ** max(exponent - 1, 0) * wrong
    lower = xp.zeros_like(power) if exponent % 2 == 0 else None
    scale = xp.maximum(size + wrong, 1.0) ** max(exponent - 2, 0)  # of an underflow on the way
    result = rounded(xp, shape, dtype, (power, lower), carried, 2 * max(exponent - 1, 0))
    return result._replace(error=error(result) + 2 * exponent * scale * format_of(dtype).tiny)


@rule("div")
def div(xp: Any, params: Any, shape: Shape, dtype: Any, a: Any, b: Any) -> Value:
    """Infinite where the computed divisor may be 0."""
    size_a, wrong_b = magnitude(xp, a), error(b)
    away = xp.maximum(low(b), -b.upper)  # how near to 0 the exact divisor may be
    positive = away > 0
    room = away - wrong_b
    safe, safe_room = xp.where(positive, away, 1.0), xp.where(room > 0, room, 1.0)
    size = xp.where(positive, size_a / safe, xp.inf) + OWN.tiny
    carried = xp.where(room > 0, (error(a) + size * wrong_b) / safe_room, xp.inf)
    ends: tuple[Any, Any] = (size, None)
    if _signed(a, b):
        with np.errstate(all="ignore"):
            corners = [x / y for x in (a.lower, a.upper) for y in (b.lower, b.upper)]
        upper, lower = _ends(xp, corners)
        ends = xp.where(positive, upper, xp.inf), xp.where(positive, lower, -xp.inf)
    simple = _is_power_of_two(xp, b)
    result = rounded(xp, shape, dtype, ends, carried, xp.where(simple, 0.0, DIVISION))
    if not _signed(a, b):
        return result
    with np.errstate(all="ignore"):
        quotient = a.upper / b.upper
    exact = simple & is_point(a) & _representable(xp, quotient, dtype)
    return _kept(xp, exact, quotient, result)


@rule("round")
def to_whole(xp: Any, params: Any, shape: Shape, dtype: Any, a: Any) -> Value:
    """The nearest whole number; exact arithmetic may find another one where the argument is not known exactly."""
    wrong = xp.where(is_point(a), 0.0, error(a) + 1.0)
    return Enclosed(shape, dtype, xp.round(a.upper), xp.round(low(a)), wrong)


def _ends(xp: Any, corners: list[Any]) -> tuple[Any, Any]:
    """(upper, lower) of the exact result, from what float64 has computed at the ends of both operands."""
    return widened(xp, reduce(xp.minimum, corners), reduce(xp.maximum, corners))[::-1]


def _reciprocal(xp: Any, shape: Shape, dtype: Any, a: Any) -> Value:
    return div(xp, {}, shape, dtype, _everywhere(xp, shape, dtype, 1.0), a)


def _everywhere(xp: Any, shape: Shape, dtype: Any, number: float) -> Enclosed:
    """A number that the format has, as every entry."""
    one = xp.full((1,) * len(shape), number)
    return Enclosed(shape, dtype, one, one)


@rule("abs")
def absolute(xp: Any, params: Any, shape: Shape, dtype: Any, a: Any) -> Value:
    """The error stays."""
    least = xp.zeros_like(a.upper) if a.lower is None else xp.maximum(a.lower, -a.upper)
    return Enclosed(shape, dtype, magnitude(xp, a), xp.maximum(least, 0.0), a.error)


@rule("max", "min")
def extreme(xp: Any, params: Any, shape: Shape, dtype: Any, a: Any, b: Any) -> Value:
    """The larger or the smaller of two: off by the larger of both errors."""
    choose = xp.maximum if params["name"] == "max" else xp.minimum
    wrong = xp.maximum(error(a), error(b))
    return Enclosed(shape, dtype, choose(a.upper, b.upper), choose(low(a), low(b)), wrong)


def _increasing(
    name: str, slope: Callable[..., Any], function: Callable[[Any, Any], Any] | None = None
) -> Rule:
    """The rule of a function that grows: its ends are those of its argument.

    Args:
        name: of the primitive.
        slope: (xp, lower, upper, error) -> how far the argument's error moves the result.
        function: (xp, x) -> the result; None: the namespace's own function of that name.
    """

    @rule(name)
    def apply(xp: Any, params: Any, shape: Shape, dtype: Any, a: Any) -> Value:
        lower, upper = (
            getattr(xp, name)(x) if function is None else function(xp, x) for x in (low(a), a.upper)
        )
        slack = 4 * OWN.unit
        ends = (
            upper + slack * xp.abs(upper) + OWN.tiny,
            lower - slack * xp.abs(lower) - OWN.tiny,
        )
        carried = slope(xp, low(a), a.upper, error(a)) if a.error is not None else 0.0 * upper
        units = LOG1P if name == "log1p" and dtype == np.float64 else FUNCTION
        return rounded(xp, shape, dtype, ends, carried, units)

    return apply


def _exp_slope(xp: Any, lower: Any, upper: Any, wrong: Any) -> Any:
    return xp.exp(upper) * xp.expm1(wrong)


def _log_slope(xp: Any, lower: Any, upper: Any, wrong: Any) -> Any:
    inside = wrong < lower
    share = xp.where(inside, wrong / xp.where(inside, lower, 1.0), 0.0)
    return xp.where(inside, -xp.log1p(-share), xp.inf)


def _sqrt_slope(xp: Any, lower: Any, upper: Any, wrong: Any) -> Any:
    return xp.minimum(xp.sqrt(wrong), wrong / xp.sqrt(xp.maximum(lower, OWN.tiny)))


_increasing("exp", _exp_slope)
_increasing("expm1", _exp_slope)
_increasing("log", _log_slope)
_increasing("log1p", lambda xp, lower, upper, e: _log_slope(xp, 1 + lower, 1 + upper, e))
_increasing("tanh", lambda xp, lower, upper, e: e)
_increasing("sqrt", _sqrt_slope)
_sigmoid = _increasing(
    "logistic", lambda xp, lower, upper, e: e / 4, lambda xp, x: 1 / (1 + xp.exp(-x))
)


@rule("logistic")
def logistic(xp: Any, params: Any, shape: Shape, dtype: Any, a: Any) -> Value:
    """XLA may compute it as ½ + ½ tanh(x/2), which is wrong by units of ½ where the result is small."""
    result: Any = _sigmoid(xp, params, shape, dtype, a)
    return result._replace(error=error(result) + FUNCTION * format_of(dtype).unit)


@rule("log2")
def log2(xp: Any, params: Any, shape: Shape, dtype: Any, a: Any) -> Value:
    """log(x) times the rounded 1/log 2, as XLA is given it."""
    factor = xp.full((1,) * len(shape), 1 / math.log(2))
    ends = widened(xp, factor, factor)[::-1]
    factor = rounded(xp, shape, dtype, ends, 0.0)
    return mul(xp, params, shape, dtype, RULES["log"](xp, params, shape, dtype, a), factor)


@rule("rsqrt")
def rsqrt(xp: Any, params: Any, shape: Shape, dtype: Any, a: Any) -> Value:
    """The reciprocal of the root."""
    return _reciprocal(xp, shape, dtype, RULES["sqrt"](xp, params, shape, dtype, a))


@rule("convert_element_type", "reduce_precision")
def convert(xp: Any, params: Any, shape: Shape, dtype: Any, a: Any) -> Value:
    """Exact into a wider format; rounded into a narrower one; XLA may leave out a rounding, which does no harm."""
    if isinstance(a, Whole):
        value = xp.asarray(a.value).astype(float)
        lost = xp.where(xp.abs(value) * format_of(dtype).unit > 1, format_of(dtype).unit, 0.0)
        lost = lost * xp.abs(value)
        return Enclosed(shape, dtype, value, value, lost)
    before, after = format_of(a.dtype), format_of(dtype)
    if after.unit <= before.unit and after.tiny <= before.tiny:
        return a._replace(dtype=dtype)
    if a.lower is not None and a.error is None and isinstance(a.upper, np.ndarray):
        exact = np.asarray(a.upper).astype(dtype).astype(np.float64) == a.upper
        if np.all((a.lower == a.upper) & exact & ((a.upper == 0) | (abs(a.upper) >= after.tiny))):
            return a._replace(dtype=dtype)
    return rounded(xp, shape, dtype, (a.upper, a.lower), error(a))


@rule("dot_general")
def dot_general(xp: Any, params: Any, shape: Shape, dtype: Any, a: Any, b: Any) -> Value:
    """Sums of products in any order, accumulated in the format that the equation or the hardware takes."""
    numbers = params["dimension_numbers"]
    terms = math.prod(a.shape[i] for i in numbers[0][0])
    narrow = [v.dtype for v in (a, b) if format_of(v.dtype).unit > format_of("float32").unit]
    wanted = params.get("preferred_element_type")
    accumulated = dtype if wanted is None else np.dtype(wanted)
    if narrow and format_of(accumulated).unit > format_of("float32").unit:
        accumulated = np.dtype("float32")  # no hardware keeps such sums in 16 bits

    def times(x: Any, y: Any) -> Any:
        return compressed.contracted(xp, x, y, (a.shape, b.shape), numbers)

    def broad(field: Any, value: Enclosed) -> Any:
        return compressed.full(xp, field, np.broadcast_shapes(field.shape, value.upper.shape))

    size_a, size_b = magnitude(xp, a), magnitude(xp, b)
    size = times(size_a, size_b) + terms * OWN.tiny
    carried: Any = 0.0
    if b.error is not None:
        carried = times(broad(size_a + error(a), a), broad(b.error, b))
    if a.error is not None:
        carried = carried + times(broad(a.error, a), broad(size_b, b))
    own = format_of(accumulated)
    adding = gamma((CHOPPED if narrow else 1) * terms, own.unit)
    if getattr(params.get("precision"), "name", None) == ALGORITHMS["float32"]:
        # a factor is three parts of 8 bits: all sums of six products of parts, and what the parts leave out
        adding = gamma(CHOPPED * 6 * terms + 6, own.unit)
        carried = carried + terms * own.tiny * (xp.max(size_a) + xp.max(size_b))
    wrong = carried + adding * (size + carried) + 2 * (terms + 1) * own.tiny
    lower, known = None, size
    if _signed(a, b):
        lower, known = _enclosed_product(xp, times, terms, a, b, size)
    free = len(a.shape) - len(numbers[0][0]) - len(numbers[1][0])
    if a is b and free == 0 and numbers[0][0] == numbers[0][1] and numbers[1][0] == numbers[1][1]:
        lower = xp.zeros_like(size) if lower is None else xp.maximum(lower, 0.0)  # a sum of squares
    result = Enclosed(shape, accumulated, known, lower, overflowing(xp, accumulated, size, wrong))
    return convert(xp, params, shape, dtype, result)


def _enclosed_product(
    xp: Any, times: Callable[..., Any], terms: int, a: Enclosed, b: Enclosed, size: Any
) -> tuple[Any, Any]:
    """The ends of a product of signed factors, from middles and radii; no wider than the magnitudes allow."""
    middles = [(low(v) + v.upper) / 2 for v in (a, b)]
    radii = [(v.upper - low(v)) / 2 + 2 * OWN.unit * xp.abs(v.upper) for v in (a, b)]
    if all(isinstance(v.upper, np.ndarray) and np.array_equal(v.lower, v.upper) for v in (a, b)):
        radius: Any = 0.0
    else:
        sizes = [xp.abs(m) for m in middles]
        radius = times(sizes[0] + radii[0], radii[1]) + times(radii[0], sizes[1])
    radius = radius + 2 * (terms + 1) * (OWN.unit * size + OWN.tiny)
    middle = times(*middles)
    return xp.maximum(middle - radius, -size), xp.minimum(middle + radius, size)


@rule("reduce_sum")
def reduce_sum(xp: Any, params: Any, shape: Shape, dtype: Any, a: Any) -> Value:
    """Sums along axes, in any order."""
    axes = tuple(params["axes"])
    terms = math.prod(a.shape[i] for i in axes)

    def summed(field: Any) -> Any:
        repeated = math.prod(a.shape[i] for i in axes if field.shape[i] != a.shape[i])
        return repeated * xp.sum(field, axis=axes)

    return _sum(xp, shape, dtype, a, summed, terms)


@rule("cumsum")
def cumsum(xp: Any, params: Any, shape: Shape, dtype: Any, a: Any) -> Value:
    """Running sums, each in any order."""
    axis = params["axis"]

    def summed(field: Any) -> Any:
        wide = tuple(a.shape[i] if i == axis else n for i, n in enumerate(field.shape))
        field = compressed.full(xp, field, wide)
        if params["reverse"]:
            return xp.flip(xp.cumsum(xp.flip(field, axis=axis), axis=axis), axis=axis)
        return xp.cumsum(field, axis=axis)

    return _sum(xp, shape, dtype, a, summed, a.shape[axis])


def _sum(
    xp: Any, shape: Shape, dtype: Any, a: Enclosed, summed: Callable[[Any], Any], terms: int
) -> Enclosed:
    """Sums of up to `terms` numbers in any order; 16-bit numbers may be kept in their own format."""
    size = summed(magnitude(xp, a))
    carried = 0.0 if a.error is None else summed(a.error)
    own = format_of(dtype)
    wrong = carried + gamma(max(terms - 1, 0), own.unit) * (size + carried) + terms * own.tiny
    ends: tuple[Any, Any] = (size, None)
    if a.lower is not None and isinstance(a.upper, np.ndarray) and np.all(is_point(a)):
        value = summed(a.upper)
        if _on_a_grid(a.upper, size, own.unit):
            return Enclosed(shape, dtype, value, value)
    if a.lower is not None:
        slack = 2 * terms * OWN.unit * size + terms * OWN.tiny
        ends = summed(a.upper) + slack, summed(a.lower) - slack
    return Enclosed(shape, dtype, *ends, overflowing(xp, dtype, size, wrong))


def _on_a_grid(values: np.ndarray, sizes: np.ndarray, unit: float) -> bool:
    """Whether the values are multiples of one number so large that no sum of them is rounded, in any order."""
    part, exponent = np.frexp(values[values != 0])
    if part.size == 0:
        return True
    digits = (part * 2.0**53).astype(np.int64)
    last = (
        np.frexp((digits & -digits).astype(np.float64))[1] - 1
    )  # the place of the last binary digit
    grid = int((last + exponent).min()) - 53
    return bool(np.all(sizes <= np.ldexp(1 / unit, grid))) and grid > -900


@rule("reduce_max", "reduce_min")
def reduce_extreme(xp: Any, params: Any, shape: Shape, dtype: Any, a: Any) -> Value:
    """The largest or smallest along axes: off by the largest error."""
    axes = tuple(params["axes"])
    choose = xp.max if params["name"] == "reduce_max" else xp.min
    wrong = None if a.error is None else xp.max(a.error, axis=axes)
    return Enclosed(shape, dtype, choose(a.upper, axis=axes), choose(low(a), axis=axes), wrong)


@rule("select_n")
def select_n(xp: Any, params: Any, shape: Shape, dtype: Any, which: Any, *cases: Any) -> Value:
    """The case that a known number picks, entry by entry; any of them where it is not known."""
    if which is None:  # a condition on computed numbers: the two programs may disagree
        return hull(xp, shape, dtype, list(cases))
    if isinstance(which.value, np.ndarray | np.generic) and np.ptp(which.value.astype(int)) == 0:
        return cases[int(which.value.flat[0])]
    choice = xp.reshape(which.value, (1,) * len(shape)) if which.shape == () else which.value

    def chosen(fields: list[Any]) -> Any:
        picked = fields[0]
        for index, field in enumerate(fields[1:], 1):
            picked = xp.where(choice == index, field, picked)
        return picked

    return compressed.joined(xp, cases, shape, chosen)


@rule("clamp")
def clamp(xp: Any, params: Any, shape: Shape, dtype: Any, least: Any, a: Any, most: Any) -> Value:
    """A number between two others."""
    ones = (1,) * len(shape)
    least, most = (
        v if v.shape == shape else compressed.fields(lambda f: xp.reshape(f, ones), v, shape)
        for v in (least, most)
    )
    above = extreme(xp, {"name": "max"}, shape, dtype, a, least)
    return extreme(xp, {"name": "min"}, shape, dtype, above, most)
