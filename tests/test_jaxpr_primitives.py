"""Every primitive that the door for JAX reads, against JAX: random shapes, attributes, formats, ties, zeros, ±∞."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from conftest import is_short
from entry_by_entry import by_entries
from jax import lax
from jax._src.lax import lax as orders
from jax.ad_checkpoint import checkpoint_name

from scanproof.proofs.doors.jaxpr.equations import equations
from scanproof.proofs.doors.jaxpr.interpreter import interpreted
from scanproof.proofs.doors.jaxpr.programs import leaves, lowered
from scanproof.proofs.doors.jaxpr.table import RULES
from scanproof.proofs.doors.refused import Refused
from scanproof.proofs.readings.floats import Floats
from scanproof.proofs.statement.formats import REAL, Format
from scanproof.proofs.statement.nodes import Input
from scanproof.proofs.statement.whole import Size, whole

Draw = Any
Case = tuple[Callable[..., Any], Sequence[np.ndarray]]
"""A function that has the primitive, and arrays for it."""
MANY = 6
"""How many cases of each primitive are drawn in `make test-all`."""


def shape(rng: Draw, least: int = 0, most: int = 3) -> tuple[int, ...]:
    return tuple(int(n) for n in rng.integers(1, 5, rng.integers(least, most + 1)))


def numbers(rng: Draw, of: Sequence[int]) -> np.ndarray:
    """Halves of either sign, with zeros and ties among them."""
    return rng.integers(-4, 5, tuple(of)) / 2.0


def axes(rng: Draw, rank: int, least: int = 1) -> tuple[int, ...]:
    count = rng.integers(least, rank + 1)
    return tuple(sorted(int(k) for k in rng.choice(rank, count, replace=False)))


def masks(x: Any) -> Any:
    return x > 0


def whole_numbers(x: Any) -> Any:
    return (2 * x).astype(jnp.int32)


# What is done entry by entry.


def of_one(function: Callable[[Any], Any]) -> Callable[[Draw], Case]:
    return lambda rng: (function, [numbers(rng, shape(rng))])


def of_two(function: Callable[[Any, Any], Any]) -> Callable[[Draw], Case]:
    def draw(rng: Draw) -> Case:
        own = shape(rng)
        return of_a_result(rng, function), [numbers(rng, own), numbers(rng, own)]

    return draw


def of_a_result(rng: Draw, function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Half the time of what another operation gives, of which more is known than of an argument."""
    return function if rng.random() < 0.5 else lambda a, b: function(a + b, b)


def in_formats(function: Callable[..., Any]) -> Callable[[Draw], Case]:
    """Of real or of whole numbers."""

    def draw(rng: Draw) -> Case:
        own = shape(rng)
        wholes = rng.random() < 0.5
        run = (lambda a, b: function(whole_numbers(a), whole_numbers(b))) if wholes else function
        return of_a_result(rng, run), [numbers(rng, own), numbers(rng, own)]

    return draw


def divided(function: Callable[..., Any]) -> Callable[[Draw], Case]:
    def draw(rng: Draw) -> Case:
        run, (a, b) = in_formats(function)(rng)
        return run, [a, np.where(b == 0, -1.5, b)]

    return draw


def in_order(rng: Draw) -> Case:
    length, step = int(rng.integers(1, 5)), int(rng.choice([2, 1, 0, -1]))

    def run(x: Any) -> Any:
        keys = jnp.broadcast_to(step * jnp.arange(x.shape[0])[:, None], x.shape)
        return list(lax.sort((keys, x), dimension=0, num_keys=1))

    return run, [numbers(rng, (length, 2))]


def powers(rng: Draw) -> Case:
    kind = rng.integers(3)
    if kind == 0:
        n = int(rng.integers(-3, 4))
        return lambda x: lax.pow(jnp.abs(x) + 0.5, jnp.full_like(x, float(n))), [
            numbers(rng, shape(rng))
        ]
    if kind == 1:
        return lambda x, y: lax.pow(jnp.abs(x) + 0.5, y), [numbers(rng, (3,)), numbers(rng, (3,))]
    length = int(rng.integers(1, 5))

    def decays(x: Any) -> Any:
        n = jnp.arange(x.shape[0])
        return (jnp.abs(x[0]) + 0.5) ** (n[:, None] - n[None, :])

    return decays, [numbers(rng, (length,))]


def raised(rng: Draw) -> Case:
    n = int(rng.choice([-2, -1, 2, 3, 4]))
    return lambda x: lax.integer_pow(x * x + 0.5, n), [numbers(rng, shape(rng))]


