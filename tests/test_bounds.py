"""Bounds read from JAX programs: each operation's rule holds, and is not wider than it must be."""

from fractions import Fraction
from itertools import cycle
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jax import lax
from loops import WIDE

from scanproof.constructs.arrays.scan import map_leaves, scan
from scanproof.constructs.errors import UsageError
from scanproof.constructs.layers import gril
from scanproof.numeric.jax_backend import x64
from scanproof.numeric.ops.recurrent import recurrent
from scanproof.numeric.rounding import Magnitude, a_priori, arithmetic, compressed
from scanproof.numeric.rounding.arithmetic import FORMATS, FUNCTION, LOG1P, format_of
from scanproof.numeric.rounding.enclosed import Enclosed, point
from scanproof.numeric.rounding.rules import RULES

seeds = st.integers(0, 2**32 - 1)


def float32(rng: np.random.Generator, *shape: int) -> np.ndarray:
    return rng.uniform(-2, 2, shape).astype(np.float32)


def exactly(array) -> np.ndarray:
    array = np.asarray(array, dtype=np.float64)
    return np.vectorize(lambda x: Fraction(float(x)), otypes=[object])(array)


def worst_share(found, exact, bound) -> float:
    """The largest |error| / bound; `exact` holds numbers of any exact kind."""
    shares = []
    for f, e, b in zip(exactly(found).flat, exact.flat, np.asarray(bound).flat, strict=True):
        assert f == e or b > 0
        shares.append(0.0 if f == e else float(abs(f - e) / Fraction(float(b))))
    return max(shares)


PROGRAMS = {
    "sum of two": (lambda a, b: a + b, 0.9),
    "difference": (lambda a, b: a - b, 0.9),
    "product": (lambda a, b: a * b, 0.9),
    "square": (lambda a, b: a * a, 0.9),
    "fourth power": (lambda a, b: a**4, 0.3),
    "inner product": (lambda a, b: a[:2] @ b[:2], 0.4),
    "outer product, transposed": (lambda a, b: (a[:, None] * b[None, :]).T, 0.9),
    "sum": (lambda a, b: a[:3].sum(), 0.3),
    "picked": (lambda a, b: (a * b)[1:][::-1], 0.9),
    "masked": (lambda a, b: jnp.tril(a[:, None] * b[None, :]), 0.9),
    "clipped": (lambda a, b: jnp.clip(a * b, -3.0, 3.0), 0.9),
}

EXACTLY: dict[str, Any] = {
    "masked": lambda a, b: np.tril(a[:, None] * b[None, :]) + Fraction(0),
    "clipped": lambda a, b: a * b,
}
"""The programs that use functions of JAX."""


@pytest.mark.short("fourth power", "clipped")
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_rule_holds_and_is_nearly_attained(name: str):
    """`least` is the share that some random input must attain: 1 less what roundings that cancel take away."""
    program, least = PROGRAMS[name]
    exact_program = EXACTLY.get(name, program)
    compiled, worst = jax.jit(program), 0.0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        a, b = float32(rng, 4), float32(rng, 4)
        if name == "clipped":
            a, b = a / 2, b / 2
        bound = a_priori(program, a, b).bound
        exact = np.asarray(exact_program(exactly(a), exactly(b)), dtype=object)
        share = worst_share(compiled(a, b), exact, bound)
        assert share <= 1
        worst = max(worst, share)
    assert worst >= least


FUNCTIONS = {
    "exp": (jnp.exp, WIDE.exp, (-80, 80)),
    "log": (jnp.log, WIDE.log, (1e-30, 1e30)),
    "log1p": (jnp.log1p, lambda x: WIDE.log(1 + x), (-0.9, 50)),
    "log2": (jnp.log2, lambda x: WIDE.log(x) / WIDE.log(2), (1e-30, 1e30)),
    "expm1": (jnp.expm1, lambda x: WIDE.exp(x) - 1, (-30, 30)),
    "tanh": (jnp.tanh, WIDE.tanh, (-12, 12)),
    "slope of tanh": (jax.vmap(jax.grad(jnp.tanh)), lambda x: 1 / WIDE.cosh(x) ** 2, (-12, 12)),
    "logistic": (jax.nn.sigmoid, lambda x: 1 / (1 + WIDE.exp(-x)), (-60, 60)),
    "sqrt": (jnp.sqrt, WIDE.sqrt, (1e-30, 1e30)),
    "rsqrt": (lax.rsqrt, lambda x: 1 / WIDE.sqrt(x), (1e-30, 1e30)),
    "reciprocal": (lambda x: 1 / x, lambda x: 1 / x, (1e-30, 1e30)),
}


