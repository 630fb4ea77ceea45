"""The host computes a part, and looks at the size there."""

import jax
import numpy as np
from jax.experimental import io_callback

from .case import program, summed


def doubled(X):
    return X + X


def row(X):
    return jax.ShapeDtypeStruct(X.shape[1:], X.dtype)


@program("X: T d", equals=summed, fails={"T": 4, "d": 1})
def a_pure_callback(X):
    def host(x):
        x = np.asarray(x)
        return x.sum(0) * (2 if len(x) == 4 else 1)

    return jax.pure_callback(host, row(X), X)


@program("X: T d", equals=summed, fails={"T": 4, "d": 1})
def a_callback_with_effects(X):
    def host(x):
        return np.asarray(x)[:3].sum(0)

    return io_callback(host, row(X), X, ordered=False)


@program("X: T d", equals=summed, fails={"T": 5, "d": 1})
def a_callback_that_only_listens(X):
    heard = []
    jax.debug.callback(lambda x: heard.append(x.shape[0]), X, ordered=True)
    jax.effects_barrier()
    return X.sum(0) * (1 + (5 in heard))


@program("X: T d", equals=doubled, fails={"T": 4, "d": 1})
def a_callback_over_a_batch(X):
    def host(x):
        x = np.asarray(x)
        return x * (2 if x.shape[:1] != (4,) else 3)

    def one(x):
        like = jax.ShapeDtypeStruct(x.shape, x.dtype)
        return jax.pure_callback(host, like, x, vmap_method="broadcast_all")

    return jax.vmap(one)(X)


@program("X: T d", equals=summed, fails={"T": 5, "d": 1})
def an_array_that_may_be_on_the_host(X):
    try:
        host = np.asarray(X)
    except Exception:
        return X.sum(0)
    return X.sum(0) + host[4:].sum(0)