def selected(rng: Draw) -> Case:
    own = shape(rng)
    if rng.random() < 0.5:
        return lambda m, a, b: lax.select_n(masks(m), a, b), [numbers(rng, own) for _ in range(3)]
    count = int(rng.integers(1, 5))

    def by_number(m: Any, *cases: Any) -> Any:
        return lax.select_n(jnp.clip(whole_numbers(m), 0, count - 1), *cases)

    return by_number, [numbers(rng, own) for _ in range(1 + count)]


def cast(rng: Draw) -> Case:
    formats = (jnp.float32, jnp.float64, jnp.int32, jnp.bool_)
    first, second = (formats[k] for k in rng.integers(0, len(formats), 2))
    return lambda x: lax.convert_element_type(x.astype(first), second), [numbers(rng, shape(rng))]


def rounded(rng: Draw) -> Case:
    methods = lax.RoundingMethod.TO_NEAREST_EVEN, lax.RoundingMethod.AWAY_FROM_ZERO
    method = methods[rng.integers(2)]
    return lambda x: lax.round(x, method), [numbers(rng, shape(rng))]


def compared(function: Callable[..., Any]) -> Callable[[Draw], Case]:
    def draw(rng: Draw) -> Case:
        if rng.random() < 0.5:
            return in_formats(function)(rng)
        n = int(rng.integers(1, 5))  # places, of which sizes decide
        return lambda x: function(jnp.arange(n)[:, None], jnp.arange(n)[None] + 1), [
            numbers(rng, ())
        ]

    return draw


# What moves entries.


def broadcast(rng: Draw) -> Case:
    own, extra = shape(rng, 0, 2), shape(rng, 1, 2)
    order = sorted(int(k) for k in rng.choice(len(own) + len(extra), len(own), replace=False))
    rest = iter(extra)
    full = [
        next(rest) if k not in order else own[order.index(k)] for k in range(len(own) + len(extra))
    ]
    return lambda x: lax.broadcast_in_dim(x, full, order), [numbers(rng, own)]


def transposed(rng: Draw) -> Case:
    own = shape(rng, 2)
    order = [*range(1, len(own)), 0]
    return lambda x: lax.transpose(x, order), [numbers(rng, own)]


def squeezed(rng: Draw) -> Case:
    own = (*shape(rng, 0, 2), 1, *shape(rng, 0, 1))
    gone = [k for k, n in enumerate(own) if n == 1][:1]
    return lambda x: lax.squeeze(x, gone), [numbers(rng, own)]


def reshaped(rng: Draw) -> Case:
    a, b, c = (int(n) for n in rng.integers(1, 4, 3))
    shapes = [(a, b, c), (a * b, c), (a, b * c), (a * b * c,), (c, a, b), (1, a * c, b)]
    first, second = (shapes[k] for k in rng.choice(len(shapes), 2, replace=False))
    return lambda x: lax.reshape(x, second), [numbers(rng, first)]


def sliced(rng: Draw) -> Case:
    own = shape(rng, 1)
    ends = [sorted(int(k) for k in rng.integers(0, n + 1, 2)) for n in own]
    steps = [int(k) for k in rng.integers(1, 4, len(own))]
    return lambda x: lax.slice(x, *zip(*ends, strict=True), steps), [numbers(rng, own)]


def turned(rng: Draw) -> Case:
    own = shape(rng, 1)
    which = axes(rng, len(own))
    return lambda x: lax.rev(x, which), [numbers(rng, own)]


def split(rng: Draw) -> Case:
    own = list(shape(rng, 1))
    axis = int(rng.integers(len(own)))
    sizes = [int(n) for n in rng.integers(1, 4, 2)]
    own[axis] = sum(sizes)
    return lambda x: lax.split(x, sizes, axis), [numbers(rng, own)]


def concatenated(rng: Draw) -> Case:
    own = list(shape(rng, 1))
    axis = int(rng.integers(len(own)))
    parts = []
    for n in rng.integers(0, 4, 3):
        own[axis] = int(n)
        parts.append(numbers(rng, own))
    return lambda *x: lax.concatenate(x, axis), parts


def tiled(rng: Draw) -> Case:
    own = shape(rng, 1)
    times = [int(n) for n in rng.integers(1, 4, len(own))]
    return lambda x: jnp.tile(x, times), [numbers(rng, own)]


def padded(rng: Draw) -> Case:
    own = shape(rng, 1)
    sides = []
    for n in own:
        between = int(rng.integers(0, 3))
        low = int(rng.integers(-1, 3))
        high = int(rng.integers(max(-1, -n - low - (n - 1) * between), 3))
        sides.append((low, high, between))
    return lambda x, v: lax.pad(x, v, sides), [numbers(rng, own), numbers(rng, ())]


