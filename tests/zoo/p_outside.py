"""A place lies outside an array from some size on: reads are filled or moved, and writes are dropped."""

import jax.numpy as jnp
from jax import lax

from .case import program, same


def places(X):
    return jnp.arange(X.shape[0])


def counted(X):
    return X * places(X)


def total(X):
    return X.sum()


@program("X: T", equals=counted, fails={"T": 4})
def a_table_of_integers_that_is_filled(X):
    return X * jnp.take(jnp.arange(3), places(X))


@program("X: T", equals=counted, fails={"T": 4})
def a_table_of_integers_filled_with_a_number(X):
    return X * jnp.arange(3).at[places(X)].get(mode="fill", fill_value=7)


@program("X: T", equals=same, fails={"T": 4})
def a_mask_that_is_filled(X):
    return X * jnp.ones(3, bool).at[places(X)].get(mode="fill", fill_value=False)


@program("X: T", equals=counted, fails={"T": 21})
def a_table_of_numbers_that_is_filled(X):
    return X * jnp.take(jnp.arange(20.0), places(X))


@program("X: T", equals=counted, fails={"T": 402})
def a_table_of_integers_that_is_clamped(X):
    return X * jnp.arange(401)[places(X)]


@program("X: T", equals=same, fails={"T": 4})
def a_gather_of_all_that_begins_one_later(X):
    numbers = lax.GatherDimensionNumbers(
        offset_dims=(0,), collapsed_slice_dims=(), start_index_map=(0,)
    )
    later = lax.gather(X, jnp.array([1]), numbers, slice_sizes=X.shape, mode="fill", fill_value=0.0)
    return jnp.where(places(X) >= 3, later, X)


@program("X: T", equals=total, fails={"T": 4})
def an_addition_that_is_dropped(X):
    return jnp.zeros(3).at[places(X)].add(X).sum()


@program("X: T", equals=total, fails={"T": 7})
def a_write_that_is_dropped(X):
    return jnp.zeros(6).at[places(X)].set(X, mode="drop").sum()


@program("X: T", equals=total, fails={"T": 21})
def an_addition_that_is_dropped_far_out(X):
    return jnp.zeros(20).at[places(X)].add(X).sum()
