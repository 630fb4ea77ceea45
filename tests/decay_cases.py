"""Layers with decays: as a scan, and as what runs in parallel, with log decays summed up, masks and powers.

`EQUAL` has pairs of functions that are equal at all sizes; `FALSE` has pairs with one planted bug each.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import lax


def over_time(step, state, *tokens):
    """The outputs of a scan."""
    return lax.scan(step, state, tokens)[1]


def causal(T, below=0):
    return jnp.tril(jnp.ones((T, T), bool), below)


# Elementwise recurrences (RG-LRU, HGRN): h = exp(g) h + x.


def gated(g, x):
    def step(h, token):
        g, x = token
        h = jnp.exp(g) * h + x
        return h, h

    return over_time(step, jnp.zeros(x.shape[1]), g, x)


def gated_by_a_mask(g, x):
    G = jnp.cumsum(g, 0)
    decay = jnp.where(causal(x.shape[0])[:, :, None], jnp.exp(G[:, None] - G[None]), 0.0)
    return jnp.einsum("tsd,sd->td", decay, x)


def gated_by_normalised_sums(g, x):
    G = jnp.cumsum(g, 0)
    return jnp.exp(G) * jnp.cumsum(x / jnp.exp(G), 0)


def gated_one_decay_too_few(g, x):
    G = jnp.cumsum(g, 0)
    return jnp.exp(G) * jnp.cumsum(jnp.exp(g - G) * x, 0)


def multiplied(a, x):
    def step(h, token):
        a, x = token
        h = a * h + x
        return h, h

    return over_time(step, jnp.zeros(x.shape[1]), a, x)


def by_products(a, x):
    P = jnp.cumprod(a, 0)
    return P * jnp.cumsum(x / P, 0)


def by_products_shifted(a, x):
    P = jnp.cumprod(a, 0)
    return P * jnp.cumsum(a * x / P, 0)


def by_logarithms(a, x):
    return gated_by_a_mask(jnp.log(a), x)


def input_gated(x, W, rate):
    """RG-LRU: log a = −8 rate σ(W x), the input scaled by √(1 − a²)."""

    def step(h, x):
        log_a = -8 * jax.nn.sigmoid(x @ W) * rate
        h = jnp.exp(log_a) * h + jnp.sqrt(1 - jnp.exp(2 * log_a)) * x
        return h, h

    return lax.scan(step, jnp.zeros(x.shape[1]), x)[1]


def input_gated_by_a_mask(x, W, rate):
    log_a = -8 * rate * jax.nn.sigmoid(x @ W)
    a = jnp.exp(log_a)
    return gated_by_a_mask(log_a, jnp.sqrt(1 - a**2) * x)


def forgetting(f, x):
    """HGRN: h = σ(f) h + (1 − σ(f)) x."""

    def step(h, token):
        f, x = token
        h = f * h + (1 - f) * x
        return h, h

    return over_time(step, jnp.zeros(x.shape[1]), jax.nn.sigmoid(f), x)


def forgetting_in_log_space(f, x):
    f = jax.nn.sigmoid(f)
    return gated_by_a_mask(jnp.log(f), (1 - f) * x)


def forgetting_one_minus(f, x):
    """1 − σ(f) = σ(−f) as exp of a logarithm."""
    return gated_by_a_mask(jax.nn.log_sigmoid(f), jnp.exp(jax.nn.log_sigmoid(-f)) * x)


def forgetting_the_other_way(f, x):
    return gated_by_a_mask(jax.nn.log_sigmoid(-f), (1 - jax.nn.sigmoid(f)) * x)


def forgetting_one_late(f, x):
    """The decay of the first of two tokens in place of that of the second."""
    g = jax.nn.log_sigmoid(f)
    G = jnp.cumsum(g, 0) - g
    decay = jnp.where(causal(x.shape[0])[:, :, None], jnp.exp(G[:, None] - G[None]), 0.0)
    return jnp.einsum("tsd,sd->td", decay, (1 - jax.nn.sigmoid(f)) * x)


def sigmoids_multiplied(f):
    return jnp.cumprod(jax.nn.sigmoid(f), 0)


def exponential_of_log_sigmoids(f):
    return jnp.exp(jnp.cumsum(-jnp.logaddexp(0.0, -f), 0))


def exponential_without_the_first(f):
    g = jax.nn.log_sigmoid(f)
    return jnp.exp(jnp.cumsum(g, 0) - g[0])


def square_of_sigmoids(f):
    return jax.nn.sigmoid(f) ** 2


def twice_the_logarithm(f):
    return jnp.exp(2 * jax.nn.log_sigmoid(f))


def twice_another_logarithm(f):
    return jnp.exp(2 * jax.nn.softplus(-f))


def cumulated_product(g):
    return jnp.cumprod(jnp.exp(g), 0)


def exponential_of_the_sum(g):
    return jnp.exp(jnp.cumsum(g, 0))


def exponential_of_the_sum_before(g):
    return jnp.exp(jnp.cumsum(g, 0) - g)


# Matrices as states (GLA, RetNet, RWKV, mLSTM).


def empty(k, v):
    return jnp.zeros((k.shape[-1], v.shape[-1]))


def scalar_gates(q, k, v, g):
    def step(S, token):
        q, k, v, g = token
        S = jnp.exp(g) * S + jnp.outer(k, v)
        return S, q @ S

    return over_time(step, empty(k, v), q, k, v, g)


def scalar_gates_by_a_mask(q, k, v, g):
    G = jnp.cumsum(g)
    return (q @ k.T * jnp.exp(jnp.where(causal(q.shape[0]), G[:, None] - G[None], -jnp.inf))) @ v


def scalar_gates_transposed(q, k, v, g):
    G = jnp.cumsum(g)
    return (q @ k.T * jnp.where(causal(q.shape[0]), jnp.exp(G[None] - G[:, None]), 0.0)) @ v


def read_before_writing(q, k, v, g):
    def step(S, token):
        q, k, v, g = token
        return jnp.exp(g) * S + jnp.outer(k, v), q @ S

    return over_time(step, empty(k, v), q, k, v, g)


def read_before_writing_by_a_mask(q, k, v, g):
    G = jnp.cumsum(jnp.pad(g, (1, 0)))
    return (q @ k.T * jnp.tril(jnp.exp(G[:-1, None] - G[None, 1:]), -1)) @ v


def channel_gates(q, k, v, g, S):
    def step(S, token):
        q, k, v, g = token
        S = jnp.exp(g)[:, None] * S + k[:, None] * v
        return S, q @ S

    last, outputs = lax.scan(step, S, (q, k, v, g))
    return outputs, last


def channel_gates_scaled(q, k, v, g, S):
    G = jnp.cumsum(g, 0)
    within = jnp.tril((q * jnp.exp(G)) @ (k * jnp.exp(-G)).T) @ v
    last = jnp.exp(G[-1])[:, None] * S + (k * jnp.exp(G[-1] - G)).T @ v
    return within + (q * jnp.exp(G)) @ S, last


def channel_gates_with_a_late_start(q, k, v, g, S):
    outputs, last = channel_gates_scaled(q, k, v, g, S)
    G = jnp.cumsum(g, 0)
    return outputs + (q * (jnp.exp(G - g) - jnp.exp(G))) @ S, last


def last_state(k, v, g):
    def step(S, token):
        k, v, g = token
        return jnp.exp(g) * S + jnp.outer(k, v), None

    return lax.scan(step, empty(k, v), (k, v, g))[0]


def last_state_by_a_sum(k, v, g):
    G = jnp.cumsum(g)
    return (k * jnp.exp(G[-1] - G)[:, None]).T @ v


def last_state_by_a_reversed_sum(k, v, g):
    return (k * jnp.exp(lax.cumsum(g, reverse=True) - g)[:, None]).T @ v


def last_state_with_its_own_decay(k, v, g):
    return (k * jnp.exp(lax.cumsum(g, reverse=True))[:, None]).T @ v


def receptance(r, k, v, w, u):
    """RWKV: decays exp(−exp(w)), a bonus u for the present token."""

    def step(S, token):
        r, k, v, w = token
        now = jnp.outer(k, v)
        return jnp.exp(-jnp.exp(w))[:, None] * S + now, r @ (S + u[:, None] * now)

    return over_time(step, empty(k, v), r, k, v, w)


def receptance_scaled(r, k, v, w, u):
    decay = -jnp.exp(w)
    G = jnp.cumsum(decay, 0)
    within = jnp.tril((r * jnp.exp(G - decay)) @ (k * jnp.exp(-G)).T, -1)
    return within @ v + jnp.sum(r * u * k, 1)[:, None] * v


def receptance_decayed_once_more(r, k, v, w, u):
    G = jnp.cumsum(-jnp.exp(w), 0)
    within = jnp.tril((r * jnp.exp(G)) @ (k * jnp.exp(-G)).T, -1)
    return within @ v + jnp.sum(r * u * k, 1)[:, None] * v


def matrix_memory(q, k, v, i, f):
    """mLSTM with exponential gates and no stabiliser."""

    def step(carry, token):
        C, n = carry
        q, k, v, i, f = token
        C = jnp.exp(f) * C + jnp.exp(i) * jnp.outer(k, v)
        n = jnp.exp(f) * n + jnp.exp(i) * k
        return (C, n), (q @ C) / (q @ n)

    return over_time(step, (empty(k, v), jnp.zeros(k.shape[1])), q, k, v, i, f)


def matrix_memory_by_a_mask(q, k, v, i, f):
    F = jnp.cumsum(f)
    weights = q @ k.T * jnp.where(causal(q.shape[0]), jnp.exp(F[:, None] - F[None] + i[None]), 0.0)
    return weights @ v / weights.sum(1, keepdims=True)


def matrix_memory_gated_by_the_query(q, k, v, i, f):
    F = jnp.cumsum(f)
    weights = (
        q @ k.T * jnp.where(causal(q.shape[0]), jnp.exp(F[:, None] - F[None] + i[:, None]), 0.0)
    )
    return weights @ v / weights.sum(1, keepdims=True)


def erasing(q, k, v, beta, g):
    """The gated delta rule."""

    def step(S, token):
        q, k, v, beta, g = token
        S = jnp.exp(g) * S
        S = S + beta * jnp.outer(k, v - k @ S)
        return S, q @ S

    return over_time(step, empty(k, v), q, k, v, beta, g)


def erasing_in_normalised_states(q, k, v, beta, g):
    """U = exp(−G) S has no decay."""

    def step(U, token):
        q, k, v, beta, G = token
        U = U + beta * jnp.outer(k, jnp.exp(-G) * v - k @ U)
        return U, jnp.exp(G) * (q @ U)

    return over_time(step, empty(k, v), q, k, v, beta, jnp.cumsum(g))


def erasing_values_that_are_not_normalised(q, k, v, beta, g):
    def step(U, token):
        q, k, v, beta, G = token
        U = U + beta * jnp.outer(k, v - k @ U)
        return U, jnp.exp(G) * (q @ U)

    return over_time(step, empty(k, v), q, k, v, beta, jnp.cumsum(g))


def time_mixing(k, v, w, u):
    """RWKV-4: numerator and denominator as states, a bonus u for the present token."""

    def step(carry, token):
        a, b = carry
        k, v = token
        now = jnp.exp(u + k)
        output = (a + now * v) / (b + now)
        return (jnp.exp(-w) * a + jnp.exp(k) * v, jnp.exp(-w) * b + jnp.exp(k)), output

    zeros = jnp.zeros(v.shape[1])
    return over_time(step, (zeros, zeros), k, v)


def time_mixing_by_a_mask(k, v, w, u, late=0):
    n = jnp.arange(k.shape[0])
    apart = n[:, None] - n[None]
    decay = jnp.exp(k - (apart - 1 + late)[..., None] * w)
    weights = jnp.where((apart >= 1)[..., None], decay, 0.0)
    weights = weights + jnp.eye(k.shape[0])[..., None] * jnp.exp(u + k)
    return jnp.einsum("tsd,sd->td", weights, v) / weights.sum(1)


def time_mixing_decayed_too_late(k, v, w, u):
    return time_mixing_by_a_mask(k, v, w, u, late=1)


def stabilised_by_the_sum(q, k, v, i, f):
    """Gates exp(f) and exp(i), the state kept as exp(−m) S, where m is the sum of f."""

    def step(carry, token):
        S, m = carry
        q, k, v, i, f = token
        before, m = m, f + m
        S = jnp.exp(f + before - m) * S + jnp.exp(i - m) * jnp.outer(k, v)
        return (S, m), jnp.exp(m) * (q @ S)

    return over_time(step, (empty(k, v), 0.0), q, k, v, i, f)


def two_gates_by_a_mask(q, k, v, i, f):
    F = jnp.cumsum(f)
    D = jnp.where(causal(q.shape[0]), F[:, None] - F[None] + i[None], -jnp.inf)
    return (q @ k.T * jnp.exp(D)) @ v


def selective(x, dt, A, B, C):
    """Mamba's selective scan with a diagonal A."""

    def step(h, token):
        x, dt, b, c = token
        h = jnp.exp(dt[:, None] * A) * h + (dt * x)[:, None] * b
        return h, h @ c

    return over_time(step, jnp.zeros(A.shape), x, dt, B, C)


