"""Softmax attention in its forms: masks, online softmax (FlashAttention), heads, positions, and kernels for it."""

from __future__ import annotations

import math

import jax
import jax.numpy as jnp

from .pair import pairs


def attention(q, k, v):
    scores = q @ k.T / jnp.sqrt(q.shape[1])
    scores = jnp.where(jnp.tril(jnp.ones(scores.shape, bool)), scores, -jnp.inf)
    return jax.nn.softmax(scores, axis=-1) @ v


def attention_scaled_first(q, k, v):
    q = q * q.shape[-1] ** -0.5
    T = q.shape[0]
    bias = jnp.where(jnp.arange(T)[:, None] < jnp.arange(T)[None, :], -jnp.inf, 0.0)
    weights = jnp.exp(jnp.einsum("td,sd->ts", q, k) + bias)
    return weights @ v / weights.sum(-1)[:, None]


def full_attention(q, k, v):
    scores = q @ k.T / math.sqrt(q.shape[1])
    return jax.nn.softmax(scores) @ v


def online_softmax(q, k, v):
    """Keys one by one, with a running maximum (Milakov & Gimelshein 2018)."""
    scale = 1 / math.sqrt(q.shape[1])

    def step(carry, token):
        m, l, o = carry
        k, v = token
        s = q @ k * scale
        new = jnp.maximum(m, s)
        alpha, p = jnp.exp(m - new), jnp.exp(s - new)
        return (new, l * alpha + p, o * alpha[:, None] + p[:, None] * v[None, :]), None

    S = q.shape[0]
    start = jnp.full((S,), -jnp.inf), jnp.zeros(S), jnp.zeros((S, v.shape[1]))
    (_, l, o), _ = jax.lax.scan(step, start, (k, v))
    return o / l[:, None]


def heads(x, Wq, Wk, Wv, Wo):
    """Multi-head attention without a mask: x (T, M), projections (M, H, D), Wo (H, D, M)."""
    q, k, v = (jnp.einsum("tm,mhd->htd", x, W) for W in (Wq, Wk, Wv))
    weights = jax.nn.softmax(jnp.einsum("htd,hsd->hts", q, k), axis=-1)
    return jnp.einsum("hts,hsd,hdm->tm", weights, v, Wo)


def heads_added(x, Wq, Wk, Wv, Wo):
    def head(Wq, Wk, Wv, Wo):
        q, k, v = x @ Wq, x @ Wk, x @ Wv
        return jax.nn.softmax(q @ k.T, axis=-1) @ v @ Wo

    Wq, Wk, Wv = (jnp.swapaxes(W, 0, 1) for W in (Wq, Wk, Wv))
    return jax.vmap(head)(Wq, Wk, Wv, Wo).sum(axis=0)


def shifted(q, k, v, b):
    """The same number added to all scores of a row changes nothing."""
    return jax.nn.softmax(q @ k.T + b[:, None], axis=-1) @ v


def unshifted(q, k, v, b):
    return jax.nn.softmax(q @ k.T, axis=-1) @ v


def relative(q, k, v, slope):
    """ALiBi: a penalty by distance (Press et al. 2022)."""
    t = jnp.arange(q.shape[0])
    scores = q @ k.T - slope * (t[:, None] - t[None, :])
    return jax.nn.softmax(jnp.where(t[:, None] >= t[None, :], scores, -jnp.inf), -1) @ v


def relative_by_keys(q, k, v, slope):
    """What depends on the row alone drops out."""
    t = jnp.arange(q.shape[0])
    scores = q @ k.T + slope * t[None, :]
    return jax.nn.softmax(jnp.where(t[:, None] >= t[None, :], scores, -jnp.inf), -1) @ v


def rotary(q, k, theta):
    """Scores of rotated pairs: q and k (T, 2), an angle a position."""

    def rotate(x):
        t = jnp.arange(x.shape[0])
        c, s = jnp.cos(t * theta), jnp.sin(t * theta)
        return jnp.stack([x[:, 0] * c - x[:, 1] * s, x[:, 0] * s + x[:, 1] * c], axis=1)

    return rotate(q) @ rotate(k).T


