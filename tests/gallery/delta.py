"""Delta rules: DeltaNet (Yang et al. 2024), gated delta rule, Kimi's delta attention, products of Householder maps."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax.scipy.linalg import solve_triangular

from .pair import pairs


def delta(q, k, v, beta):
    """S ← S − β k (kᵀS − vᵀ), o = qᵀS."""

    def step(S, token):
        q, k, v, beta = token
        S = S + jnp.outer(k, beta * (v - k @ S))
        return S, q @ S

    return jax.lax.scan(step, jnp.zeros((k.shape[1], v.shape[1])), (q, k, v, beta))[1]


def delta_as_map(q, k, v, beta):
    """S ← (I − β k kᵀ) S + β k vᵀ."""

    def step(S, token):
        q, k, v, beta = token
        S = (jnp.eye(k.shape[0]) - beta * jnp.outer(k, k)) @ S + beta * jnp.outer(k, v)
        return S, q @ S

    return jax.lax.scan(step, jnp.zeros((k.shape[1], v.shape[1])), (q, k, v, beta))[1]


def delta_transposed(q, k, v, beta):
    """The state as values by keys, as kernels keep it."""

    def step(S, token):
        q, k, v, beta = token
        S = S - beta * jnp.outer(S @ k - v, k)
        return S, S @ q

    return jax.lax.scan(step, jnp.zeros((v.shape[1], k.shape[1])), (q, k, v, beta))[1]


def delta_as_gradient(q, k, v, beta):
    """A step on ½ ‖Sᵀk − v‖² for each token."""

    def step(S, token):
        q, k, v, beta = token
        S = S - beta * jax.grad(lambda S: 0.5 * jnp.sum((k @ S - v) ** 2))(S)
        return S, q @ S

    return jax.lax.scan(step, jnp.zeros((k.shape[1], v.shape[1])), (q, k, v, beta))[1]


def delta_state(k, v, beta):
    def step(S, token):
        k, v, beta = token
        return S + beta * jnp.outer(k, v - k @ S), None

    return jax.lax.scan(step, jnp.zeros((k.shape[1], v.shape[1])), (k, v, beta))[0]


def wy_state(k, v, beta):
    """Kᵀ U with (I + tril(β K Kᵀ, −1)) U = β V."""
    T = k.shape[0]
    A = jnp.eye(T) + jnp.tril(beta[:, None] * (k @ k.T), -1)
    return k.T @ solve_triangular(A, beta[:, None] * v, lower=True, unit_diagonal=True)


def wy_outputs(q, k, v, beta):
    T = k.shape[0]
    A = jnp.eye(T) + jnp.tril(beta[:, None] * (k @ k.T), -1)
    u = solve_triangular(A, beta[:, None] * v, lower=True)
    return jnp.tril(q @ k.T) @ u


def gated_delta(q, k, v, beta, g):
    """Decay first, then the delta rule (Yang et al. 2025, eq. 10)."""

    def step(S, token):
        q, k, v, beta, g = token
        S = S * jnp.exp(g)
        S = S + jnp.outer(k, beta * (v - k @ S))
        return S, q @ S

    return jax.lax.scan(step, jnp.zeros((k.shape[1], v.shape[1])), (q, k, v, beta, g))[1]


def gated_delta_as_map(q, k, v, beta, g):
    def step(S, token):
        q, k, v, beta, g = token
        a = jnp.exp(g)
        S = a * (S - beta * jnp.outer(k, k @ S)) + beta * jnp.outer(k, v)
        return S, q @ S

    return jax.lax.scan(step, jnp.zeros((k.shape[1], v.shape[1])), (q, k, v, beta, g))[1]


def gated_delta_heads(q, k, v, beta, g):
    """With heads (H, T, …), by vmap."""
    return jax.vmap(gated_delta)(q, k, v, beta, g)


def gated_delta_einsum(q, k, v, beta, g):
    def step(S, token):
        q, k, v, beta, g = token
        S = S * jnp.exp(g)[:, None, None]
        error = v - jnp.einsum("hd,hde->he", k, S)
        S = S + jnp.einsum("hd,he->hde", k * beta[:, None], error)
        return S, jnp.einsum("hd,hde->he", q, S)

    first = [jnp.moveaxis(a, 1, 0) for a in (q, k, v, beta, g)]
    start = jnp.zeros((q.shape[0], k.shape[2], v.shape[2]))
    return jnp.moveaxis(jax.lax.scan(step, start, tuple(first))[1], 0, 1)


def kda(q, k, v, beta, g):
    """A decay for each key's channel (Kimi Linear)."""

    def step(S, token):
        q, k, v, beta, g = token
        S = S * jnp.exp(g)[:, None]
        S = S + beta * k[:, None] * (v - (k[:, None] * S).sum(0))[None, :]
        return S, (q[:, None] * S).sum(0)

    return jax.lax.scan(step, jnp.zeros((k.shape[1], v.shape[1])), (q, k, v, beta, g))[1]