def positions(rng: Draw) -> Case:
    own = shape(rng, 1)
    axis = int(rng.integers(len(own)))
    form = (jnp.int32, jnp.float32)[rng.integers(2)]
    return lambda x: x + lax.broadcasted_iota(form, own, axis), [numbers(rng, own)]


# Sums, products, extremes.


def along_axes(function: Callable[..., Any], least: int = 1) -> Callable[[Draw], Case]:
    def draw(rng: Draw) -> Case:
        own = shape(rng, least)
        which = axes(rng, len(own))
        return lambda x: function(x, which), [numbers(rng, own)]

    return draw


def cumulative(function: Callable[..., Any]) -> Callable[[Draw], Case]:
    def draw(rng: Draw) -> Case:
        own = (*shape(rng, 0, 1), int(rng.integers(1, 12)), *shape(rng, 0, 1))
        axis, reverse = int(rng.integers(len(own))), bool(rng.integers(2))
        return lambda x: function(x, axis=axis, reverse=reverse), [numbers(rng, own)]

    return draw


def place_of(function: Callable[..., Any]) -> Callable[[Draw], Case]:
    def draw(rng: Draw) -> Case:
        own = shape(rng, 1)
        axis = int(rng.integers(len(own)))
        return lambda x: function(x, axis, jnp.int32), [numbers(rng, own)]

    return draw


def long_maximum(function: Callable[..., Any]) -> Callable[[Draw], Case]:
    return lambda rng: (lambda x: function(x, (0,)), [numbers(rng, (11, 2))])


def either(*draws: Callable[[Draw], Case]) -> Callable[[Draw], Case]:
    return lambda rng: draws[rng.integers(len(draws))](rng)


def products(rng: Draw) -> Case:
    batch, inner = shape(rng, 0, 1), shape(rng, 0, 2)
    left, right = shape(rng, 0, 1), shape(rng, 0, 1)
    one, other = (*batch, *inner, *left), (*right, *inner, *batch)
    b, i, r = len(batch), len(inner), len(right)
    numbers_ = (
        (tuple(range(b, b + i)), tuple(range(r, r + i))),
        (tuple(range(b)), tuple(range(r + i, r + i + b))),
    )
    return lambda x, y: lax.dot_general(x, y, numbers_), [numbers(rng, one), numbers(rng, other)]


def convolved(rng: Draw) -> Case:
    rank = int(rng.integers(1, 3))
    groups, width, each = (int(n) for n in rng.integers(1, 3, 3))
    spots = [int(n) for n in rng.integers(4, 7, rank)]
    taps = [int(n) for n in rng.integers(1, 4, rank)]
    left, right = (
        numbers(rng, (2, groups * width, *spots)),
        numbers(rng, (groups * each, width, *taps)),
    )
    pads = [(int(a), int(b)) for a, b in rng.integers(0, 3, (rank, 2))]
    strides, steps, gaps = ([int(n) for n in rng.integers(1, 3, rank)] for _ in range(3))

    def run(x: Any, w: Any) -> Any:
        return lax.conv_general_dilated(
            *(x, w, strides, pads, gaps, [1] * rank if max(taps) > 2 else steps),
            feature_group_count=groups,
        )

    return run, [left, right]


def windowed(of: Callable[..., Any], start: float, inside: bool = False) -> Callable[[Draw], Case]:
    def draw(rng: Draw) -> Case:
        rank = int(rng.integers(1, 3))
        spots, taps, strides, gaps = (
            [int(n) for n in rng.integers(low, high, rank)]
            for low, high in ((4, 7), (1, 4), (1, 3), (1, 3))
        )
        gaps = [1] * rank if max(taps) > 2 else gaps
        ends = [(0, 0) if inside else tuple(map(int, rng.integers(0, 3, 2))) for _ in range(rank)]
        run = lambda x: lax.reduce_window(  # noqa: E731
            x, start, of, taps, strides, ends, window_dilation=gaps
        )
        return run, [numbers(rng, tuple(spots))]

    return draw


def solved(rng: Draw) -> Case:
    n, m = (int(k) for k in rng.integers(1, 4, 2))
    batch = shape(rng, 0, 1)
    matrix = numbers(rng, (*batch, n, n)) + 5 * np.eye(n)
    left, lower, turned_, unit = (bool(k) for k in rng.integers(0, 2, 4))
    right = numbers(rng, (*batch, n, m) if left else (*batch, m, n))

    def run(a: Any, b: Any) -> Any:
        return lax.linalg.triangular_solve(
            a, b, left_side=left, lower=lower, transpose_a=turned_, unit_diagonal=unit
        )

    return run, [matrix, right]


# Places.


