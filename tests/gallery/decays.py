"""Layers with decays: as a scan, and as what runs in parallel, with log decays summed up, masks and powers."""

import jax
import jax.numpy as jnp
from jax import lax

from .pair import pairs


def over_time(step, state, *tokens):
    """The outputs of a scan."""
    return lax.scan(step, state, tokens)[1]


def causal(T, below=0):
    return jnp.tril(jnp.ones((T, T), bool), below)


# Elementwise recurrences (RG-LRU, HGRN): h = exp(g) h + x.


def gated(g, x):
    def step(h, token):
        g, x = token
        h = jnp.exp(g) * h + x
        return h, h

    return over_time(step, jnp.zeros(x.shape[1]), g, x)


def gated_by_a_mask(g, x):
    G = jnp.cumsum(g, 0)
    decay = jnp.where(causal(x.shape[0])[:, :, None], jnp.exp(G[:, None] - G[None]), 0.0)
    return jnp.einsum("tsd,sd->td", decay, x)


def multiplied(a, x):
    def step(h, token):
        a, x = token
        h = a * h + x
        return h, h

    return over_time(step, jnp.zeros(x.shape[1]), a, x)


def multiplied_by_squares(a, x):
    return multiplied(a * a, x)


def by_logarithms(a, x):
    return gated_by_a_mask(jnp.log(a * a), x)


def input_gated(x, W, rate):
    """RG-LRU: log a = −8 rate σ(W x), the input scaled by √(1 − a²)."""

    def step(h, x):
        log_a = -8 * jax.nn.sigmoid(x @ W) * rate
        h = jnp.exp(log_a) * h + jnp.sqrt(1 - jnp.exp(2 * log_a)) * x
        return h, h

    return lax.scan(step, jnp.zeros(x.shape[1]), x)[1]


def input_gated_by_a_mask(x, W, rate):
    log_a = -8 * rate * jax.nn.sigmoid(x @ W)
    a = jnp.exp(log_a)
    return gated_by_a_mask(log_a, jnp.sqrt(1 - a**2) * x)


def forgetting(f, x):
    """HGRN: h = σ(f) h + (1 − σ(f)) x."""

    def step(h, token):
        f, x = token
        h = f * h + (1 - f) * x
        return h, h

    return over_time(step, jnp.zeros(x.shape[1]), jax.nn.sigmoid(f), x)


def forgetting_in_log_space(f, x):
    f = jax.nn.sigmoid(f)
    return gated_by_a_mask(jnp.log(f), (1 - f) * x)


def sigmoids_multiplied(f):
    return jnp.cumprod(jax.nn.sigmoid(f), 0)


def exponential_of_log_sigmoids(f):
    return jnp.exp(jnp.cumsum(-jnp.logaddexp(0.0, -f), 0))


def square_of_sigmoids(f):
    return jax.nn.sigmoid(f) ** 2


def twice_the_logarithm(f):
    return jnp.exp(2 * jax.nn.log_sigmoid(f))


def cumulated_product(g):
    return jnp.cumprod(jnp.exp(g), 0)


def exponential_of_the_sum(g):
    return jnp.exp(jnp.cumsum(g, 0))


# Matrices as states (GLA, RetNet, RWKV, mLSTM).


def empty(k, v):
    return jnp.zeros((k.shape[-1], v.shape[-1]))


def read_before_writing(q, k, v, g):
    def step(S, token):
        q, k, v, g = token
        return jnp.exp(g) * S + jnp.outer(k, v), q @ S

    return over_time(step, empty(k, v), q, k, v, g)


def read_before_writing_by_a_mask(q, k, v, g):
    G = jnp.cumsum(jnp.pad(g, (1, 0)))
    return (q @ k.T * jnp.tril(jnp.exp(G[:-1, None] - G[None, 1:]), -1)) @ v


def channel_gates(q, k, v, g, S):
    def step(S, token):
        q, k, v, g = token
        S = jnp.exp(g)[:, None] * S + k[:, None] * v
        return S, q @ S

    last, outputs = lax.scan(step, S, (q, k, v, g))
    return outputs, last


