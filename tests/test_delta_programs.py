"""Programs of delta rules, convolutions and norms beside recurrences: chunks of any length, and planted bugs."""

from __future__ import annotations

import inspect
import random

import jax
import jax.numpy as jnp
import pytest
from claims import claim, decided
from fuzzing.jax_agreement import agreed
from fuzzing.jax_kinds import MATRICES
from gallery.pair import planted
from jax import lax
from jax.scipy.linalg import solve_triangular

from scanproof import equal
from scanproof.proofs.check.all_sizes import Proof
from scanproof.proofs.doors.program import program
from scanproof.proofs.language.sizes import shapes_in
from scanproof.proofs.search.all_sizes import prove

QKV = "q: T d, k: T d, v: T e, beta: T"


def same(one, other, shapes):
    """The claim that two programs give the same arrays."""
    given = shapes_in(shapes)
    left, right = program(one), program(other)

    def body(**arrays):
        sides = [run(*arrays.values()) for run in (left, right)]
        found, wanted = (side if isinstance(side, tuple) else (side,) for side in sides)
        return [equal(a, b) for a, b in zip(found, wanted, strict=True)]

    kinds = inspect.Parameter.KEYWORD_ONLY
    body.__signature__ = inspect.Signature([inspect.Parameter(n, kinds) for n in given])
    return body, given


def system(beta, scores):
    """I + tril(β K Kᵀ, −1), whose solution are the writes of a chunk."""
    return jnp.eye(len_of(beta)) + jnp.tril(beta[:, None] * scores, -1)


def len_of(x):
    return x.shape[0]


def solved(A, b):
    return solve_triangular(A, b, lower=True, unit_diagonal=True)


# The delta rule


def delta(q, k, v, beta):
    def step(S, token):
        q, k, v, b = token
        S = S + b * jnp.outer(k, v - k @ S)
        return S, q @ S

    S, o = lax.scan(step, jnp.zeros((k.shape[1], v.shape[1])), (q, k, v, beta))
    return o, S


def delta_wy(q, k, v, beta):
    u = solved(system(beta, k @ k.T), beta[:, None] * v)
    return jnp.tril(q @ k.T) @ u, k.T @ u


def delta_by_inverse(q, k, v, beta):
    T = solved(system(beta, k @ k.T), jnp.eye(len_of(k))) * beta[None]
    u = T @ v
    return jnp.tril(q @ k.T) @ u, k.T @ u


def delta_upper(q, k, v, beta):
    A = jnp.eye(len_of(k)) + jnp.triu((k @ k.T) * beta[None], 1)
    u = solve_triangular(A, beta[:, None] * v, trans=1)
    return jnp.tril(q @ k.T) @ u, k.T @ u


def from_a_state(q, k, v, beta, S):
    def step(S, token):
        q, k, v, b = token
        S = S + b * jnp.outer(k, v - k @ S)
        return S, q @ S

    S, o = lax.scan(step, S, (q, k, v, beta))
    return o, S


def by_factors(q, k, v, beta, S):
    A = system(beta, k @ k.T)
    u = solved(A, beta[:, None] * v) - solved(A, beta[:, None] * k) @ S
    return q @ S + jnp.tril(q @ k.T) @ u, S + k.T @ u


# Forward substitution as public code writes it


def substitution(A):
    """(I + A)⁻¹ of the strictly lower part of A, row by row."""

    def body(i, T):
        earlier = jnp.where(jnp.arange(len_of(A)) < i, T[i], 0.0)
        return T.at[i].set(earlier + (earlier[:, None] * T).sum(0))

    return lax.fori_loop(1, len_of(A), body, -jnp.tril(A, -1)) + jnp.eye(len_of(A))


def added_rows(A):
    def body(i, T):
        return T.at[i].add(T[i] @ T)

    return lax.fori_loop(1, len_of(A), body, -jnp.tril(A, -1)) + jnp.eye(len_of(A))