def starts(rng: Draw, x: Any, most: int, count: int) -> Any:
    """Places that sizes decide, or that inputs do; some outside."""
    fixed = jnp.asarray(rng.integers(-2, most + 2, count), jnp.int32)
    if rng.random() < 0.5:
        return lambda x: fixed
    inside = jnp.asarray(rng.integers(0, max(most, 1), count), jnp.int32)
    return lambda x: inside + 0 * whole_numbers(x.ravel()[0])


def gathered(rng: Draw) -> Case:
    n, m = (int(k) for k in rng.integers(2, 5, 2))
    kind = rng.integers(4)
    x = numbers(rng, (n, m))
    if kind == 0:
        at = starts(rng, x, n, 3)
        return lambda x: jnp.take(x, at(x), axis=0, mode="clip"), [x]
    if kind == 1:
        at = jnp.asarray(rng.integers(0, n, (2, 2)))
        return lambda x: x[at].sum(-1) + x[at, at % m], [x]
    if kind == 2:  # places case by case
        return lambda x: x[jnp.maximum(jnp.arange(x.shape[0])[:, None] - jnp.arange(2), 0)], [x]
    return lambda x: jax.vmap(lambda row, k: row[k])(x, jnp.minimum(jnp.arange(n), m - 1)), [x]


def scattered(function: str) -> Callable[[Draw], Case]:
    def draw(rng: Draw) -> Case:
        n, m = (int(k) for k in rng.integers(3, 6, 2))
        x, kind = numbers(rng, (n, m)), rng.integers(4)
        place, shift = int(rng.integers(0, n)), int(rng.integers(0, 2))
        if kind == 0:
            return lambda x: getattr(x.at[place], function)(2 * x[0]), [x]
        if kind == 1:
            return lambda x: getattr(x.at[jnp.arange(2) + shift], function)(x[:2] - 1), [x]
        if kind == 2:
            return lambda x: getattr(x.at[:, shift : shift + 2], function)(x[:, :2] + 1), [x]
        at = lambda x: whole_numbers(jnp.abs(x[0, 0])) // 2  # noqa: E731
        return lambda x: getattr(x.at[at(x)], function)(3 * x[1]), [x]

    return draw


def part_at(rng: Draw) -> Case:
    n, m = (int(k) for k in rng.integers(2, 6, 2))
    size, first = int(rng.integers(1, n + 1)), int(rng.integers(-2, n + 2))
    x = numbers(rng, (n, m))
    if rng.random() < 0.5:
        return lambda x: lax.dynamic_slice(x, (jnp.int32(first), jnp.int32(0)), (size, m)), [x]
    at = lambda x: whole_numbers(x[0, 0])  # noqa: E731
    return lambda x: lax.dynamic_slice(x, (at(x), jnp.int32(0)), (size, m)), [x]


def part_written(rng: Draw) -> Case:
    n, m = (int(k) for k in rng.integers(2, 6, 2))
    size, first = int(rng.integers(1, n + 1)), int(rng.integers(-2, n + 2))
    x = numbers(rng, (n, m))
    if rng.random() < 0.5:
        start = lambda x: jnp.int32(first)  # noqa: E731
    else:
        size, start = 1, lambda x: whole_numbers(x[0, 0])
    return lambda x: lax.dynamic_update_slice(x, 3 + x[:size], (start(x), jnp.int32(0))), [x]


# Loops and branches.


def scanned(rng: Draw) -> Case:
    length, n = int(rng.integers(0, 12)), int(rng.integers(1, 3))
    reverse, counts = (bool(k) for k in rng.integers(0, 2, 2))

    def run(x: Any, s: Any) -> Any:
        def step(carry: Any, row: Any) -> Any:
            state, count, seen = carry
            state = jnp.maximum(state, row) - 0.5 * s
            return (state, count + 2, jnp.maximum(seen, row[0])), (state, count * row[0])

        start = (s, jnp.int32(3), -jnp.inf)
        (state, count, seen), outputs = lax.scan(step, start, x, reverse=reverse)
        seen = seen if x.shape[0] else jnp.zeros(())
        return (state, outputs, seen, count) if counts else (state, outputs, seen)

    return run, [numbers(rng, (max(length, 1), n)), numbers(rng, (n,))]


def repeated(rng: Draw) -> Case:
    low, turns = int(rng.integers(-2, 3)), int(rng.integers(0, 12))
    return lambda x: lax.while_loop(
        lambda c: c[0] < low + turns, lambda c: (c[0] + 1, 0.5 * c[1] + c[0]), (jnp.int32(low), x)
    )[1], [numbers(rng, shape(rng))]