def rotary_halves(q, k, theta):
    t = jnp.arange(q.shape[0]) * theta
    c, s = jnp.cos(t)[:, None], jnp.sin(t)[:, None]
    turn = lambda x: jnp.concatenate([-x[:, 1:], x[:, :1]], axis=1)
    return jnp.einsum("td,sd->ts", q * c + turn(q) * s, k * c + turn(k) * s)


def rotary_lengths(x, theta):
    """The squared lengths of rotated pairs, at every angle of every position."""
    d = theta.shape[0]
    t = jnp.arange(x.shape[0])[:, None] * theta
    a, b = x[:, :d], x[:, d:]
    first, second = a * jnp.cos(t) - b * jnp.sin(t), a * jnp.sin(t) + b * jnp.cos(t)
    return (first**2 + second**2).sum(1)


def lengths(x, theta):
    return (x**2).sum(1)


def windowed(q, k, v):
    """A window of three tokens, without softmax."""
    t = jnp.arange(q.shape[0])
    near = (t[:, None] >= t[None, :]) & (t[:, None] - t[None, :] < 3)
    return jnp.where(near, q @ k.T, 0.0) @ v


def windowed_by_shifts(q, k, v):
    T = q.shape[0]
    out = 0.0
    for back in range(3):
        kb = jnp.pad(k, ((back, 0), (0, 0)))[:T]
        vb = jnp.pad(v, ((back, 0), (0, 0)))[:T]
        out = out + (q * kb).sum(axis=1, keepdims=True) * vb
    return out


def second_order(q, k, v):
    """Based: 1 + q·k + (q·k)²/2 by feature maps (Arora et al. 2024)."""

    def features(x):
        square = (x[:, :, None] * x[:, None, :]).reshape(x.shape[0], 9) / math.sqrt(2)
        return jnp.concatenate([jnp.ones((x.shape[0], 1)), x, square], axis=1)

    return jnp.tril(features(q) @ features(k).T) @ v


def second_order_scores(q, k, v):
    s = q @ k.T
    return jnp.tril(1 + s + s**2 / 2) @ v


PAIRS = pairs(
    globals(),
    """
causal attention: softmax = exponentials | q: T d, k: T d, v: T e | attention = attention_scaled_first
    jnp.sqrt(q.shape[1]) → q.shape[1]
    weights.sum(-1) → weights.sum(0)
attention = online softmax | q: S d, k: T d, v: T e | full_attention = online_softmax
    o * alpha[:, None] → o
    l * alpha + p → l + p
multi-head attention: einsum = sum of heads | x: T M, Wq: M H D, Wk: M H D, Wv: M H D, Wo: H D M | heads = heads_added
    q @ k.T, axis=-1 → q @ k.T, axis=0
    "hts,hsd,hdm->tm", weights, v → "hst,hsd,hdm->tm", weights, v
softmax of shifted scores | q: T d, k: S d, v: S e, b: T | shifted = unshifted
    q @ k.T + b[:, None] → q @ k.T * b[:, None]
    jax.nn.softmax(q @ k.T, axis=-1) → jax.nn.softmax(q @ k.T, axis=0)
ALiBi by distances = by keys | q: T d, k: T d, v: T e, slope: | relative = relative_by_keys
    + slope * t[None, :] → - slope * t[None, :]
    slope * (t[:, None] - t[None, :]) → slope * (t[:, None] - t[None, :]) ** 2
rotary scores: pairs = halves | q: T 2, k: T 2, theta: | rotary = rotary_halves
    -x[:, 1:], x[:, :1] → x[:, 1:], x[:, :1]
    x[:, 0] * s + x[:, 1] * c → x[:, 0] * s - x[:, 1] * c
rotations keep lengths | x: T 2*d, theta: d | rotary_lengths = lengths
    a * jnp.sin(t) + b → a * jnp.sin(t) - b
    b * jnp.cos(t) → b * jnp.cos(theta)
window of three = shifts | q: T d, k: T d, v: T e | windowed = windowed_by_shifts
    t[None, :] < 3 → t[None, :] < 4
    range(3) → range(1, 3)
second-order features = scores | q: T 3, k: T 3, v: T e | second_order = second_order_scores
    math.sqrt(2) → 2
    1 + s + s**2 / 2 → 1 + s + s**2
""",
)