def selective_by_normalised_sums(x, dt, A, B, C):
    grown = jnp.exp(jnp.cumsum(dt, 0)[:, :, None] * A)
    h = grown * jnp.cumsum((dt * x)[:, :, None] * B[:, None] / grown, 0)
    return jnp.einsum("tdn,tn->td", h, C)


def returns(r, gamma):
    def step(R, r):
        R = r + gamma * R
        return R, R

    return lax.scan(step, 0.0, r, reverse=True)[1]


def returns_by_a_mask(r, gamma):
    n = jnp.arange(r.shape[0])
    later = n[None] - n[:, None]
    return jnp.where(later >= 0, gamma**later, 0.0) @ r


# Powers.


def retention(q, k, v, gamma):
    def step(S, token):
        q, k, v = token
        S = gamma * S + jnp.outer(k, v)
        return S, q @ S

    return over_time(step, empty(k, v), q, k, v)


def retention_by_a_mask(q, k, v, gamma):
    n = jnp.arange(q.shape[0])
    apart = n[:, None] - n[None]
    return (q @ k.T * jnp.where(apart >= 0, gamma ** apart.astype(float), 0.0)) @ v


def retention_by_scaled_keys(q, k, v, gamma):
    n = jnp.arange(q.shape[0])
    return jnp.tril((q * (gamma**n)[:, None]) @ (k * (gamma**-n)[:, None]).T) @ v


