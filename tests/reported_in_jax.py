"""What public reports on JAX programs are about, as small programs: mistaken, mended, and what is meant."""

import jax.numpy as jnp
from jax import lax


def _state(S, k, v, decay):
    def step(S, token):
        k, v, decay = token
        return decay * S + jnp.outer(k, v), None

    return lax.scan(step, S, (k, v, decay))[0]


# maxtext 5295: tokens that pad a prompt on its left change the state.


def padded_on_the_left(S, pad, k, v, decay):
    n = pad.shape[0]
    k = jnp.concatenate([0 * pad, k])
    v = jnp.concatenate([jnp.ones((n, v.shape[1])), v])
    return _state(S, k, v, jnp.concatenate([jnp.ones(n), decay]))


def unpadded(S, pad, k, v, decay):
    return _state(S, k, v, decay)