def rows_from_the_third_on(A):
    """The first two rows need no turn."""

    def body(i, T):
        earlier = jnp.where(jnp.arange(len_of(A)) < i, -A[i], 0.0)
        row = earlier + (earlier[:, None] * T).sum(0)
        return jnp.where((jnp.arange(len_of(A)) == i)[:, None], row, T)

    return lax.fori_loop(2, len_of(A), body, -jnp.tril(A, -1)) + jnp.eye(len_of(A))


def inverse(A):
    return solved(jnp.tril(A, -1), jnp.eye(len_of(A)))


# Decays


def gated(q, k, v, beta, a):
    def step(S, token):
        q, k, v, b, a = token
        S = a * S
        S = S + b * jnp.outer(k, v - k @ S)
        return S, q @ S

    return lax.scan(step, jnp.zeros((k.shape[1], v.shape[1])), (q, k, v, beta, a))[1]


def gated_by_products(q, k, v, beta, a):
    i = jnp.arange(len_of(k))
    after = i[:, None] > i[None]
    D = jnp.tril(jnp.cumprod(jnp.where(after, a[:, None], 1.0), 0))
    return ((q @ k.T) * D) @ solved(system(beta, (k @ k.T) * D), beta[:, None] * v)


def gated_by_ratios(q, k, v, beta, a):
    c = jnp.cumprod(a)
    D = jnp.tril(c[:, None] / c[None])
    return ((q @ k.T) * D) @ solved(system(beta, (k @ k.T) * D), beta[:, None] * v)


def per_channel(q, k, v, beta, a):
    def step(S, token):
        q, k, v, b, a = token
        S = a[:, None] * S
        S = S + b * jnp.outer(k, v - k @ S)
        return S, q @ S

    return lax.scan(step, jnp.zeros((k.shape[1], v.shape[1])), (q, k, v, beta, a))[1]


def per_channel_by_ratios(q, k, v, beta, a):
    c = jnp.cumprod(a, 0)
    u = solved(system(beta, (k * c) @ (k / c).T), beta[:, None] * v)
    return jnp.tril((q * c) @ (k / c).T) @ u


# Chunks: q, k (n, C, d), v (n, C, e), beta (n, C)


def token_by_token(q, k, v, beta):
    def chunk(S, tokens):
        o, S = from_a_state(*tokens, S=S)
        return S, o

    return lax.scan(chunk, jnp.zeros((k.shape[2], v.shape[2])), (q, k, v, beta))[1]


def _chunked(q, k, v, beta, evaluate):
    def chunk(S, tokens):
        q, k, v, b = tokens
        u = solved(system(b, k @ k.T), b[:, None] * (v - k @ S))
        return evaluate(S, q, k, u)

    return lax.scan(chunk, jnp.zeros((k.shape[2], v.shape[2])), (q, k, v, beta))[1]


def chunk_by_chunk(q, k, v, beta):
    def evaluate(S, q, k, u):
        return S + k.T @ u, q @ S + jnp.tril(q @ k.T) @ u

    return _chunked(q, k, v, beta, evaluate)


def _factored(q, k, v, beta, rest):
    """The systems of all chunks are solved before the loop over chunks."""
    eye = jnp.eye(k.shape[1])
    A = eye + jnp.tril(beta[:, :, None] * jnp.einsum("nid,njd->nij", k, k), -1)
    return rest(A, beta[:, :, None] * k, beta[:, :, None] * v, jnp.broadcast_to(eye, A.shape))


def _loop_over_chunks(q, k, W, U):
    def chunk(S, tokens):
        q, k, W, U = tokens
        u = U - W @ S
        return S + k.T @ u, q @ S + jnp.tril(q @ k.T) @ u

    return lax.scan(chunk, jnp.zeros((k.shape[2], U.shape[2])), (q, k, W, U))[1]


def factors_of_all_chunks(q, k, v, beta):
    def rest(A, k_beta, v_beta, eye):
        return _loop_over_chunks(q, k, solved(A, k_beta), solved(A, v_beta))

    return _factored(q, k, v, beta, rest)


