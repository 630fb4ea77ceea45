"""Functions of JAX with Python's own loops over sizes, and the same without them."""

import jax
import jax.numpy as jnp
from jax import lax


def rec(q, k, v):
    S = jnp.zeros((k.shape[1], v.shape[1]))
    ys = []
    for t in range(q.shape[0]):
        S = S + jnp.outer(k[t], v[t])
        ys.append(q[t] @ S)
    return jnp.stack(ys)


def rec_at(q, k, v):
    S = jnp.zeros((k.shape[1], v.shape[1]))
    o = jnp.zeros_like(v)
    for t in range(q.shape[0]):
        S = S + jnp.outer(k[t], v[t])
        o = o.at[t].set(q[t] @ S)
    return o


def masked(q, k, v):
    return jnp.tril(q @ k.T) @ v


def strictly(q, k, v):
    return jnp.tril(q @ k.T, -1) @ v


def decay(q, k, v, g):
    S = jnp.zeros((k.shape[1], v.shape[1]))
    ys = []
    for qt, kt, vt, gt in zip(q, k, v, g, strict=True):
        S = jnp.exp(gt) * S + kt[:, None] * vt[None]
        ys.append(S.T @ qt)
    return jnp.array(ys)


def decay_masked(q, k, v, g):
    G = jnp.cumsum(g)
    n = jnp.arange(q.shape[0])
    D = jnp.where(n[:, None] >= n[None], jnp.exp(G[:, None] - G[None]), 0.0)
    return (q @ k.T * D) @ v


def chunked(q, k, v, C=4):
    n = q.shape[0] // C
    S = jnp.zeros((k.shape[1], v.shape[1]))
    o = []
    for i in range(n):
        qc, kc, vc = q[i * C : (i + 1) * C], k[i * C : (i + 1) * C], v[i * C : (i + 1) * C]
        o.append(qc @ S + jnp.tril(qc @ kc.T) @ vc)
        S = S + kc.T @ vc
    return jnp.concatenate(o)


def momentum(x, m):
    w = buf = jnp.zeros(x.shape[1])
    for row in x:
        buf = m * buf + row
        w = w - buf
    return w


def momentum_scan(x, m):
    def step(c, r):
        w, b = c
        b = m * b + r
        return (w - b, b), None

    z = jnp.zeros(x.shape[1])
    return lax.scan(step, (z, z), x)[0][0]


def momentum_wrong(x, m):
    w = buf = jnp.zeros(x.shape[1])
    for row in x:
        w = w - buf
        buf = m * buf + row
    return w


def lstm_t(x, W):
    st = (jnp.zeros(W.shape[0]), jnp.zeros(W.shape[0]))
    for t in range(len(x)):
        h, c = st
        c = jax.nn.sigmoid(W @ x[t] + h) * c + jnp.tanh(W @ x[t])
        st = (jnp.tanh(c), c)
    return st[0]


def lstm_s(x, W):
    def step(st, r):
        h, c = st
        c = jax.nn.sigmoid(W @ r + h) * c + jnp.tanh(W @ r)
        return (jnp.tanh(c), c), None

    z = jnp.zeros(W.shape[0])
    return lax.scan(step, (z, z), x)[0][0]


def double(x):
    return jnp.stack([2 * r for r in x])


def twice(x):
    return 2 * x


def rev(x):
    s = jnp.zeros(x.shape[1])
    for t in reversed(range(x.shape[0])):
        s = 0.5 * s + x[t]
    return s


def rev_s(x):
    return lax.scan(lambda s, r: (0.5 * s + r, None), jnp.zeros(x.shape[1]), x, reverse=True)[0]


def first(x):
    for t in range(x.shape[0]):
        h = x[t] if t == 0 else 0.5 * h + x[t]  # noqa: F821
    return h


def first_s(x):
    return lax.scan(lambda s, r: (0.5 * s + r, None), x[0], x[1:])[0]


def layers(x, W):
    h = x
    for l in range(W.shape[0]):
        h = jnp.tanh(h @ W[l])
    return h


def layers_s(x, W):
    return lax.scan(lambda h, w: (jnp.tanh(h @ w), None), x, W)[0]


def named(x):
    table = {"a": x[0]}
    for t in range(x.shape[0]):
        table["a"] = table["a"] + x[t]
    return table["a"]


def in_the_middle(x):
    s = x[0]
    for t in range(x.shape[0]):
        s = 2 * s if t == 2 else s + x[t]
    return s


def heard(x):
    """Asks in the loop, and takes back what it hears."""
    s = jnp.zeros(x.shape[1])
    try:
        for t in range(x.shape[0]):
            s = s + x[t] * (t % 2)
    except Exception:
        s = x.sum(0)
    return s


def delta(q, k, v, beta):
    """The delta rule, with a state that v's are read from: S k ≈ v."""
    o = jnp.zeros_like(v)
    state = jnp.zeros((v.shape[1], k.shape[1]))
    for t in range(q.shape[0]):
        state = state + beta[t] * jnp.outer(v[t] - state @ k[t], k[t])
        o = o.at[t].set(state @ q[t])
    return o


def delta_transposed(q, k, v, beta):
    o = jnp.zeros_like(v)
    state = jnp.zeros((k.shape[1], v.shape[1]))
    for t in range(q.shape[0]):
        state = state + beta[t] * jnp.outer(k[t], v[t] - k[t] @ state)
        o = o.at[t].set(q[t] @ state)
    return o
