"""A size is used as a number, in a formula that is right for small sizes only."""

import jax.numpy as jnp
from jax import lax

from .case import program, same, summed


def running(X):
    return lax.scan(lambda c, x: (c / 2 + x, c / 2 + x), jnp.zeros_like(X[0]), X)[1]


@program("X: T d", equals=summed, fails={"T": 4, "d": 1})
def a_polynomial_that_vanishes(X):
    n = X.shape[0]
    return X.sum(0) + (n - 1) * (n - 2) * (n - 3)


@program("X: T d", equals=summed, fails={"T": 5, "d": 1})
def a_quotient_that_is_nothing(X):
    return X.sum(0) * (1 + X.shape[0] // 5)


@program("X: T d", equals=same, fails={"T": 4, "d": 1})
def a_roll_by_six(X):
    return jnp.roll(X, 6, axis=0)


@program("X: T d", equals=same, fails={"T": 4, "d": 1})
def rows_taken_by_their_cubes(X):
    n = X.shape[0]
    return X[jnp.arange(n) ** 3 % n]


@program("X: T d", equals=running, fails={"T": 4, "d": 1})
def a_parallel_scan_of_halves(X):
    return lax.associative_scan(lambda a, b: a / 2 + b, X)


@program("X: T d", equals=same, fails={"T": 2, "d": 2}, sizes={"T": (1, 2, 3), "d": (1,)})
def a_transpose_that_is_a_reshape(X):
    return X.T.reshape(X.shape)


@program("X: T d", equals=summed, fails={"T": 3, "d": 1}, sizes={"T": (1, 2), "d": (1, 2)})
def a_sum_of_the_ends(X):
    return (X[0] + X[-1]) / 2 * X.shape[0]
