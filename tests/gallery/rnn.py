"""Nonlinear recurrent networks, and the same with their weights stored in other ways."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from .pair import pairs


def elman(x, W, U, b):
    def step(h, x):
        h = jnp.tanh(W @ h + U @ x + b)
        return h, h

    return jax.lax.scan(step, jnp.zeros_like(b), x)[1]


def elman_fused(x, W, U, b):
    weights = jnp.concatenate([W, U], axis=1)

    def step(h, x):
        h = jnp.tanh(weights @ jnp.concatenate([h, x]) + b)
        return h, h

    return jax.lax.scan(step, jnp.zeros_like(b), x)[1]


def elman_inputs_first(x, W, U, b):
    drive = x @ U.T + b

    def step(h, u):
        h = jnp.tanh(h @ W.T + u)
        return h, h

    return jax.lax.scan(step, jnp.zeros(b.shape), drive)[1]


def lstm(x, Wi, Wf, Wo, Wg):
    """Four matrices (h, h + f) on [h, x]."""

    def step(carry, x):
        h, c = carry
        z = jnp.concatenate([h, x])
        i, f, o = (jax.nn.sigmoid(W @ z) for W in (Wi, Wf, Wo))
        c = f * c + i * jnp.tanh(Wg @ z)
        h = o * jnp.tanh(c)
        return (h, c), h

    zero = jnp.zeros(Wi.shape[0])
    return jax.lax.scan(step, (zero, zero), x)[1]


def lstm_fused(x, Wi, Wf, Wo, Wg):
    """One stack of matrices, gates along its first axis."""
    W = jnp.stack([Wi, Wf, Wo, Wg])
    n = Wi.shape[0]

    def step(carry, x):
        h, c = carry
        gates = jnp.einsum("gij,j->gi", W[:, :, :n], h) + jnp.einsum("gij,j->gi", W[:, :, n:], x)
        i, f, o = jax.nn.sigmoid(gates[0]), jax.nn.sigmoid(gates[1]), jax.nn.sigmoid(gates[2])
        c = f * c + i * jnp.tanh(gates[3])
        h = o * jnp.tanh(c)
        return (h, c), h

    zero = jnp.zeros(n)
    return jax.lax.scan(step, (zero, zero), x)[1]


def gru(x, Wz, Wr, Wh, Uz, Ur, Uh):
    def step(h, x):
        z = jax.nn.sigmoid(Wz @ x + Uz @ h)
        r = jax.nn.sigmoid(Wr @ x + Ur @ h)
        new = jnp.tanh(Wh @ x + Uh @ (r * h))
        h = (1 - z) * h + z * new
        return h, h

    return jax.lax.scan(step, jnp.zeros(Uz.shape[0]), x)[1]


def gru_incremental(x, Wz, Wr, Wh, Uz, Ur, Uh):
    xz, xr, xh = x @ Wz.T, x @ Wr.T, x @ Wh.T

    def step(h, token):
        xz, xr, xh = token
        z, r = jax.nn.sigmoid(xz + Uz @ h), jax.nn.sigmoid(xr + Ur @ h)
        h = h + z * (jnp.tanh(xh + Uh @ (r * h)) - h)
        return h, h

    return jax.lax.scan(step, jnp.zeros(Uz.shape[0]), (xz, xr, xh))[1]


def relu_network(x, W, U):
    def step(h, x):
        h = jax.nn.relu(W @ h + U @ x)
        return h, h.sum()

    return jax.lax.scan(step, jnp.zeros(W.shape[0]), x)[1]


def relu_network_batched(x, W, U):
    """Row vectors, and max(0, ·)."""

    def step(h, u):
        h = jnp.maximum(0.0, h @ W.T + u)
        return h, jnp.dot(h, jnp.ones(W.shape[0]))

    return jax.lax.scan(step, jnp.zeros(W.shape[0]), x @ U.T)[1]


def leaky(x, W, tau):
    """h + (−h + tanh(W h) + x)/τ."""

    def step(h, x):
        h = h + (-h + jnp.tanh(W @ h) + x) / tau
        return h, h

    return jax.lax.scan(step, jnp.zeros(W.shape[0]), x)[1]


def leaky_as_mixture(x, W, tau):
    alpha = 1 / tau

    def step(h, x):
        h = (1 - alpha) * h + alpha * (jnp.tanh(W @ h) + x)
        return h, h

    return jax.lax.scan(step, jnp.zeros(W.shape[0]), x)[1]


PAIRS = pairs(
    globals(),
    """
Elman: two matrices = one | x: T f, W: h h, U: h f, b: h | elman = elman_fused
    [W, U] → [W, 2 * U]
    W @ h + U @ x + b → W @ h + U @ x - b
Elman: inputs projected first | x: T f, W: h h, U: h f, b: h | elman = elman_inputs_first
    h @ W.T + u → h @ W + u
    x @ U.T + b → x @ U.T
LSTM: four matrices = a stack | x: T f, Wi: h h+f, Wf: h h+f, Wo: h h+f, Wg: h h+f | lstm = lstm_fused
    i * jnp.tanh(gates[3]) → i * jnp.tanh(gates[2])
    jnp.stack([Wi, Wf, → jnp.stack([Wf, Wi,
GRU: convex combination = increment | x: T f, Wz: h f, Wr: h f, Wh: h f, Uz: h h, Ur: h h, Uh: h h
    | gru = gru_incremental
    (1 - z) * h + z * new → z * h + (1 - z) * new
    Uh @ (r * h)) - h → r * (Uh @ h)) - h
relu network: columns = rows | x: T f, W: h h, U: h f | relu_network = relu_network_batched
    jnp.maximum(0.0, → jnp.minimum(0.0,
    x @ U.T → -x @ U.T
leaky integrator = mixture | x: T h, W: h h, tau: | leaky = leaky_as_mixture
    (1 - alpha) * h → (1 + alpha) * h
    -h + jnp.tanh(W @ h) + x → -h + jnp.tanh(W @ h + x)
""",
)