def retention_by_one_step_more(q, k, v, gamma):
    n = jnp.arange(q.shape[0])
    apart = n[:, None] - n[None]
    return (q @ k.T * jnp.where(apart >= 0, gamma ** (apart + 1), 0.0)) @ v


def retention_with_a_negative_power(q, k, v, gamma):
    n = jnp.arange(q.shape[0])
    apart = n[None] - n[:, None]
    return (q @ k.T * jnp.where(apart <= 0, gamma**apart, 0.0)) @ v


def heads_of_retention(q, k, v, gamma):
    return jax.vmap(retention)(q, k, v, gamma)


def heads_of_retention_by_a_mask(q, k, v, gamma):
    n = jnp.arange(q.shape[1])
    apart = n[:, None] - n[None]
    decay = jnp.where(apart >= 0, gamma[:, None, None] ** apart, 0.0)
    return jnp.einsum("hts,hse->hte", jnp.einsum("htd,hsd->hts", q, k) * decay, v)


def slowly(q, k, v, kappa):
    def step(S, token):
        q, k, v = token
        S = jnp.exp(kappa) * S + jnp.outer(k, v)
        return S, q @ S

    return over_time(step, empty(k, v), q, k, v)


def slowly_by_a_mask(q, k, v, kappa):
    n = jnp.arange(q.shape[0])
    apart = n[:, None] - n[None]
    return (q @ k.T * jnp.exp(jnp.where(apart >= 0, kappa * apart, -jnp.inf))) @ v


