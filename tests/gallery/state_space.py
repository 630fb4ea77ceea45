"""State spaces: S4D and LRU with complex numbers, S5's associative scan, convolutions, discretisation."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from .pair import pairs


def state_space(u, A, B, C, D):
    """x = A x + B u, y = C x + D u."""

    def step(x, u):
        x = A @ x + B @ u
        return x, C @ x + D @ u

    return jax.lax.scan(step, jnp.zeros(A.shape[0]), u)[1]


def state_space_residual(u, A, B, C, D):
    """Outputs outside the loop."""

    def step(x, v):
        x = A @ x + v
        return x, x

    states = jax.lax.scan(step, jnp.zeros(A.shape[0]), u @ B.T)[1]
    return states @ C.T + u @ D.T


def change_of_basis(u, A, B, C, P, Q):
    """The state in another basis: z = P x, where Q P = I is what the caller knows; here of x itself, not of z."""

    def step(x, u):
        x = A @ x + B @ u
        return x, C @ (Q @ (P @ x))

    return jax.lax.scan(step, jnp.zeros(A.shape[0]), u)[1]


def change_of_basis_outside(u, A, B, C, P, Q):
    def step(x, u):
        x = A @ x + B @ u
        return x, x

    states = jax.lax.scan(step, jnp.zeros(A.shape[0]), u)[1]
    return states @ P.T @ (C @ Q).T


def lru(u, nu, theta, Br, Bi, Cr, Ci):
    """Linear recurrent unit with complex numbers (Orvieto et al. 2023)."""
    lam = jnp.exp(-jnp.exp(nu) + 1j * theta)
    B = Br + 1j * Bi
    C = Cr + 1j * Ci

    def step(x, u):
        x = lam * x + B @ u
        return x, (C @ x).real

    return jax.lax.scan(step, jnp.zeros(nu.shape[0], dtype=complex), u)[1]


def lru_real(u, nu, theta, Br, Bi, Cr, Ci):
    """Real and imaginary parts apart."""
    size = jnp.exp(-jnp.exp(nu))
    a, b = size * jnp.cos(theta), size * jnp.sin(theta)

    def step(state, u):
        x, y = state
        x, y = a * x - b * y + Br @ u, b * x + a * y + Bi @ u
        return (x, y), Cr @ x - Ci @ y

    zero = jnp.zeros(nu.shape[0])
    return jax.lax.scan(step, (zero, zero), u)[1]


def s5(u, ar, ai, b):
    """S5's scan of a diagonal complex recurrence with `associative_scan` (Smith et al. 2023)."""
    a = jnp.broadcast_to(ar + 1j * ai, (u.shape[0], ar.shape[0]))

    def combine(left, right):
        a1, b1 = left
        a2, b2 = right
        return a2 * a1, a2 * b1 + b2

    _, x = jax.lax.associative_scan(combine, (a, u[:, None] * b + 0j))
    return x.real


def s5_recurrent(u, ar, ai, b):
    def step(state, u):
        x, y = state
        x, y = ar * x - ai * y + b * u, ai * x + ar * y
        return (x, y), x

    zero = jnp.zeros(ar.shape[0])
    return jax.lax.scan(step, (zero, zero), u)[1]


def parallel_scan(a, b):
    def combine(left, right):
        return left[0] * right[0], right[0] * left[1] + right[1]

    return jax.lax.associative_scan(combine, (a, b))[1]


def sequential_scan(a, b):
    def step(h, token):
        a, b = token
        h = a * h + b
        return h, h

    return jax.lax.scan(step, jnp.zeros(b.shape[1]), (a, b))[1]


def matrix_scan(A, b):
    """Pairs of a matrix and a vector under composition of affine maps."""

    def combine(left, right):
        A1, b1 = left
        A2, b2 = right
        return jnp.einsum("tij,tjk->tik", A2, A1), jnp.einsum("tij,tj->ti", A2, b1) + b2

    return jax.lax.associative_scan(combine, (A, b))[1]


def matrix_recurrence(A, b):
    def step(h, token):
        A, b = token
        h = A @ h + b
        return h, h

    return jax.lax.scan(step, jnp.zeros(b.shape[1]), (A, b))[1]


def causal_convolution(x, w):
    """Depthwise with four taps, as Mamba has it: padded, then sums of shifts."""
    T = x.shape[0]
    padded = jnp.pad(x, ((3, 0), (0, 0)))
    return sum(padded[tap : tap + T] * w[:, tap] for tap in range(4))


def convolution_primitive(x, w):
    kernel = w[:, None, :]
    out = jax.lax.conv_general_dilated(
        x.T[None], kernel, (1,), [(3, 0)], feature_group_count=x.shape[1]
    )
    return out[0].T


def convolution_state(x, w):
    """With the last three tokens as a state, as when decoding."""

    def step(past, u):
        window = jnp.concatenate([past, u[None]], axis=0)
        return window[1:], (window * w.T).sum(axis=0)

    return jax.lax.scan(step, jnp.zeros((3, x.shape[1])), x)[1]


def convolution_windows(x, w):
    """Depthwise with any number of taps, (W, d): every window is read at once."""
    W = w.shape[0]
    padded = jnp.pad(x, ((W - 1, 0), (0, 0)))
    windows = padded[jnp.arange(x.shape[0])[:, None] + jnp.arange(W)]
    return (windows * w).sum(axis=1)


