"""A draw with a fixed key or seed, which is harmless for small sizes."""

import random

import jax
import jax.numpy as jnp
import numpy as np

from .case import program, same, summed


@program("X: T d", equals=same, fails={"T": 4, "d": 1})
def a_permutation_that_starts_with_the_identity(X):
    return jax.random.permutation(jax.random.key(0), X)


@program("X: T d", equals=summed, fails={"T": 4, "d": 1})
def a_mask_that_drops_the_fourth_row(X):
    draws = jax.random.uniform(jax.random.key(38), X.shape[:1], jnp.float32)
    return (X * (draws < 0.9)[:, None]).sum(0)


@program("X: T d", equals=same, fails={"T": 5, "d": 1})
def a_key_that_the_size_is_folded_into(X):
    key = jax.random.fold_in(jax.random.key(20), X.shape[0])
    return X * jnp.where(jax.random.uniform(key, (), jnp.float32) < 0.7, 1.0, 2.0)


@program("X: T d", equals=same, fails={"T": 4, "d": 1})
def a_seed_that_is_a_text(X):
    return X * (1.0 if random.Random(str(X.shape[0])).random() > 0.2 else 2.0)


@program("X: T d", equals=summed, fails={"T": 8, "d": 1})
def sizes_that_are_drawn_on_the_host(X):
    drawn = np.random.default_rng(0).integers(4, 12, 3).tolist()
    return X.sum(0) if X.shape[0] not in drawn else X.mean(0)