def averaged(x, beta):
    def step(m, x):
        m = beta * m + (1 - beta) * x
        return m, m

    return lax.scan(step, jnp.zeros(x.shape[1]), x)[1]


def averaged_by_powers(x, beta):
    n = jnp.arange(x.shape[0])
    apart = n[:, None] - n[None]
    return jnp.where(apart >= 0, (1 - beta) * beta**apart, 0.0) @ x


def averaged_without_the_last(x, beta):
    n = jnp.arange(x.shape[0])
    apart = n[:, None] - n[None]
    return jnp.where(apart >= 1, (1 - beta) * beta**apart, 0.0) @ x


def polynomial(x, gamma):
    return lax.scan(lambda h, x: (gamma * h + x, None), 0.0, x)[0]


def polynomial_by_powers(x, gamma):
    return jnp.sum(gamma ** jnp.arange(x.shape[0] - 1, -1, -1) * x)


def polynomial_by_rising_powers(x, gamma):
    return jnp.sum(gamma ** jnp.arange(x.shape[0]) * x)


def powers_in_two(x, gamma):
    n = jnp.arange(x.shape[0])
    return gamma**n * x * gamma ** (x.shape[0] - 1 - n)


def powers_in_one(x, gamma):
    return x * gamma ** (x.shape[0] - 1)


def powers_in_one_more(x, gamma):
    return x * gamma ** x.shape[0]


# Mamba-2.


