"""Pairs of programs of JAX as they run: equal ones that rounding, ties or domains make look different, and others."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer

EQUAL = {
    "softmax, shifted": (lambda x: jnp.exp(x) / jnp.exp(x).sum(), jax.nn.softmax),
    "variances": (lambda x: (x * x).mean() - x.mean() ** 2, jnp.var),
    "cancellation": (lambda x: (x + 1e8) - 1e8, lambda x: x),
    "a tie that rounding breaks": (lambda x: jnp.where(x * 3 / 3 > x, 1.0, 0.0), lambda x: 0 * x),
    "whole parts": (lambda x: jnp.floor(x * 3 / 3), jnp.floor),
    "sorted far away": (lambda x: jnp.sort(x + 1e6) - 1e6, jnp.sort),
    "a narrow format inside": (
        lambda x: (x.astype(jnp.bfloat16) * 3).astype(x.dtype),
        lambda x: (x.astype(jnp.bfloat16) * 2).astype(x.dtype) + x.astype(jnp.bfloat16),
    ),
    "a product that is never formed": (lambda x: (x - 1) ** 6, lambda x: ((x - 1) ** 2) ** 3),
    "a polynomial that cancels": (
        lambda x: (x - 1) ** 6,
        lambda x: x**6 - 6 * x**5 + 15 * x**4 - 20 * x**3 + 15 * x**2 - 6 * x + 1,
    ),
    "a root of what may be negative": (lambda x: jnp.sqrt(x) ** 2, lambda x: x),
    "0 divided by 0 at zeros": (lambda x: x * x / x, lambda x: x),
    "the largest": (lambda x: x[jnp.argmax(x)], jnp.max),
    "1e17 added and taken away": (lambda x: (jnp.sort(x) + 1e17) - 1e17, jnp.sort),
    "a variance far away": (
        lambda x: jnp.mean((x + 3e3) ** 2) - jnp.mean(x + 3e3) ** 2,
        jnp.var,
    ),
    "eight bits inside": (lambda x: x.astype(jnp.float8_e4m3fn).astype(x.dtype), lambda x: x),
    "whole parts that both formats round down": (
        lambda x: jnp.floor(jnp.sort(x) / 3 * 3 / 49 * 49 / 41 * 41),
        lambda x: jnp.floor(jnp.sort(x)),
    ),
    "whole parts of sums that cancel": (
        lambda x: jnp.floor(jnp.cumsum(x * 0.1) * 10),
        lambda x: jnp.floor(jnp.cumsum(x)),
    ),
    "sums in two orders, compared": (
        lambda x: jnp.where((x * 0.1).sum() == sum(x[::-1] * 0.1), 1.0, 0.0),
        lambda x: jnp.ones(()),
    ),
    "a median": (
        jnp.median,
        lambda x: jnp.sort(x)[(len(x) - 1) // 2 : len(x) // 2 + 1].mean(),
    ),
}


def on_numbers(x):
    try:
        return -x if x.sum() < 0 else x
    except jax.errors.TracerBoolConversionError:
        return x


def overflowing(x):
    """−∞ − −∞ from the third on."""
    reset = jnp.cumsum(jnp.where(jnp.arange(len(x)) == 1, -jnp.inf, x))
    return jnp.tril(jnp.exp(reset[:, None] - reset[None, :])) @ x


OTHER = {
    "eagerly": (on_numbers, lambda x: x, ""),
    "compiled": (lambda x: 2 * x if isinstance(x, Tracer) else x, lambda x: x, "compiled"),
    "of NumPy's arrays": (
        lambda x: 2 * x if isinstance(x, np.ndarray) else x,
        lambda x: x,
        "given NumPy's arrays",
    ),
    "in one format": (lambda x: 2 * x if x.dtype == jnp.float32 else x, lambda x: x, ""),
    "at a tie": (lambda x: jax.grad(lambda z: jax.nn.relu(z).sum())(x), lambda x: x >= 0, ""),
    "below 0": (jnp.abs, lambda x: x, ""),
    "at 0": (lambda x: jnp.where(x == 0, 1.0, x), lambda x: x, ""),
    "in equal entries": (lambda x: jnp.argmax(x), lambda x: len(x) - 1 - jnp.argmax(x[::-1]), ""),
    "at a size in the code": (lambda x: x if len(x) < 100 else -x, lambda x: x, ""),
    "where a quotient of zeros is caught": (
        lambda x: jnp.nan_to_num(x / x),
        lambda x: jnp.ones_like(x),
        "",
    ),
    "where a logarithm has no value": (
        lambda x: jnp.where(jnp.log(x) < 5, x, x + 1),
        lambda x: x,
        "",
    ),
    "at a tie of results": (
        lambda x: jax.nn.one_hot(jnp.argmax(jax.nn.softmax(x)), len(x)),
        lambda x: jax.nn.softmax(x) == jax.nn.softmax(x).max(),
        "",
    ),
    "in shapes": (lambda x: x[None], lambda x: x, ""),
    "in what is no number": (overflowing, lambda x: jnp.zeros_like(x) + x, ""),
    "where one overflows from the second on": (
        lambda x: jnp.where(jnp.arange(len(x)) > 0, jnp.log(-jnp.abs(x)), x),
        lambda x: x,
        "",
    ),
}
"""With how the difference shows."""
