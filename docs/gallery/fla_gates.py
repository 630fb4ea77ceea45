"""Gated and plain linear attention in flash-linear-attention: references at one commit.

Both sides of every claim are written here from the published definition; one head, no batch. Nothing is fetched.
"""

import jax
import jax.numpy as jnp

from scanproof import Source, equal, program

fla = Source(
    "fla-gates",
    title="fla-org/flash-linear-attention at bc3b101dcb713ddc5bd8924b66754eb68b5ccf89, fla/ops: gates",
)

QKV = {"q": "T d", "k": "T d", "v": "T e"}
CAUSAL = "one head; q is already scaled"


def causal(T):
    return jnp.tril(jnp.ones((T, T), bool))


@program
def simple_gla(q, k, v, g):
    """S ← exp(g) S + k vᵀ with a number g for each token."""

    def step(S, token):
        q, k, v, g = token
        S = jnp.exp(g) * S + jnp.outer(k, v)
        return S, q @ S

    return jax.lax.scan(step, jnp.zeros((k.shape[1], v.shape[1])), (q, k, v, g))[1]


@program
def simple_gla_parallel(q, k, v, g):
    G = jnp.cumsum(g)
    D = jnp.where(causal(q.shape[0]), jnp.exp(G[:, None] - G[None]), 0.0)
    return (q @ k.T * D) @ v


@fla.claim(
    "fla-gates.simple-gla",
    where="simple_gla/naive.py: naive_recurrent_simple_gla, naive_parallel_simple_gla",
    says="the recurrent and the parallel reference of simple GLA give the same outputs",
    given={**QKV, "g": "T"},
    reading=CAUSAL,
)
def simple_gla_forms(q, k, v, g):
    return equal(simple_gla(q, k, v, g), simple_gla_parallel(q, k, v, g))


@fla.claim(
    "fla-gates.simple-gla-chunk",
    where="simple_gla/naive.py: naive_recurrent_simple_gla, naive_chunk_simple_gla",
    says="the chunked reference of simple GLA gives the outputs and the state of the recurrent "
    "one, chunk by chunk",
    given={**QKV, "g": "T", "S": "d e"},
    reading="one chunk of T tokens from any state; " + CAUSAL,
)
def simple_gla_chunk(q, k, v, g, S):
    def recurrent(S, q, k, v, g):
        def step(S, token):
            q, k, v, g = token
            S = jnp.exp(g) * S + jnp.outer(k, v)
            return S, q @ S

        return jax.lax.scan(step, S, (q, k, v, g))

    def chunk(S, q, k, v, g):
        G = jnp.cumsum(g)
        D = jnp.where(causal(q.shape[0]), jnp.exp(G[:, None] - G[None]), 0.0)
        outputs = jnp.exp(G)[:, None] * (q @ S) + (q @ k.T * D) @ v
        return jnp.exp(G[-1]) * S + (jnp.exp(G[-1] - G)[:, None] * k).T @ v, outputs

    for n in range(2):
        one, other = (program(lambda *a, f=f, n=n: f(*a)[n]) for f in (recurrent, chunk))
        yield equal(one(S, q, k, v, g), other(S, q, k, v, g))


@fla.claim(
    "fla-gates.gla",
    where="gla/naive.py: naive_recurrent_gla",
    says="GLA is attention with scores Σ_d q_td k_sd exp(G_td − G_sd)",
    given={**QKV, "g": "T d"},
    reading=CAUSAL,
)
def gla(q, k, v, g):
    @program
    def recurrent(q, k, v, g):
        def step(S, token):
            q, k, v, g = token
            S = jnp.exp(g)[:, None] * S + jnp.outer(k, v)
            return S, q @ S

        return jax.lax.scan(step, jnp.zeros((k.shape[1], v.shape[1])), (q, k, v, g))[1]

    @program
    def scores(q, k, v, g):
        G = jnp.cumsum(g, axis=0)
        A = jnp.einsum("td,sd,tsd->ts", q, k, jnp.exp(G[:, None] - G[None]))
        return jnp.where(causal(q.shape[0]), A, 0.0) @ v

    return equal(recurrent(q, k, v, g), scores(q, k, v, g))


