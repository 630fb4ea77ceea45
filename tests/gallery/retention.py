"""Retention (RetNet, Sun et al. 2023) and linear attention (Katharopoulos et al. 2020) in their forms."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from .pair import pairs


def recurrent(q, k, v):
    def step(S, token):
        q, k, v = token
        S = S + jnp.outer(k, v)
        return S, q @ S

    return jax.lax.scan(step, jnp.zeros((k.shape[1], v.shape[1])), (q, k, v))[1]


def parallel(q, k, v):
    scores = jnp.tril(q @ k.T)
    return scores @ v


def cumulated(q, k, v):
    S = jnp.cumsum(k[:, :, None] * v[:, None, :], axis=0)
    return jnp.einsum("td,tde->te", q, S)


def normalised(q, k, v):
    def step(carry, token):
        S, z = carry
        q, k, v = token
        S = S + jnp.outer(k, v)
        z = z + k
        return (S, z), q @ S / (q @ z)

    start = jnp.zeros((k.shape[1], v.shape[1])), jnp.zeros(k.shape[1])
    return jax.lax.scan(step, start, (q, k, v))[1]


def normalised_attention(q, k, v):
    scores = jnp.where(jnp.tril(jnp.ones((q.shape[0], q.shape[0]), bool)), q @ k.T, 0.0)
    return scores @ v / scores.sum(axis=1, keepdims=True)


def retention(q, k, v, gamma):
    def step(S, token):
        q, k, v = token
        S = gamma * S + jnp.outer(k, v)
        return S, q @ S

    return jax.lax.scan(step, jnp.zeros((k.shape[1], v.shape[1])), (q, k, v))[1]


def retention_parallel(q, k, v, gamma):
    n = jnp.arange(q.shape[0])
    distance = n[:, None] - n[None, :]
    decay = jnp.where(distance >= 0, gamma ** jnp.maximum(distance, 0), 0.0)
    return (q @ k.T * decay) @ v


def multi_scale(q, k, v, gamma):
    """Heads (H, T, …) with a decay each."""

    def head(q, k, v, g):
        def step(S, token):
            q, k, v = token
            S = g * S + k[:, None] * v[None, :]
            return S, (q[:, None] * S).sum(axis=0)

        return jax.lax.scan(step, jnp.zeros((k.shape[1], v.shape[1])), (q, k, v))[1]

    return jax.vmap(head)(q, k, v, gamma)


def multi_scale_at_once(q, k, v, gamma):
    def step(S, token):
        q, k, v = token
        S = gamma[:, None, None] * S + jnp.einsum("hd,he->hde", k, v)
        return S, jnp.einsum("hd,hde->he", q, S)

    start = jnp.zeros((q.shape[0], k.shape[2], v.shape[2]))
    tokens = (q.transpose(1, 0, 2), k.transpose(1, 0, 2), v.transpose(1, 0, 2))
    return jax.lax.scan(step, start, tokens)[1].transpose(1, 0, 2)


def chunkwise(q, k, v):
    """Linear attention chunk by chunk, chunks of four."""
    C = 4
    T, d = q.shape
    chunks = (a.reshape(T // C, C, a.shape[1]) for a in (q, k, v))
    causal = jnp.tril(jnp.ones((C, C)))

    def step(S, chunk):
        q, k, v = chunk
        inner = (q @ k.T * causal) @ v
        outer = q @ S
        return S + k.T @ v, inner + outer

    return jax.lax.scan(step, jnp.zeros((d, v.shape[1])), tuple(chunks))[1].reshape(T, v.shape[1])


def retention_chunkwise(q, k, v, gamma):
    """Retention chunk by chunk, chunks of two."""
    C = 2
    T, d = q.shape
    chunks = (a.reshape(T // C, C, a.shape[1]) for a in (q, k, v))
    i = jnp.arange(C)
    mask = jnp.where(
        i[:, None] >= i[None, :], gamma ** jnp.maximum(i[:, None] - i[None, :], 0), 0.0
    )
    cross = gamma ** (i + 1)
    inner_decay = gamma ** (C - 1 - i)

    def step(S, chunk):
        q, k, v = chunk
        out = (q @ k.T * mask) @ v + (q * cross[:, None]) @ S
        S = gamma**C * S + (k * inner_decay[:, None]).T @ v
        return S, out

    return jax.lax.scan(step, jnp.zeros((d, v.shape[1])), tuple(chunks))[1].reshape(T, v.shape[1])


def final_state(k, v, gamma):
    def step(S, token):
        k, v = token
        return gamma * S + jnp.outer(k, v), None

    return jax.lax.scan(step, jnp.zeros((k.shape[1], v.shape[1])), (k, v))[0]


def weighted_sum(k, v, gamma):
    T = k.shape[0]
    weights = gamma ** jnp.arange(T - 1, -1, -1)
    return jnp.einsum("t,td,te->de", weights, k, v)


QKV = "q: T d, k: T d, v: T e"
PAIRS = pairs(
    globals(),
    """
linear attention: recurrent = parallel | q: T d, k: T d, v: T e | recurrent = parallel
    jnp.tril(q @ k.T) → jnp.tril(q @ k.T, -1)
    jnp.outer(k, v) → jnp.outer(q, v)
linear attention: recurrent = cumulated | q: T d, k: T d, v: T e | recurrent = cumulated
    return S, q @ S → return S, k @ S
    td,tde->te → td,sde->te
normalised linear attention | q: T d, k: T d, v: T e | normalised = normalised_attention
    z = z + k → z = z + q
    scores.sum(axis=1 → (scores + 1).sum(axis=1
retention: recurrent = parallel | q: T d, k: T d, v: T e, gamma: | retention = retention_parallel
    distance >= 0 → distance > 0
    jnp.maximum(distance, 0), 0.0 → jnp.maximum(distance + 1, 0), 0.0
multi-scale retention: vmap = batched | q: H T d, k: H T d, v: H T e, gamma: H | multi_scale = multi_scale_at_once
    gamma[:, None, None] * S → gamma[0] * S
    return S, (q[:, None] * S) → return S, (k[:, None] * S)
linear attention: chunkwise = parallel | q: 4*n d, k: 4*n d, v: 4*n e | chunkwise = parallel
    return S + k.T @ v, inner → return S + q.T @ v, inner
    inner + outer → inner
linear attention: chunkwise = recurrent | q: 4*n d, k: 4*n d, v: 4*n e | chunkwise = recurrent
    jnp.tril(jnp.ones((C, C))) → jnp.tril(jnp.ones((C, C)), -1)
    q @ S⏎        return S + → q @ (S + k.T @ v)⏎        return S +
retention: chunkwise = recurrent | q: 2*n d, k: 2*n d, v: 2*n e, gamma: | retention_chunkwise = retention
    gamma ** (i + 1) → gamma ** i
    gamma**C * S → gamma * S
    C - 1 - i → C - i
retention: final state = weighted sum | k: T d, v: T e, gamma: | final_state = weighted_sum
    jnp.arange(T - 1, -1, -1) → jnp.arange(T)
    gamma * S + jnp.outer(k, v), None → gamma * (S + jnp.outer(k, v)), None
""",
)