def channel_gates_scaled(q, k, v, g, S):
    G = jnp.cumsum(g, 0)
    within = jnp.tril((q * jnp.exp(G)) @ (k * jnp.exp(-G)).T) @ v
    last = jnp.exp(G[-1])[:, None] * S + (k * jnp.exp(G[-1] - G)).T @ v
    return within + (q * jnp.exp(G)) @ S, last


def last_state(k, v, g):
    def step(S, token):
        k, v, g = token
        return jnp.exp(g) * S + jnp.outer(k, v), None

    return lax.scan(step, empty(k, v), (k, v, g))[0]


def last_state_by_a_reversed_sum(k, v, g):
    return (k * jnp.exp(lax.cumsum(g, reverse=True) - g)[:, None]).T @ v


def receptance(r, k, v, w, u):
    """RWKV: decays exp(−exp(w)), a bonus u for the present token."""

    def step(S, token):
        r, k, v, w = token
        now = jnp.outer(k, v)
        return jnp.exp(-jnp.exp(w))[:, None] * S + now, r @ (S + u[:, None] * now)

    return over_time(step, empty(k, v), r, k, v, w)


def receptance_scaled(r, k, v, w, u):
    decay = -jnp.exp(w)
    G = jnp.cumsum(decay, 0)
    within = jnp.tril((r * jnp.exp(G - decay)) @ (k * jnp.exp(-G)).T, -1)
    return within @ v + jnp.sum(r * u * k, 1)[:, None] * v


def stabilised_by_the_sum(q, k, v, i, f):
    """Gates exp(f) and exp(i), the state kept as exp(−m) S, where m is the sum of f."""

    def step(carry, token):
        S, m = carry
        q, k, v, i, f = token
        before, m = m, f + m
        S = jnp.exp(f + before - m) * S + jnp.exp(i - m) * jnp.outer(k, v)
        return (S, m), jnp.exp(m) * (q @ S)

    return over_time(step, (empty(k, v), 0.0), q, k, v, i, f)


def two_gates_by_a_mask(q, k, v, i, f):
    F = jnp.cumsum(f)
    D = jnp.where(causal(q.shape[0]), F[:, None] - F[None] + i[None], -jnp.inf)
    return (q @ k.T * jnp.exp(D)) @ v


def selective(x, dt, A, B, C):
    """Mamba's selective scan with a diagonal A."""

    def step(h, token):
        x, dt, b, c = token
        h = jnp.exp(dt[:, None] * A) * h + (dt * x)[:, None] * b
        return h, h @ c

    return over_time(step, jnp.zeros(A.shape), x, dt, B, C)


def selective_by_normalised_sums(x, dt, A, B, C):
    grown = jnp.exp(jnp.cumsum(dt, 0)[:, :, None] * A)
    h = grown * jnp.cumsum((dt * x)[:, :, None] * B[:, None] / grown, 0)
    return jnp.einsum("tdn,tn->td", h, C)


def returns(r, gamma):
    def step(R, r):
        R = r + gamma * R
        return R, R

    return lax.scan(step, 0.0, r, reverse=True)[1]


def returns_by_a_mask(r, gamma):
    n = jnp.arange(r.shape[0])
    later = n[None] - n[:, None]
    return jnp.where(later >= 0, gamma**later, 0.0) @ r


# Powers.


def retention(q, k, v, gamma):
    def step(S, token):
        q, k, v = token
        S = gamma * S + jnp.outer(k, v)
        return S, q @ S

    return over_time(step, empty(k, v), q, k, v)


def retention_by_scaled_keys(q, k, v, gamma):
    n = jnp.arange(q.shape[0])
    return jnp.tril((q * (gamma**n)[:, None]) @ (k * (gamma**-n)[:, None]).T) @ v


def heads_of_retention(q, k, v, gamma):
    return jax.vmap(retention)(q, k, v, gamma)


def heads_of_retention_by_a_mask(q, k, v, gamma):
    n = jnp.arange(q.shape[1])
    apart = n[:, None] - n[None]
    decay = jnp.where(apart >= 0, gamma[:, None, None] ** apart, 0.0)
    return jnp.einsum("hts,hse->hte", jnp.einsum("htd,hsd->hts", q, k) * decay, v)


def slowly(q, k, v, kappa):
    def step(S, token):
        q, k, v = token
        S = jnp.exp(kappa) * S + jnp.outer(k, v)
        return S, q @ S

    return over_time(step, empty(k, v), q, k, v)