@fla.claim(
    "fla-gates.hgrn",
    where="hgrn/naive.py: naive_recurrent_hgrn, naive_chunk_hgrn",
    says="a chunk of HGRN from a state h gives h exp(G_t) plus the recurrence from 0",
    given={"x": "T d", "g": "T d", "h": "d"},
    reading="One chunk of T tokens. The chunked reference raises unless all tokens are one chunk: "
    "it views g as (B, chunk_size, D); (B, T // chunk_size, chunk_size, D) mends it.",
)
def hgrn(x, g, h):
    def run(h, x, g):
        def step(h, token):
            x, g = token
            h = jnp.exp(g) * h + x
            return h, h

        return jax.lax.scan(step, h, (x, g))[1]

    split = program(
        lambda h, x, g: h[None] * jnp.exp(jnp.cumsum(g, 0)) + run(jnp.zeros_like(h), x, g)
    )
    return equal(program(run)(h, x, g), split(h, x, g))


def rwkv6(scale):
    """o = (S + diag(u) k vᵀ)ᵀ q, then S ← diag(exp w) S + k vᵀ."""

    @program
    def recurrent(q, k, v, w, u):
        def step(S, token):
            q, k, v, w = token
            now = jnp.outer(k, v)
            return jnp.exp(w)[:, None] * S + now, (scale(k) * q) @ (S + u[:, None] * now)

        return jax.lax.scan(step, jnp.zeros((k.shape[1], v.shape[1])), (q, k, v, w))[1]

    return recurrent


@program
def rwkv6_chunk(q, k, v, w, u):
    """One chunk, as the chunked reference has it: no scale."""
    T = q.shape[0]
    W = jnp.cumsum(w, axis=0)
    A = jnp.einsum("td,sd,tsd->ts", q, k, jnp.exp((W - w)[:, None] - W[None]))
    A = jnp.where(jnp.tril(jnp.ones((T, T), bool), -1), A, 0.0)
    return A @ v + (q * u[None] * k).sum(axis=1)[:, None] * v


@fla.claim(
    "fla-gates.rwkv6-scale",
    where="rwkv6/recurrent_naive.py: naive_recurrent_rwkv6; rwkv6/chunk_naive.py: "
    "naive_chunk_rwkv6",
    says="the recurrent and the chunked reference of RWKV-6 give the same outputs",
    given={**QKV, "w": "T d", "u": "d"},
    reading="Both called with their defaults; one chunk.",
    sizes={"T": (1, 2), "d": (1, 2, 4), "e": (1, 2)},
)
def rwkv6_scale(q, k, v, w, u, *, scaled=True):
    """naive_recurrent_rwkv6 scales q by 1/√K if no scale is given; naive_chunk_rwkv6 never does.

    For K = 1 the two agree; `scale=1.0` in the first, or q K^−½ in the second, mends it.

    Run: q = k = u = (0, 1), v = 1, w = 0: recurrent 0.707107, chunked 1.
    """
    scale = (lambda k: k.shape[0] ** -0.5) if scaled else (lambda k: 1.0)
    return equal(rwkv6(scale)(q, k, v, w, u), rwkv6_chunk(q, k, v, w, u))


rwkv6_scale.amend("scale", "they do with scale = 1", scaled=False)


@fla.claim(
    "fla-gates.retention",
    where="retention/naive.py: naive_retention",
    says="retention is attention with weights γ^(t − s)",
    given={**QKV, "g": ""},
    reading="g is log γ; " + CAUSAL,
)
def retention(q, k, v, g):
    @program
    def recurrent(q, k, v, g):
        def step(S, token):
            q, k, v = token
            S = jnp.exp(g) * S + jnp.outer(k, v)
            return S, q @ S

        return jax.lax.scan(step, jnp.zeros((k.shape[1], v.shape[1])), (q, k, v))[1]

    @program
    def parallel(q, k, v, g):
        t = jnp.arange(q.shape[0])
        apart = t[:, None] - t[None, :]
        return (q @ k.T * jnp.where(apart >= 0, jnp.exp(apart * g), 0.0)) @ v

    return equal(recurrent(q, k, v, g), parallel(q, k, v, g))


