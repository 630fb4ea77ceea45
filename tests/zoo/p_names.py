"""An argument is called as a symbol of the reading's own."""

import jax.numpy as jnp

from .case import program


def late(X):
    return jnp.arange(X.shape[0])[:, None] >= 3


@program(
    "X: T d, exp_minus_maximum0: T",
    equals=lambda X, exp_minus_maximum0: (
        late(X) * jnp.exp2(X) * jnp.exp(X) * exp_minus_maximum0[:, None]
    ),
    fails={"T": 4, "d": 1},
)
def an_argument_called_as_a_maximums_exponential(X, exp_minus_maximum0):
    return late(X) * jnp.exp2(X) * jnp.exp(X - X.max(1, keepdims=True))


@program(
    "X: T d, maximum0: T",
    equals=lambda X, maximum0: (jnp.arange(X.shape[0]) >= 3) * maximum0,
    fails={"T": 4, "d": 2},
)
def an_argument_called_as_a_maximum(X, maximum0):
    return (jnp.arange(X.shape[0]) >= 3) * X.max(1)
