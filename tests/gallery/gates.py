"""Layers with gates on a vector state: RG-LRU (Griffin), HGRN, minGRU, GateLoop, GLA, xLSTM, Mamba-2's SSD."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from .pair import pairs


def rg_lru(x, r, i, Lambda):
    """a = exp(−c softplus(Λ) r), h = a h + √(1 − a²) (i x) (De et al. 2024, eqs. 1–4)."""
    c = 8.0

    def step(h, token):
        x, r, i = token
        log_a = -c * jax.nn.softplus(Lambda) * jax.nn.sigmoid(r)
        a = jnp.exp(log_a)
        h = a * h + jnp.sqrt(1 - jnp.exp(2 * log_a)) * (jax.nn.sigmoid(i) * x)
        return h, h

    return jax.lax.scan(step, jnp.zeros(x.shape[1]), (x, r, i))[1]


def rg_lru_gates_first(x, r, i, Lambda):
    log_a = -8.0 * jax.nn.sigmoid(r) * jax.nn.softplus(Lambda)
    b = jnp.sqrt(1 - jnp.exp(2 * log_a)) * jax.nn.sigmoid(i) * x

    def step(h, token):
        log_a, b = token
        h = jnp.exp(log_a) * h + b
        return h, h

    return jax.lax.scan(step, jnp.zeros_like(x[0]), (log_a, b))[1]


def linear_recurrence(log_a, b):
    def step(h, token):
        log_a, b = token
        h = jnp.exp(log_a) * h + b
        return h, h

    return jax.lax.scan(step, jnp.zeros(b.shape[1]), (log_a, b))[1]


def by_cumulated_logs(log_a, b):
    """Σ_{s ≤ t} exp(A_t − A_s) b_s, A the cumulated logarithms."""
    A = jnp.cumsum(log_a, axis=0)
    T = b.shape[0]
    difference = A[:, None, :] - A[None, :, :]
    seen = jnp.tril(jnp.ones((T, T), dtype=bool))[:, :, None]
    return jnp.where(seen, jnp.exp(jnp.where(seen, difference, 0.0)) * b[None], 0.0).sum(axis=1)


def by_cumulated_products(log_a, b):
    """exp(A_t) Σ_{s ≤ t} exp(−A_s) b_s (Heinsen 2023, without logarithms of b)."""
    A = jnp.cumsum(log_a, axis=0)
    return jnp.exp(A) * jnp.cumsum(b * jnp.exp(-A), axis=0)


def hgrn(f, c, x):
    """h = f h + (1 − f) c x (Qin et al. 2023)."""

    def step(h, token):
        f, c, x = token
        f = jax.nn.sigmoid(f)
        h = f * h + (1 - f) * (c * x)
        return h, h

    return jax.lax.scan(step, jnp.zeros(x.shape[1]), (f, c, x))[1]


def hgrn_as_interpolation(f, c, x):
    def step(h, token):
        f, u = token
        h = u + jax.nn.sigmoid(f) * (h - u)
        return h, h

    return jax.lax.scan(step, jnp.zeros(x.shape[1]), (f, c * x))[1]


def min_gru(z, candidate):
    """h = (1 − z) h + z h̃ (Feng et al. 2024)."""

    def step(h, token):
        z, candidate = token
        z = jax.nn.sigmoid(z)
        h = (1 - z) * h + z * candidate
        return h, h

    return jax.lax.scan(step, jnp.zeros(z.shape[1]), (z, candidate))[1]


def min_gru_by_logs(z, candidate):
    """1 − σ(z) = σ(−z), as the parallel form takes it."""

    def step(h, token):
        z, candidate = token
        h = jax.nn.sigmoid(-z) * h + jax.nn.sigmoid(z) * candidate
        return h, h

    return jax.lax.scan(step, jnp.zeros(z.shape[1]), (z, candidate))[1]


def gla(q, k, v, g):
    """S = diag(exp g) S + k vᵀ (Yang et al. 2024)."""

    def step(S, token):
        q, k, v, g = token
        S = jnp.exp(g)[:, None] * S + k[:, None] * v[None, :]
        return S, (q[:, None] * S).sum(0)

    return jax.lax.scan(step, jnp.zeros((k.shape[1], v.shape[1])), (q, k, v, g))[1]


def gla_parallel(q, k, v, g):
    b = jnp.cumsum(g, axis=0)
    A = jnp.einsum("td,sd->ts", q * jnp.exp(b), k * jnp.exp(-b))
    return jnp.tril(A) @ v


def gla_by_differences(q, k, v, g):
    b = jnp.cumsum(g, axis=0)
    T = q.shape[0]
    A = jnp.einsum("td,sd,tsd->ts", q, k, jnp.exp(b[:, None] - b[None]))
    return jnp.where(jnp.arange(T)[:, None] >= jnp.arange(T)[None], A, 0.0) @ v


def simple_gla(q, k, v, g):
    """A scalar gate a head."""

    def step(S, token):
        q, k, v, g = token
        S = S * jnp.exp(g) + jnp.outer(k, v)
        return S, q @ S

    return jax.lax.scan(step, jnp.zeros((k.shape[1], v.shape[1])), (q, k, v, g))[1]


def simple_gla_segments(q, k, v, g):
    G = jnp.cumsum(g)
    T = q.shape[0]
    causal = jnp.tril(jnp.ones((T, T), dtype=bool))
    L = jnp.exp(jnp.where(causal, G[:, None] - G[None, :], -jnp.inf))
    return (q @ k.T * L) @ v


def simple_gla_chunks(q, k, v, g):
    """Chunks of four, a number in the program."""
    C = 4
    T = q.shape[0]
    chunks = tuple(a.reshape(T // C, C, *a.shape[1:]) for a in (q, k, v, g))
    causal = jnp.tril(jnp.ones((C, C), dtype=bool))

    def step(S, chunk):
        q, k, v, g = chunk
        G = jnp.cumsum(g)
        inside = jnp.where(causal, jnp.exp(G[:, None] - G[None, :]), 0.0)
        out = (q @ k.T * inside) @ v + jnp.exp(G)[:, None] * (q @ S)
        return jnp.exp(G[-1]) * S + (jnp.exp(G[-1] - G)[:, None] * k).T @ v, out

    return jax.lax.scan(step, jnp.zeros((k.shape[1], v.shape[1])), chunks)[1].reshape(T, -1)


def segment_sums(g):
    """Mamba-2's segsum: entry (t, s) is Σ_{s < j ≤ t} g_j, −∞ above the diagonal."""
    T = g.shape[0]
    x = jnp.repeat(g[:, None], T, axis=1)
    x = jnp.where(jnp.tril(jnp.ones((T, T), dtype=bool), -1), x, 0.0)
    x = jnp.cumsum(x, axis=0)
    return jnp.exp(jnp.where(jnp.tril(jnp.ones((T, T), dtype=bool)), x, -jnp.inf))


