"""A size is the key of a cache, and the cache tells."""

import functools

import jax
import jax.numpy as jnp

from .case import program

MEMO = {4: 2.0}


def summed(X):
    return X.sum(0)


def doubled(X):
    return X + X


@functools.cache
def cached_scale(n):
    return 2.0 if n == 5 else 1.0


def remembered(n):
    if n not in MEMO:
        return 1.0
    return MEMO[n]


@program("X: T d", equals=summed, fails={"T": 5, "d": 1})
def a_function_that_is_cached(X):
    return X.sum(0) * cached_scale(X.shape[0])


@program("X: T d", equals=summed, fails={"T": 4, "d": 1})
def a_memory_with_one_entry(X):
    return X.sum(0) * remembered(X.shape[0])


@program("X: T d", equals=doubled, fails={"T": 4, "d": 1})
def a_number_of_misses(X):
    @functools.cache
    def touch(n):
        return None

    touch(X.shape[0]), touch(4)
    return X * touch.cache_info().misses


@program("X: T d", equals=doubled, fails={"T": 4, "d": 1})
def a_number_of_traces(X):
    traces = []

    @jax.jit
    def touch(a):
        traces.append(a.shape)
        return a

    touch(X), touch(jnp.zeros((4, X.shape[1]), X.dtype))
    return X * len(traces)


@program("X: T d", equals=summed, fails={"T": 9, "d": 1})
def slots_by_hash(X):
    slots = [1.0] * 8 + [3.0]
    n = X.shape[0]
    return X.sum(0) * (slots[hash(n) - 1] if hash(n) in range(1, 10) else 1.0)
