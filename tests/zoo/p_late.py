"""A program that is another one beyond the sizes tried exactly, by an operation or a number that is not read there."""

import jax
import jax.numpy as jnp

from .case import program, same


def reset_in_a_loop(g, x):
    """h ← exp(g) h + x, and 0 at token 4."""

    def step(h, token):
        g, x, place = token
        h = jnp.where(place == 4, 0.0, jnp.exp(g)) * h + x
        return h, h

    return jax.lax.scan(step, jnp.zeros(()), (g, x, jnp.arange(x.shape[0])))[1]


@program("g: T, x: T", equals=reset_in_a_loop, fails={"T": 6})
def a_reset_in_log_space(g, x):
    """−∞ − −∞ from token 5 on."""
    sums = jnp.cumsum(jnp.where(jnp.arange(x.shape[0]) == 4, -jnp.inf, g))
    return jnp.tril(jnp.exp(sums[:, None] - sums[None, :])) @ x


@program("x: T", equals=same, fails={"T": 10})
def sorted_from_ten_on(x):
    return jnp.sort(x) if x.shape[0] > 9 else x


@program("x: T", equals=same, fails={"T": 7})
def rounded_from_seven_on(x):
    return jnp.round(x) if x.shape[0] > 6 else x


@program("x: T", equals=same, fails={"T": 5})
def not_a_number_from_five_on(x):
    return x * jnp.nan if x.shape[0] > 4 else x


@program("x: T", equals=same, fails={"T": 5})
def shorter_from_five_on(x):
    return x[1:] if x.shape[0] > 4 else x


@program("x: T d", equals=same, fails={"T": 5, "d": 1})
def transposed_from_five_on(x):
    return x.T if x.shape[0] > 4 else x


@program("x: T", equals=same, fails={"T": 3})
def an_index_of_32_bits_that_wraps(x):
    """2³⁰ · 2 is −2³¹ in 32 bits: the mask is 0 from the third entry on."""
    return jnp.where(jnp.arange(x.shape[0], dtype=jnp.int32) * 2**30 >= 0, x, 0.0)