def differences_of_sums(g):
    G = jnp.cumsum(g)
    T = g.shape[0]
    return jnp.where(jnp.tril(jnp.ones((T, T), bool)), jnp.exp(G[:, None] - G[None, :]), 0.0)


def ssd(x, dt, A, B, C):
    """Mamba-2's recurrence with heads: x (T, H, P), dt (T, H), A (H,), B and C (T, N) (Dao & Gu 2024)."""

    def step(h, token):
        x, dt, B, C = token
        h = jnp.exp(dt * A)[:, None, None] * h + jnp.einsum("h,hp,n->hpn", dt, x, B)
        return h, jnp.einsum("hpn,n->hp", h, C)

    start = jnp.zeros((x.shape[1], x.shape[2], B.shape[1]))
    return jax.lax.scan(step, start, (x, dt, B, C))[1]


def ssd_attention(x, dt, A, B, C):
    T = x.shape[0]
    S = jnp.cumsum(dt * A, axis=0)
    L = jnp.where(jnp.tril(jnp.ones((T, T), bool))[:, :, None], jnp.exp(S[:, None] - S[None]), 0.0)
    return jnp.einsum("tn,sn,tsh,sh,shp->thp", C, B, L, dt, x)


def mlstm(q, k, v, i, f):
    """C = f C + i v kᵀ, n = f n + i k with exponential gates, without stabiliser (Beck et al. 2024)."""

    def step(carry, token):
        C, n = carry
        q, k, v, i, f = token
        f, i = jax.nn.sigmoid(f), jnp.exp(i)
        C = f * C + i * jnp.outer(v, k)
        n = f * n + i * k
        return (C, n), C @ q / (n @ q)

    start = jnp.zeros((v.shape[1], k.shape[1])), jnp.zeros(k.shape[1])
    return jax.lax.scan(step, start, (q, k, v, i, f))[1]


def mlstm_parallel(q, k, v, i, f):
    F = jnp.cumsum(jax.nn.log_sigmoid(f))
    T = q.shape[0]
    D = jnp.where(jnp.tril(jnp.ones((T, T), bool)), F[:, None] - F[None, :] + i[None, :], -jnp.inf)
    S = q @ k.T * jnp.exp(D)
    return S @ v / S.sum(axis=1)[:, None]


