"""The delta op: what it is in special cases, its gradients and what these keep, and what it refuses."""

import jax
import numpy as np
import pytest
from op_cases import OPS, STEPS, numbers, strengths

from scanproof.constructs.errors import UsageError
from scanproof.constructs.layers import delta_rule
from scanproof.numeric import x64
from scanproof.numeric.ops.chunked import chunked
from scanproof.numeric.ops.delta import AT_ONCE, delta, longhorn, substituted
from scanproof.numeric.ops.recurrent import recurrent

D, N = 2, 3


def draw(T: int, d: int = D, n: int = N) -> tuple[np.ndarray, ...]:
    """v, k, q, β, S_0 for two heads, some keys and strengths 0, with β ‖k‖² < 2."""
    rng = np.random.default_rng(0)
    v, k, q, state = (numbers(rng, 0, *shape) for shape in ((T, d), (T, n), (T, n), (d, n)))
    return v, k, q, strengths(rng, k, 1.99)["beta"], state


@pytest.mark.long
def test_unit_keys_make_the_layer_a_memory():
    """With keys e_i and β = 1 a read returns the last value that was written: exactly, in every precision."""
    rng = np.random.default_rng(0)
    T, D, N = 150, 3, 4
    places, queries = rng.integers(0, N, (2, T))
    v = rng.integers(-8, 9, (T, D))
    state = rng.integers(-8, 9, (D, N))
    unit = np.eye(N, dtype=np.float32)
    run = delta(
        v, unit[places], unit[queries], 1.0, initial_state=state, chunk=64, precision="bfloat16"
    )
    memory = state.astype(float)
    for t in range(T):
        memory[:, places[t]] = v[t]
        assert np.array_equal(run.outputs[t], memory[:, queries[t]])
    assert np.array_equal(run.final_state, memory)
    assert run.outputs.dtype == np.float32


@pytest.mark.long
def test_orthonormal_keys_and_no_initial_state_make_it_linear_attention():
    """S k_t is 0 at every write then, so that both ops add the same; in whole numbers exactly."""
    rng = np.random.default_rng(0)
    T = N = 24
    v, q = rng.integers(-3, 4, (2, 2, T, N)).astype(np.float32)
    k = np.stack([np.eye(N, dtype=np.float32)[rng.permutation(N)] for _ in range(2)])
    found, wanted = delta(v, k, q, np.ones(T), chunk=8), chunked(v, k, q, chunk=8)
    assert np.array_equal(found.outputs, wanted.outputs)
    assert np.array_equal(found.final_state, wanted.final_state)


def test_a_kernel_inverts_triangles_without_picking_a_line():
    below = np.tril(np.random.default_rng(0).normal(size=(5, 5)), -1)
    with x64():
        assert np.allclose(substituted(jax.numpy.asarray(below)), np.linalg.inv(np.eye(5) + below))


@pytest.mark.long
@pytest.mark.parametrize(("name", "where"), [*zip(STEPS, ("cpu", "gpu"), strict=True)])
def test_gradients_are_those_of_the_definition(name, where, monkeypatch):
    """As the op is cut on a CPU and on a GPU.

    With whole numbers, and for Longhorn 1 + β ‖k‖² a power of 2, float64 computes both exactly.
    """
    monkeypatch.setattr("scanproof.numeric.ops.delta.platform", lambda: where)
    op, step = OPS[name], STEPS[name]
    T, C = 5, 2
    rng = np.random.default_rng(0)
    keys = np.array([[0, 0, 0], [1, 0, 0], [0, -1, 0], [1, -1, 1]], float)
    k, beta = keys[rng.integers(0, 4, T)], rng.integers(0, 2, T).astype(float)
    v, q, state = (rng.integers(-3, 4, shape).astype(float) for shape in ((T, D), (T, N), (D, N)))

    def by_op(v, k, q, beta, state):
        run = op(v, k, q, beta, initial_state=state, chunk=C, precision="float64")
        return (run.outputs**2).sum() + run.final_state.sum()

    def by_definition(v, k, q, beta, state):
        run = recurrent(step, None, state, delta_rule.Token(k, v, q, beta))
        return (run.outputs**2).sum() + run.final_state.sum()

    with x64():
        found, wanted = (
            jax.jit(jax.grad(loss, argnums=(0, 1, 2, 3, 4)))(v, k, q, beta, state)
            for loss in (by_op, by_definition)
        )
    for got, want in zip(found, wanted, strict=True):
        assert got.dtype == np.float64 and np.any(want)
        assert np.array_equal(got, want)


@pytest.mark.long
def test_the_backward_pass_keeps_one_state_a_block():
    T, C, width = 64, 8, 16
    v, k, q, beta, state = draw(T, width, width)
    arrays = [np.asarray(a[:1], np.float32) for a in (v, k, q, beta, state)]
    _, pullback = jax.vjp(lambda *a: delta(*a[:4], initial_state=a[4], chunk=C)[1:], *arrays)
    kept = [leaf.size for leaf in jax.tree.leaves(pullback)]
    states = T // (C * AT_ONCE) * width * width
    assert kept.count(states) == 1  # the states before each block
    assert max(size for size in kept if size != states) <= T * width
    assert sum(kept) <= states + T * (3 * width + 1)  # the inputs


@pytest.mark.parametrize(
    "change, message",
    [
        ({"beta": np.ones((3,))}, r"delta\(beta=.*broadcasts to \(2, 7\).*got \(3,\)"),
        ({"beta": np.full((7,), np.nan)}, r"delta\(beta=.*expects finite numbers"),
        ({"beta": "1"}, r"delta\(beta=.*expects an array of real numbers"),
        ({"k": np.ones((2, 7, 1))}, r"delta\(\) expects .*got v \(2, 7, 2\), k \(2, 7, 1\)"),
        ({"v": [[1.0], [1.0, 2.0]]}, r"delta\(v=.*expects an array of real numbers"),
        ({"v": np.ones((2, 7, 2), complex)}, r"delta\(v=.*expects an array of real numbers"),
        ({"chunk": 0}, r"delta\(chunk=0\) expects a whole number ≥ 1"),
        ({"initial_state": np.ones((3, 2))}, r"a state is values × keys"),
        ({"precision": "float64"}, r"precision='float64' needs JAX with 64-bit types"),
        ({"precision": "tf32"}, r"no such precision"),
    ],
)
def test_wrong_arguments_are_refused(change, message):
    names = "v", "k", "q", "beta", "initial_state"
    arguments = {**dict(zip(names, draw(7), strict=True)), "chunk": 3, **change}
    with pytest.raises(UsageError, match=message):
        delta(**arguments)


def test_negative_strengths_of_longhorn_are_refused():
    v, k, q, beta, _ = draw(7)
    with pytest.raises(UsageError, match=r"longhorn\(beta=...\) expects β ≥ 0"):
        longhorn(v, k, q, -beta)
    with pytest.raises(UsageError, match=r"longhorn\(beta=...\) expects an array of real numbers"):
        longhorn(v, k, q, "a lot")
