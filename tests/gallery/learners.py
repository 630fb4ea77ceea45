"""Learners in a layer (TTT, Titans, linear self-attention, mesa) and optimisers, each in two forms."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from .pair import pairs


def ttt_linear(k, v, q, eta):
    """A step of gradient descent on ½ ‖W k − v‖² a token, and the new W's output (Sun et al. 2024)."""

    def step(W, token):
        k, v, q = token
        W = W - eta * jax.grad(lambda W: 0.5 * jnp.sum((W @ k - v) ** 2))(W)
        return W, W @ q

    return jax.lax.scan(step, jnp.zeros((v.shape[1], k.shape[1])), (k, v, q))[1]


def ttt_by_hand(k, v, q, eta):
    def step(W, token):
        k, v, q = token
        W = W - eta * (W @ k - v)[:, None] * k[None, :]
        return W, W @ q

    return jax.lax.scan(step, jnp.zeros((v.shape[1], k.shape[1])), (k, v, q))[1]


def ttt_batch(k, v, q, W, eta):
    """The dual form: all gradients at the first W."""

    def step(total, token):
        k, v, q = token
        total = total + jnp.outer(W @ k - v, k)
        return total, (W - eta * total) @ q

    return jax.lax.scan(step, jnp.zeros_like(W), (k, v, q))[1]


def ttt_dual(k, v, q, W, eta):
    errors = k @ W.T - v
    return q @ W.T - eta * jnp.tril(q @ k.T) @ errors


def titans(k, v, q, alpha, theta, eta):
    """Momentum and forgetting: S = η S − θ ∇, M = (1 − α) M + S (Behrouz et al. 2025)."""

    def step(carry, token):
        M, S = carry
        k, v, q, alpha, theta, eta = token
        gradient = jax.grad(lambda M: jnp.sum((M @ k - v) ** 2))(M)
        S = eta * S - theta * gradient
        M = (1 - alpha) * M + S
        return (M, S), M @ q

    zero = jnp.zeros((v.shape[1], k.shape[1]))
    return jax.lax.scan(step, (zero, zero), (k, v, q, alpha, theta, eta))[1]


def titans_by_hand(k, v, q, alpha, theta, eta):
    """With the momentum kept as −S, and the state transposed."""

    def step(carry, token):
        M, P = carry
        k, v, q, alpha, theta, eta = token
        P = eta * P + 2 * theta * jnp.outer(k, k @ M - v)
        M = M - alpha * M - P
        return (M, P), q @ M

    zero = jnp.zeros((k.shape[1], v.shape[1]))
    return jax.lax.scan(step, (zero, zero), (k, v, q, alpha, theta, eta))[1]


def self_attention_learner(X, Y, q, eta):
    """Linear attention of a query on (x, y) pairs."""
    Z = jnp.concatenate([X, Y], axis=1)
    query = jnp.concatenate([q, jnp.zeros(Y.shape[1])])
    return (eta / X.shape[0] * (Z.T @ (Z @ query)))[X.shape[1] :]


def one_gradient_step(X, Y, q, eta):
    loss = lambda W: jnp.mean(jnp.sum((X @ W - Y) ** 2, axis=1)) / 2
    W = -eta * jax.grad(loss)(jnp.zeros((X.shape[1], Y.shape[1])))
    return q @ W


def momentum(g, eta, beta):
    def step(carry, g):
        w, m = carry
        m = beta * m + g
        w = w - eta * m
        return (w, m), w

    zero = jnp.zeros(g.shape[1])
    return jax.lax.scan(step, (zero, zero), g)[1]


def velocity(g, eta, beta):
    def step(carry, g):
        w, v = carry
        v = beta * v - eta * g
        return (w + v, v), w + v

    zero = jnp.zeros(g.shape[1])
    return jax.lax.scan(step, (zero, zero), g)[1]


def heavy_ball(g, eta, beta):
    """w' = w − η g + β (w − w before)."""

    def step(carry, g):
        w, before = carry
        new = w - eta * g + beta * (w - before)
        return (new, w), new

    zero = jnp.zeros(g.shape[1])
    return jax.lax.scan(step, (zero, zero), g)[1]


def nesterov(x, y, eta, mu):
    """Nesterov's step on a least-squares loss, gradient at the point ahead."""
    n = x.shape[0]

    def gradient(w):
        return x.T @ (x @ w - y) / n

    def step(carry, _):
        w, v = carry
        v = mu * v - eta * gradient(w + mu * v)
        return (w + v, v), w + v

    zero = jnp.zeros(x.shape[1])
    return jax.lax.scan(step, (zero, zero), jnp.arange(3))[1]