def branched(rng: Draw) -> Case:
    if rng.random() < 0.5:
        return lambda x, y: lax.cond(
            x.sum() > 0, lambda y: (2 * y, y > 0), lambda y: (y - 1, y < 0), y
        ), [
            numbers(rng, (2,)),
            numbers(rng, shape(rng)),
        ]
    every = [lambda y: y, lambda y: y * y, lambda y: -y]
    return lambda x, y: lax.switch(whole_numbers(x), every, y), [
        numbers(rng, ()),
        numbers(rng, (2,)),
    ]


def inlined(make: Callable[[Callable[..., Any]], Callable[..., Any]]) -> Callable[[Draw], Case]:
    return lambda rng: (make(lambda x: 2 * x + 1), [numbers(rng, shape(rng))])


def with_own_derivative(make: Any) -> Callable[[Draw], Case]:
    @make
    def clipped(x: Any) -> Any:
        return jnp.clip(x, -1, 1)

    if make is jax.custom_jvp:
        clipped.defjvp(lambda x, t: (clipped(*x), t[0]))
    else:
        clipped.defvjp(lambda x: (clipped(x), None), lambda _, t: (t,))

    def draw(rng: Draw) -> Case:
        return lambda x: (clipped(x), jax.grad(lambda x: clipped(x).sum())(x)), [numbers(rng, (3,))]

    return lambda rng: (clipped, [numbers(rng, shape(rng))]) if rng.random() < 0.5 else draw(rng)


def folded(rng: Draw) -> Case:
    n, reverse = int(rng.integers(1, 6)), bool(rng.integers(2))

    def run(a: Any, x: Any) -> Any:
        def op(one: Any, other: Any) -> Any:
            return one[0] * other[0], other[0] * one[1] + other[1]

        return lax.associative_scan(op, (a, x), reverse=reverse)

    return run, [numbers(rng, (n,)), numbers(rng, (n,))]


def memory(rng: Draw) -> Case:
    from jax._src.state.discharge import run_state

    def body(ref: Any) -> None:
        ref[...] = 2 * ref[...] + 1

    return lambda x: run_state(body)(x), [numbers(rng, (3,))]


# Complex numbers.


def parts(x: Any) -> Any:
    return jnp.real(x), jnp.imag(x)


def of_complex(function: Callable[..., Any]) -> Callable[[Draw], Case]:
    def draw(rng: Draw) -> Case:
        own = shape(rng, 1, 2)
        return (
            lambda a, b: parts(function(lax.complex(a, b), lax.complex(b, a + 3.0))),
            [numbers(rng, own), numbers(rng, own)],
        )

    return draw


TRANSFORMED: tuple[Callable[[Any, Any], Any], ...] = (
    lambda a, b: a * b,
    lambda a, b: a * jnp.conj(b),
    lambda a, b: -a + b / 2.0,
    lambda a, b: (3.0 * a - b)[None] * b,
    lambda a, b: jnp.sum(jnp.stack([1, 2])[:, None, None] * (a * b)[None], 0),
)


def transformed(rng: Draw) -> Case:
    """Products and sums of Fourier transforms, along either axis, of arrays that are cut, filled or neither."""
    own, axis = shape(rng, 2, 2), int(rng.integers(-2, 0))
    n = None if rng.random() < 0.3 else int(rng.integers(1, 8))
    made = TRANSFORMED[rng.integers(len(TRANSFORMED))]
    if rng.random() < 0.5:
        n = own[axis] if n is None else n

        def real(a: Any, b: Any) -> Any:
            both = (jnp.fft.rfft(one, n=n, axis=axis) for one in (a, b))
            return jnp.fft.irfft(made(*both), n=n, axis=axis)

        return real, [numbers(rng, own) for _ in range(2)]

    def complex_ones(*arrays: Any) -> Any:
        both = (
            jnp.fft.fft(lax.complex(*pair), n=n, axis=axis) for pair in (arrays[:2], arrays[2:])
        )
        return parts(jnp.fft.ifft(1j * made(*both), axis=axis))

    return complex_ones, [numbers(rng, own) for _ in range(4)]


def above(least: float, function: Callable[[Any], Any]) -> Callable[[Draw], Case]:
    return of_one(lambda x: function(jnp.abs(x) + least))


