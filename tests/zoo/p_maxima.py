"""A maximum is subtracted that is not one number for all that is divided."""

import jax
import jax.numpy as jnp
from jax import lax

from .case import program

ONE_ROW = {"T": (1,), "d": (1, 2, 3)}
ONE_COLUMN = {"T": (1, 2, 3), "d": (1,)}


def over_the_first(X):
    e = jnp.exp(X)
    return e / e[0].sum()


def over_all(X):
    e = jnp.exp(X)
    return e / e.sum()


def over_columns(X):
    return jnp.exp(X) / jnp.exp(X).sum(0)


def weighted(x, V):
    return jnp.exp(x) @ V / jnp.exp(x).sum()


def attention(Q, K):
    e = jnp.exp(Q @ K.T)
    return e / e.sum(1, keepdims=True)


@program("X: T d", equals=over_the_first, fails={"T": 2, "d": 2}, sizes=ONE_ROW)
def one_for_each_row_in_a_map(X):
    e = lax.map(lambda r: jnp.exp(r - r.max()), X)
    return e / e[0].sum()


@program("X: T d", equals=over_all, fails={"T": 2, "d": 2}, sizes=ONE_COLUMN)
def one_for_each_column(X):
    e = jnp.exp(X - X.max(0))
    return e / e.sum()


@program("x: T, V: T d", equals=weighted, fails={"T": 5, "d": 1}, sizes=ONE_ROW)
def one_that_grows_and_is_not_corrected(x, V):
    def step(state, row):
        m, n, s = state
        m = jnp.maximum(m, row[0])
        e = jnp.exp(row[0] - m)
        return (m, n + e * row[1], s + e), None

    start = jnp.asarray(-jnp.inf, x.dtype), jnp.zeros(V.shape[1], x.dtype), jnp.zeros((), x.dtype)
    _, n, s = lax.scan(step, start, (x, V))[0]
    return n / s


@program("X: T d", equals=over_columns, fails={"T": 5, "d": 1}, sizes=ONE_ROW)
def one_so_far(X):
    e = jnp.exp(X - lax.cummax(X, axis=0))
    return e / e.sum(0)


@program("Q: T d, K: T d", equals=attention, fails={"T": 2, "d": 1}, sizes=ONE_ROW)
def one_along_the_other_axis(Q, K):
    S = Q @ K.T
    e = jnp.exp(S - S.max(1))
    return e / e.sum(1, keepdims=True)


@program("X: T d", equals=over_columns, fails={"T": 5, "d": 1})
def one_for_each_block_of_four(X):
    i = jnp.arange(X.shape[0])[:, None] < 4
    first, rest = (jnp.where(s, X, -jnp.inf).max(0) for s in (i, ~i))
    e = jnp.exp(X - jnp.where(i, first, rest))
    return e / e.sum(0)


@program("X: T d", equals=over_the_first, fails={"T": 2, "d": 2}, sizes=ONE_ROW)
def one_for_each_step_of_a_loop(X):
    def step(i, e):
        return e.at[i].set(jnp.exp(X[i] - X[i].max()))

    e = lax.fori_loop(0, X.shape[0], step, jnp.zeros_like(X))
    return e / e[0].sum()


def rows_up_to_the_eighth(X):
    early = jnp.arange(X.shape[0])[:, None] < 8
    e = jnp.exp(X @ X.T)
    return jnp.where(early, e @ X / e.sum(1, keepdims=True), 0)


@program("X: T d", equals=rows_up_to_the_eighth, fails={"T": 9, "d": 1})
def rows_that_are_masked_whole(X):
    early = jnp.ones((X.shape[0],) * 2, bool) & (jnp.arange(X.shape[0])[:, None] < 8)
    return jax.nn.softmax(jnp.where(early, X @ X.T, -jnp.inf), -1) @ X