def inverses_of_all_chunks(q, k, v, beta):
    def rest(A, k_beta, v_beta, eye):
        T = solved(A, eye)
        return _loop_over_chunks(q, k, T @ k_beta, T @ v_beta)

    return _factored(q, k, v, beta, rest)


# Decays in log space, and chunks of them: q, k (n, C, d), v (n, C, e), beta, g (n, C)


def in_log_space(q, k, v, beta, g):
    G = jnp.cumsum(g)
    D = jnp.tril(jnp.exp(G[:, None] - G[None]))
    return ((q @ k.T) * D) @ solved(system(beta, (k @ k.T) * D), beta[:, None] * v)


def gated_by_logarithms(q, k, v, beta, g):
    return gated(q, k, v, beta, jnp.exp(g))


def gated_from_a_state(q, k, v, beta, g, S):
    def step(S, token):
        q, k, v, b, g = token
        S = jnp.exp(g) * S
        S = S + b * jnp.outer(k, v - k @ S)
        return S, q @ S

    S, o = lax.scan(step, S, (q, k, v, beta, g))
    return o, S


def gated_by_factors(q, k, v, beta, g, S):
    G = jnp.cumsum(g)
    D = jnp.tril(jnp.exp(G[:, None] - G[None]))
    A = system(beta, (k @ k.T) * D)
    u = solved(A, beta[:, None] * v) - solved(A, (beta * jnp.exp(G))[:, None] * k) @ S
    o = (q * jnp.exp(G)[:, None]) @ S + ((q @ k.T) * D) @ u
    return o, jnp.exp(G[-1]) * S + (k * jnp.exp(G[-1] - G)[:, None]).T @ u


def gated_token_by_token(q, k, v, beta, g):
    def chunk(S, tokens):
        o, S = gated_from_a_state(*tokens, S=S)
        return S, o

    return lax.scan(chunk, jnp.zeros((k.shape[2], v.shape[2])), (q, k, v, beta, g))[1]


def gated_chunk_by_chunk(q, k, v, beta, g):
    def chunk(S, tokens):
        o, S = gated_by_factors(*tokens, S=S)
        return S, o

    return lax.scan(chunk, jnp.zeros((k.shape[2], v.shape[2])), (q, k, v, beta, g))[1]


def solved_inverses(A):
    eye = jnp.eye(A.shape[1])
    return solved(A + eye, jnp.broadcast_to(eye, A.shape))


def row_by_row(A):
    """The inverses of I + A: row i from the rows before it."""

    def body(T, i):
        earlier = jnp.arange(A.shape[1]) < i
        row = lax.dynamic_index_in_dim(T, i, 1, keepdims=False)
        taken = jnp.where(earlier, row, 0.0)
        above = jnp.where(earlier[:, None] & earlier[None], T, 0.0)
        row = jnp.where(earlier, taken + (taken[:, :, None] * above).sum(-2), row)
        return lax.dynamic_update_index_in_dim(T, row, i, 1), None

    return lax.scan(body, -A, jnp.arange(1, A.shape[1]))[0] + jnp.eye(A.shape[1])


def gated_inverses(q, k, v, beta, g, inverse=solved_inverses):
    G = jnp.cumsum(g, 1)
    D = jnp.tril(jnp.exp(G[:, :, None] - G[:, None]))
    T = inverse(jnp.tril(beta[:, :, None] * (k @ jnp.swapaxes(k, 1, 2)) * D, -1))
    U, W = T @ (beta[:, :, None] * v), T @ ((beta * jnp.exp(G))[:, :, None] * k)

    def chunk(S, tokens):
        q, k, G, D, U, W = tokens
        u = U - W @ S
        o = (q * jnp.exp(G)[:, None]) @ S + ((q @ k.T) * D) @ u
        return jnp.exp(G[-1]) * S + (k * jnp.exp(G[-1] - G)[:, None]).T @ u, o

    return lax.scan(chunk, jnp.zeros((k.shape[2], v.shape[2])), (q, k, G, D, U, W))[1]


