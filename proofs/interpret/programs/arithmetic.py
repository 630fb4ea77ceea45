"""Rules for what is done entry by entry: arithmetic, functions with declared laws, comparisons and selections."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from ...kernel import index
from ...kernel.index import Index, facts, position
from ...kernel.inequalities import implied
from ...kernel.laws import NOT_BELOW_0
from ...kernel.term import (
    INVERSE_NUMBER,
    NUMBER,
    Monomial,
    Term,
    as_index_number,
    as_term,
    function_of,
)
from ..areas import in_order
from ..array import KernelArray, comprehension, function, holds
from ..namespace import Namespace
from ..questions import Unreadable
from ..session import current
from ..simplifying import simplified
from ..size import plain
from ..terms import equal_indices, indicator, number
from . import roots
from .comparisons import (
    COMPARED,
    absolute,
    greater,
    is_finite,
    running,
    sign,
    smaller,
    with_infinity,
    within,
)
from .joining import stacked
from .literals import TABLE, meant, taken
from .machine_integers import LIMIT, RunsOver, fitting, unmeasured, wide
from .maxima import (
    divided,
    exact_maximum,
    exponential,
    is_maximum,
    maximum,
    speaks_of_states,
)
from .powers import powers
from .remainders import remainder
from .values import (
    Count,
    Either,
    Integers,
    Mask,
    Masked,
    MinusInfinity,
    NoNumber,
    constant,
    is_infinity,
    moved,
    picked,
    reals,
    shared,
)

XP = Namespace()
MOST_NOTES = 8
"""A proof lists no more literals than this among what it takes for granted."""


def literal(value: Any) -> Any:
    """A number or array in a program as a value; a float stands for the number that it means, which is noted."""
    array = np.asarray(value)
    if not array.size:
        raise Unreadable("an empty array of numbers")
    if array.ndim:
        if (array != array.flat[0]).any():
            if array.size > TABLE:
                raise Unreadable(
                    f"an array of {array.size} numbers; pass it as an argument, so that it stands for any"
                )
            return stacked([literal(row) for row in array])
        one = literal(array.flat[0])
        return picked(one, tuple(map(Index, array.shape)), lambda at: [])
    if array.dtype == bool:
        return Mask((), lambda at: as_term(int(array)))
    if np.issubdtype(array.dtype, np.integer):
        wide(array.dtype)
        if abs(int(array)) > LIMIT:
            raise RunsOver(f"the whole number {array}, which 32 bits do not hold")
        return Integers((), lambda at: Index(int(array)))
    if array.dtype.kind == "c":
        raise Unreadable("a complex number")
    number = float(array)
    if number == -math.inf:
        return MinusInfinity(())
    if not math.isfinite(number):
        return NoNumber((), str(number))
    given = meant(number, str(array.dtype))
    if not given.is_exactly(number):
        _note(taken(number, given))
    if given.log:
        found = function("log", XP.asarray(given.number))
        return found if given.sign > 0 else -found
    if not given.root:
        return XP.asarray(given.number)
    root = roots.root(given.number)
    return root if given.sign > 0 else -root


def _note(text: str) -> None:
    """Let the proof say what it takes for granted about a literal, or that there are more of these."""
    notes = current().taken
    alike = [one for one in notes if one.startswith(text.partition(":")[0])]
    notes.setdefault(text if len(alike) < MOST_NOTES else f"{text.partition(':')[0]}: and others")


def _arithmetic(
    on_integers: Callable[[Index, Index], Index | None],
    on_reals: Callable[[KernelArray, KernelArray], KernelArray],
) -> Callable[..., Any]:
    def rule(reader: Any, params: Any, a: Any, b: Any) -> Any:
        if isinstance(a, Integers) and isinstance(b, Integers):
            dims, (c, d) = shared(a, b)
            checked = fitting(reader)

            def at(place: Any) -> Index:
                found = on_integers(c.at(place), d.at(place))
                if found is None:
                    raise RunsOver("a product of two integers that are not numbers")
                return checked(found)

            return Integers(dims, at)
        if reader.makes_integers():
            unmeasured(reader)
        return on_reals(reals(a), reals(b))

    return rule


def _times(a: Index, b: Index) -> Index | None:
    if not a.terms:
        return b * a.const
    return a * b.const if not b.terms else None


def _add(reader: Any, params: Any, a: Any, b: Any) -> Any:
    a, b = (b, a) if isinstance(b, Masked | MinusInfinity) else (a, b)
    if isinstance(a, Masked | MinusInfinity) and not isinstance(b, Masked | MinusInfinity):
        return moved(a, reals(b))
    return _arithmetic(lambda x, y: x + y, lambda x, y: x + y)(reader, params, a, b)


def _sub(reader: Any, params: Any, a: Any, b: Any) -> Any:
    if isinstance(a, Masked | MinusInfinity) and not isinstance(b, Masked | MinusInfinity):
        return moved(a, -reals(b))
    return _arithmetic(lambda x, y: x - y, lambda x, y: x - y)(reader, params, a, b)


def _neg(reader: Any, params: Any, a: Any) -> Any:
    if not isinstance(a, Integers):
        return -reals(a)
    checked = fitting(reader)
    return Integers(a.dims, lambda at: checked(-a.at(at)))


def _div(reader: Any, params: Any, a: Any, b: Any) -> Any:
    if reader.makes_integers():
        raise Unreadable("the whole part of a quotient")
    return divided(reals(a), reals(b))


def _exp(reader: Any, params: Any, a: Any) -> Any:
    if isinstance(a, MinusInfinity):
        return XP.zeros(tuple(map(plain, a.dims)))
    if isinstance(a, Masked):  # exp(−∞) = 0
        return reals(a.mask) * exponential(a.array)
    return exponential(reals(a))


def _integer_pow(reader: Any, params: Any, a: Any) -> Any:
    exponent = params["y"]
    if reader.makes_integers():
        unmeasured(reader)
    power = reals(a) ** abs(exponent)
    return power if exponent >= 0 else divided(XP.asarray(1), power)


def _pow(reader: Any, params: Any, a: Any, b: Any) -> Any:
    """A power whose exponent is a whole number, or an index, perhaps written as a floating-point one."""
    if reader.makes_integers():
        raise Unreadable("a power of integers")
    constant = _constant(reals(b))
    if constant is None:
        return powers(reals(a), b)
    if constant.denominator != 1:
        raise Unreadable("a power with an exponent that is not a whole number")
    base = shared(reals(a), b)[1][0]
    return _integer_pow(reader, {"y": int(constant)}, base)


EMPTY = Monomial(0, frozenset(), ())


def _constant(array: KernelArray) -> Fraction | None:
    """The number that every entry is, or None."""
    parts = simplified(array.term).parts
    return Fraction(sum(parts.values())) if all(m == EMPTY for m in parts) else None


def _logistic(reader: Any, params: Any, a: Any) -> KernelArray:
    """1 / (1 + exp(−z)), the declared law of `logistic`."""
    return divided(XP.asarray(1), 1 + exponential(-reals(a)))


def _opaque(
    name: str, of: Callable[[KernelArray], KernelArray] = lambda z: z
) -> Callable[..., Any]:
    def rule(reader: Any, params: Any, a: Any) -> KernelArray:
        if name in DOMAINS:
            current().taken.setdefault(DOMAINS[name])
        return function(name, of(reals(a)))

    return rule


DOMAINS = {
    "sqrt": "square roots are of numbers ≥ 0",
    "asin": "asin is of numbers from −1 to 1",
    "acos": "acos is of numbers from −1 to 1",
    "acosh": "acosh is of numbers ≥ 1",
    "atanh": "atanh is of numbers between −1 and 1",
}
"""Functions that are no numbers elsewhere, where comparisons are false and what is left out by a factor 0 is not."""


OPAQUE = ("tan", "asin", "acos", "atan", "asinh", "acosh", "atanh", "floor", "ceil")
"""Functions of which nothing is known but, of some, that they are odd."""


def _round(reader: Any, params: Any, a: Any) -> KernelArray:
    if int(params["rounding_method"]) != 1:
        raise Unreadable("rounding of halves away from 0")
    return function("round", reals(a))


def _halved(of: KernelArray, sign: int) -> KernelArray:
    """(exp(z) ± exp(−z)) / 2."""
    return (exponential(of) + sign * exponential(-of)) * Fraction(1, 2)


def _sqrt(reader: Any, params: Any, a: Any) -> KernelArray:
    return square_root(reals(a))


def square_root(of: KernelArray) -> KernelArray:
    """The square roots of entries; that these are ≥ 0 is taken for granted, and said, where it is not seen."""
    known = _constant(of)
    if known is None or known < 0:
        sizes = roots.of_sizes(simplified(of.term)) if not of.dims else None
        if sizes is not None:
            return sizes
        if not _is_seen_not_below_0(of):
            current().taken.setdefault(DOMAINS["sqrt"])
        return function("sqrt", of)
    return picked(roots.root(known), of.dims, lambda at: [])


def _is_seen_not_below_0(array: KernelArray) -> bool:
    """Whether every entry is a sum of squares, of numbers of sizes, and of values of functions that are ≥ 0."""

    def seen(m: Monomial) -> bool:
        odd = [
            f for f, n in Counter(m.factors).items() if n % 2 and function_of(f) not in NOT_BELOW_0
        ]
        rows = facts(array.term.scope) | m.guards
        return all(f.name in (NUMBER, INVERSE_NUMBER) and implied(f.at[0], rows) for f in odd)

    return all(c > 0 and seen(m) for m, c in simplified(array.term).parts.items())


def _rsqrt(reader: Any, params: Any, a: Any) -> KernelArray:
    return divided(XP.asarray(1), _sqrt(reader, params, a))


def _square(reader: Any, params: Any, a: Any) -> Any:
    if reader.makes_integers():
        unmeasured(reader)
    return reals(a) * reals(a)


def _one_minus_square(reader: Any, params: Any, a: Any) -> Any:
    return 1 - _square(reader, params, a)


def _same(reader: Any, params: Any, a: Any) -> Any:
    return a


def _convert(reader: Any, params: Any, a: Any) -> Any:
    """Casts between formats change nothing but a kind: a real number is not looked at as an integer."""
    kind = np.dtype(params["new_dtype"]).kind if _is_numpy(params["new_dtype"]) else "f"
    if kind in "iu":
        wide(params["new_dtype"])
    if kind == "f" and isinstance(a, Integers | Mask | Count):
        return reals(a)
    if isinstance(a, Count):
        return a
    if kind in "iu" and isinstance(a, Mask):
        return reals(a)
    if (
        kind == "c"
        or (kind in "iu" and not isinstance(a, Integers))
        or (kind == "b" and not isinstance(a, Mask))
    ):
        raise Unreadable(f"a cast of real numbers to {params['new_dtype']}")
    return a


def _is_numpy(dtype: Any) -> bool:
    try:
        return np.dtype(dtype).kind in "biufc"
    except TypeError:
        return False


# Masks


def _compared(name: str, gaps: Callable[[Index, Index], Term]) -> Callable[..., Any]:
    def rule(reader: Any, params: Any, a: Any, b: Any) -> Mask:
        if not (isinstance(a, Integers) and isinstance(b, Integers)):
            return with_infinity(name, a, b) or _of_reals(a, b, gaps, COMPARED[name])
        dims, (c, d) = shared(a, b)
        return Mask(dims, lambda at: gaps(c.at(at), d.at(at)))

    return rule


def _of_reals(
    a: Any, b: Any, gaps: Callable[[Index, Index], Term], compared: Callable[[Term], Term]
) -> Mask:
    """Sizes or places, and 0, 1, … by a mask alone, as in `tril(ones) > 0`, are compared; others by what is 0 or 1."""
    dims, (left, right) = shared(reals(a), reals(b))
    gap = left - right

    def at(place: Any) -> Term:
        term = simplified(gap.entry(list(place)))
        index = as_index_number(term)
        if index is not None:
            of, scale = index
            return gaps(of if scale > 0 else -of, Index(0))
        parts = list(term.parts.items())
        if any(m.bound or m.factors for m, _ in parts):
            return compared(term)
        guarded = [(m, c) for m, c in parts if m.guards]
        rest = sum((c for m, c in parts if not m.guards), start=Fraction(0))
        if len(guarded) > 1:
            return compared(term)
        off = _sign(rest, gaps)
        if not guarded:
            return as_term(off)
        ((m, c),) = guarded
        inside = indicator(*m.guards)
        return inside * _sign(rest + c, gaps) + (1 + inside * -1) * off

    return Mask(dims, at)


def _sign(gap: Fraction, gaps: Callable[[Index, Index], Term]) -> int:
    """Whether the comparison holds for two numbers with this gap: 1 or 0."""
    return int(bool(simplified(gaps(Index((gap > 0) - (gap < 0)), Index(0))).parts))


def _not_equal(a: Index, b: Index) -> Term:
    return 1 + equal_indices(a, b) * -1


def _masks(operation: Callable[[Term, Term], Term]) -> Callable[..., Any]:
    def rule(reader: Any, params: Any, a: Any, b: Any) -> Mask:
        if not (isinstance(a, Mask) and isinstance(b, Mask)):
            raise Unreadable("bitwise arithmetic")
        dims, (c, d) = shared(a, b)
        return Mask(dims, lambda at: operation(c.at(at), d.at(at)))

    return rule


def _not(reader: Any, params: Any, a: Any) -> Mask:
    if not isinstance(a, Mask):
        raise Unreadable("bitwise arithmetic")
    return Mask(a.dims, lambda at: 1 + a.at(at) * -1)


def _select(reader: Any, params: Any, which: Any, *cases: Any) -> Any:
    if not isinstance(which, Mask) or len(cases) != 2:
        raise Unreadable("a selection by numbers")
    known = constant(which)
    if known is not None:
        return cases[known]
    dims, (mask, off, on) = shared(which, *cases)
    if isinstance(off, Integers) and isinstance(on, Integers):
        raise Unreadable("a selection between integers")
    if isinstance(off, Mask) and isinstance(on, Mask):
        return Mask(dims, lambda at: mask.at(at) * on.at(at) + (1 + mask.at(at) * -1) * off.at(at))
    if isinstance(on, Masked) and within(mask, on.mask):
        on = on.array
    if isinstance(off, MinusInfinity):
        return Masked(mask, reals(on))
    if isinstance(on, MinusInfinity):
        return Masked(_not(reader, params, mask), reals(off))
    chosen = reals(mask)
    return chosen * reals(on) + (1 - chosen) * reals(off)


def _extreme(largest: bool) -> Callable[..., Any]:
    def rule(reader: Any, params: Any, a: Any, b: Any) -> Any:
        if isinstance(a, Integers) and isinstance(b, Integers):
            dims, (c, d) = shared(a, b)

            def at(place: Any) -> Index:
                one, other = c.at(place), d.at(place)
                small, large = in_order(one, other)
                return large if largest else small

            return _by_place(Integers(dims, at), c, d, 1 if largest else -1)
        for one, other in ((a, b), (b, a)):
            if isinstance(one, MinusInfinity) if largest else is_infinity(one):
                dims, (_, kept) = shared(one, other)
                return kept
            if largest and isinstance(one, Masked) and not isinstance(other, Masked):
                dims, (left, right) = shared(one, other)
                here = reals(left.mask)
                return here * _larger(left.array, reals(right)) + (1 - here) * reals(right)
        return (_larger if largest else smaller)(reals(a), reals(b))

    return rule


def _by_place(found: Integers, one: Integers, other: Integers, sign: int) -> Integers:
    """The greater of two integers (the smaller for −1) where it depends on the place which that is."""

    if isinstance(one, Either) or isinstance(other, Either):
        return found

    def cases(at: Any) -> list[tuple[Index, Index]]:
        gap = (one.at(at) - other.at(at)) * sign
        return [(gap, one.at(at)), (-gap - 1, other.at(at))]

    places = [position("i", 0, d) for d in found.dims]
    gap = cases(places)[0][0]
    if holds(gap) or holds(-gap) or gap.variables() <= index.current.sizes:
        return found
    numbers = comprehension(
        found.dims, lambda *at: sum((indicator(g) * number(e) for g, e in cases(at)), as_term(0))
    )
    return Either(found.dims, found.at, numbers, cases)


def _larger(a: KernelArray, b: KernelArray) -> KernelArray:
    """The maximum; any number may be subtracted in a softmax, where neither is a state."""
    if not any(map(is_maximum, (a, b))):
        return greater(a, b)
    if any(map(speaks_of_states, (a, b))):
        return greater(*map(exact_maximum, (a, b)))
    dims, pair = shared(a, b)
    return maximum(dims, *pair)


def _clamp(reader: Any, params: Any, low: Any, a: Any, high: Any) -> Any:
    return _extreme(False)(reader, params, _extreme(True)(reader, params, low, a), high)


RULES: dict[str, Callable[..., Any]] = {
    "add": _add,
    "add_any": _add,
    "sub": _sub,
    "mul": _arithmetic(_times, lambda x, y: x * y),
    "div": _div,
    "neg": _neg,
    "integer_pow": _integer_pow,
    "pow": _pow,
    "square": _square,
    "one_minus_square": _one_minus_square,
    "exp": _exp,
    "exp2": lambda reader, params, a: exponential(reals(a) * function("log", XP.asarray(2))),
    "log": _opaque("log"),
    "log1p": _opaque("log", lambda z: 1 + z),
    "log2": lambda reader, params, a: divided(
        function("log", reals(a)), function("log", XP.asarray(2))
    ),
    "expm1": lambda reader, params, a: exponential(reals(a)) - 1,
    "sqrt": _sqrt,
    "rsqrt": _rsqrt,
    "logistic": _logistic,
    "sin": _opaque("sin"),
    "cos": _opaque("cos"),
    "erf": _opaque("erf"),
    "tanh": _opaque("tanh"),
    "abs": lambda reader, params, a: absolute(reals(a)),
    "sign": lambda reader, params, a: sign(reals(a)),
    "is_finite": is_finite,
    "cummax": running(greater),
    "cummin": running(smaller),
    "erfc": lambda reader, params, a: 1 - function("erf", reals(a)),
    "sinh": lambda reader, params, a: _halved(reals(a), -1),
    "cosh": lambda reader, params, a: _halved(reals(a), 1),
    **{name: _opaque(name) for name in OPAQUE},
    "round": _round,
    "stop_gradient": _same,
    "copy": _same,
    "copy_p": _same,
    "optimization_barrier": lambda reader, params, *a: list(a),
    "reduce_precision": _same,
    "convert_element_type": _convert,
    "lt": _compared("lt", lambda a, b: indicator(b - a - 1)),
    "le": _compared("le", lambda a, b: indicator(b - a)),
    "gt": _compared("gt", lambda a, b: indicator(a - b - 1)),
    "ge": _compared("ge", lambda a, b: indicator(a - b)),
    "eq": _compared("eq", equal_indices),
    "ne": _compared("ne", _not_equal),
    "and": _masks(lambda a, b: a * b),
    "or": _masks(lambda a, b: a + b + a * b * -1),
    "xor": _masks(lambda a, b: a + b + a * b * -2),
    "not": _not,
    "select_n": _select,
    "max": _extreme(True),
    "min": _extreme(False),
    "clamp": _clamp,
    "rem": remainder,
}
