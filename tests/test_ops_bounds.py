"""A priori bounds of ops: what comes near to them, what breaks them when a term is left out, and what they refuse."""

from fractions import Fraction

import numpy as np
import pytest
from loops import WIDE
from op_cases import assert_within, exact_run, exactly, numbers, run_op, strengths

from scanproof.constructs.arrays.scan import scan
from scanproof.constructs.errors import UsageError
from scanproof.constructs.layers import ssd
from scanproof.numeric import chunked
from scanproof.numeric.jax_backend import platform
from scanproof.numeric.rounding import (
    Magnitude,
    a_priori,
    arithmetic,
    linear,
    probable,
    tightest,
)
from scanproof.numeric.rounding import delta as delta_bound

pytestmark = pytest.mark.deeper  # in `make test` JAX optimizes little


@pytest.mark.long
def test_a_decay_below_all_float64_numbers_leaves_something_of_a_large_state():
    """e⁻⁷⁴⁰ · 2⁴⁰⁰ is a number of float64, but e⁻⁷⁴⁰ is not a normal one: the lane drops the state."""
    inputs = {
        "v": np.zeros((1, 1)),
        "k": np.zeros((1, 1)),
        "q": np.ones((1, 1)),
        "initial_state": np.full((1, 1), 2.0**400),
        "log_decay": np.asarray([-740.0]),
    }
    bound = linear(**inputs, precision="float64", chunk=1).outputs.bound
    exact = exact_run("chunked", inputs).outputs
    found = run_op("chunked", "float64", inputs, 1).outputs
    assert float(np.asarray(found)[0, 0]) == 0 < exact[0, 0]
    assert_within(found, exact, bound, WIDE.mpf)
    assert bound.max() < 2.0**-600


def test_the_bound_of_the_delta_rule_scales_with_values_and_states():
    """Squares of numbers around 2⁻⁵⁰⁰ are below float64; the norms that the bound is made of are not."""
    rng = np.random.default_rng(171)
    v, q, S, k = (numbers(rng, 0, *s) for s in ((7, 2), (7, 3), (2, 3), (7, 3)))
    beta = strengths(rng, k, 1.5)["beta"]

    def states(scale):
        arrays = v * scale, k, q, beta
        kept = delta_bound(*arrays, initial_state=S * scale, chunk=3, precision="float64")
        return kept.final_state.bound

    assert np.allclose(states(2.0**-500) * 2.0**500, states(1.0), rtol=1e-6, atol=0)


def steady(T: int, every: int) -> tuple[np.ndarray, ...]:
    """1, and then again and again a little more than half a unit in the last place of it, which is rounded up."""
    v = np.zeros((T, 1))
    v[every - 1 :: every] = 2.0**-24 * (1 + 2.0**-10)
    v[0] = 1.0
    return v, np.ones((T, 1)), np.ones((T, 1))


def shares(lane: str, inputs: tuple[np.ndarray, ...], chunk: int) -> np.ndarray:
    """|error| / bound of each output of a float32 run of numbers that float64 adds exactly."""
    v, k, q = inputs
    bound = linear(v, k, q, lane=lane, chunk=chunk)
    state = np.zeros((v.shape[1], k.shape[1]))
    found = run_op(lane, "float32", {"v": v, "k": k, "q": q, "initial_state": state}, chunk)
    exact = scan(ssd.step, None, state, ssd.Token(v, np.ones(len(v)), k, q)).outputs
    return np.abs(np.asarray(found.outputs, dtype=np.float64) - exact) / bound.outputs.bound


@pytest.mark.long
def test_roundings_one_way_come_as_near_to_the_recurrent_bound_as_the_product_allows():
    """T − 1 additions are rounded up by nearly u; the bound has two products and the reading's sum besides."""
    T = 200
    found = shares("recurrent", steady(T, 1), 1)[-1]
    assert (T - 1) / (T + 3) * (1 - 2.0**-9) <= found <= 1