def gated_row_by_row(q, k, v, beta, g):
    return gated_inverses(q, k, v, beta, g, row_by_row)


# Convolutions: x (T, d), w (K, d)


def depthwise(x, w):
    x, w = x.T[None], w.T[:, None]
    return lax.conv_general_dilated(x, w, (1,), [(3, 0)], feature_group_count=x.shape[1])[0].T


def channels_last(x, w):
    numbers = ("NWC", "WIO", "NWC")
    return lax.conv_general_dilated(
        x[None], w[:, None], (1,), [(3, 0)], (1,), (1,), numbers, feature_group_count=x.shape[1]
    )[0]


def taps(x, w):
    padded = jnp.pad(x, ((3, 0), (0, 0)))
    return sum(padded[i : i + len_of(x)] * w[i] for i in range(4))


def _padded(x, w):
    return jnp.concatenate([jnp.zeros((len_of(w) - 1, x.shape[1])), x])


def of_any_width(x, w):
    x, w = _padded(x, w).T[None], w.T[:, None]
    return lax.conv_general_dilated(x, w, (1,), [(0, 0)], feature_group_count=x.shape[1])[0].T


def windows_of_any_width(x, w):
    at = jnp.arange(len_of(x))[:, None] + jnp.arange(len_of(w))[None]
    return jnp.einsum("tkd,kd->td", _padded(x, w)[at], w)


def dense(x, w):
    numbers = ("NWC", "WIO", "NWC")
    return lax.conv_general_dilated(_padded(x, w)[None], w, (1,), [(0, 0)], (1,), (1,), numbers)[0]


def dense_windows(x, w):
    at = jnp.arange(len_of(x))[:, None] + jnp.arange(len_of(w))[None]
    return jnp.einsum("tkd,kde->te", _padded(x, w)[at], w)


def layer_norm_in_the_loop(x, w):
    def step(S, x):
        h = S + x
        gap = h - h.mean()
        return h, gap / jnp.sqrt((gap**2).mean() + 1e-5) * w

    return lax.scan(step, jnp.zeros(x.shape[1]), x)[1]


def layer_norm_after(x, w):
    h = jnp.cumsum(x, 0)
    gap = h - h.mean(1, keepdims=True)
    return gap / jnp.sqrt((gap**2).mean(1, keepdims=True) + 1e-5) * w


def _normed(o):
    return o * lax.rsqrt(jnp.mean(o * o, -1, keepdims=True) + 1e-6)


def attention_normed_in_the_loop(q, k, v):
    def step(S, token):
        q, k, v = token
        S = S + jnp.outer(k, v)
        return S, _normed(q @ S)

    return lax.scan(step, jnp.zeros((k.shape[1], v.shape[1])), (q, k, v))[1]


def attention_normed_after(q, k, v):
    return _normed(jnp.tril(q @ k.T) @ v)


def delta_normed(q, k, v, beta):
    return _normed(delta(q, k, v, beta)[0])


def delta_wy_normed(q, k, v, beta):
    o = delta_wy(q, k, v, beta)[0]
    return o / jnp.sqrt(jnp.mean(jnp.square(o), -1, keepdims=True) + 1e-6)


def gate_in_the_loop(x, g):
    def step(S, token):
        x, g = token
        S = S + x
        return S, S * jax.nn.silu(S * g)

    return lax.scan(step, jnp.zeros(x.shape[1]), (x, g))[1]


def gate_after(x, g):
    h = jnp.cumsum(x, 0)
    return h * jax.nn.sigmoid(h * g) * h * g


def kept_where_masked(k, v, m):
    def step(S, token):
        k, v, m = token
        return m * (S + jnp.outer(k, v)) + (1 - m) * S, None

    return lax.scan(step, jnp.zeros((k.shape[1], v.shape[1])), (k, v, m))[0]


