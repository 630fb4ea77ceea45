"""The bound of the delta rule's op: long runs, what breaks it when a term is left out, and the lemmas it rests on."""

import importlib
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from op_cases import OPS, bound_of, exact_run, exactly, run_op

from scanproof.numeric import x64
from scanproof.numeric.ops.delta import delta
from scanproof.numeric.rounding import delta as delta_bound
from scanproof.numeric.rounding import delta_known, tightest
from scanproof.numeric.rounding.arithmetic import FORMATS
from scanproof.numeric.rounding.control_flow import inner_programs
from scanproof.numeric.rounding.delta_energy import Energy
from scanproof.numeric.rounding.delta_norms import norms_of_products, substituted
from scanproof.numeric.run.a_priori import ProgramReader

pytestmark = pytest.mark.deeper  # in `make test` JAX optimizes little


def long_run(rng: np.random.Generator, layer: str, T: int, d: int) -> tuple[np.ndarray, ...]:
    """Float32 numbers as they come: unit keys with β ≤ 1, or Longhorn's β = 1 and keys of any norm."""
    v, k, q = rng.uniform(-1, 1, (3, T, d))
    beta = np.ones(T)
    if layer == "delta":
        k, beta = k / np.linalg.norm(k, axis=-1, keepdims=True), rng.uniform(0, 1, T)
    return tuple(a.astype(np.float32).astype(np.float64) for a in (v, k, q, beta))


