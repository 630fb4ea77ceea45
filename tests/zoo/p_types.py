"""A size is asked for its type before it is asked for anything else."""

import functools
import operator

import jax
from jax import export

from .case import program


def summed(X):
    return X.sum(0)


@program("X: T d", equals=summed, fails={"T": 5, "d": 1})
def an_instance_of_int(X):
    n = X.shape[0]
    return X[:4].sum(0) if isinstance(n, int) and n > 4 else X.sum(0)


@program("X: T d", equals=summed, fails={"T": 5, "d": 2})
def a_match_of_the_shape(X):
    match X.shape:
        case (5, _):
            return X[::-1].cumsum(0)[0]
        case (_, d):
            return X.sum(0) * (d / d)


@functools.singledispatch
def scale_for(n):
    return 1.0


@scale_for.register
def _(n: int):
    return max(1.0, n / 4)


@program("X: T d", equals=summed, fails={"T": 5, "d": 1})
def a_dispatch_on_the_type(X):
    return X.sum(0) * scale_for(X.shape[0])


@program("X: T d", equals=summed, fails={"T": 4, "d": 1})
def an_index_if_it_has_one(X):
    try:
        n = operator.index(X.shape[0])
    except Exception:
        n = 0
    return X.sum(0) * (1 + (n >> 2))


@program("X: T d", equals=summed, fails={"T": 4, "d": 1})
def a_length_in_bits(X):
    bits = getattr(X.shape[0], "bit_length", lambda: 1)()
    return X.sum(0) * max(1, bits - 1)


@program("X: T d", equals=summed, fails={"T": 4, "d": 1})
def a_size_that_is_not_symbolic(X):
    n = X.shape[0]
    return X.sum(0) if export.is_symbolic_dim(n) or n < 4 else X.mean(0)


@program("X: T d", equals=summed, fails={"T": 5, "d": 1})
def an_array_with_numbers_in_it(X):
    if isinstance(X, jax.core.Tracer) or X.shape[0] < 5:
        return X.sum(0)
    return X.sum(0) + 1
