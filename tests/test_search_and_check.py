"""The search and the check agree on what is taken for granted, and a search that goes on without end says so."""

import jax
import jax.numpy as jnp
import pytest
from jax import lax

from scanproof.proofs.check.all_sizes import outcome
from scanproof.proofs.decide.proving import prove


def running(x):
    return lax.scan(lambda total, row: (total + row,) * 2, jnp.zeros(()), x)[1]


def nested(a, b):
    return b.sum() / (jnp.cumsum(a) / (jnp.exp(a) * running(jnp.exp(b))))


def flat(a, b):
    return b.sum() * (jnp.exp(a) * jnp.cumsum(jnp.exp(b))) / running(a)


@pytest.mark.long
def test_a_quotient_of_quotients_is_proved_as_the_check_reads_it():
    result = prove(nested, shapes="a: T, b: T", equals=flat).result
    assert (result.verdict, result.scope) == ("proved", "all-sizes")


def split_gates(x, h, w):
    n = h.shape[-1]
    w_gates, w_new = jnp.split(w, [2 * n], axis=1)

    def step(h, x):
        z, r = jnp.split(jax.nn.sigmoid(h @ w_gates), 2, axis=-1)
        h = (1 - z) * h + z * jnp.tanh(x + (r * h) @ w_new)
        return h, h

    return lax.scan(step, h, x)[1]


def sliced_gates(x, h, w):
    n = h.shape[-1]

    def step(h, x):
        z = jax.nn.sigmoid(h @ w[:, :n])
        r = jax.nn.sigmoid(h @ w[:, n : 2 * n])
        h = (1 - z) * h + z * jnp.tanh(x + (r * h) @ w[:, 2 * n :])
        return h, h

    return lax.scan(step, h, x)[1]


@pytest.mark.long
def test_a_lemma_that_says_a_state_by_itself_is_no_endless_search():
    shapes = "x: T n, h: n, w: n 3*n"
    result = prove(split_gates, shapes=shapes, equals=sliced_gates, time_limit=5).result
    assert result.verdict != "refuted"
    assert "gave up" not in (result.reason or "")
    assert "recurses" not in (result.reason or "")


def reset_by_ids(k, v, ids):
    def step(carry, token):
        S, last = carry
        k, v, name = token
        S = jnp.where(name == last, S, 0.0) + v * k
        return (S, name), S

    return lax.scan(step, (jnp.zeros(()), ids[0]), (k, v, ids))[1]


def masked_by_ids(k, v, ids):
    same = ids[:, None] == ids[None, :]
    return jnp.tril(jnp.where(same, 1.0, 0.0)) @ (k * v)


@pytest.mark.long
def test_an_even_law_whose_two_sides_swap_positions_is_no_endless_search():
    result = prove(masked_by_ids, shapes="k: t, v: t, ids: t", equals=reset_by_ids).result
    assert result.verdict in ("unknown", "refuted")
    assert "gave up" not in (result.reason or "")


def recursing_in(module):
    """A function without end, of a module of this name."""
    space = {"__name__": f"scanproof.proofs.{module}"}
    exec("def endless():\n    return endless()", space)
    return space["endless"]


def test_a_search_that_recurses_says_that_it_gave_up_and_how_deep():
    found = outcome(recursing_in("search.congruences"))
    assert "the search gave up" in found
    assert "calls deep (proofs.search.congruences)" in found


def test_a_body_that_recurses_is_said_not_to_be_read():
    assert "not read: it recurses without end" in outcome(recursing_in("claims.own"))