def kda_as_map(q, k, v, beta, g):
    """(I − β k kᵀ) diag(α) S + β k vᵀ: a diagonal plus a matrix of rank one."""

    def step(S, token):
        q, k, v, beta, g = token
        alpha = jnp.exp(g)
        S = alpha[:, None] * S - beta * jnp.outer(k, (k * alpha) @ S) + beta * jnp.outer(k, v)
        return S, q @ S

    return jax.lax.scan(step, jnp.zeros((k.shape[1], v.shape[1])), (q, k, v, beta, g))[1]


def dplr(q, k, v, a, b, w):
    """S ← diag(w) S + a (bᵀS) + k vᵀ, as in RWKV-7."""

    def step(S, token):
        q, k, v, a, b, w = token
        S = w[:, None] * S + jnp.outer(a, b @ S) + jnp.outer(k, v)
        return S, q @ S

    return jax.lax.scan(step, jnp.zeros((k.shape[1], v.shape[1])), (q, k, v, a, b, w))[1]


def dplr_transposed(q, k, v, a, b, w):
    def step(S, token):
        q, k, v, a, b, w = token
        S = S * w[None, :] + (S @ b)[:, None] * a[None, :] + v[:, None] * k[None, :]
        return S, S @ q

    return jax.lax.scan(step, jnp.zeros((v.shape[1], k.shape[1])), (q, k, v, a, b, w))[1]


def iplr(q, k, v, beta):
    """a = −β k and b = k make the delta rule of it."""
    return dplr(q, beta[:, None] * k, v, -beta[:, None] * k, k, jnp.ones_like(k))


def longhorn(q, k, v, beta):
    """The implicit step: ε = β / (1 + β kᵀk) (Liu et al. 2024)."""

    def step(S, token):
        q, k, v, beta = token
        epsilon = beta / (1 + beta * jnp.dot(k, k))
        S = S + epsilon * jnp.outer(k, v - k @ S)
        return S, q @ S

    return jax.lax.scan(step, jnp.zeros((k.shape[1], v.shape[1])), (q, k, v, beta))[1]


def longhorn_as_delta(q, k, v, beta):
    return delta(q, k, v, beta / (1 + beta * (k**2).sum(axis=1)))


TOKENS = "q: T d, k: T d, v: T e, beta: T"
PAIRS = pairs(
    globals(),
    """
delta rule = map | q: T d, k: T d, v: T e, beta: T | delta = delta_as_map
    v - k @ S → v - q @ S
    jnp.eye(k.shape[0]) - beta → jnp.eye(k.shape[0]) + beta
delta rule = state transposed | q: T d, k: T d, v: T e, beta: T | delta = delta_transposed
    jnp.outer(S @ k - v, k) → jnp.outer(S @ k + v, k)
    return S, S @ q → return S, S @ k
delta rule = gradient steps | q: T d, k: T d, v: T e, beta: T | delta = delta_as_gradient
    0.5 * jnp.sum → jnp.sum
    beta * (v - k @ S) → (v - k @ S)
delta rule: state = WY form | k: T d, v: T e, beta: T | delta_state = wy_state
    (k @ k.T), -1) → (k @ k.T), 0) * (1 - jnp.eye(T)) - jnp.tril(k @ k.T, -1) * 2
    beta[:, None] * v, lower → v, lower
delta rule: outputs = WY form | q: T d, k: T d, v: T e, beta: T | delta = wy_outputs
    jnp.tril(q @ k.T) @ u → jnp.tril(q @ k.T, -1) @ u
    beta[:, None] * (k @ k.T) → beta[None, :] * (k @ k.T)
gated delta rule = map | q: T d, k: T d, v: T e, beta: T, g: T | gated_delta = gated_delta_as_map
    a * (S - beta * jnp.outer(k, k @ S)) → a * S - beta * jnp.outer(k, k @ S)
    S * jnp.exp(g) → S * g
gated delta rule: vmap = einsum | q: H T d, k: H T d, v: H T e, beta: H T, g: H T
    | gated_delta_heads = gated_delta_einsum
    "hd,hde->he", k, S → "hd,hde->he", q, S
    jnp.exp(g)[:, None, None] → jnp.exp(g[0])
KDA = map | q: T d, k: T d, v: T e, beta: T, g: T d | kda = kda_as_map
    (k * alpha) @ S → k @ S
    beta * k[:, None] * → k[:, None] *
DPLR = state transposed | q: T d, k: T d, v: T e, a: T d, b: T d, w: T d | dplr = dplr_transposed
    jnp.outer(a, b @ S) → jnp.outer(b, a @ S)
    S * w[None, :] → S
IPLR = delta rule | q: T d, k: T d, v: T e, beta: T | iplr = delta
    -beta[:, None] * k, k, → beta[:, None] * k, k,
    beta * (v - k @ S) → beta * (v + k @ S)
Longhorn = delta rule with its step size | q: T d, k: T d, v: T e, beta: T | longhorn = longhorn_as_delta
    (1 + beta * jnp.dot(k, k)) → (1 + jnp.dot(k, k))
    (k**2).sum(axis=1) → k.sum(axis=1) ** 2
""",
)