def masked(k, v, m):
    return (k * m[:, None]).T @ v


STATE, DECAY, CHANNELS = f"{QKV}, S: d e", f"{QKV}, a: T", f"{QKV}, a: T d"
CHUNKS = "q: n C d, k: n C d, v: n C e, beta: n C"
LOGARITHMS, LOG_CHUNKS = f"{QKV}, g: T, S: d e", f"{CHUNKS}, g: n C"
FOUR, ANY, HEAD = "x: T d, w: 4 d", "x: T d, w: K d", "q: T d, k: T d, v: T e"
EQUAL = [
    (delta, delta_wy, QKV),
    (delta, delta_by_inverse, QKV),
    (delta, delta_upper, QKV),
    (from_a_state, by_factors, STATE),
    (substitution, inverse, "A: T T"),
    (added_rows, inverse, "A: T T"),
    (inverse, rows_from_the_third_on, "A: T+2 T+2"),
    (gated, gated_by_products, DECAY),
    (gated, gated_by_ratios, DECAY),
    (per_channel, per_channel_by_ratios, CHANNELS),
    (token_by_token, chunk_by_chunk, CHUNKS),
    (token_by_token, factors_of_all_chunks, CHUNKS),
    (gated_by_logarithms, in_log_space, f"{QKV}, g: T"),
    (gated_from_a_state, gated_by_factors, LOGARITHMS),
    (gated_token_by_token, gated_chunk_by_chunk, LOG_CHUNKS),
    (gated_token_by_token, gated_inverses, LOG_CHUNKS),
    (gated_token_by_token, gated_row_by_row, LOG_CHUNKS),
    (depthwise, taps, FOUR),
    (channels_last, depthwise, FOUR),
    (of_any_width, windows_of_any_width, ANY),
    (dense, dense_windows, "x: T d, w: K d e"),
    (layer_norm_in_the_loop, layer_norm_after, "x: T d, w: d"),
    (attention_normed_in_the_loop, attention_normed_after, HEAD),
    (delta_normed, delta_wy_normed, QKV),
    (gate_in_the_loop, gate_after, "x: T d, g: T d"),
    (kept_where_masked, masked, "k: T d, v: T e, m: T"),
]
BUGS = [
    (delta, delta_upper, "beta[None], 1)", "beta[None])", QKV),  # with its diagonal
    (delta, delta_upper, ", trans=1", "", QKV),
    (delta, delta_wy, "jnp.tril(q @ k.T)", "jnp.tril(q @ k.T, -1)", QKV),  # before the write
    (delta, delta_upper, "beta[None]", "beta[:, None]", QKV),  # the column's strength
    (from_a_state, by_factors, "return q @ S + ", "return ", STATE),
    (inverse, substitution, "-jnp.tril", "jnp.tril", "A: T T"),
    (inverse, rows_from_the_third_on, "loop(2", "loop(3", "A: T+2 T+2"),
    (inverse, rows_from_the_third_on, "(A, -1)", "(A, -2)", "A: T+2 T+2"),
    (inverse, rows_from_the_third_on, "(A, -1)", "(A)", "A: T+2 T+2"),
    (gated, gated_by_products, "i[:, None] > i", "i[:, None] >= i", DECAY),
    (gated, gated_by_ratios, "system(beta, (k @ k.T) * D)", "system(beta, k @ k.T)", DECAY),
    (per_channel, per_channel_by_ratios, "beta, (k * c) @ (k / c).T", "beta, k @ k.T", CHANNELS),
    (token_by_token, chunk_by_chunk, "S + k.T @ u", "k.T @ u", CHUNKS),
    (token_by_token, inverses_of_all_chunks, "T @ k_beta", "T @ k", CHUNKS),
    (gated_from_a_state, gated_by_factors, "(beta * jnp.exp(G))[:", "beta[:", LOGARITHMS),
    (gated_from_a_state, gated_by_factors, "jnp.exp(G[-1]) * S", "S", LOGARITHMS),
    (gated_token_by_token, gated_chunk_by_chunk, "S=S", "S=0 * S", LOG_CHUNKS),
    (gated_token_by_token, gated_inverses, "k * jnp.exp(G[-1] - G)[:, None]", "k", LOG_CHUNKS),
    (
        gated_token_by_token,
        gated_row_by_row,
        "row_by_row)",
        "lambda A: row_by_row(-A))",
        LOG_CHUNKS,
    ),
    (taps, depthwise, "w.T[", "w[::-1].T[", FOUR),
    (taps, depthwise, "(3, 0)", "(0, 3)", FOUR),  # looking ahead
    (layer_norm_in_the_loop, layer_norm_after, "(x, 0)", "(x, 0) - x", "x: T d, w: d"),
    (attention_normed_in_the_loop, attention_normed_after, "k.T)", "k.T, -1)", HEAD),
    (masked, kept_where_masked, " + (1 - m) * S", "", "k: T d, v: T e, m: T"),
]
"""Two programs that are equal, a text of the second, and what stands there in a planted bug."""