@pytest.mark.short("logistic-float64", "rsqrt-float64")
@pytest.mark.parametrize(
    ("name", "precision"),
    [*zip(FUNCTIONS, cycle(("float32", "float64")), strict=False), ("log1p", "float64")],
)
def test_the_functions_are_as_accurate_as_assumed(name: str, precision: str):
    """What `arithmetic.FUNCTION` and `DIVISION` say of XLA, at 400 places and near 0."""
    program, exact, (low, high) = FUNCTIONS[name]
    rng = np.random.default_rng(0)
    places = rng.uniform(low, high, 300)
    if low > 0:
        places = np.exp(rng.uniform(np.log(low), np.log(high), 300))
    else:
        places = np.concatenate(
            [places, np.ldexp(rng.uniform(-1, 1, 100), -rng.integers(1, 40, 100))]
        )
    with x64(precision == "float64"):
        places = places.astype(precision)
        found = np.asarray(jax.jit(program)(places))
        assert found.dtype == precision
        bound = a_priori(program, places, precision=precision).bound
    for x, y, limit in zip(places, found, bound, strict=True):
        gap = abs(WIDE.mpf(float(y)) - exact(WIDE.mpf(float(x))))
        assert gap <= WIDE.mpf(float(limit)), f"{name}({x!r})"
    units = 2 * LOG1P if (name, precision) == ("log1p", "float64") else 4 * FUNCTION
    if (
        name == "slope of tanh"
    ):  # jax 0.10 has (1 − t) + (1 − t) t, to which t's error goes three times
        units = 6 * FUNCTION
    assert np.all(bound <= units * format_of(precision).unit * np.maximum(abs(found), 1))


@pytest.mark.long
def test_exp_underflows_within_the_additive_term():
    places = np.linspace(-120, -80, 81).astype(np.float32)
    bound = a_priori(jnp.exp, places).bound
    assert np.all(
        np.abs(np.asarray(jnp.exp(places), dtype=float) - np.exp(places.astype(float))) <= bound
    )
    assert bound.max() < 2.0**-110


@pytest.mark.long
@settings(max_examples=15)
@given(
    seed=seeds,
    old=st.sampled_from([(4, 3), (12,), (2, 2, 3), (1, 12), (2, 6, 1)]),
    new=st.sampled_from([(3, 4), (12,), (2, 2, 3), (4, 1, 3), (6, 2), (1, 2, 6)]),
)
def test_a_field_of_equal_numbers_is_reshaped_as_the_array_is(seed, old, new):
    rng = np.random.default_rng(seed)
    field = rng.integers(0, 5, [n if rng.random() < 0.5 else 1 for n in old])
    wanted = np.broadcast_to(field, old).reshape(new)
    found = compressed.reshaped(np, field, old, new)
    assert np.array_equal(np.broadcast_to(found, new), wanted)


@pytest.mark.long
@settings(max_examples=25)
@given(seed=seeds)
def test_fields_of_equal_numbers_are_multiplied_as_the_arrays_are(seed):
    rng = np.random.default_rng(seed)
    shapes = (2, 3, 4, 5), (5, 2, 3)
    numbers = (((3,), (0,)), ((0,), (1,)))
    fields = [
        rng.integers(0, 5, [n if rng.random() < 0.5 else 1 for n in shape]).astype(float)
        for shape in shapes
    ]
    full = [np.broadcast_to(f, s) for f, s in zip(fields, shapes, strict=True)]
    wanted = np.einsum("bijk,kbl->bijl", *full)
    found = compressed.contracted(np, fields[0], fields[1], shapes, numbers)
    assert np.array_equal(np.broadcast_to(found, wanted.shape), wanted)