CASES: dict[str, Callable[[Draw], Case]] = {
    "fft": transformed,
    "add": either(in_formats(lax.add), of_complex(lax.add)),
    "add_any": of_one(jax.grad(lambda x: (x * x).sum() + (3 * x).sum())),
    "sub": either(in_formats(lax.sub), of_complex(lax.sub)),
    "mul": either(in_formats(lax.mul), of_complex(lax.mul)),
    "div": either(divided(lax.div), of_complex(lax.div)),
    "rem": divided(lax.rem),
    "neg": either(in_formats(lambda a, b: lax.neg(a)), of_complex(lambda a, b: lax.neg(a))),
    "integer_pow": raised,
    "pow": powers,
    "atan2": of_two(lax.atan2),
    "square": of_one(lax.square),
    "exp": either(of_one(lax.exp), of_complex(lambda a, b: lax.exp(a))),
    "exp2": of_one(lax.exp2),
    "expm1": of_one(lax.expm1),
    "log": above(0.5, lax.log),
    "log1p": above(0.0, lax.log1p),
    "sqrt": above(0.0, lax.sqrt),
    "rsqrt": above(0.5, lax.rsqrt),
    "cbrt": of_one(lambda x: lax.cbrt(jnp.where(x == 0, 1.0, x))),
    "asin": of_one(lambda x: lax.asin(x / 4)),
    "acos": of_one(lambda x: lax.acos(x / 4)),
    "acosh": above(1.0, lax.acosh),
    "atanh": of_one(lambda x: lax.atanh(x / 4)),
    **{
        name: of_one(getattr(lax, name))
        for name in (
            *("logistic", "sinh", "cosh", "tanh", "erf", "erfc", "sin", "cos", "tan", "atan"),
            *(
                "asinh",
                "floor",
                "ceil",
                "sign",
                "is_finite",
                "stop_gradient",
                "optimization_barrier",
            ),
        )
    },
    "abs": either(of_one(lax.abs), of_complex(lambda a, b: lax.abs(a))),
    "round": rounded,
    **{name: compared(getattr(lax, name)) for name in ("lt", "le", "gt", "ge", "eq", "ne")},
    **{name: in_formats(getattr(orders, f"{name}_p").bind) for name in ("lt_to", "le_to")},
    "and": of_two(lambda a, b: masks(a) & masks(b)),
    "or": of_two(lambda a, b: masks(a) | masks(b)),
    "xor": of_two(lambda a, b: masks(a) ^ masks(b)),
    "not": of_one(lambda a: ~masks(a)),
    "select_n": selected,
    "max": in_formats(lax.max),
    "min": in_formats(lax.min),
    "clamp": lambda rng: (lambda x: lax.clamp(-1.0, x, 0.5), [numbers(rng, shape(rng))]),
    "convert_element_type": cast,
    "reduce_precision": of_one(lambda x: lax.reduce_precision(x, 8, 20)),
    "copy": of_one(jnp.copy),
    "name": of_one(lambda x: checkpoint_name(2 * x, "twice")),
    "device_put": of_one(lambda x: jax.device_put(2 * x)),
    "broadcast_in_dim": broadcast,
    "transpose": transposed,
    "squeeze": squeezed,
    "reshape": reshaped,
    "slice": sliced,
    "rev": turned,
    "split": split,
    "concatenate": concatenated,
    "stack": lambda rng: (lambda x, y: jnp.stack([x, y], -1), [numbers(rng, (2, 3))] * 2),
    "unstack": lambda rng: (lambda x: list(jnp.unstack(x, axis=1)), [numbers(rng, (2, 3))]),
    "tile": tiled,
    "pad": padded,
    "iota": positions,
    "sort": in_order,
    "dim_as_value": lambda rng: (lambda x: x * x.shape[0], [numbers(rng, (3, 2))]),
    "empty": lambda rng: (lambda x: 0 * lax.empty(x.shape, x.dtype) + x, [numbers(rng, (3, 2))]),
    "reduce_sum": along_axes(lambda x, k: lax.reduce_sum_p.bind(x, axes=k, out_sharding=None)),
    "psum": lambda rng: (
        lambda x: jax.vmap(lambda row: row - lax.psum(row, "rows"), axis_name="rows")(x),
        [numbers(rng, (3, 2))],
    ),
    "reduce_prod": along_axes(lambda x, k: jnp.prod(x, k)),
    "reduce_and": along_axes(lambda x, k: jnp.all(masks(x), k)),
    "reduce_or": along_axes(lambda x, k: jnp.any(masks(x), k)),
    "reduce_max": either(along_axes(lambda x, k: x.max(k)), long_maximum(lambda x, k: x.max(k))),
    "reduce_min": either(along_axes(lambda x, k: x.min(k)), long_maximum(lambda x, k: x.min(k))),
    "argmax": place_of(lax.argmax),
    "argmin": place_of(lax.argmin),
    **{
        name: cumulative(getattr(lax, name))
        for name in ("cumsum", "cumprod", "cumlogsumexp", "cummax", "cummin")
    },
    "dot_general": either(products, of_complex(lambda a, b: a @ b.T)),
    "conv_general_dilated": convolved,
    "triangular_solve": solved,
    "reduce_window_sum": windowed(lax.add, 0.0),
    "reduce_window_max": windowed(lax.max, -np.inf, inside=True),
    "reduce_window_min": windowed(lax.min, np.inf, inside=True),
    "gather": gathered,
    "scatter": scattered("set"),
    "scatter-add": scattered("add"),
    "scatter-mul": scattered("mul"),
    "scatter-min": scattered("min"),
    "scatter-max": scattered("max"),
    "dynamic_slice": part_at,
    "dynamic_update_slice": part_written,
    "scan": scanned,
    "while": repeated,
    "cond": branched,
    "platform_index": lambda rng: (jnp.diagonal, [numbers(rng, (3, 3))]),
    "jit": inlined(jax.jit),
    "remat2": inlined(jax.checkpoint),
    "custom_jvp_call": with_own_derivative(jax.custom_jvp),
    "custom_vjp_call": with_own_derivative(jax.custom_vjp),
    "associative_scan": folded,
    "run_state": memory,
    "real": of_complex(lambda a, b: lax.complex(jnp.real(a), jnp.real(b))),
    "imag": of_complex(lambda a, b: lax.complex(jnp.imag(a), jnp.imag(b))),
    "conj": of_complex(lambda a, b: jnp.conj(a)),
    "complex": of_complex(lambda a, b: a),
}
"""For each primitive what draws a function that has it, and arrays."""
RELEASES = {
    *("log2", "one_minus_square", "pjit", "checkpoint", "closed_call", "eval_jaxpr", "core_call"),
    *(
        "scatter_add",
        "scatter_mul",
        "scatter_min",
        "scatter_max",
        "copy_p",
        "expand_dims",
        "sharding_constraint",
    ),
}
"""Names that other releases of JAX than this have for a primitive, or that nothing public makes."""
FORMATS = {"b": Format("bool"), "i": Format("int", 32)}


