"""An integer of few bits goes over its end, or a float stops counting."""

import jax.numpy as jnp
from jax import lax

from .case import program, summed


def total(x):
    return x.sum()


def weighted(x):
    return (x * jnp.arange(x.shape[0], dtype=x.dtype)).sum()


def cubes(x):
    return (x * jnp.arange(x.shape[0], dtype=x.dtype) ** 3).sum()


def powers(x):
    return x * 2 ** jnp.arange(x.shape[0], dtype=x.dtype)


def flat(X):
    return X.ravel()


@program("x: N", equals=weighted, fails={"N": 130})
def a_counter_in_a_scan(x):
    def step(state, value):
        i, s = state
        return (i + jnp.int8(1), s + i * value), None

    return lax.scan(step, (jnp.int8(0), jnp.zeros((), x.dtype)), x)[0][1]


@program("x: N", equals=cubes, fails={"N": 2000})
def cubes_in_thirty_two_bits(x):
    i = lax.iota(jnp.int32, x.shape[0])
    return (x * (i * i * i)).sum()


@program("x: N", equals=powers, fails={"N": 8})
def a_shift_in_eight_bits(x):
    i = lax.iota(jnp.int8, x.shape[0])
    return x * jnp.left_shift(jnp.ones_like(i), i)


@program("X: T d", equals=flat, fails={"T": 40, "d": 8})
def an_index_into_all_elements(X):
    T, d = X.shape
    i, j = lax.iota(jnp.uint8, T), lax.iota(jnp.uint8, d)
    width = jnp.ones(d, jnp.uint8).sum(dtype=jnp.uint8)
    return X.ravel()[(i[:, None] * width + j).ravel()]


@program("X: T d", equals=summed, fails={"T": 33000, "d": 1})
def a_counter_in_sixteen_bits(X):
    def step(i, row):
        return i + jnp.int16(1), jnp.where(i >= 0, row, 0.0)

    return lax.scan(step, jnp.int16(0), X)[1].sum(0)


def three_billions(x):
    return x * (jnp.arange(x.shape[0]) >= 50) * 3e9


@program("x: N", equals=three_billions, fails={"N": 51})
def a_number_that_a_cast_cuts(x):
    many = jnp.full(x.shape, 3_000_000_000, jnp.int64).astype(jnp.int32)
    return x * (jnp.arange(x.shape[0]) >= 50) * many.astype(x.dtype)