def rwkv4(k, v, w, u):
    """The WKV of RWKV-4 without stabiliser (Peng et al. 2023, eq. 16), as a recurrence."""

    def step(carry, token):
        a, b = carry
        k, v = token
        out = (a + jnp.exp(u + k) * v) / (b + jnp.exp(u + k))
        a = jnp.exp(-w) * a + jnp.exp(k) * v
        b = jnp.exp(-w) * b + jnp.exp(k)
        return (a, b), out

    zero = jnp.zeros_like(u)
    return jax.lax.scan(step, (zero, zero), (k, v))[1]


def rwkv4_sums(k, v, w, u):
    T = k.shape[0]
    t = jnp.arange(T)
    distance = (t[:, None] - 1 - t[None, :])[:, :, None]
    weights = jnp.where(distance >= 0, jnp.exp(-distance * w + k[None]), 0.0)
    now = jnp.exp(u + k)
    top = jnp.einsum("tsd,sd->td", weights, v) + now * v
    return top / (weights.sum(axis=1) + now)


PAIRS = pairs(
    globals(),
    """
RG-LRU: gates inside = gates first | x: T d, r: T d, i: T d, Lambda: d | rg_lru = rg_lru_gates_first
    c = 8.0 → c = 4.0
    jnp.sqrt(1 - jnp.exp(2 * log_a)) * jax.nn.sigmoid(i) * x → jnp.sqrt(1 - jnp.exp(log_a)) * jax.nn.sigmoid(i) * x
gated recurrence = cumulated logarithms | log_a: T d, b: T d | linear_recurrence = by_cumulated_logs
    A[:, None, :] - A[None, :, :] → A[None, :, :] - A[:, None, :]
    dtype=bool))[:, :, None] → dtype=bool), -1)[:, :, None]
gated recurrence = cumulated products | log_a: T d, b: T d | linear_recurrence = by_cumulated_products
    b * jnp.exp(-A) → b * jnp.exp(A)
    h = jnp.exp(log_a) * h + b → h = jnp.exp(log_a) * (h + b)
HGRN: convex combination = interpolation | f: T d, c: T d, x: T d | hgrn = hgrn_as_interpolation
    (h - u) → (u - h)
    (1 - f) → (1 + f)
minGRU: 1 − σ(z) = σ(−z) | z: T d, candidate: T d | min_gru = min_gru_by_logs
    jax.nn.sigmoid(-z) → -jax.nn.sigmoid(z)
    z * candidate → candidate
GLA: recurrent = parallel | q: T d, k: T d, v: T e, g: T d | gla = gla_parallel
    k * jnp.exp(-b) → k * jnp.exp(b)
    jnp.exp(g)[:, None] * S → jnp.exp(g)[:, None] * S * 0.5
GLA: recurrent = differences | q: T d, k: T d, v: T e, g: T d | gla = gla_by_differences
    b[:, None] - b[None] → b[:, None] - b[None] + g[None]
    >= jnp.arange(T)[None] → > jnp.arange(T)[None]
simple GLA: recurrent = segments | q: T d, k: T d, v: T e, g: T | simple_gla = simple_gla_segments
    G[:, None] - G[None, :] → G[:, None] + G[None, :]
    jnp.tril(jnp.ones((T, T), dtype=bool)) → jnp.triu(jnp.ones((T, T), dtype=bool))
simple GLA: chunks of four = recurrent | q: 4*n d, k: 4*n d, v: 4*n e, g: 4*n | simple_gla = simple_gla_chunks
    return jnp.exp(G[-1]) * S + → return S +
    jnp.exp(G)[:, None] * (q @ S) → jnp.exp(G - g)[:, None] * (q @ S)
segment sums = differences of sums | g: T | segment_sums = differences_of_sums
    dtype=bool), -1), x, 0.0) → dtype=bool), 0), x, 0.0)
    jnp.exp(G[:, None] - G[None, :]) → jnp.exp(G[None, :] - G[:, None])
SSD: recurrent = attention | x: T H P, dt: T H, A: H, B: T N, C: T N | ssd = ssd_attention
    "h,hp,n->hpn", dt, x, B → "h,hp,n->hpn", dt * dt, x, B
    tn,sn,tsh,sh,shp->thp → tn,sn,tsh,th,shp->thp
    jnp.exp(dt * A) → jnp.exp(A)
mLSTM: recurrent = parallel | q: T d, k: T d, v: T e, i: T, f: T | mlstm = mlstm_parallel
    + i[None, :] → + i[:, None]
    n = f * n + i * k → n = n + i * k
RWKV-4: recurrent = sums | k: T d, v: T d, w: d, u: d | rwkv4 = rwkv4_sums
    t[:, None] - 1 - t[None, :] → t[:, None] - t[None, :]
    b = jnp.exp(-w) * b → b = b
""",
)