def lengths(
    arrays: Sequence[np.ndarray], symbolic: bool
) -> tuple[list[tuple[Any, ...]], dict[str, int]]:
    """Shapes, in numbers or with a letter for each length above 1, and what the letters are."""
    if not symbolic:
        return [one.shape for one in arrays], {}
    found = {n for one in arrays for n in one.shape if n > 1}
    letters = {n: Size(f"n{n}", 1) for n in found}
    shapes = [tuple(whole(letters[n]) if n in letters else n for n in one.shape) for one in arrays]
    return shapes, {one.name: n for n, one in letters.items()}


def wrong(function: Any, arrays: Sequence[np.ndarray], symbolic: bool = False) -> str:
    """Where the nodes of a function, or what is interpreted, are not what JAX computes; operands stay as they are."""
    shapes, sizes = lengths(arrays, symbolic)
    inputs = [Input(f"x{k}", one, REAL) for k, one in enumerate(shapes)]
    found = [node for _, node in leaves(lowered(function, inputs).outputs)]
    reading = Floats(sizes, {f"x{k}": one for k, one in enumerate(arrays)})
    with jax.enable_x64(True):
        given = [*map(jnp.asarray, arrays)]
        wanted = jax.tree.leaves(function(*given))
        beside = lambda *values: (function(*values), values)  # noqa: E731
        run = None if symbolic else interpreted(beside, given)
    for one, other in zip(jax.tree.leaves(run), [*wanted, *given], strict=run is not None):
        if not np.allclose(one, other, rtol=1e-6, atol=1e-6, equal_nan=True):
            return f"{one} is interpreted, for {other}"
    for node, other in zip(found, wanted, strict=True):
        got, other = np.asarray(reading(node), float), np.asarray(other, float)
        if got.shape != other.shape:
            return f"the shape {got.shape} for {other.shape}"
        by_entries(node, sizes, reading.inputs)
        if not np.allclose(got, other, rtol=1e-6, atol=1e-6):
            return f"{got} for {other}"
    return ""


def has(function: Any, arrays: Sequence[np.ndarray], name: str) -> bool:
    with jax.enable_x64(True):
        jaxpr = jax.make_jaxpr(function)(*map(jnp.asarray, arrays))
    return any(one.primitive.name == name for one in equations(jaxpr))


def test_every_rule_has_its_property():
    assert set(CASES) | RELEASES == set(RULES)


def test_a_program_for_one_kind_of_machine_is_refused():
    with pytest.raises(Refused, match="another machine"):
        wrong(lambda x: lax.platform_dependent(x, cpu=jnp.exp, default=jnp.cos), [np.ones(3)])


SYMBOLIC_ONLY = ("associative_scan", "dim_as_value")
"""Primitives that a trace has only where sizes are symbols."""