@pytest.mark.long
def test_roundings_one_way_come_near_to_the_chunked_bound():
    """A chunk adds once to the state, rounded up; the bound has γ_C for each of the sums in a chunk and its output."""
    chunks, C = 64, 4
    found = shares("chunked", steady(chunks * C, C), C)[-1]
    assert (chunks - 2) / (chunks + 3 * C) <= found <= 1


@pytest.mark.long
def test_half_the_unit_roundoff_is_too_little(monkeypatch):
    whole = arithmetic.FORMATS["float32"]
    monkeypatch.setitem(arithmetic.FORMATS, "float32", whole._replace(unit=whole.unit / 2))
    assert shares("recurrent", steady(200, 1), 1)[-1] > 1
    assert shares("chunked", steady(256, 4), 4)[-1] > 1


@pytest.mark.long
def test_without_the_rounding_of_additions_no_bound_holds(monkeypatch):
    """A dropped term is found out: sums counted as if their length did not matter."""
    monkeypatch.setattr("scanproof.numeric.rounding.rules.gamma", lambda terms, unit: unit)
    found = tightest("chunked", precision="bfloat16", sizes=(32, 1, 1), chunk=32, turns=0)
    v = np.full((256, 1), 2.0**-24 * (1 + 2.0**-10))
    v[0] = 1.0
    ones = np.ones((256, 1))
    assert found.ratio <= 1  # one product, rounded inputs: nothing to find out there
    assert shares("chunked", (v, ones, ones), 256).max() > 1


@pytest.mark.long
@pytest.mark.skipif(platform() != "cpu", reason="a GPU keeps subnormal numbers")
def test_without_the_underflow_term_a_tiny_product_breaks_the_bound(monkeypatch):
    tiny = np.full((3, 1), 2.0**-70)
    assert shares("chunked", (tiny, tiny, np.ones((3, 1))), 3).max() <= 1
    whole = arithmetic.FORMATS["float32"]
    monkeypatch.setitem(arithmetic.FORMATS, "float32", whole._replace(tiny=0.0))
    assert shares("chunked", (tiny, tiny, np.ones((3, 1))), 3).max() > 1


@pytest.mark.long
def test_inputs_that_the_op_rounds_move_the_exact_value_within_the_bound_and_nearly_as_far():
    """A product of three numbers, each rounded by almost half a unit of bfloat16."""
    third = np.full((1, 1), 1 + 2.0**-8 * (1 - 2.0**-6))
    bound = linear(third, third, third, precision="bfloat16").outputs.bound[0, 0]
    found = run_op(
        "chunked",
        "bfloat16",
        {"v": third, "k": third, "q": third, "initial_state": np.zeros((1, 1))},
        1,
    )
    gap = abs(float(np.asarray(found.outputs)[0, 0]) - float(third[0, 0]) ** 3)
    exact_inputs = linear(*(np.ones((1, 1)),) * 3, precision="bfloat16").outputs.bound[0, 0]
    assert exact_inputs < gap <= bound


@pytest.mark.short(3)
@pytest.mark.parametrize("lane", ["recurrent", "chunked", "delta"])
def test_the_climb_finds_no_violation_and_more_than_random_inputs(lane):
    first = tightest(lane, turns=0).ratio
    assert first <= tightest(lane, turns=12).ratio <= 1


@pytest.mark.long
def test_chunked_sums_are_bounded_better_than_a_recurrence():
    """(T/C + C) roundings of the largest sum against T."""
    shape, T = (65536, 128), 65536
    known = [Magnitude(shape, 4.0, rounded=False)] * 3
    step = linear(*known, lane="recurrent").outputs
    chunk = linear(*known, lane="chunked", chunk=64).outputs
    assert step.magnitude.max() == pytest.approx(chunk.magnitude.max(), rel=1e-3)
    assert T / 4 < step.bound.max() / step.magnitude.max() / 2.0**-24 < T
    assert chunk.bound.max() < step.bound.max() / 20