@fla.claim(
    "fla-gates.normalised",
    where="linear_attn/naive.py: naive_recurrent_linear_attn with normalize=True",
    says="the recurrence divided by q·Σk + ε is attention divided by the sum of its scores + ε",
    given={**QKV, "eps": ""},
    reading=CAUSAL,
)
def normalised(q, k, v, eps):
    @program
    def recurrent(q, k, v, eps):
        def step(carry, token):
            (S, z), (q, k, v) = carry, token
            S, z = S + jnp.outer(k, v), z + k
            return (S, z), q @ S / (q @ z + eps)

        start = jnp.zeros((k.shape[1], v.shape[1])), jnp.zeros(k.shape[1])
        return jax.lax.scan(step, start, (q, k, v))[1]

    @program
    def attention(q, k, v, eps):
        A = jnp.where(causal(q.shape[0]), q @ k.T, 0.0)
        return A @ v / (A.sum(axis=1)[:, None] + eps)

    return equal(recurrent(q, k, v, eps), attention(q, k, v, eps))


@fla.claim(
    "fla-gates.based",
    where="based/naive.py: naive_parallel_based, naive_chunk_based",
    says="scores 1 + s + s²/2 are a constant, a linear and a quadratic state",
    given=QKV,
    reading="use_norm=False; " + CAUSAL,
)
def based(q, k, v):
    @program
    def parallel(q, k, v):
        s = q @ k.T
        return jnp.where(causal(q.shape[0]), 1 + s + s**2 / 2, 0.0) @ v

    @program
    def states(q, k, v):
        def step(carry, token):
            (A, B, C), (q, k, v) = carry, token
            A, B = A + v, B + jnp.outer(k, v)
            C = C + jnp.einsum("x,y,z->xyz", k, k, v)
            return (A, B, C), A + q @ B + jnp.einsum("x,y,xyz->z", q, q, C) / 2

        (_, d), e = k.shape, v.shape[1]
        start = jnp.zeros(e), jnp.zeros((d, e)), jnp.zeros((d, d, e))
        return jax.lax.scan(step, start, (q, k, v))[1]

    return equal(parallel(q, k, v), states(q, k, v))


def abc_scan(S, total, v, s):
    """hv ← exp(z₋ − z) hv + exp(s − z) vᵀ, where exp z is the sum of exp s so far, `total` before the first token."""

    def step(carry, token):
        (S, total), (v, s) = carry, token
        after = total + jnp.exp(s)
        return ((total / after)[:, None] * S + jnp.outer(jnp.exp(s) / after, v), after), None

    return jax.lax.scan(step, (S, total), (v, s))[0][0]


def abc_first(S, v, s):
    """A call from the state S: the gate of its first token is exp(z − z) = 1, and its sum begins anew."""
    return abc_scan(S + jnp.outer(jnp.ones_like(s[0]), v[0]), jnp.exp(s[0]), v[1:], s[1:])


def cumulated(v, s):
    """Σ exp(s_t) v_t over Σ exp(s_t), slot by slot."""
    weight = jnp.exp(s)
    return jnp.einsum("tm,te->me", weight, v) / weight.sum(axis=0)[:, None]


@fla.claim(
    "fla-gates.abc",
    where="abc/naive.py: naive_recurrent_abc, naive_cumsum_abc",
    says="ABC's recurrence on normalised slots is the mean with weights exp(s), cumulated",
    given={"v": "T+1 e", "s": "T+1 m"},
    reading="The state of values after the last token; that of keys is the same with keys for "
    "values.",
)
def abc(v, s):
    from_zero = program(lambda v, s: abc_first(jnp.zeros((s.shape[1], v.shape[1])), v, s))
    return equal(from_zero(v, s), program(cumulated)(v, s))