def convolution_register(x, w):
    """The same with the last W − 1 tokens as a state."""

    def step(past, u):
        window = jnp.concatenate([past, u[None]])
        return window[1:], (window * w).sum(axis=0)

    return jax.lax.scan(step, jnp.zeros((w.shape[0] - 1, x.shape[1])), x)[1]


def delay_line(x, past):
    """A register of any length: what goes in comes out as many steps later."""

    def step(register, u):
        return jnp.concatenate([u[None], register[:-1]]), register[-1]

    return jax.lax.scan(step, past, x)[1]


def delayed(x, past):
    return jnp.concatenate([past[::-1], x])[: x.shape[0]]


def ema(x, alpha):
    """(1 − α) of the past and α of the present."""

    def step(m, x):
        m = (1 - alpha) * m + alpha * x
        return m, m

    return jax.lax.scan(step, jnp.zeros(x.shape[1]), x)[1]


def ema_incremental(x, alpha):
    def step(m, x):
        m = m + alpha * (x - m)
        return m, m

    return jax.lax.scan(step, jnp.zeros(x.shape[1]), x)[1]


def ema_weights(x, alpha):
    t = jnp.arange(x.shape[0])
    distance = t[:, None] - t[None, :]
    weights = jnp.where(distance >= 0, alpha * (1 - alpha) ** jnp.maximum(distance, 0), 0.0)
    return weights @ x


def bilinear(u, a, b, dt):
    """A diagonal system by the trapezoidal rule: x = (1 + dt a/2)/(1 − dt a/2) x + dt b/(1 − dt a/2) u."""
    A = (1 + dt * a / 2) / (1 - dt * a / 2)
    B = dt * b / (1 - dt * a / 2)

    def step(x, u):
        x = A * x + B * u
        return x, x

    return jax.lax.scan(step, jnp.zeros(a.shape[0]), u)[1]


def bilinear_implicit(u, a, b, dt):
    """Each step solved for the new state."""

    def step(x, u):
        x = (x + dt / 2 * (a * x) + dt * (b * u)) / (1 - dt / 2 * a)
        return x, x

    return jax.lax.scan(step, jnp.zeros(a.shape[0]), u)[1]


PAIRS = pairs(
    globals(),
    """
state space: outputs inside = outside | u: T p, A: n n, B: n p, C: r n, D: r p | state_space = state_space_residual
    states @ C.T + u @ D.T → states @ C.T - u @ D.T
    x = A @ x + B @ u⏎ → x = A.T @ x + B @ u⏎
state space: two maps after the state | u: T p, A: n n, B: n p, C: r m, P: n2 n, Q: m n2
    | change_of_basis = change_of_basis_outside
    (C @ Q).T → (2 * C @ Q).T
    Q @ (P @ x) → Q @ (P @ x + P @ x)
LRU: complex = real parts | u: T p, nu: n, theta: n, Br: n p, Bi: n p, Cr: r n, Ci: r n | lru = lru_real
    Cr @ x - Ci @ y → Cr @ x + Ci @ y
    a * x - b * y + Br @ u → a * x + b * y + Br @ u
S5: associative scan = recurrence | u: T, ar: n, ai: n, b: n | s5 = s5_recurrent
    a2 * b1 + b2 → a1 * b1 + b2
    ai * x + ar * y → ai * x - ar * y
diagonal: associative scan = recurrence | a: T d, b: T d | parallel_scan = sequential_scan
    right[0] * left[1] + right[1] → left[0] * left[1] + right[1]
    h = a * h + b → h = a * (h + b)
matrices: associative scan = recurrence | A: T n n, b: T n | matrix_scan = matrix_recurrence
    jnp.einsum("tij,tjk->tik", A2, A1) → jnp.einsum("tij,tjk->tik", A1, A2)
    h = A @ h + b → h = A.T @ h + b
causal convolution: shifts = primitive | x: T d, w: d 4 | causal_convolution = convolution_primitive
    [(3, 0)] → [(0, 3)]
    w[:, tap] → w[:, 3 - tap]
causal convolution: shifts = state | x: T d, w: d 4 | causal_convolution = convolution_state
    return window[1:], → return window[:3],
    ((3, 0), (0, 0)) → ((2, 1), (0, 0))
causal convolution of any width: windows = state | x: T d, w: W d | convolution_windows = convolution_register
    return window[1:], → return window[:-1],
    ((W - 1, 0) → ((0, W - 1)
delay line = concatenation | x: T d, past: W d | delay_line = delayed
    past[::-1] → past
    register[-1] → register[0]
moving average: mixture = increment | x: T d, alpha: | ema = ema_incremental
    alpha * (x - m) → alpha * x - m
    (1 - alpha) * m → (1 - alpha * alpha) * m
moving average: recurrence = weights | x: T d, alpha: | ema = ema_weights
    distance >= 0 → distance >= 1
    alpha * (1 - alpha) ** → (1 - alpha) **
trapezoidal rule: gains = implicit step | u: T n, a: n, b: n, dt: | bilinear = bilinear_implicit
    (1 + dt * a / 2) → (1 - dt * a / 2)
    dt * (b * u) → dt / 2 * (b * u)
""",
)