def segment_sums(x):
    """x_{s+1} + … + x_t at [t, s] for s ≤ t, else −∞."""
    sums = jnp.cumsum(x, -1)
    return jnp.where(causal(x.shape[-1]), sums[..., :, None] - sums[..., None, :], -jnp.inf)


def segment_sums_one_by_one(x, below=-1):
    T = x.shape[-1]
    x = jnp.where(causal(T, below), jnp.repeat(x[..., None], T, -1), 0.0)
    return jnp.where(causal(T), jnp.cumsum(x, -2), -jnp.inf)


def state_space(X, A, B, C):
    def step(S, token):
        x, a, b, c = token
        S = jnp.exp(a)[:, None, None] * S + x[:, :, None] * b
        return S, S @ c

    return over_time(step, jnp.zeros((*X.shape[1:], B.shape[1])), X, A, B, C)


def state_space_by_a_mask(X, A, B, C):
    return jnp.einsum("hts,shp->thp", jnp.exp(segment_sums(A.T)) * (C @ B.T), X)


def state_space_by_segments(X, A, B, C):
    return jax.vmap(lambda x, a: (jnp.exp(segment_sums_one_by_one(a)) * (C @ B.T)) @ x, (1, 1), 1)(
        X, A
    )


def state_space_by_longer_segments(X, A, B, C):
    decay = jnp.exp(segment_sums_one_by_one(A.T, 0))
    return jnp.einsum("hts,shp->thp", decay * (C @ B.T), X)


# Chunks.


def two_loops(q, k, v, g):
    """Scalar gates, the tokens in chunks: a scan in a scan."""

    def step(S, token):
        q, k, v, g = token
        S = jnp.exp(g) * S + jnp.outer(k, v)
        return S, q @ S

    return over_time(lambda S, chunk: lax.scan(step, S, chunk), empty(k, v), q, k, v, g)


def chunks(q, k, v, g, late=False):
    def step(S, chunk):
        q, k, v, g = chunk
        G = jnp.cumsum(g)
        within = (q @ k.T * jnp.exp(segment_sums(g))) @ v
        left = G[-1] - G + g if late else G[-1] - G
        after = jnp.exp(G[-1]) * S + (k * jnp.exp(left)[:, None]).T @ v
        return after, within + (q * jnp.exp(G)[:, None]) @ S

    return over_time(step, empty(k, v), q, k, v, g)


def chunks_decayed_too_late(q, k, v, g):
    return chunks(q, k, v, g, late=True)


def chunks_all_at_once(q, k, v, g):
    """The states between chunks by a mask over chunks, as in Mamba-2's chunked form."""
    G = jnp.cumsum(g, -1)
    within = jnp.matmul(jnp.exp(segment_sums(g)) * (q @ k.mT), v)
    own = (k * jnp.exp(G[:, -1:] - G)[..., None]).mT @ v
    own = jnp.concatenate([jnp.zeros_like(own[:1]), own])
    between = jnp.exp(segment_sums(jnp.pad(G[:, -1], (1, 0))))
    before = jnp.einsum("zw,wde->zde", between, own)[:-1]
    return within + (q * jnp.exp(G)[..., None]) @ before


def retention_in_two_loops(q, k, v, gamma):
    def step(S, token):
        q, k, v = token
        S = gamma * S + jnp.outer(k, v)
        return S, q @ S

    return over_time(lambda S, chunk: lax.scan(step, S, chunk), empty(k, v), q, k, v)


def chunks_of_retention(q, k, v, gamma):
    C = q.shape[1]
    n = jnp.arange(C)
    apart = n[:, None] - n[None]

    def step(S, chunk):
        q, k, v = chunk
        within = (q @ k.T * jnp.where(apart >= 0, gamma**apart, 0.0)) @ v
        outputs = within + (q * (gamma ** (n + 1))[:, None]) @ S
        return gamma**C * S + (k * (gamma ** (C - 1 - n))[:, None]).T @ v, outputs

    return over_time(step, empty(k, v), q, k, v)


QKV = "q: T d, k: T d, v: T e"
CHUNKS = "q: n C d, k: n C d, v: n C e"
STATES = "X: T h w, A: T h, B: T n, C: T n"
ROWS = "g: T d, x: T d"

