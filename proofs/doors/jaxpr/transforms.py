"""Discrete Fourier transforms along an axis: each is kept as the array that was transformed.

The transform is linear, a product of two is the transform of the circular convolution of their arrays, and the inverse
gives the array back. What asks for more has sums of cosines and sines.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any

from ...statement import choices, functions, making, nodes
from ...statement.nodes import Node
from ...statement.whole import Axis, Number, whole
from ..infinities import Value
from ..refused import Refused
from ..transforms import circular, places
from .complex_numbers import complex_of, product
from .lowering import INLINED, Lowering, Rule
from .values import Array, Complex, Transform, part_by_part


def with_transforms(rules: Mapping[str, Rule]) -> dict[str, Rule]:
    """The rules, for Fourier transforms as well."""

    def either(name: str, own: Rule) -> Rule:
        @wraps(own)
        def rule(at: Lowering, *values: Any, **params: Any) -> Any:
            if not any(isinstance(one, Transform) for one in values):
                return own(at, *values, **params)
            if name in OF_TRANSFORMS:
                try:
                    return OF_TRANSFORMS[name](at, own, *values, **params)
                except Refused:
                    if name == "fft":
                        raise
            return own(at, *(_written_out(at, k, one) for k, one in enumerate(values)), **params)

        return rule

    plain = {n: own if n in INLINED else either(n, own) for n, own in rules.items()}
    return {**plain, "fft": _fft}


def _fft(at: Lowering, x: Any, *, fft_type: Any, fft_lengths: Any) -> Any:
    count, half = len(at.given_shape(0)), "R" in fft_type.name
    lengths = [at.number(one) for one in fft_lengths]
    others = range(count - len(lengths), count - 1)
    if not fft_type.name.startswith("I"):
        x = _written_out(at, 0, x)
        numbers = part_by_part(lambda one: Value(one.real, one.dtype), x if half else complex_of(x))
        if not others:
            return Transform(numbers, count - 1, half)
        found = turned(numbers, count - 1, at.shape()[-1], -1)
        for axis in others:
            found = turned(found, axis, found.shape[axis], -1)
        return found
    whole_one = not others and isinstance(x, Transform) and (x.axis, x.half) == (count - 1, half)
    if whole_one and x.of.shape[-1] == lengths[0]:
        return x.of
    if half:
        raise Refused("a real inverse Fourier transform of other numbers than a transform's")
    x = complex_of(_written_out(at, 0, x))
    for axis in (*others, count - 1):
        n = x.shape[axis]
        x = turned(x, axis, n, 1)
        x = Complex(*(Value(choices.divide(one.node, making.number(n)), one.dtype) for one in x))
    return x


def _written_out(at: Lowering, which: int, x: Any) -> Any:
    """An operand that is a transform as the sums that its entries are; anything else as it is."""
    if not isinstance(x, Transform):
        return x
    return turned(x.of, x.axis, at.given_shape(which)[x.axis], -1)


def turned(a: Array, axis: int, count: Number, sign: int) -> Complex:
    """Σ_j a[j] exp(± 2πi jk/n) along an axis, for so many k."""
    n, every = a.shape[axis], list(range(len(a.shape)))
    turn = choices.divide(choices.multiply(functions.TWO, functions.PI), making.number(n))
    products = choices.multiply(making.expanded(nodes.Positions(n), 1), nodes.Positions(count))
    cosine, sine = (making.entrywise(f, choices.multiply(turn, products)) for f in ("cos", "sin"))
    names = [len(every) if k == axis else k for k in every], [len(every), axis]

    def summed(part: Value) -> tuple[Node, Node]:
        real, imag = (making.contracted([part.real, x], names, every) for x in (cosine, sine))
        return real, imag if sign > 0 else choices.negative(imag)

    (real, imag), *others = map(summed, a if isinstance(a, Complex) else [a])
    for c, s in others:  # i (c + i s) = −s + i c
        real, imag = choices.subtract(real, s), choices.add(imag, c)
    dtype = a.real.dtype if isinstance(a, Complex) else a.dtype
    return Complex(Value(real, dtype), Value(imag, dtype))


def _spread(at: Lowering, *values: Any) -> list[Any]:
    """Operands with lengths of 1 repeated to those of the result, but along no transform."""
    found = []
    for which, one in enumerate(values):
        if isinstance(one, Transform):
            lengths = list(at.shape())
            if lengths[one.axis] != at.given_shape(which)[one.axis]:
                raise Refused("a Fourier transform that is repeated along itself")
            lengths[one.axis] = one.of.shape[one.axis]

            def longer(part: Value, shape: Any = tuple(lengths)) -> Value:
                return Value(making.spread(part.real, shape), part.dtype)

            one = one._replace(of=part_by_part(longer, one.of))
        found.append(one)
    return found


def _mul(at: Lowering, own: Rule, x: Any, y: Any) -> Transform:
    x, y = _spread(at, x, y)
    if not isinstance(x, Transform):
        return _scaled(at, own, y, x)
    if not isinstance(y, Transform):
        return _scaled(at, own, x, y)
    a, b = _alike(x, y)

    def convolved(one: Any, other: Any) -> Value:
        return circular(one, other, x.axis)

    return x._replace(of=convolved(a, b) if x.half else product(a, b, convolved))


def _div(at: Lowering, own: Rule, x: Any, y: Any) -> Transform:
    if isinstance(y, Transform):
        raise Refused("a quotient by a Fourier transform")
    return _scaled(at, own, *_spread(at, x, y))


def _scaled(at: Lowering, own: Rule, x: Transform, by: Any) -> Transform:
    """Times or over numbers that are the same all along the axis."""
    count, given = len(x.of.shape), complex_of(by)

    def along(one: Value) -> Value:
        if one.shape == ():
            return Value(making.full(one.real, x.of.shape), one.dtype)
        first = places(count, x.axis, 0)
        if making.take(one.real, first, one.shape) is not one.real:
            raise Refused("a Fourier transform times what differs along it")
        alone = [1 if k == x.axis else n for k, n in enumerate(one.shape)]
        row = making.take(one.real, first, tuple(alone))
        return Value(making.spread(row, x.of.shape), one.dtype)

    if x.half and making.constant(given.imag.real) != 0:
        raise Refused("the transform of a real array times complex numbers")
    factor = along(given.real) if x.half else part_by_part(along, given)
    return x._replace(of=own(at, x.of, factor))


def _alike(x: Any, y: Any) -> tuple[Array, Array]:
    both = isinstance(x, Transform) and isinstance(y, Transform)
    if not both or (x.axis, x.half, x.of.shape) != (y.axis, y.half, y.of.shape):
        raise Refused("a Fourier transform beside what is none, or one of another kind or length")
    return x.of, y.of


def _linear(at: Lowering, own: Rule, *values: Any) -> Transform:
    values = tuple(_spread(at, *values))
    given = _alike(*values) if len(values) == 2 else [values[0].of]
    return values[0]._replace(of=own(at, *given))


def _conj(at: Lowering, own: Rule, x: Transform, *, input_dtype: Any = None) -> Transform:
    """That of the conjugate array from its first entry backwards."""

    def backwards(of: Value) -> Value:
        i, count = whole(Axis(x.axis)), len(of.shape)
        first = making.take(of.real, places(count, x.axis, i), of.shape, [-i])
        back = places(count, x.axis, of.shape[x.axis] - i)
        rest = making.take(of.real, back, of.shape, [i - 1])
        return Value(choices.add(first, rest), of.dtype)

    given = own(at, x.of) if isinstance(x.of, Complex) else x.of
    return x._replace(of=part_by_part(backwards, given))


def _broadcast(
    at: Lowering, own: Rule, x: Transform, *sizes: Any, shape: Any, broadcast_dimensions: Any
) -> Transform:
    axis = broadcast_dimensions[x.axis]
    lengths = list(at.lengths(shape))
    if lengths[axis] != at.given_shape(0)[x.axis]:
        raise Refused("a Fourier transform that is repeated along itself")
    lengths[axis] = x.of.shape[x.axis]

    def move(one: Value) -> Value:
        axes = zip(one.shape, broadcast_dimensions, strict=True)
        at_axes = [0 if n == 1 else whole(Axis(k)) for n, k in axes]
        return Value(making.take(one.real, at_axes, tuple(lengths)), one.dtype)

    return Transform(part_by_part(move, x.of), axis, x.half)


def _summed(at: Lowering, own: Rule, x: Transform, *, axes: Sequence[int]) -> Transform:
    if x.axis in axes:
        raise Refused("a sum along a Fourier transform")
    before = sum(k < x.axis for k in axes)
    return x._replace(of=own(at, x.of, axes=axes), axis=x.axis - before)


def _transposed(at: Lowering, own: Rule, x: Transform, *, permutation: Any) -> Transform:
    axis = list(permutation).index(x.axis)
    return x._replace(of=own(at, x.of, permutation=permutation), axis=axis)


def _same(at: Lowering, own: Rule, x: Transform, **params: Any) -> Transform:
    return x


def _all_of(at: Lowering, own: Rule, x: Transform, *others: Any, **params: Any) -> Transform:
    """As JAX cuts and fills transforms to the length that they have."""
    begin = [low for low, *_ in params.get("padding_config", ())]
    begin += params.get("start_indices", ())
    if at.given_shape(0) == at.shape() and not any(begin) and not params.get("strides"):
        return x
    raise Refused("a part of a Fourier transform, or a longer one")


OF_TRANSFORMS: dict[str, Callable[..., Any]] = {
    "fft": lambda at, own, x, **params: _fft(at, x, **params),
    "mul": _mul,
    "div": _div,
    **dict.fromkeys(("add", "add_any", "sub", "neg"), _linear),
    "conj": _conj,
    "broadcast_in_dim": _broadcast,
    "reduce_sum": _summed,
    "transpose": _transposed,
    **dict.fromkeys(("slice", "pad"), _all_of),
    **dict.fromkeys(("copy", "copy_p", "stop_gradient", "optimization_barrier"), _same),
}
"""What is linear along the axis, or a product."""
