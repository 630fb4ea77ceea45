"""Booleans are added and multiplied: 1 + 1 is 1."""

import jax.numpy as jnp

from .case import program


def late(X, first):
    return jnp.arange(X.shape[0]) >= first


@program("X: T", equals=lambda X: jnp.exp2(X) * (late(X, 3) * 1.0).sum(), fails={"T": 5})
def a_count_by_a_product_of_masks(X):
    return jnp.exp2(X) * jnp.dot(late(X, 3), late(X, 3)).astype(X.dtype)


@program("X: T", equals=lambda X: X * (late(X, 3) * 1.0).sum(), fails={"T": 5})
def a_count_by_a_product_of_masks_alone(X):
    return X * jnp.dot(late(X, 3), late(X, 3)).astype(X.dtype)