def slowly_by_a_mask(q, k, v, kappa):
    n = jnp.arange(q.shape[0])
    apart = n[:, None] - n[None]
    return (q @ k.T * jnp.exp(jnp.where(apart >= 0, kappa * apart, -jnp.inf))) @ v


def polynomial(x, gamma):
    return lax.scan(lambda h, x: (gamma * h + x, None), 0.0, x)[0]


def polynomial_by_powers(x, gamma):
    return jnp.sum(gamma ** jnp.arange(x.shape[0] - 1, -1, -1) * x)


def powers_in_two(x, gamma):
    n = jnp.arange(x.shape[0])
    return gamma**n * x * gamma ** (x.shape[0] - 1 - n)


def powers_in_one(x, gamma):
    return x * gamma ** (x.shape[0] - 1)


# Mamba-2.


def segment_sums(x):
    """x_{s+1} + … + x_t at [t, s] for s ≤ t, else −∞."""
    sums = jnp.cumsum(x, -1)
    return jnp.where(causal(x.shape[-1]), sums[..., :, None] - sums[..., None, :], -jnp.inf)


def segment_sums_one_by_one(x, below=-1):
    T = x.shape[-1]
    x = jnp.where(causal(T, below), jnp.repeat(x[..., None], T, -1), 0.0)
    return jnp.where(causal(T), jnp.cumsum(x, -2), -jnp.inf)


def state_space(X, A, B, C):
    def step(S, token):
        x, a, b, c = token
        S = jnp.exp(a)[:, None, None] * S + x[:, :, None] * b
        return S, S @ c

    return over_time(step, jnp.zeros((*X.shape[1:], B.shape[1])), X, A, B, C)


def state_space_by_segments(X, A, B, C):
    return jax.vmap(lambda x, a: (jnp.exp(segment_sums_one_by_one(a)) * (C @ B.T)) @ x, (1, 1), 1)(
        X, A
    )


# Chunks.


def two_loops(q, k, v, g):
    """Scalar gates, the tokens in chunks: a scan in a scan."""

    def step(S, token):
        q, k, v, g = token
        S = jnp.exp(g) * S + jnp.outer(k, v)
        return S, q @ S

    return over_time(lambda S, chunk: lax.scan(step, S, chunk), empty(k, v), q, k, v, g)


def chunks_all_at_once(q, k, v, g):
    """The states between chunks by a mask over chunks, as in Mamba-2's chunked form."""
    G = jnp.cumsum(g, -1)
    within = jnp.matmul(jnp.exp(segment_sums(g)) * (q @ k.mT), v)
    own = (k * jnp.exp(G[:, -1:] - G)[..., None]).mT @ v
    own = jnp.concatenate([jnp.zeros_like(own[:1]), own])
    between = jnp.exp(segment_sums(jnp.pad(G[:, -1], (1, 0))))
    before = jnp.einsum("zw,wde->zde", between, own)[:-1]
    return within + (q * jnp.exp(G)[..., None]) @ before


def retention_in_two_loops(q, k, v, gamma):
    def step(S, token):
        q, k, v = token
        S = gamma * S + jnp.outer(k, v)
        return S, q @ S

    return over_time(lambda S, chunk: lax.scan(step, S, chunk), empty(k, v), q, k, v)


def chunks_of_retention(q, k, v, gamma):
    C = q.shape[1]
    n = jnp.arange(C)
    apart = n[:, None] - n[None]

    def step(S, chunk):
        q, k, v = chunk
        within = (q @ k.T * jnp.where(apart >= 0, gamma**apart, 0.0)) @ v
        outputs = within + (q * (gamma ** (n + 1))[:, None]) @ S
        return gamma**C * S + (k * (gamma ** (C - 1 - n))[:, None]).T @ v, outputs

    return over_time(step, empty(k, v), q, k, v)


def weights_of_distances(q, k, v, gamma, weight):
    n = jnp.arange(q.shape[0])
    return (q @ k.T * weight(gamma, n[:, None] - n[None])) @ v


def retention_by_a_maximum(q, k, v, gamma):
    return weights_of_distances(q, k, v, gamma, lambda g, D: g ** jnp.maximum(D, 0) * (D >= 0))


