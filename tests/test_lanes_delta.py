"""The delta lane: the definitions of the delta rule and of Longhorn, evaluated exactly, within the lane's own bound."""

from __future__ import annotations

from fractions import Fraction

import jax
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scanproof.constructs.arrays.scan import scan
from scanproof.constructs.errors import UsageError
from scanproof.constructs.layers import delta_rule
from scanproof.constructs.layers import longhorn as longhorn_layer
from scanproof.numeric import rounding as bounds
from scanproof.numeric import x64
from scanproof.numeric.ops.chunked import chunked
from scanproof.numeric.ops.delta import delta, longhorn
from scanproof.numeric.ops.recurrent import recurrent

LANES = {"delta": (delta, delta_rule.step), "longhorn": (longhorn, longhorn_layer.step)}
D, N = 2, 3
CASES = [
    ("delta", 1, 4),  # one token
    ("delta", 7, 3),  # a remainder
    ("delta", 8, 4),  # none
    ("delta", 5, 64),  # a chunk longer than the sequence
    ("longhorn", 7, 3),
]
"""Lane, T and C."""


def draw(
    seed: int, T: int, scale: float, width: tuple[int, int] = (D, N)
) -> tuple[np.ndarray, ...]:
    """z, b, c, β, S_0 for two heads, some keys and strengths 0, with 0 ≤ β ‖b‖² ≤ 2; one β ‖b‖² is near 1."""
    rng = np.random.default_rng(seed)
    D, N = width
    z, b, c = (rng.normal(size=(2, T, k)) for k in (D, N, N))
    b[rng.random((2, T)) < 1 / 8] = 0
    b *= scale
    norms = (b * b).sum(axis=-1)
    norms[norms == 0] = 1
    beta = np.where(rng.random((2, T)) < 1 / 8, 0, rng.uniform(0, 1.99, (2, T))) / norms
    beta[0, 0] = 1 / norms[0, 0]
    return z * rng.choice([1e-3, 1, 1e3]), b, c, beta, rng.normal(size=(2, D, N))


def exact(step, z, b, c, beta, state):
    """Outputs and final states in rational arithmetic, as float64: one more rounding."""
    fractions = [np.vectorize(Fraction, otypes=[object])(a) for a in (b, z, c, beta, state)]
    runs = []
    for *token, start in zip(*fractions, strict=True):
        run = scan(step, None, start, delta_rule.Token(*token))
        runs.append((run.outputs, run.final_state))
    return [np.stack(parts) for parts in zip(*runs, strict=True)]


def assert_within(found, wanted, bound) -> None:
    """Every entry is as near to the exact one as promised; an infinite promise is none."""
    found = np.asarray(found, dtype=np.float64)
    assert np.isfinite(bound).all()
    gap = np.vectorize(Fraction, otypes=[object])(found) - wanted
    assert (np.abs(gap) <= bound).all(), f"{np.max(np.abs(gap) / bound):.3g} times the bound"


@pytest.mark.short("delta-5-64", "delta-1-4")
@pytest.mark.parametrize("name, T, C", CASES)
@given(seed=st.integers(0, 2**32 - 1), scale=st.sampled_from([1.0, 1e-4, 1e4]))
@settings(max_examples=10)
def test_lane_is_within_its_bound_of_the_exact_value(name, T, C, seed, scale):
    lane, step = LANES[name]
    z, b, c, beta, state = draw(seed, T, scale)
    wanted = exact(step, z, b, c, beta, state)
    with x64():
        run = lane(z, b, c, beta, initial_state=state, chunk=C, precision="float64")
    bound = bounds.delta(
        z, b, c, beta, layer=name, initial_state=state, chunk=C, precision="float64"
    )
    assert run.outputs.dtype == np.float64
    assert_within(run.outputs, wanted[0], bound.outputs.bound)
    assert_within(run.final_state, wanted[1], bound.final_state.bound)


