"""Layers whose decays are sigmoids of what they read, written as sums of their logarithms: HGRN, GLA, Mamba-2, sLSTM."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from .pair import pairs


def hgrn(f, x):
    """h = σ(f) h + (1 − σ(f)) x (Qin et al. 2023)."""

    def step(h, token):
        f, x = token
        f = jax.nn.sigmoid(f)
        h = f * h + (1 - f) * x
        return h, h

    return jax.lax.scan(step, jnp.zeros(x.shape[1]), (f, x))[1]


def hgrn_in_log_space(f, x):
    F = jnp.cumsum(jax.nn.log_sigmoid(f), axis=0)
    seen = jnp.tril(jnp.ones((x.shape[0], x.shape[0]), bool))[:, :, None]
    decay = jnp.where(seen, jnp.exp(F[:, None] - F[None]), 0.0)
    return jnp.einsum("tsd,sd->td", decay, jnp.exp(jax.nn.log_sigmoid(-f)) * x)


def projected(x, W, b, V):
    """The same with gates and inputs that are linear in what is read."""

    def step(h, token):
        f, u = token
        f = jax.nn.sigmoid(f)
        h = f * h + (1 - f) * u
        return h, h

    return jax.lax.scan(step, jnp.zeros(W.shape[1]), (x @ W + b, x @ V))[1]


def projected_in_log_space(x, W, b, V):
    f = x @ W + b
    F = jnp.cumsum(jax.nn.log_sigmoid(f), axis=0)
    return jnp.exp(F) * jnp.cumsum(jnp.exp(-F) * jax.nn.sigmoid(-f) * (x @ V), axis=0)


def gla(q, k, v, f):
    """S = diag(σ(f)) S + k vᵀ (Yang et al. 2024)."""

    def step(S, token):
        q, k, v, f = token
        S = jax.nn.sigmoid(f)[:, None] * S + jnp.outer(k, v)
        return S, q @ S

    return jax.lax.scan(step, jnp.zeros((k.shape[1], v.shape[1])), (q, k, v, f))[1]


def gla_parallel(q, k, v, f):
    b = jnp.cumsum(jax.nn.log_sigmoid(f), axis=0)
    return jnp.tril((q * jnp.exp(b)) @ (k * jnp.exp(-b)).T) @ v


def gla_normalised(q, k, v, f):
    """The gate's logarithm divided by 16, token by token in chunks."""

    def chunk(S, chunk):
        def step(S, token):
            q, k, v, f = token
            S = jnp.exp(jax.nn.log_sigmoid(f) / 16)[:, None] * S + jnp.outer(k, v)
            return S, q @ S

        return jax.lax.scan(step, S, chunk)

    return jax.lax.scan(chunk, jnp.zeros((k.shape[2], v.shape[2])), (q, k, v, f))[1]


def gla_normalised_chunks(q, k, v, f):
    def chunk(S, chunk):
        q, k, v, g = chunk
        b = jnp.cumsum(g, axis=0)
        o = jnp.tril((q * jnp.exp(b)) @ (k * jnp.exp(-b)).T) @ v + (q * jnp.exp(b)) @ S
        return jnp.exp(b[-1])[:, None] * S + (k * jnp.exp(b[-1] - b)).T @ v, o

    g = jax.nn.log_sigmoid(f) / 16
    return jax.lax.scan(chunk, jnp.zeros((k.shape[2], v.shape[2])), (q, k, v, g))[1]


def simple_gla(q, k, v, f):
    """A scalar gate a head, n·C tokens one by one."""

    def step(S, token):
        q, k, v, f = token
        S = jax.nn.sigmoid(f) * S + jnp.outer(k, v)
        return S, q @ S

    return jax.lax.scan(step, jnp.zeros((k.shape[1], v.shape[1])), (q, k, v, f))[1]


def simple_gla_segments(q, k, v, f):
    G = jnp.cumsum(-jax.nn.softplus(-f))
    seen = jnp.tril(jnp.ones((q.shape[0], q.shape[0]), bool))
    return (q @ k.T * jnp.exp(jnp.where(seen, G[:, None] - G[None, :], -jnp.inf))) @ v


def simple_gla_by_chunks(q, k, v, f):
    def chunk(S, chunk):
        def step(S, token):
            q, k, v, f = token
            S = jax.nn.sigmoid(f) * S + jnp.outer(k, v)
            return S, q @ S

        return jax.lax.scan(step, S, chunk)

    return jax.lax.scan(chunk, jnp.zeros((k.shape[2], v.shape[2])), (q, k, v, f))[1]


def simple_gla_in_chunks(q, k, v, f):
    def chunk(S, chunk):
        q, k, v, g = chunk
        G = jnp.cumsum(g)
        seen = jnp.tril(jnp.ones((q.shape[0], q.shape[0]), bool))
        within = jnp.where(seen, q @ k.T * jnp.exp(G[:, None] - G[None]), 0.0) @ v
        last = jnp.exp(G[-1]) * S + (k * jnp.exp(G[-1] - G)[:, None]).T @ v
        return last, within + jnp.exp(G)[:, None] * (q @ S)

    start = jnp.zeros((k.shape[2], v.shape[2]))
    return jax.lax.scan(chunk, start, (q, k, v, jax.nn.log_sigmoid(f)))[1]


