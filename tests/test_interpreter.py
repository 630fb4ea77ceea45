"""Programs for JAX at numbers: the interpreter computes what a compiled program does, or leaves it to the compiler."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from scanproof.proofs.doors.jaxpr.interpreter import MOST, interpreted

COMPUTED = {
    "a scan": lambda a: lax.scan(lambda s, x: (0.5 * s + x, s * x), a[0], a),
    "a loop that ends by what it computes": lambda a: lax.while_loop(
        lambda s: jnp.sum(s) < 50, lambda s: 2 * s, jnp.abs(a) + 1
    ),
    "a branch": lambda a: lax.cond(a[0, 0] > 0, jnp.sin, jnp.cos, a),
    "places that are data": lambda a: a[jnp.argsort(a[:, 0])].at[jnp.arange(2)].add(1.0),
    "an array beside what is written into it": lambda a: (a.at[0].set(0.0), 2 * a),
    "whole parts and remainders": lambda a: (jnp.arange(-4, 4) // 3, jnp.arange(-4, 4) % 3),
    "complex results": lambda a: jnp.exp(1j * a),
    "narrow formats": lambda a: (a.astype(jnp.bfloat16) * 2).astype(jnp.float32),
    "truths and containers": lambda a: {"above": a > 0, "rest": [a[:1], (a.sum(), None)]},
    "an argument that is not read": lambda a: jnp.arange(3.0),
    "constants": lambda a: a + np.arange(8.0).reshape(4, 2),
    "sums of no products": lambda a: [
        x[:0].T @ x[:0] for x in (a, a > 0, a.astype(int), 1j * a, a.astype(jnp.float16))
    ],
    "a sum of no products in each turn": lambda a: lax.scan(
        lambda s, x: (s + a[:0].T @ a[:0], s @ x), jnp.ones((2, 2)), a
    ),
    "no tokens": lambda a: lax.scan(lambda s, x: (s + x, s * x), a[0], a[4:]),
    "empty arrays beside others": lambda a: (
        jnp.concatenate([a[:0], a, a[4:]]),
        jnp.sum(a[:0], 0),
        jnp.sort(a[:, :0], 0),
        a[jnp.arange(0)],
        a.at[jnp.arange(0)].add(a[:0]),
        jnp.pad(a[:0], ((1, 0), (0, 0))),
    ),
}
LEFT = {
    "erf": lambda a: lax.erf(a),
    "a Fourier transform": lambda a: jnp.fft.fft(a).real,
    "a system": lambda a: jnp.linalg.solve(a.T @ a, a.T),
    "a convolution of no numbers": lambda a: lax.conv(
        a[:0].reshape(2, 0, 3), a[:0].reshape(2, 0, 3), (1,), "VALID"
    ),
    "Python that is called back": lambda a: jax.pure_callback(lambda x: x, a, a),
}


@pytest.fixture
def array():
    return jnp.asarray(np.random.default_rng(0).uniform(-2, 2, (4, 2)), jnp.float32)


@pytest.mark.parametrize("name", COMPUTED)
def test_what_is_interpreted_is_what_the_compiled_program_computes(name, array):
    found, expected = interpreted(COMPUTED[name], [array]), jax.jit(COMPUTED[name])(array)
    assert jax.tree.structure(found) == jax.tree.structure(expected)
    for one, other in zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True):
        assert one.shape == other.shape
        assert one.dtype.kind == other.dtype.kind
        assert np.allclose(one, other, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", LEFT)
def test_what_the_interpreter_does_not_have_is_left_to_the_compiler(name, array):
    assert interpreted(LEFT[name], [array]) is None


def test_large_arrays_are_left_to_the_compiler():
    assert interpreted(lambda a: a, [jnp.zeros(MOST + 1)]) is None


def test_a_quotient_by_0_ends_no_process():
    found = interpreted(lambda a: lax.div(jnp.arange(4), jnp.arange(4)), [jnp.zeros(())])
    assert found is not None
    assert found[1:].tolist() == [1, 1, 1]