@pytest.mark.long
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=10)
def test_float32_too(seed):
    z, b, c, beta, state = draw(seed, 7, 1.0)
    wanted = exact(delta_rule.step, z, b, c, beta, state)
    run = delta(z, b, c, beta, initial_state=state, chunk=3)
    bound = bounds.delta(z, b, c, beta, initial_state=state, chunk=3)
    assert run.outputs.dtype == np.float32
    assert_within(run.outputs, wanted[0], bound.outputs.bound)
    assert_within(run.final_state, wanted[1], bound.final_state.bound)


@pytest.mark.short("float32")
@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_unit_keys_make_the_layer_a_memory(precision):
    """With keys e_i and β = 1 a read returns the last value that was written: exactly, in every precision."""
    rng = np.random.default_rng(0)
    T, D, N = 150, 3, 4
    places, queries = rng.integers(0, N, (2, T))
    z = rng.integers(-8, 9, (T, D))
    state = rng.integers(-8, 9, (D, N))
    unit = np.eye(N, dtype=np.float32)
    run = delta(
        z, unit[places], unit[queries], 1.0, initial_state=state, chunk=64, precision=precision
    )
    memory = state.astype(float)
    for t in range(T):
        memory[:, places[t]] = z[t]
        assert np.array_equal(run.outputs[t], memory[:, queries[t]])
    assert np.array_equal(run.final_state, memory)
    assert run.outputs.dtype == np.float32


@pytest.mark.long
def test_orthonormal_keys_and_no_initial_state_make_it_linear_attention():
    """S k_t is 0 at every write then, so that both lanes add the same; in whole numbers exactly."""
    rng = np.random.default_rng(0)
    T = N = 24
    z, c = rng.integers(-3, 4, (2, 2, T, N)).astype(np.float32)
    b = np.stack([np.eye(N, dtype=np.float32)[rng.permutation(N)] for _ in range(2)])
    found, wanted = delta(z, b, c, np.ones(T), chunk=8), chunked(z, b, c, chunk=8)
    assert np.array_equal(found.outputs, wanted.outputs)
    assert np.array_equal(found.final_state, wanted.final_state)


@pytest.mark.short("delta")
@pytest.mark.parametrize("name", LANES)
def test_gradients_are_those_of_the_definition(name):
    """With whole numbers, and for Longhorn 1 + β ‖k‖² a power of 2, float64 computes both exactly."""
    lane, step = LANES[name]
    T, C = 5, 2
    rng = np.random.default_rng(0)
    keys = np.array([[0, 0, 0], [1, 0, 0], [0, -1, 0], [1, -1, 1]], float)
    b, beta = keys[rng.integers(0, 4, T)], rng.integers(0, 2, T).astype(float)
    z, c, state = (rng.integers(-3, 4, shape).astype(float) for shape in ((T, D), (T, N), (D, N)))

    def by_lane(z, b, c, beta, state):
        run = lane(z, b, c, beta, initial_state=state, chunk=C, precision="float64")
        return (run.outputs**2).sum() + run.final_state.sum()

    def by_definition(z, b, c, beta, state):
        run = recurrent(step, None, state, delta_rule.Token(b, z, c, beta))
        return (run.outputs**2).sum() + run.final_state.sum()

    with x64():
        found, wanted = (
            jax.jit(jax.grad(loss, argnums=(0, 1, 2, 3, 4)))(z, b, c, beta, state)
            for loss in (by_lane, by_definition)
        )
    for got, want in zip(found, wanted, strict=True):
        assert got.dtype == np.float64 and np.any(want)
        assert np.array_equal(got, want)


@pytest.mark.long
def test_the_backward_pass_keeps_one_state_a_chunk():
    T, C, width = 64, 8, 16
    z, b, c, beta, state = draw(0, T, 1.0, (width, width))
    arrays = [np.asarray(a[:1], np.float32) for a in (z, b, c, beta, state)]
    _, pullback = jax.vjp(lambda *a: delta(*a[:4], initial_state=a[4], chunk=C)[1:], *arrays)
    kept = [leaf.size for leaf in jax.tree.leaves(pullback)]
    states = T // C * width * width
    assert kept.count(states) == 1  # the states before each chunk
    assert max(size for size in kept if size != states) <= T * width
    assert sum(kept) <= states + T * (3 * width + 1 + C)  # the inputs, and the inverses