@pytest.mark.sample(2)
@pytest.mark.long
@pytest.mark.parametrize(
    ("one", "other", "shapes"), EQUAL, ids=lambda one: getattr(one, "__name__", "")
)
def test_two_ways_to_write_a_layer_are_equal_at_all_sizes(one, other, shapes):
    body, given = same(one, other, shapes)
    found = prove(claim(body, given))
    assert isinstance(found, Proof), found


@pytest.mark.sample(3)
@pytest.mark.long
@pytest.mark.parametrize("place", range(len(BUGS)))
def test_a_planted_bug_is_refuted_and_the_kernel_proves_none(place):
    """The kernel is asked about every third: numbers have refuted the others."""
    one, other, text, bug, shapes = BUGS[place]
    body, given = same(one, planted(other, text, bug), shapes)
    assert decided(body, given).verdict == "refuted"
    assert place % 3 or not isinstance(prove(claim(body, given)), Proof)


SYSTEMS = [kind for kind in MATRICES if kind.startswith(("solved", "convolved"))]


@pytest.mark.long
@pytest.mark.parametrize("kind", SYSTEMS)
def test_a_system_or_convolution_is_read_as_what_jax_computes(kind):
    """Upper and lower, from the left and right, transposed, with and without a diagonal of ones."""
    run = MATRICES[kind]
    read = agreed(lambda A, B, L, M, u, v: run(A), kind, random.Random(kind), 3)
    assert read == "same"


@pytest.mark.long
def test_a_solution_solves_its_system():
    """Where no diagonal entry is 0, which the proof takes for granted."""

    def product(A, b):
        return jnp.tril(A) @ solve_triangular(A, b, lower=True)

    body, given = same(product, lambda A, b: b, "A: n n, b: n d")
    assert isinstance(prove(claim(body, given)), Proof)
    body, given = same(product, lambda A, b: 2 * b, "A: n n, b: n d")
    assert not isinstance(prove(claim(body, given)), Proof)


@pytest.mark.long
def test_an_inverse_by_pivots_is_named_and_a_convolution_of_groups_is_that_of_each_group():
    body, given = same(jnp.linalg.inv, lambda A: A, "A: n n")
    assert "lu" in str(prove(claim(body, given)))

    def grouped(x, w, groups=2):
        padding, count = [(1, 0)], {"feature_group_count": groups}
        return lax.conv_general_dilated(x.T[None], w, (1,), padding, **count)[0].T

    def apart(x, w):
        both = [grouped(x[:, k : k + 2], w[k : k + 2], 1) for k in (0, 2)]
        return jnp.concatenate(both, axis=1)

    body, given = same(grouped, apart, "x: T 4, w: 4 2 2")
    assert isinstance(prove(claim(body, given)), Proof)
