"""Exponents that are the greater of a distance and 0, as decay masks are often written."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import pytest

from scanproof.proofs.decide.proving import prove

SHAPES = "q: T d, k: T d, v: T e, g:"


def recurrent(q, k, v, g):
    def step(S, token):
        q, k, v = token
        S = g * S + jnp.outer(k, v)
        return S, q @ S

    return jax.lax.scan(step, jnp.zeros((k.shape[1], v.shape[1])), (q, k, v))[1]


def masked(decay):
    def parallel(q, k, v, g):
        n = jnp.arange(q.shape[0])
        return (q @ k.T * decay(g, n[:, None] - n[None])) @ v

    return parallel


TRUE = {
    "maximum, then a factor": masked(lambda g, D: g ** jnp.maximum(D, 0) * (D >= 0)),
    "clip": masked(lambda g, D: jnp.where(D >= 0, g ** jnp.clip(D, 0), 0)),
    "maximum under tril": masked(lambda g, D: jnp.tril(g ** jnp.maximum(D, 0))),
}
FALSE = {
    "without the mask": masked(lambda g, D: g ** jnp.maximum(D, 0)),
    "from 1 on": masked(lambda g, D: g ** jnp.maximum(D, 1) * (D >= 0)),
    "without the diagonal": masked(lambda g, D: g ** jnp.maximum(D, 0) * (D > 0)),
    "the smaller": masked(lambda g, D: jnp.tril(g ** jnp.minimum(D, 0))),
}


@pytest.mark.long
@pytest.mark.parametrize("name", TRUE)
def test_a_decay_mask_with_a_greatest_exponent_is_the_recurrence(name):
    found = prove(recurrent, shapes=SHAPES, equals=TRUE[name]).result
    assert (found.verdict, found.scope) == ("proved", "all-sizes"), found.reason


@pytest.mark.long
@pytest.mark.parametrize("name", FALSE)
def test_another_mask_is_refuted(name):
    assert prove(recurrent, shapes=SHAPES, equals=FALSE[name]).result.verdict == "refuted"