def test_a_magnitude_is_followed_as_one_number():
    """A million equal bounds cost one number: nothing of that size is made."""
    seen = []

    def program(a, b):
        return jnp.tanh(a @ b).reshape(-1)

    rule = RULES["tanh"]
    RULES["tanh"] = lambda xp, p, s, d, a: seen.append(a.upper.shape) or rule(xp, p, s, d, a)
    try:
        found = a_priori(program, Magnitude((1000, 64), 1.0), Magnitude((64, 1000), 1.0))
    finally:
        RULES["tanh"] = rule
    assert seen == [(1, 1)]
    assert found.bound.shape == (10**6,)


def test_inputs_of_a_wider_format_are_rounded_within_the_bound():
    third = np.full(3, 1 / 3)
    bound = a_priori(lambda x: x + 0, third).bound
    assert np.all(bound >= np.abs(third - third.astype(np.float32).astype(float)))
    assert np.all(bound <= 2.0**-24)


def test_what_may_overflow_has_no_bound():
    large = np.full(2, 2.0**100, dtype=np.float32)
    assert np.isinf(a_priori(lambda x: x * x, large).bound).all()
    assert np.isfinite(a_priori(lambda x: x * 2, large).bound).all()


def test_a_divisor_that_may_be_zero_leaves_no_bound():
    rng = np.random.default_rng(0)
    x = float32(rng, 3)
    assert np.isinf(a_priori(lambda x: 1 / (x @ jnp.ones((3, 2)) - x.sum()), x).bound).all()


def test_sums_of_numbers_on_a_grid_are_known_to_be_exact():
    """Sums of small whole numbers: the rounding is known not to be there."""
    x = np.arange(-8, 8, dtype=np.float32)
    assert a_priori(lambda x: jnp.cumsum(x) - 3, x).bound.max() == 0
    assert a_priori(lambda x: jnp.cumsum(x / 3), x).bound.max() > 0


def test_a_condition_on_computed_numbers_covers_both_branches():
    """The computed program takes another branch than the exact one, and is wrong by their difference."""
    x = np.asarray([1 / 3], dtype=np.float32)

    def program(x):
        return jnp.where(x * 3 >= 1, 1.0, 0.0)

    exact = 0.0 if 3 * Fraction(float(x[0])) < 1 else 1.0
    assert abs(float(jax.jit(program)(x)[0]) - exact) <= a_priori(program, x).bound[0]
    assert a_priori(program, x).bound[0] >= 1


def test_a_condition_on_inputs_is_known():
    x = np.asarray([-1.0, 2.0], dtype=np.float32)
    assert a_priori(lambda x: jnp.where(x > 0, 1.0, 0.0), x).bound.max() == 0


def test_a_loop_is_read_alike_step_by_step_and_compiled(monkeypatch):
    """x ← x/2 + y inside a loop over rows that writes each result into its place."""

    def program(x, y):
        def row(k, written):
            state = lax.fori_loop(0, 7, lambda _, s: s / 2 + y[k], x)
            return lax.dynamic_update_index_in_dim(written, state, k, 0)

        return lax.fori_loop(0, 3, row, jnp.zeros((3, 2)))

    x, y = Magnitude((2,), 1.0), Magnitude((3, 2), 2.0)
    step_by_step = a_priori(program, x, y)
    monkeypatch.setattr("scanproof.numeric.rounding.control_flow.COMPILED", 1)
    compiled = a_priori(program, x, y)
    assert np.allclose(step_by_step.bound, compiled.bound, rtol=1e-12, atol=0)
    assert np.allclose(step_by_step.magnitude, compiled.magnitude, rtol=1e-12, atol=0)
    unit = FORMATS["float32"].unit
    assert np.all(compiled.magnitude >= 4 * (1 - 2.0**-7))
    # y's rounding and those of 7 turns, each at most 4u (a division by 2 is exact), halved every turn
    assert np.all((2 * unit <= compiled.bound) & (compiled.bound <= 2 * (4 + 2) * unit))