def selective(q, k, v, a, A, bias):
    """Mamba-2's gate exp(−exp(A) Δ), Δ = softplus(a + bias) (Dao & Gu 2024)."""

    def step(S, token):
        q, k, v, a = token
        dt = jax.nn.softplus(a + bias)
        S = jnp.exp(-jnp.exp(A) * dt) * S + dt * jnp.outer(k, v)
        return S, q @ S

    return jax.lax.scan(step, jnp.zeros((k.shape[1], v.shape[1])), (q, k, v, a))[1]


def selective_attention(q, k, v, a, A, bias):
    dt = jax.nn.softplus(a + bias)
    G = jnp.cumsum(-jnp.exp(A) * dt)
    seen = jnp.tril(jnp.ones((q.shape[0], q.shape[0]), bool))
    return (q @ k.T * jnp.exp(jnp.where(seen, G[:, None] - G[None], -jnp.inf))) @ (v * dt[:, None])


def gated_delta(q, k, v, beta, f):
    """S = σ(f) S, then S + β k (v − kᵀ S) (Yang et al. 2025)."""

    def step(S, token):
        q, k, v, beta, f = token
        S = jax.nn.sigmoid(f) * S
        S = S + beta * jnp.outer(k, v - k @ S)
        return S, q @ S

    return jax.lax.scan(step, jnp.zeros((k.shape[1], v.shape[1])), (q, k, v, beta, f))[1]


def gated_delta_without_decay(q, k, v, beta, f):
    """U = exp(−G) S has no decay."""

    def step(U, token):
        q, k, v, beta, G = token
        U = U + beta * jnp.outer(k, jnp.exp(-G) * v - k @ U)
        return U, jnp.exp(G) * (q @ U)

    tokens = q, k, v, beta, jnp.cumsum(jax.nn.log_sigmoid(f))
    return jax.lax.scan(step, jnp.zeros((k.shape[1], v.shape[1])), tokens)[1]


def slstm(z, i, f, o):
    """c = σ(f) c + exp(i) z, n = σ(f) n + exp(i), without recurrent weights and stabiliser (Beck et al. 2024)."""

    def step(carry, token):
        c, n = carry
        z, i, f, o = token
        c = jax.nn.sigmoid(f) * c + jnp.exp(i) * z
        n = jax.nn.sigmoid(f) * n + jnp.exp(i)
        return (c, n), jax.nn.sigmoid(o) * c / n

    zero = jnp.zeros(z.shape[1])
    return jax.lax.scan(step, (zero, zero), (z, i, f, o))[1]


def slstm_weights(z, i, f, o):
    F = jnp.cumsum(jax.nn.log_sigmoid(f), axis=0)
    seen = jnp.tril(jnp.ones((z.shape[0], z.shape[0]), bool))[:, :, None]
    w = jnp.exp(jnp.where(seen, F[:, None] - F[None] + i[None], -jnp.inf))
    return jax.nn.sigmoid(o) * jnp.einsum("tsd,sd->td", w, z) / w.sum(axis=1)


TOKENS = "q: T d, k: T d, v: T e"
CHUNKS = "q: n C d, k: n C d, v: n C e"
PAIRS = pairs(
    globals(),
    """
HGRN: recurrent = log space | f: T d, x: T d | hgrn = hgrn_in_log_space
    log_sigmoid(-f) → log_sigmoid(f)
    F[:, None] - F[None] → F[:, None]
HGRN of projections: recurrent = log space | x: T m, W: m d, b: d, V: m d | projected = projected_in_log_space
    log_sigmoid(f) → log_sigmoid(-f)
    jnp.exp(-F) * jax → jax
GLA of sigmoids: recurrent = parallel | q: T d, k: T d, v: T e, f: T d | gla = gla_parallel
    log_sigmoid(f) → log_sigmoid(-f)
    jnp.tril( → jnp.triu(
GLA with normalised gates: recurrent = chunks | q: n C d, k: n C d, v: n C e, f: n C d
    | gla_normalised = gla_normalised_chunks
    g = jax.nn.log_sigmoid(f) / 16 → g = jax.nn.log_sigmoid(f) / 8
    jnp.exp(b[-1] - b) → jnp.exp(-b)
simple GLA of sigmoids: recurrent = segments | q: T d, k: T d, v: T e, f: T | simple_gla = simple_gla_segments
    softplus(-f) → softplus(f)
    jnp.cumsum(-jax → jnp.cumsum(jax
simple GLA of sigmoids: recurrent = chunks | q: n C d, k: n C d, v: n C e, f: n C
    | simple_gla_by_chunks = simple_gla_in_chunks
    jnp.exp(G)[:, None] * (q @ S) → jnp.exp(G - g)[:, None] * (q @ S)
    jnp.exp(G[-1]) * S → S
Mamba-2's gates: recurrent = attention | q: T d, k: T d, v: T e, a: T, A:, bias: | selective = selective_attention
    (v * dt[:, None]) → v
    jnp.cumsum(-jnp.exp(A) * dt) → jnp.cumsum(jnp.exp(A) * dt)
gated delta rule of sigmoids: recurrent = without decay | q: T d, k: T d, v: T e, beta: T, f: T
    | gated_delta = gated_delta_without_decay
    jnp.exp(-G) * v → v
    jax.nn.log_sigmoid(f) → jax.nn.sigmoid(f)
sLSTM: recurrent = weights | z: T d, i: T d, f: T d, o: T d | slstm = slstm_weights
    + i[None] → + i[:, None]
    n = jax.nn.sigmoid(f) * n → n = n
""",
)