@pytest.mark.long
@pytest.mark.parametrize("layer", ["delta", "longhorn"])
@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_long_runs_of_the_delta_rule_are_within_a_bound_that_does_not_grow(layer, precision):
    """Against the op in float64 and its own bound. Keys that span the space forget errors, and so does the bound."""
    T = 1024
    tokens = long_run(np.random.default_rng(16), layer, T, 16)
    program = OPS[layer]
    bound = delta_bound(*tokens, layer=layer, precision=precision, chunk=32).outputs.bound
    fine = delta_bound(*tokens, layer=layer, precision="float64", chunk=32).outputs.bound
    found = program(*tokens, precision=precision, chunk=32).outputs
    with x64(True):
        exact = np.asarray(program(*tokens, precision="float64", chunk=32).outputs)
    gap = np.abs(np.asarray(found, dtype=np.float64) - exact)
    assert (gap <= bound + fine).all()
    assert bound[T // 2 :].max() < 1.5 * bound[T // 4 : T // 2].max()
    assert fine.max() < 2.0**-24 * bound.max()
    assert precision == "bfloat16" or bound.max() < np.abs(exact).max()


def climbing(T: int) -> tuple[np.ndarray, ...]:
    """A state of 1 that every token raises by a little more than half a unit in the last place: it is rounded up."""
    ones = np.ones((T, 1))
    values = 2 + 2.0**-10 + np.arange(T)[:, None] * 2.0**-23
    return values.astype(np.float32).astype(np.float64), ones, ones, np.full(T, 2.0**-24)


def delta_shares(
    tokens: tuple[np.ndarray, ...], state: np.ndarray, chunk: int, precision: str = "float32"
) -> np.ndarray:
    """|error| / bound of the delta op's outputs."""
    names = "v", "k", "q", "beta", "initial_state"
    inputs: dict[str, np.ndarray] = dict(zip(names, (*tokens, state), strict=True))
    found = exactly(Fraction, run_op("delta", precision, inputs, chunk).outputs)
    bound = bound_of("delta", precision, inputs, chunk).outputs.bound
    return np.abs((found - exact_run("delta", inputs).outputs).astype(np.float64)) / bound


@pytest.mark.long
def test_roundings_one_way_come_near_to_the_bound_of_the_delta_rule():
    """One addition a chunk is rounded up by nearly u; the last output takes a few roundings more."""
    T = 100
    found = delta_shares(climbing(T), np.ones((1, 1)), chunk=1)[-1, 0]
    assert (T - 1) / (T + 10) * (1 - 2.0**-9) <= found <= 1


@pytest.mark.long
@pytest.mark.parametrize(("T", "N", "chunk"), [(64, 4, 8), (256, 16, 32), (1024, 64, 64)])
def test_the_bound_of_known_numbers_is_within_forty_times_what_a_climb_finds(T, N, chunk):
    found = tightest("delta", sizes=(T, N, N), chunk=chunk, turns=8).ratio
    assert 1 / 40 < found <= 1


def known_shares(
    tokens: tuple[np.ndarray, ...], state: np.ndarray, chunk: int, unit: float = 2.0**-24
) -> tuple[float, float]:
    """The largest |error| / bound of `delta_known` in float32: of the outputs, and of the final state."""
    names = "v", "k", "q", "beta", "initial_state"
    inputs: dict[str, np.ndarray] = dict(zip(names, (*tokens, state), strict=True))
    form = FORMATS["float32"]._replace(unit=unit)
    bounds = delta_known.bounds(delta_known.Tokens(*tokens), state, chunk, form)
    run, exact = run_op("delta", "float32", inputs, chunk), exact_run("delta", inputs)
    off = (
        np.abs((exactly(Fraction, found) - right).astype(np.float64))
        for found, right in (
            (run.outputs, exact.outputs),
            (run.final_state, exact.final_state),
        )
    )
    outputs, final = (float((each / bound).max()) for each, bound in zip(off, bounds, strict=True))
    return outputs, final


@pytest.mark.long
@settings(max_examples=20)
@given(
    seed=st.integers(0, 2**32 - 1),
    most=st.sampled_from([0.5, 1.0, 1.999]),
    alike=st.booleans(),
    chunk=st.sampled_from([1, 4, 5, 16]),
)
def test_known_numbers_are_within_their_own_bound(seed, most, alike, chunk):
    """With tokens that fill no chunk, a state to begin with, and writes that nearly overshoot."""
    rng, (T, D, N) = np.random.default_rng(seed), (14, 2, 3)
    v, k, q = (rng.standard_normal((T, n)) for n in (D, N, N))
    k = k[:1] * rng.uniform(0.99, 1.01, (T, 1)) if alike else k
    beta = most * rng.uniform(0, 1, T) / np.square(k).sum(axis=1)
    arrays = (v, k, q, beta, rng.standard_normal((D, N)))
    *tokens, state = (a.astype(np.float32).astype(np.float64) for a in arrays)
    assert max(known_shares(tuple(tokens), state, chunk)) <= 1


@pytest.mark.long
def test_roundings_one_way_come_near_to_the_bound_of_known_numbers_and_break_half_of_it():
    tokens, state = climbing(100), np.ones((1, 1))
    assert 0.8 < known_shares(tokens, state, 1)[1] <= 1
    assert known_shares(tokens, state, 1, unit=2.0**-25)[1] > 1


MUTANTS = {
    "half the unit roundoff": (
        "delta_chunk.rounding",
        lambda old: lambda *a, **k: old(*a, **k)._replace(unit=old(*a, **k).unit / 2),
    ),
    "errors are not carried on": (
        "delta_rule.carried",
        lambda old: lambda start, norms, *rest: old(start, [0 * n for n in norms], *rest),
    ),
    "a norm that is a hundredth too small": (
        "delta_rule.carried",
        lambda old: lambda start, norms, *rest: old(start, [0.99 * n for n in norms], *rest),
    ),
}


@pytest.mark.long
@pytest.mark.parametrize("mutant", MUTANTS)
def test_the_climbing_state_breaks_a_bound_of_the_delta_rule_that_lacks_something(
    monkeypatch, mutant
):
    place, change = MUTANTS[mutant]
    module, name = place.split(".")
    owner = importlib.import_module(f"scanproof.numeric.rounding.{module}")
    changed = change(getattr(owner, name))
    for where in (owner, importlib.import_module("scanproof.numeric.rounding.delta_rule")):
        monkeypatch.setattr(where, name, changed)
    assert delta_shares(climbing(100), np.ones((1, 1)), chunk=1).max() > 1


@pytest.mark.long
def test_a_long_chunk_breaks_a_bound_that_takes_its_sums_for_exact(monkeypatch):
    T = 256
    v, ones = np.full((T, 1), 2 + 2.0**-10), np.ones((T, 1))
    beta = np.full(T, 2.0**-24)
    v[0], beta[0] = 1.0, 1.0
    tokens, nothing = (v, ones, ones, beta), np.zeros((1, 1))
    assert delta_shares(tokens, nothing, chunk=T).max() <= 1
    monkeypatch.setattr("scanproof.numeric.rounding.delta_chunk.gamma", lambda terms, unit: 0.0)
    assert delta_shares(tokens, nothing, chunk=T).max() > 1


def test_rounded_tokens_break_a_bound_of_the_delta_rule_that_leaves_them_out(monkeypatch):
    third = np.full((1, 1), 1 + 2.0**-8 * (1 - 2.0**-6))
    tokens, nothing = (third, third, third, np.full(1, 0.25)), np.zeros((1, 1))
    assert delta_shares(tokens, nothing, chunk=2, precision="bfloat16").max() <= 1
    monkeypatch.setattr(
        "scanproof.numeric.rounding.delta_rule._moved",
        lambda *a: 0 * np.asarray(a[-1]),
    )
    assert delta_shares(tokens, nothing, chunk=2, precision="bfloat16").max() > 1


def test_the_delta_op_makes_the_products_that_its_bound_counts():
    """K Kᵀ, the lines of X, K sᵀ, X r; Q Kᵀ, uᵀ K, weights u, Q sᵀ; and no solve but that by lines."""
    import jax

    def names(program: Any) -> list[str]:
        found = []
        for equation in program.jaxpr.eqns:
            found.append(equation.primitive.name)
            for inner in inner_programs(equation):
                found += names(inner)
        return found

    arrays = [np.ones(s, np.float32) for s in ((6, 2), (6, 3), (6, 3), (6,))]
    found = names(jax.make_jaxpr(lambda *a: delta(*a, chunk=3).outputs)(*arrays))
    assert found.count("dot_general") == 8
    assert not set(found) & {"exp", "div", "cumsum", "reduce_sum", "scatter", "triangular_solve"}


@pytest.mark.long
@settings(max_examples=20)
@given(seed=st.integers(0, 2**32 - 1))
def test_norms_of_products_are_upper_bounds_and_nearly_attained(seed):
    rng = np.random.default_rng(seed)
    n, N = int(rng.integers(1, 9)), int(rng.integers(1, 6))
    M = rng.standard_normal((n, N, N)) * 2.0 ** rng.integers(-40, 40)
    M[rng.random(n) < 1 / 8] = 0.0
    found = norms_of_products(M, np.zeros(n), np.full(n, np.inf))
    for k, norms in enumerate(found):
        assert len(norms) == n // 2**k
        for i, bound in enumerate(norms):
            product = np.eye(N)
            for factor in M[i * 2**k : (i + 1) * 2**k]:
                product = factor @ product
            exact = np.linalg.norm(product, 2)
            assert exact * (1 - 2.0**-40) <= bound <= exact * N ** (1 / 128) * (1 + 2.0**-10)


@pytest.mark.long
@settings(max_examples=20)
@given(seed=st.integers(0, 2**32 - 1), most=st.sampled_from([1.0, 1.9, 2.5]))
def test_no_state_or_write_is_larger_than_its_energy_allows(seed, most):
    rng = np.random.default_rng(seed)
    T, N = 9, 2
    keys, values, first = (
        rng.standard_normal((T, N)),
        rng.standard_normal(T),
        rng.standard_normal(N),
    )
    norms = np.linalg.norm(keys, axis=1)
    beta = rng.uniform(0, most, T) / norms**2
    energy = Energy(beta[None], beta[None], norms[None])
    start, sizes = np.array([[np.linalg.norm(first)]]), np.abs(values)[None, :, None]
    bounds = energy.states(start, sizes)
    s, states, writes = first, [], []
    for k, v, b in zip(keys, values, beta, strict=True):
        u = b * (v - s @ k)
        s = s + u * k
        states.append(np.linalg.norm(s))
        writes.append(u)
    assert (states <= bounds[0, :, 0]).all()
    assert np.linalg.norm(norms * writes) <= energy.writes(start, sizes, bounds)[0, 0]


def test_numbers_that_may_be_flushed_to_zero_are_promised_as_such():
    """The largest number of a token says nothing of a subnormal one beside it, nor that of another head."""
    array = np.ones((2, 3, 2), np.float32)
    array[0, 1, 0] = 2.0**-130
    together = ProgramReader(exactly=False, together=True).entering(array)
    assert np.array_equal(together.error[0, :, 0], [0, 2.0**-130, 0])
    assert np.array_equal(
        ProgramReader(exactly=False).entering(array).error, together.error * [[[1]], [[0]]]
    )
    assert ProgramReader(exactly=False).entering(np.ones((2, 3, 2), np.float32)).error is None


def test_a_subnormal_product_of_a_value_and_a_key_is_covered_however_large_the_strength():
    """A token outside a chunk multiplies by β last: 2⁻¹²⁰ · 2⁻²⁰ is flushed to 0, and was to be multiplied by 2⁴⁰."""
    tokens = (
        np.full((1, 1), 2.0**-120),
        np.full((1, 1), 2.0**-20),
        np.ones((1, 1)),
        np.full(1, 2.0**40),
    )
    assert 0 < delta_shares(tokens, np.zeros((1, 1)), chunk=2).max() <= 1


@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_a_system_that_general_inversion_takes_for_singular_has_a_bound_or_none(precision):
    """Strengths of 10⁴: entries of thousands of lines cancel in any other order than line after line."""
    matrix = np.tril(np.random.default_rng(11).uniform(-1e4, 1e4, (8, 16, 16)), -1) + np.eye(16)
    X = substituted(matrix)
    assert np.abs(np.tril(np.ones((16, 16))) * X - X).max() == 0
    residual = np.abs(matrix @ X - np.eye(16))
    assert (residual <= 40 * 2.0**-53 * np.abs(matrix) @ np.abs(X)).all()
    rng = np.random.default_rng(11)
    v, k, q = (a.astype(np.float32).astype(float) for a in rng.uniform(-1, 1, (3, 17, 4)))
    beta = (1e4 * rng.uniform(0, 1, 17)).astype(np.float32).astype(float)
    assert (delta_bound(v, k, q, beta, precision=precision, chunk=8).outputs.bound > 0).all()