@fla.claim(
    "fla-gates.abc-resume",
    where="abc/naive.py: naive_recurrent_abc with g=None and an initial_state",
    says="called on the first tokens and then on the rest from the state returned, ABC ends as "
    "on all of them",
    given={"v": "n e", "s": "n m", "v2": "T+1 e", "s2": "T+1 m"},
    sizes={"T": (0, 1, 2)},
    reading="The state of values; that of keys is the same with keys for values.",
)
def abc_resume(v, s, v2, s2, *, carries_sum=False):
    """The state is divided by Σ exp(s), and that sum is not returned: the second call gives it no decay.

    It has to be carried along (or the state kept undivided). naive_recurrent_gsa has the same lines, but
    with g=None it stops at its first one, which calls g.transpose.

    Run: s = 0, v = (0, 1): the state is ½ after both tokens, and 1 if the second is a call of its own.
    """

    def resumed(v, s, v2, s2):
        state = cumulated(v, s)
        if carries_sum:
            return abc_scan(state, jnp.exp(s).sum(axis=0), v2, s2)
        return abc_first(state, v2, s2)

    def whole(v, s, v2, s2):
        w, w2 = jnp.exp(s), jnp.exp(s2)
        return (w.T @ v + w2.T @ v2) / (w.sum(axis=0) + w2.sum(axis=0))[:, None]

    return equal(program(resumed)(v, s, v2, s2), program(whole)(v, s, v2, s2))


abc_resume.amend("sum", "it does if Σ exp(s) is carried along", carries_sum=True)


@fla.claim(
    "fla-gates.parallax",
    where="parallax/naive.py: the docstring of naive_parallax",
    says="O₁/d₁ (1 + d₂/d₁) − O₂/d₁ is the mean of v under softmax less its covariance with r·k",
    given={"q": "T d", "r": "T d", "k": "T d", "v": "T e"},
    reading=CAUSAL,
)
def parallax(q, r, k, v):
    def weights(q, k):
        return jnp.where(causal(q.shape[0]), jnp.exp(q @ k.T), 0.0)

    @program
    def printed(q, r, k, v):
        p1 = weights(q, k)
        p2 = p1 * (r @ k.T)
        d1, d2 = p1.sum(axis=1)[:, None], p2.sum(axis=1)[:, None]
        return p1 @ v / d1 * (1 + d2 / d1) - p2 @ v / d1

    @program
    def corrected(q, r, k, v):
        p1 = weights(q, k)
        p, s = p1 / p1.sum(axis=1)[:, None], r @ k.T
        return p @ v - ((p * s) @ v - (p * s).sum(axis=1)[:, None] * (p @ v))

    return equal(printed(q, r, k, v), corrected(q, r, k, v))


def path_without_keys(gate_scaled):
    """PaTH attention with β = 0: softmax of scale · (q·k + G_t − G_s), or of scale · q·k + G_t − G_s."""

    @program
    def attention(q, k, v, g, scale):
        G = jnp.cumsum(g)
        scores, gates = q @ k.T, G[:, None] - G[None]
        logits = scale * (scores + gates) if gate_scaled else scale * scores + gates
        return jax.nn.softmax(jnp.where(causal(q.shape[0]), logits, -jnp.inf), axis=1) @ v

    return attention


@program
def forgetting(q, k, v, g, scale):
    """Attention with weights exp(scale q·k) times the product of the gates between."""
    f = jnp.cumsum(g)
    weights = jnp.exp(scale * (q @ k.T)) * jnp.exp(f[:, None] - f[None])
    weights = jnp.where(causal(q.shape[0]), weights, 0.0)
    return weights @ v / weights.sum(axis=1)[:, None]


@fla.claim(
    "fla-gates.path-forget",
    where="path_attn/naive.py: naive_path_attn; forgetting_attn/naive.py: naive_forgetting_attn",
    says="PaTH attention with β = 0 is forgetting attention with the same gates",
    given={**QKV, "g": "T", "scale": ""},
    reading="g is the logarithm of the forget gate in both; its cumulated sums enter the logits.",
)
def path_forget(q, k, v, g, scale, *, gate_scaled=True):
    """naive_path_attn multiplies the gates' part of the logits by `scale` as well, so that a gate f acts as
    f^scale.

    The kernel does the same, so the two agree with each other; with d = 64 a gate of ½ forgets as 0.917
    would.

    Run: q = k = β = 0, v = (0, 1), g = (0, 1), scale = ½: naive_path_attn gives 0.377541 at the second
    token, naive_forgetting_attn 0.268941.
    """
    args = (q, k, v, g, scale)
    return equal(path_without_keys(gate_scaled)(*args), forgetting(*args))


path_forget.amend("gate", "it is if `scale` multiplies q·k alone", gate_scaled=False)