def nesterov_ahead(x, y, eta, mu):
    """The same with the loss differentiated."""
    loss = lambda w: jnp.mean((x @ w - y) ** 2) / 2

    def step(carry, _):
        w, v = carry
        v = mu * v - eta * jax.grad(loss)(w + v * mu)
        return (w + v, v), w + v

    zero = jnp.zeros(x.shape[1])
    return jax.lax.scan(step, (zero, zero), jnp.arange(3))[1]


def adam(g, eta, b1, b2):
    """Without bias correction; ε under the root."""

    def step(carry, g):
        w, m, s = carry
        m = b1 * m + (1 - b1) * g
        s = b2 * s + (1 - b2) * g**2
        w = w - eta * m / jnp.sqrt(s + 1e-8)
        return (w, m, s), w

    zero = jnp.zeros(g.shape[1])
    return jax.lax.scan(step, (zero, zero, zero), g)[1]


def adam_by_increments(g, eta, b1, b2):
    def step(carry, g):
        w, m, s = carry
        m = m + (1 - b1) * (g - m)
        s = s - (1 - b2) * (s - g * g)
        w = w + -eta * jax.lax.rsqrt(s + 1e-8) * m
        return (w, m, s), w

    zero = jnp.zeros(g.shape[1])
    return jax.lax.scan(step, (zero, zero, zero), g)[1]


def weight_decay(g, eta, lam):
    """Decoupled decay: w = (1 − ηλ) w − η g."""

    def step(w, g):
        w = (1 - eta * lam) * w - eta * g
        return w, None

    return jax.lax.scan(step, jnp.zeros(g.shape[1]), g)[0]


def weight_decay_in_gradient(g, eta, lam):
    def step(w, g):
        w = w - eta * (g + lam * w)
        return w, None

    return jax.lax.scan(step, jnp.zeros(g.shape[1]), g)[0]


def least_squares_descent(X, y, w, eta):
    """L steps are not one: two of them, with the Gram matrix."""
    G, b = X.T @ X, X.T @ y
    for _ in range(2):
        w = w - eta * (G @ w - b)
    return w


def residual_descent(X, y, w, eta):
    residual = X @ w - y
    for _ in range(2):
        change = X.T @ residual
        w = w - eta * change
        residual = residual - eta * (X @ change)
    return w


TOKENS = "k: T d, v: T e, q: T d"
PAIRS = pairs(
    globals(),
    """
TTT: autograd = by hand | k: T d, v: T e, q: T d, eta: | ttt_linear = ttt_by_hand
    W @ k - v)[:, None] → W @ k + v)[:, None]
    0.5 * jnp.sum → 1.5 * jnp.sum
TTT: primal = dual | k: T d, v: T e, q: T d, W: e d, eta: | ttt_batch = ttt_dual
    jnp.tril(q @ k.T) → (q @ k.T)
    errors = k @ W.T - v → errors = k @ W.T
Titans: autograd = by hand, transposed | k: T d, v: T e, q: T d, alpha: T, theta: T, eta: T | titans = titans_by_hand
    2 * theta * jnp.outer → theta * jnp.outer
    M - alpha * M - P → M - alpha * M + P
linear self-attention = one step | X: N f, Y: N k, q: f, eta: | self_attention_learner = one_gradient_step
    eta / X.shape[0] * → eta *
    axis=1)) / 2 → axis=1))
momentum = velocity | g: T d, eta:, beta: | momentum = velocity
    beta * v - eta * g → beta * v + eta * g
    w = w - eta * m → w = w - eta * g
momentum = heavy ball | g: T d, eta:, beta: | momentum = heavy_ball
    beta * (w - before) → beta * (before - w)
    return (new, w), new → return (new, before), new
Nesterov: by hand = autograd | x: N f, y: N, eta:, mu: | nesterov = nesterov_ahead
    jax.grad(loss)(w + v * mu) → jax.grad(loss)(w)
    x.T @ (x @ w - y) / n → x.T @ (x @ w - y)
Adam: averages = increments | g: T d, eta:, b1:, b2: | adam = adam_by_increments
    (s - g * g) → (s - g)
    m = b1 * m + (1 - b1) * g → m = b1 * m + b1 * g
decoupled weight decay = in the gradient | g: T d, eta:, lam: | weight_decay = weight_decay_in_gradient
    g + lam * w → g - lam * w
    (1 - eta * lam) * w → (1 - lam) * w
descent: Gram matrix = residuals | X: N f, y: N, w: f, eta: | least_squares_descent = residual_descent
    residual - eta * (X @ change) → residual + eta * (X @ change)
    X.T @ X, X.T @ y → X.T @ X, -X.T @ y
""",
)
