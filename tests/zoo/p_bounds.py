"""An index or a window has a fixed end, which small arrays do not reach."""

import jax
import jax.numpy as jnp
from jax import lax

from .case import program, same


def last(X):
    return X[-1]


def totals(X):
    return X.cumsum(0)


def neighbours(q, X):
    return jax.nn.softmax(X @ q) @ X


def solved(A):
    L = jnp.tril(A, -1)
    return jnp.linalg.inv(jnp.eye(A.shape[0]) - L)


@program("X: T d", equals=same, fails={"T": 5, "d": 1})
def an_update_outside(X):
    return X.at[4].mul(2.0)


@program("X: T d", equals=last, fails={"T": 4, "d": 1})
def an_index_that_is_clamped(X):
    return lax.dynamic_index_in_dim(X, 2, keepdims=False)


@program("q: d, X: T d", equals=neighbours, fails={"T": 6, "d": 1})
def attention_to_five(q, X):
    seen = jnp.arange(X.shape[0]) < 5
    return jax.nn.softmax(jnp.where(seen, X @ q, -jnp.inf)) @ X


@program("X: T d", equals=totals, fails={"T": 5, "d": 1})
def totals_by_two_doublings(X):
    for shift in (1, 2):
        X = X + jnp.pad(X, ((shift, 0), (0, 0)))[: X.shape[0]]
    return X


@program("A: T T", equals=solved, fails={"T": 4})
def a_series_of_three_terms(A):
    L = jnp.tril(A, -1)
    return jnp.eye(A.shape[0]) + L + L @ L


@program("X: T d", equals=totals, fails={"T": 65, "d": 1})
def blocks_that_forget(X):
    def step(total, row):
        i, s = total
        s = jnp.where(i % 64 == 0, 0.0, s) + row
        return (i + 1, s), s

    start = jnp.zeros((), jnp.int32), jnp.zeros(X.shape[1], X.dtype)
    return lax.scan(step, start, X)[1]


@program("X: T d", equals=same, fails={"T": 1002, "d": 1})
def an_index_that_is_clipped(X):
    return X[jnp.clip(jnp.arange(X.shape[0]), 0, 1000)]