@pytest.mark.long
def test_lane_works_under_jit_and_vmap():
    z, b, c, beta, state = (np.asarray(a, np.float32) for a in draw(0, 7, 1.0))

    def run(z, b, c, beta, state):
        return delta(z, b, c, beta, initial_state=state, chunk=3)[1:]

    wanted = run(z, b, c, beta, state)
    bound = bounds.delta(z, b, c, beta, initial_state=state, chunk=3)
    for got, want, limit in zip(
        jax.jit(jax.vmap(run))(z, b, c, beta, state), wanted, bound[1:], strict=True
    ):
        assert np.all(np.abs(got - want) <= 2 * limit.bound)


@pytest.mark.short("bfloat16")
@pytest.mark.parametrize("precision, share", [("float32", 1e-6), ("bfloat16", 4e-3)])
def test_root_mean_square_error_at_size(precision, share):
    """The figures to reach, against float64 on the same rounded inputs."""
    T, width = 512, 128
    rng = np.random.default_rng(0)
    z, b, c = rng.normal(size=(3, T, width))
    b /= np.linalg.norm(b, axis=-1, keepdims=True)
    beta = rng.uniform(size=T).astype(np.float32)
    z, b, c = (np.asarray(jax.numpy.asarray(a, precision)) for a in (z, b, c))
    run = delta(z, b, c, beta, precision=precision)
    with x64():
        token = delta_rule.Token(*(np.asarray(a, np.float64) for a in (b, z, c, beta)))
        wanted = np.asarray(
            recurrent(delta_rule.step, None, np.zeros((width, width)), token).outputs
        )
    off = np.asarray(run.outputs, np.float64) - wanted
    assert np.sqrt(np.mean(off**2)) <= share * np.sqrt(np.mean(wanted**2))


@pytest.mark.parametrize(
    "change, message",
    [
        ({"beta": np.ones((3,))}, r"delta\(beta=.*broadcasts to \(2, 7\).*got \(3,\)"),
        ({"beta": np.full((7,), np.nan)}, r"delta\(beta=.*expects finite numbers"),
        ({"beta": "1"}, r"delta\(beta=.*expects an array of real numbers"),
        ({"b": np.ones((2, 7, 1))}, r"delta\(\) expects .*got z \(2, 7, 2\), b \(2, 7, 1\)"),
        ({"z": [[1.0], [1.0, 2.0]]}, r"delta\(z=.*expects an array of real numbers"),
        ({"z": np.ones((2, 7, 2), complex)}, r"delta\(z=.*expects an array of real numbers"),
        ({"chunk": 0}, r"delta\(chunk=0\) expects a whole number ≥ 1"),
        ({"initial_state": np.ones((3, 2))}, r"a state is values × keys"),
        ({"precision": "float64"}, r"precision='float64' needs JAX with 64-bit types"),
        ({"precision": "tf32"}, r"no such precision"),
    ],
)
def test_wrong_arguments_are_refused(change, message):
    names = "z", "b", "c", "beta", "initial_state"
    arguments = {**dict(zip(names, draw(0, 7, 1.0), strict=True)), "chunk": 3, **change}
    with pytest.raises(UsageError, match=message):
        delta(**arguments)


def test_negative_strengths_of_longhorn_are_refused():
    z, b, c, beta, _ = draw(0, 7, 1.0)
    with pytest.raises(UsageError, match=r"longhorn\(beta=...\) expects β ≥ 0"):
        longhorn(z, b, c, -beta)
    with pytest.raises(UsageError, match=r"longhorn\(beta=...\) expects an array of real numbers"):
        longhorn(z, b, c, "a lot")