@pytest.mark.deeper
@pytest.mark.parametrize("name", CASES)
def test_a_primitive_becomes_nodes_with_its_values(name, request):
    """Each primitive once in `make test`, for one in four with symbols for sizes as well."""
    drawn, short = zlib.crc32(name.encode()), is_short(request.config)
    rng = np.random.default_rng(drawn)
    seen = 0
    for _ in range(1 if short else MANY):
        function, arrays = CASES[name](rng)
        assert wrong(function, arrays) == "", arrays
        seen += has(function, arrays, name)
        if short and drawn % 4:
            return
        try:
            said = wrong(function, arrays, symbolic=True)
        except Refused:  # shapes that hold at these sizes alone
            continue
        assert said == "", arrays
    assert seen or short or name in SYMBOLIC_ONLY


@pytest.mark.parametrize("of", [lax.add, lax.mul, lax.rem])
def test_a_remainder_again_is_itself_and_that_of_other_results_is_not(of):
    x, y = np.array([2.5, -3.5, 7.0]), np.array([1.5, 2.0, -2.5])
    assert wrong(lambda a, b: lax.rem(of(a, b), b), [x, y]) == ""


WITH_INFINITIES: dict[str, Callable[[Any, Any], Any]] = {
    "exp": lambda x, y: jnp.exp(x),
    "logistic": lambda x, y: jax.nn.sigmoid(x),
    "tanh": lambda x, y: jnp.tanh(x),
    "sign": lambda x, y: jnp.sign(x),
    "abs": lambda x, y: jnp.abs(x),
    "neg": lambda x, y: -x,
    "add": lambda x, y: x + y,
    "sub": lambda x, y: y - x,
    "mul": lambda x, y: 2.0 * x,
    "div": lambda x, y: x / -2.0,
    "max": lambda x, y: jnp.maximum(x, y),
    "min": lambda x, y: jnp.minimum(x, y),
    "both": lambda x, y: jnp.maximum(x, x[::-1]),
    "lt": lambda x, y: x < y,
    "le": lambda x, y: x <= x[::-1],
    "ge": lambda x, y: x >= x[::-1],
    "eq": lambda x, y: x == x[::-1],
    "ne": lambda x, y: x != y,
    "isfinite": lambda x, y: jnp.isfinite(x),
    "select": lambda x, y: jnp.where(y > 0, x, y),
    "concatenate": lambda x, y: jnp.concatenate([x, y]),
    "pad": lambda x, y: lax.pad(y, -jnp.inf, [(1, 1, 0)]),
    "take": lambda x, y: x[::-1][jnp.array([0, 1])],
    "write": lambda x, y: x.at[1].set(y[0]),
    "rows": lambda x, y: jnp.stack([x, y]).max(0),
    "most": lambda x, y: x.max(),
    "softmax": lambda x, y: x + jax.nn.softmax(jnp.where(jnp.arange(len(y)) < 2, y, -jnp.inf)),
    "running": lambda x, y: lax.scan(lambda m, z: (jnp.maximum(m, z), m), -jnp.inf, x)[1],
    "clamp": lambda x, y: jnp.clip(x, -1, 1),
}
"""Functions of an array with infinite entries, and of one without."""


@pytest.mark.short(8)
@pytest.mark.parametrize("name", WITH_INFINITIES)
def test_infinite_entries_become_what_jax_makes_of_them(name):
    function, lowered_ones = WITH_INFINITIES[name], 0
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    for sign in (-1, 1):
        for length in (3, 10):

            def run(x: Any, y: Any, z: Any, sign: Any = sign) -> Any:
                found = function(jnp.where(z > 0, sign * jnp.inf, x), y)
                number = jnp.isfinite(found)
                return number, jnp.where(number, found, 0), found > 0

            arrays = [numbers(rng, (length,)) for _ in range(3)]
            try:
                said = wrong(run, arrays)
            except Refused:
                continue
            lowered_ones += 1
            assert said == "", arrays
    assert lowered_ones


def test_what_a_rule_does_not_bind_is_refused_by_name():
    def odd_groups(x: Any, w: Any) -> Any:
        return lax.conv_general_dilated(x, w, (1,), "VALID", batch_group_count=2)

    one, other = Input("x", (2, 1, 4)), Input("w", (2, 1, 2))
    with pytest.raises(
        Refused, match=r"groups of batches \(conv_general_dilated, .*jaxpr_primitives"
    ):
        lowered(odd_groups, [one, other])
    with pytest.raises(Refused, match=r"an order that inputs determine \(sort, .*jaxpr_primitives"):
        lowered(lambda x: jnp.sort(x), [Input("x", (3,))])
