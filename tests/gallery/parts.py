"""Parts of models: norms, activations, gated feed-forward layers, losses, pooling."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from .pair import pairs


def layer_norm(x, g, b):
    mean = x.mean(-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(-1, keepdims=True)
    return (x - mean) / jnp.sqrt(variance + 1e-5) * g + b


def layer_norm_of_moments(x, g, b):
    mean = jnp.mean(x, axis=-1)[..., None]
    variance = jnp.mean(x * x, axis=-1)[..., None] - mean**2
    return g * (x - mean) * jax.lax.rsqrt(variance + 1e-5) + b


def rms_norm(x, g):
    return x * jax.lax.rsqrt(jnp.mean(jnp.square(x), axis=-1, keepdims=True) + 1e-6) * g


def rms_norm_by_sum(x, g):
    return g * x / jnp.sqrt((x**2).sum(axis=1) / x.shape[1] + 1e-6)[:, None]


def norm_after_sum(x, g):
    """A norm beside a recurrence."""

    def step(S, x):
        S = S + x
        return S, S * jax.lax.rsqrt(jnp.mean(S * S) + 1e-6) * g

    return jax.lax.scan(step, jnp.zeros(x.shape[1]), x)[1]


def norm_of_cumulated(x, g):
    S = jnp.cumsum(x, axis=0)
    return S / jnp.sqrt(jnp.mean(S**2, axis=1, keepdims=True) + 1e-6) * g


def swiglu(x, W, V, U):
    return (jax.nn.silu(x @ W) * (x @ V)) @ U


def swiglu_fused(x, W, V, U):
    both = x @ jnp.concatenate([W, V], axis=1)
    n = W.shape[1]
    a, b = both[:, :n], both[:, n:]
    return jnp.einsum("th,hm->tm", a * jax.nn.sigmoid(a) * b, U)


def cross_entropy(logits, onehot):
    return -(onehot * jax.nn.log_softmax(logits, axis=1)).sum()


def cross_entropy_by_log_sum(logits, onehot):
    log_sums = jnp.log(jnp.sum(jnp.exp(logits), axis=1))
    return jnp.sum(onehot.sum(axis=1) * log_sums - (onehot * logits).sum(axis=1))


def chunked_mean(x):
    """The mean of means over chunks of four."""
    return x.reshape(x.shape[0] // 4, 4, x.shape[1]).mean(axis=1).mean(axis=0)


def whole_mean(x):
    return x.mean(axis=0)


def running_mean(x):
    """m + (x − m)/t."""

    def step(carry, x):
        m, t = carry
        m = m + (x - m) / (t + 1)
        return (m, t + 1), m

    return jax.lax.scan(step, (jnp.zeros(x.shape[1]), 0), x)[1]


def weighted_mean(x):
    """m t/(t + 1) + x/(t + 1)."""

    def step(carry, x):
        m, t = carry
        m = m * t / (t + 1) + x / (t + 1)
        return (m, t + 1), m

    return jax.lax.scan(step, (jnp.zeros(x.shape[1]), 0.0), x)[1]


def cumulated_mean(x):
    return jnp.cumsum(x, axis=0) / (jnp.arange(x.shape[0]) + 1)[:, None]


def grouped_queries(q, k, v):
    """Two query heads for each of G key heads: q (G, 2, T, d)."""
    k, v = jnp.repeat(k[:, None], 2, axis=1), jnp.repeat(v[:, None], 2, axis=1)
    return jnp.einsum("ghtd,ghsd,ghse->ghte", q, k, v)


def grouped_queries_shared(q, k, v):
    return jnp.einsum("ghtd,gde->ghte", q, jnp.einsum("gsd,gse->gde", k, v))


PAIRS = pairs(
    globals(),
    """
layer norm: centred = moments | x: T d, g: d, b: d | layer_norm = layer_norm_of_moments
    - mean**2 → + mean**2
    jnp.sqrt(variance + 1e-5) * g + b → jnp.sqrt(variance + 1e-3) * g + b
RMS norm: rsqrt = root of sum | x: T d, g: d | rms_norm = rms_norm_by_sum
    / x.shape[1] → / x.shape[0]
    jnp.square(x) → x
norm beside a recurrence | x: T d, g: d | norm_after_sum = norm_of_cumulated
    S**2, axis=1 → S**2, axis=0
    jnp.mean(S * S) → jnp.mean(S * x)
SwiGLU: two products = one | x: T m, W: m h, V: m h, U: h m | swiglu = swiglu_fused
    [W, V] → [V, W]
    jax.nn.silu(x @ W) → jax.nn.sigmoid(x @ W)
cross-entropy: log-softmax = log of sum | logits: N K, onehot: N K | cross_entropy = cross_entropy_by_log_sum
    onehot.sum(axis=1) * → onehot.mean(axis=1) *
    return -(onehot → return (onehot
mean of chunks' means | x: 4*n d | chunked_mean = whole_mean
    .mean(axis=1).mean(axis=0) → .sum(axis=1).mean(axis=0)
    return x.mean(axis=0) → return x.sum(axis=0)
running mean: weights = increments | x: T d | weighted_mean = running_mean
    m * t / (t + 1) → m * t / (t + 2)
    (x - m) / (t + 1) → (x - m) / (t + 2)
running mean = cumulated mean | x: T d | running_mean = cumulated_mean
    (x - m) / (t + 1) → (x - m) / (t + 2)
    jnp.arange(x.shape[0]) + 1 → jnp.arange(x.shape[0]) + 2
grouped queries: repeated = shared | q: G 2 T d, k: G S d, v: G S e | grouped_queries = grouped_queries_shared
    gsd,gse->gde → gsd,gte->gde
    jnp.repeat(k[:, None] → 2 * jnp.repeat(k[:, None]
""",
)