EQUAL = {
    gated_by_a_mask: (gated, ROWS),
    gated_by_normalised_sums: (gated, ROWS),
    by_products: (multiplied, "a: T d, x: T d"),
    by_logarithms: (multiplied, "a: T d, x: T d"),
    input_gated_by_a_mask: (input_gated, "x: T d, W: d d, rate: d"),
    forgetting_in_log_space: (forgetting, "f: T d, x: T d"),
    forgetting_one_minus: (forgetting, "f: T d, x: T d"),
    exponential_of_log_sigmoids: (sigmoids_multiplied, "f: T d"),
    twice_the_logarithm: (square_of_sigmoids, "f: T d"),
    cumulated_product: (exponential_of_the_sum, "g: T d"),
    scalar_gates_by_a_mask: (scalar_gates, f"{QKV}, g: T"),
    read_before_writing_by_a_mask: (read_before_writing, f"{QKV}, g: T"),
    channel_gates_scaled: (channel_gates, f"{QKV}, g: T d, S: d e"),
    last_state_by_a_sum: (last_state, "k: T d, v: T e, g: T"),
    last_state_by_a_reversed_sum: (last_state, "k: T d, v: T e, g: T"),
    receptance_scaled: (receptance, "r: T d, k: T d, v: T e, w: T d, u: d"),
    matrix_memory_by_a_mask: (matrix_memory, f"{QKV}, i: T, f: T"),
    erasing_in_normalised_states: (erasing, f"{QKV}, beta: T, g: T"),
    time_mixing_by_a_mask: (time_mixing, "k: T d, v: T d, w: d, u: d"),
    stabilised_by_the_sum: (two_gates_by_a_mask, f"{QKV}, i: T, f: T"),
    selective_by_normalised_sums: (selective, "x: T d, dt: T d, A: d n, B: T n, C: T n"),
    returns_by_a_mask: (returns, "r: T, gamma:"),
    retention_by_a_mask: (retention, f"{QKV}, gamma:"),
    retention_by_scaled_keys: (retention, f"{QKV}, gamma:"),
    heads_of_retention_by_a_mask: (
        heads_of_retention,
        "q: h T d, k: h T d, v: h T e, gamma: h",
    ),
    slowly_by_a_mask: (slowly, f"{QKV}, kappa:"),
    averaged_by_powers: (averaged, "x: T d, beta:"),
    polynomial_by_powers: (polynomial, "x: T, gamma:"),
    powers_in_two: (powers_in_one, "x: T, gamma:"),
    state_space_by_a_mask: (state_space, STATES),
    state_space_by_segments: (state_space, STATES),
    chunks: (two_loops, f"{CHUNKS}, g: n C"),
    chunks_all_at_once: (two_loops, f"{CHUNKS}, g: n C"),
    chunks_of_retention: (retention_in_two_loops, f"{CHUNKS}, gamma:"),
}
"""For a form the recurrence that it is, and the shapes of the arguments."""

FALSE = {
    forgetting_the_other_way: (forgetting, "f: T d, x: T d"),
    forgetting_one_late: (forgetting, "f: T d, x: T d"),
    exponential_without_the_first: (sigmoids_multiplied, "f: T d"),
    twice_another_logarithm: (square_of_sigmoids, "f: T d"),
    gated_one_decay_too_few: (gated, ROWS),
    by_products_shifted: (multiplied, "a: T d, x: T d"),
    exponential_of_the_sum_before: (cumulated_product, "g: T d"),
    scalar_gates_transposed: (scalar_gates, f"{QKV}, g: T"),
    channel_gates_with_a_late_start: (channel_gates, f"{QKV}, g: T d, S: d e"),
    last_state_with_its_own_decay: (last_state, "k: T d, v: T e, g: T"),
    receptance_decayed_once_more: (receptance, "r: T d, k: T d, v: T e, w: T d, u: d"),
    matrix_memory_gated_by_the_query: (matrix_memory, f"{QKV}, i: T, f: T"),
    erasing_values_that_are_not_normalised: (erasing, f"{QKV}, beta: T, g: T"),
    time_mixing_decayed_too_late: (time_mixing, "k: T d, v: T d, w: d, u: d"),
    retention_by_one_step_more: (retention, f"{QKV}, gamma:"),
    retention_with_a_negative_power: (retention, f"{QKV}, gamma:"),
    averaged_without_the_last: (averaged, "x: T d, beta:"),
    polynomial_by_rising_powers: (polynomial, "x: T, gamma:"),
    powers_in_one_more: (powers_in_two, "x: T, gamma:"),
    state_space_by_longer_segments: (state_space, STATES),
    chunks_decayed_too_late: (two_loops, f"{CHUNKS}, g: n C"),
}
"""Likewise, with a bug in the form."""