def test_a_bound_from_magnitudes_covers_that_of_every_such_array():
    rng = np.random.default_rng(0)
    arrays = [rng.uniform(-3, 3, shape) for shape in ((7, 2), (7, 3), (7, 3))]
    logs = -rng.uniform(0, 1, 7)
    each = linear(*arrays, log_decay=logs, chunk=3)
    known = [Magnitude(a.shape, 3.0) for a in arrays]
    every = linear(*known, log_decay=logs, chunk=3)
    assert np.all(each.outputs.bound <= every.outputs.bound)
    assert np.all(each.final_state.bound <= every.final_state.bound)


@pytest.mark.long
def test_gradients_of_the_chunked_op_are_within_their_bound():
    """The loss is linear in each of v, k and q, so exact derivatives are differences of exact losses."""
    import jax
    import jax.numpy as jnp

    T, D, N = 5, 2, 2
    rng = np.random.default_rng(1)
    v, k, q, weights = (
        rng.standard_normal(s).astype(np.float32) for s in ((T, D), (T, N), (T, N), (T, D))
    )
    reset = np.arange(T) == 3

    def loss(v, k, q, weights):
        return (chunked(v, k, q, reset=reset, chunk=2).outputs * weights).sum()

    program = jax.jit(jax.grad(loss, argnums=(0, 1, 2)))
    found = program(*map(jnp.asarray, (v, k, q, weights)))
    promised = a_priori(program, v, k, q, weights)
    decays = exactly(Fraction, ~reset)
    exact = [exactly(Fraction, a) for a in (v, k, q, weights)]

    def exact_loss(v, k, q, weights):
        H = exactly(Fraction, np.zeros((D, N)))
        return (scan(ssd.step, None, H, ssd.Token(v, decays, k, q)).outputs * weights).sum()

    base = exact_loss(*exact)
    for place, (gradient, bound) in enumerate(zip(found, promised, strict=True)):
        wanted = np.empty(gradient.shape, dtype=object)
        for index in np.ndindex(gradient.shape):
            moved = [a.copy() for a in exact]
            moved[place][index] += 1
            wanted[index] = exact_loss(*moved) - base
        assert_within(gradient, wanted, bound.bound, Fraction)
        assert bound.bound.max() < 2.0**-14 * bound.magnitude.max()


@pytest.mark.long
def test_random_inputs_stay_below_the_probable_error():
    rng = np.random.default_rng(2)
    v, k, q = (rng.standard_normal((256, n)).astype(np.float32) for n in (4, 8, 8))
    promised = linear(v, k, q, chunk=16).outputs
    expected = probable(promised)
    state = np.zeros((4, 8))
    tokens = {"v": v, "k": k, "q": q, "initial_state": state}
    found = np.asarray(run_op("chunked", "float32", tokens, 16).outputs, dtype=np.float64)
    wide = [a.astype(np.float64) for a in (v, k, q)]
    exact = scan(ssd.step, None, state, ssd.Token(wide[0], np.ones(256), wide[1], wide[2])).outputs
    assert np.all(np.abs(found - exact) <= expected)
    assert expected[-1].max() < promised.bound[-1].max()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda a: linear(a, a, a, lane="fast"), r"linear\(lane='fast'\) expects one of recurrent"),
        (lambda a: linear(a, a, a[:2]), r"linear\(\) expects v"),
        (lambda a: linear(a * np.nan, a, a), "expects finite numbers, got NaN"),
        (lambda a: linear(Magnitude((3, 2), -1.0), a, a), r"Magnitude\(largest=-1.0\)"),
        (lambda a: delta_bound(a, Magnitude((3, 2), 1.0), a, a[:, 0]), "needs the keys"),
        (lambda a: delta_bound(a, a, a, a[:, 0], layer="gated"), "expects one of delta, longhorn"),
    ],
)
def test_what_cannot_be_bounded_is_refused(call, message):
    with pytest.raises(UsageError, match=message):
        call(np.ones((3, 2)))