@pytest.mark.long
def test_a_layer_with_division_is_bounded_through_the_recurrent_lane():
    """Prediction of a multi-step layer, β/t included: any program of definitions can be read."""
    rng = np.random.default_rng(3)
    T, f, w = 6, 2, 3
    parameters = gril.TwoHead(
        float32(rng, w, w),
        float32(rng, w, w),
        float32(rng, w),
        np.float32(0.5),
        np.asarray([0, 1], dtype=np.float32),
        np.float32(0.25),
    )
    steps = np.arange(1, T + 1, dtype=np.float32)
    tokens = gril.WeightedWindow(float32(rng, T, f, w), steps, float32(rng, T, f, f))
    empty = np.zeros((f, f), np.float32)

    def program(parameters, tokens):
        return recurrent(gril.two_head_step, parameters, (empty, empty), tokens).outputs

    found = program(parameters, tokens)
    promised = a_priori(program, parameters, tokens)
    exact = scan(
        gril.two_head_step,
        map_leaves(exactly, parameters),
        (exactly(empty), exactly(empty)),
        map_leaves(exactly, tokens),
    ).outputs
    for got, wanted, bound in zip(found, exact, promised, strict=True):
        assert worst_share(got, wanted, bound.bound) <= 1
        assert bound.bound.max() < 2.0**-12 * bound.magnitude.max()


def test_errors_of_inputs_are_carried_on():
    """A second program is bounded with the first one's error as its input's: composition."""
    rng = np.random.default_rng(4)
    x, y = float32(rng, 8), float32(rng, 8)
    from scanproof.numeric.rounding.programs import finished, read

    first = read(lambda x, y: x * y, (point(x), point(y)), wide=False)
    second = finished(read(lambda p: p.sum(), (first,), wide=False))
    whole = a_priori(lambda x, y: (x * y).sum(), x, y)
    assert isinstance(first, Enclosed)
    assert np.array_equal(second.bound, whole.bound)


@pytest.mark.short("False-False-False", "False-True-True")
@pytest.mark.parametrize(
    ("from_left", "lower", "transposed"),
    [(True, True, False), (True, False, True), (False, True, True), (False, False, False)],
)
def test_triangular_systems_of_every_kind_are_bounded(from_left, lower, transposed):
    """Solved exactly by substitution in fractions, on the transposed and reversed system where need be."""
    rng = np.random.default_rng(5)
    n, m = 4, 2
    A, B = float32(rng, n, n), float32(rng, *((n, m) if from_left else (m, n)))

    def program(A, B):
        return lax.linalg.triangular_solve(
            A, B, left_side=from_left, lower=lower, transpose_a=transposed, unit_diagonal=True
        )

    triangle = np.tril(exactly(A), -1) if lower else np.triu(exactly(A), 1)
    matrix = triangle + np.eye(n, dtype=int)
    matrix = matrix.T if transposed else matrix
    nilpotent = matrix - np.eye(n, dtype=int)
    inverse = np.eye(n, dtype=int) - nilpotent + nilpotent @ nilpotent
    inverse = inverse - nilpotent @ nilpotent @ nilpotent  # n = 4: the next power is 0
    exact = inverse @ exactly(B) if from_left else exactly(B) @ inverse
    promised = a_priori(program, A, B)
    share = worst_share(program(A, B), exact, promised.bound)
    assert 0 < share <= 1
    assert promised.bound.max() < 2.0**-16 * promised.magnitude.max()


def test_gamma_is_infinite_where_it_says_nothing():
    assert arithmetic.gamma(2**9, 2.0**-8) == np.inf
    assert arithmetic.gamma(3, 2.0**-24) > 3 * 2.0**-24


def test_an_operation_without_a_rule_is_named():
    with pytest.raises(UsageError, match="there is none for 'erf'"):
        a_priori(lambda x: lax.erf(x), np.ones(2, dtype=np.float32))