def retention_by_a_clip(q, k, v, gamma):
    return weights_of_distances(
        q, k, v, gamma, lambda g, D: jnp.where(D >= 0, g ** jnp.clip(D, 0), 0)
    )


def retention_by_a_triangle(q, k, v, gamma):
    return weights_of_distances(q, k, v, gamma, lambda g, D: jnp.tril(g ** jnp.maximum(D, 0)))


PAIRS = pairs(
    globals(),
    """
decays by a mask | g: T d, x: T d | gated_by_a_mask = gated
    jnp.cumsum(g, 0) → jnp.cumsum(g, 0) - g
decays by logarithms | a: T d, x: T d | by_logarithms = multiplied_by_squares
RG-LRU by a mask | x: T d, W: d d, rate: d | input_gated_by_a_mask = input_gated
HGRN in log space | f: T d, x: T d | forgetting_in_log_space = forgetting
product of σ = exp of a sum | f: T d | exponential_of_log_sigmoids = sigmoids_multiplied
    -f), 0) → -f), 0) + jnp.logaddexp(0.0, -f[0])
square of σ = exp of twice log σ | f: T d | twice_the_logarithm = square_of_sigmoids
    log_sigmoid(f) → softplus(-f)
running product of exp = exp of a running sum | g: T d | cumulated_product = exponential_of_the_sum
    jnp.exp(g), 0) → jnp.exp(g), 0) / jnp.exp(g)
read before written, by a mask | q: T d, k: T d, v: T e, g: T | read_before_writing_by_a_mask = read_before_writing
decays of channels from a state | q: T d, k: T d, v: T e, g: T d, S: d e | channel_gates_scaled = channel_gates
    (q * jnp.exp(G)) @ S → (q * jnp.exp(G - g)) @ S
last state by a reversed sum | k: T d, v: T e, g: T | last_state_by_a_reversed_sum = last_state
    reverse=True) - g → reverse=True)
RWKV: keys scaled | r: T d, k: T d, v: T e, w: T d, u: d | receptance_scaled = receptance
    G - decay → G
gates stabilised by the sum | q: T d, k: T d, v: T e, i: T, f: T | stabilised_by_the_sum = two_gates_by_a_mask
Mamba by normalised sums | x: T d, dt: T d, A: d n, B: T n, C: T n | selective_by_normalised_sums = selective
discounted returns by a mask | r: T, gamma: | returns_by_a_mask = returns
retention: keys scaled by powers | q: T d, k: T d, v: T e, gamma: | retention_by_scaled_keys = retention
    gamma**-n → gamma**n
retention: heads by a mask | q: h T d, k: h T d, v: h T e, gamma: h
    | heads_of_retention_by_a_mask = heads_of_retention
    n[:, None] - n[None] → n[None] - n[:, None]
retention: maximum, then a factor | q: T d, k: T d, v: T e, gamma: | retention_by_a_maximum = retention
    jnp.maximum(D, 0) → jnp.maximum(D, 1)
    (D >= 0) → (D > 0)
    g ** jnp.maximum(D, 0) * (D >= 0) → g ** jnp.maximum(D, 0)
retention: clip | q: T d, k: T d, v: T e, gamma: | retention_by_a_clip = retention
retention: maximum under tril | q: T d, k: T d, v: T e, gamma: | retention_by_a_triangle = retention
    jnp.maximum → jnp.minimum
decay exp(κ) by a mask | q: T d, k: T d, v: T e, kappa: | slowly_by_a_mask = slowly
polynomial by powers | x: T, gamma: | polynomial_by_powers = polynomial
    jnp.arange(x.shape[0] - 1, -1, -1) → jnp.arange(x.shape[0])
a power in two | x: T, gamma: | powers_in_two = powers_in_one
    x.shape[0] - 1 - n → x.shape[0] - n
SSD by segments | X: T h w, A: T h, B: T n, C: T n | state_space_by_segments = state_space
    segment_sums_one_by_one(a) → segment_sums_one_by_one(a, 0)
scalar decays: chunks all at once | q: n C d, k: n C d, v: n C e, g: n C | chunks_all_at_once = two_loops
retention: chunks of any length | q: n C d, k: n C d, v: n C e, gamma: | chunks_of_retention = retention_in_two_loops
""",
)
