"""Delta rules in flash-linear-attention: references, READMEs and notes at one commit.

Both sides of every claim are written here from the published definition; one head, no batch. Nothing is fetched.
"""

import jax
import jax.numpy as jnp
from jax.scipy.linalg import solve_triangular

from scanproof import Source, equal, program

fla = Source(
    "fla-delta",
    title="fla-org/flash-linear-attention at bc3b101dcb713ddc5bd8924b66754eb68b5ccf89, fla/ops: delta rules",
)

TOKENS = {"q": "T d", "k": "T d", "v": "T e", "beta": "T"}
STATE = {"S": "d e"}


def gated(decay_first=True):
    """S ← αS, then S ← S + β k (v − rᵀS)ᵀ, o = Sᵀq; r reads the state before its decay if not decay_first."""

    @program
    def recurrent(q, k, v, r, beta, g, S):
        def step(S, token):
            q, k, v, r, beta, g = token
            decayed = jnp.exp(g) * S
            S = decayed + jnp.outer(k, beta * (v - r @ (decayed if decay_first else S)))
            return S, q @ S

        return jax.lax.scan(step, S, (q, k, v, r, beta, g))[1]

    return recurrent


@program
def comba_chunk(q, k, v, r, beta, g, S):
    """One chunk: r reads with the decays up to the token before."""
    G = jnp.cumsum(g)
    before = G - g
    A = jnp.tril(beta[:, None] * (r @ k.T) * jnp.exp(before[:, None] - G[None, :]), -1)
    u = beta[:, None] * (v - jnp.exp(before)[:, None] * (r @ S))
    u = solve_triangular(jnp.eye(k.shape[0]) + A, u, lower=True, unit_diagonal=True)
    within = jnp.tril(q @ k.T * jnp.exp(G[:, None] - G[None, :]))
    return jnp.exp(G)[:, None] * (q @ S) + within @ u


@fla.claim(
    "fla-delta.comba",
    where="comba/naive.py: naive_recurrent_comba, naive_chunk_comba",
    kind="identity",
    says="the recurrent and the chunked reference of Comba give the same outputs",
    given={**TOKENS, "r": "T d", "g": "T", **STATE},
    reading="r is the reference's p; one chunk of T tokens after a state S; q is already scaled.",
)
def comba(q, k, v, r, beta, g, S, *, decay_first=True):
    """The recurrent reference decays the state before p reads it, the chunked one after (its `decay_0`).

    The tests of the kernels compare with the chunked one.

    Run: q = k = p = β = g = 1, v = 0 after the state 1: recurrent 0, chunked 1.71828. From no state, T = 2,
    q = k = p = β = 1, v = (1, 0), decays (1, ½): recurrent (1, 0), chunked (1, −½).
    """
    return equal(gated(decay_first)(q, k, v, r, beta, g, S), comba_chunk(q, k, v, r, beta, g, S))


comba.amend("order", "they do if p reads the state before it is decayed in both", decay_first=False)


@program
def delta_state(k, v, beta, S):
    """S ← (I − β k kᵀ) S + β k vᵀ."""

    def step(S, token):
        k, v, beta = token
        return S - beta * jnp.outer(k, k @ S) + beta * jnp.outer(k, v), None

    return jax.lax.scan(step, S, (k, v, beta))[0]


def system(k, beta, sign=1):
    """I + sign tril(diag(β) K Kᵀ, −1)."""
    return jnp.eye(k.shape[0]) + sign * jnp.tril(beta[:, None] * (k @ k.T), -1)


@program
def wy_state(k, v, beta, S):
    """S + Kᵀ(U − W S) with the T of the README."""
    U = solve_triangular(system(k, beta), beta[:, None] * v, lower=True, unit_diagonal=True)
    W = solve_triangular(system(k, beta), beta[:, None] * k, lower=True, unit_diagonal=True)
    return S + k.T @ (U - W @ S)


@fla.claim(
    "fla-delta.wy-state",
    where="delta_rule/README.md, eq. 5",
    says="a chunk of the delta rule takes S to S + Kᵀ(U − W S)",
    given={"k": "T d", "v": "T e", "beta": "T", **STATE},
)
def wy_of_a_chunk(k, v, beta, S):
    return equal(delta_state(k, v, beta, S), wy_state(k, v, beta, S))


@program
def delta_outputs(q, k, v, beta, S):
    def step(S, token):
        q, k, v, beta = token
        S = S + jnp.outer(k, beta * (v - k @ S))
        return S, q @ S

    return jax.lax.scan(step, S, (q, k, v, beta))[1]


@program
def wy_outputs(q, k, v, beta, S):
    u = beta[:, None] * (v - k @ S)
    u = solve_triangular(system(k, beta), u, lower=True, unit_diagonal=True)
    return q @ S + jnp.tril(q @ k.T) @ u


@fla.claim(
    "fla-delta.wy-outputs",
    where="delta_rule/README.md, eq. 5",
    says="its outputs are Q S + (Q Kᵀ ⊙ M)(U − W S)",
    given={**TOKENS, **STATE},
)
def wy_of_outputs(q, k, v, beta, S):
    return equal(delta_outputs(q, k, v, beta, S), wy_outputs(q, k, v, beta, S))


def inverse_of(sign):
    @program
    def by_the_comment(k, beta, v):
        return solve_triangular(system(k, beta, sign), v, lower=True, unit_diagonal=True)

    return by_the_comment


@program
def by_the_loop(k, beta, v):
    """What the loop after the comment makes of v, row by row: x_i = v_i − Σ_{j<i} β_i (k_i·k_j) x_j."""

    def row(X, i):
        before = jnp.where(jnp.arange(k.shape[0]) < i, k @ k[i], 0.0)
        return X.at[i].set(v[i] - beta[i] * (before @ X)), None

    return jax.lax.scan(row, jnp.zeros_like(v), jnp.arange(k.shape[0]))[0]


@fla.claim(
    "fla-delta.comment",
    where="delta_rule/naive.py: the comment in delta_rule_chunkwise and delta_rule_parallel",
    kind="remark",
    says="the matrix made is (I − tri(diag(β) K Kᵀ))⁻¹",
    given={"k": "T d", "beta": "T", "v": "T e"},
    reading="tri is the part below the diagonal. The code is right, and so is the README beside "
    "it; the comment's sign is not.",
)
def comment(k, beta, v, *, sign=-1):
    """The code makes (I + tri(diag(β) K Kᵀ))⁻¹, as the README says; only the comment has the other sign.

    Run: k = β = 1, v = (1, 0): delta_rule_chunkwise ends in the state 0, as u = (1, −1) gives; the
    comment's inverse would give u = (1, 1).
    """
    return equal(by_the_loop(k, beta, v), inverse_of(sign)(k, beta, v))


comment.amend("sign", "it is (I + tri(diag(β) K Kᵀ))⁻¹", sign=1)


GATED = {"k": "T d", "v": "T e", "beta": "T", "g": "T", **STATE}


@fla.claim(
    "fla-delta.gated-chunk",
    where="gated_delta_rule/naive.py: naive_recurrent_gated_delta_rule, "
    "naive_chunk_gated_delta_rule",
    says="the recurrent and the chunked reference of the gated delta rule give the same outputs",
    given={"q": "T d", **GATED},
    reading="One chunk of T tokens after a state S; q is already scaled.",
)
def gated_chunk(q, k, v, beta, g, S):
    return equal(gated()(q, k, v, k, beta, g, S), gated_one_chunk()(q, k, v, beta, g, S))


def gated_one_chunk(decayed_scores=True):
    @program
    def chunk(q, k, v, beta, g, S):
        G = jnp.cumsum(g)
        decay = jnp.exp(G[:, None] - G[None, :])
        A = jnp.tril(beta[:, None] * (k @ k.T) * decay, -1)
        u = beta[:, None] * (v - jnp.exp(G)[:, None] * (k @ S))
        u = solve_triangular(jnp.eye(k.shape[0]) + A, u, lower=True, unit_diagonal=True)
        scores = q @ k.T * decay if decayed_scores else q @ k.T
        return jnp.exp(G)[:, None] * (q @ S) + jnp.tril(scores) @ u

    return chunk


@program
def kda(q, k, v, beta, g, S):
    """S ← diag(exp g) S, then the delta rule (Kimi Delta Attention)."""

    def step(S, token):
        q, k, v, beta, g = token
        S = jnp.exp(g)[:, None] * S
        S = S + jnp.outer(beta * k, v - k @ S)
        return S, q @ S

    return jax.lax.scan(step, S, (q, k, v, beta, g))[1]


@program
def gdn2(q, k, v, g, erase, write, S):
    """S ← (I − k (b ⊙ k)ᵀ) diag(exp g) S + k (w ⊙ v)ᵀ."""

    def step(S, token):
        q, k, v, g, b, w = token
        S = jnp.exp(g)[:, None] * S
        S = S + jnp.outer(k, w * v - (b * k) @ S)
        return S, q @ S

    return jax.lax.scan(step, S, (q, k, v, g, erase, write))[1]


KDA = {**TOKENS, "g": "T d", **STATE}


@fla.claim(
    "fla-delta.gdn2-is-kda",
    where="gdn2/naive.py: the comment at the top",
    says="GDN-2 with b_t = w_t = β_t is KDA",
    given=KDA,
)
def gdn2_is_kda(q, k, v, beta, g, S, d, e, xp):
    erase = program(lambda beta, k: beta[:, None] * jnp.ones_like(k))
    return equal(gdn2(q, k, v, g, erase(beta, k), erase(beta, v), S), kda(q, k, v, beta, g, S))


@fla.claim(
    "fla-delta.kda-is-gated",
    where="cp/README.md, GDN and KDA",
    says="KDA with one decay for all channels is the gated delta rule",
    given={**TOKENS, "g": "T", **STATE},
)
def kda_is_gated(q, k, v, beta, g, S):
    channels = program(lambda g, k: g[:, None] + 0 * k)
    return equal(kda(q, k, v, beta, channels(g, k), S), gated()(q, k, v, k, beta, g, S))


def dplr(q, k, v, a, b, g, S):
    """S ← diag(exp g) S + b (aᵀS) + k vᵀ, where a reads the state before its decay."""

    def step(S, token):
        q, k, v, a, b, g = token
        S = jnp.exp(g)[:, None] * S + jnp.outer(b, a @ S) + jnp.outer(k, v)
        return S, q @ S

    return jax.lax.scan(step, S, (q, k, v, a, b, g))[1]


@fla.claim(
    "fla-delta.kda-is-dplr",
    where="generalized_delta_rule/README.md and dplr/naive.py: dplr_recurrence",
    says="KDA is the DPLR rule with a = exp(g) ⊙ k, b = −β k and β v for v",
    given=KDA,
)
def kda_is_dplr(q, k, v, beta, g, S):
    @program
    def as_dplr(q, k, v, beta, g, S):
        return dplr(q, k, beta[:, None] * v, jnp.exp(g) * k, -beta[:, None] * k, g, S)

    return equal(kda(q, k, v, beta, g, S), as_dplr(q, k, v, beta, g, S))


@fla.claim(
    "fla-delta.iplr-is-delta",
    where="generalized_delta_rule/README.md, IPLR",
    says="S(I + a bᵀ) + v kᵀ with a = −β k, b = k and β v for v is the delta rule",
    given={"k": "T d", "v": "T e", "beta": "T", "S": "e d"},
)
def iplr_is_delta(k, v, beta, S):
    @program
    def iplr(k, v, beta, S):
        def step(S, token):
            k, v, a, b = token
            return S + jnp.outer(S @ a, b) + jnp.outer(v, k), None

        return jax.lax.scan(step, S, (k, beta[:, None] * v, -beta[:, None] * k, k))[0]

    @program
    def delta(k, v, beta, S):
        def step(S, token):
            k, v, beta = token
            return S @ (jnp.eye(k.shape[0]) - beta * jnp.outer(k, k)) + beta * jnp.outer(v, k), None

        return jax.lax.scan(step, S, (k, v, beta))[0]

    return equal(iplr(k, v, beta, S), delta(k, v, beta, S))


def product(scaled):
    """One decay, then two Householder steps, then a read."""

    @program
    def run(q, k, v, beta, g, scale, S):
        def step(S, token):
            q, k, v, beta, g = token
            S = jnp.exp(g) * S
            for j in range(2):
                S = S + jnp.outer(k[j], beta[j] * (v[j] - k[j] @ S))
            return S, (scale * q if scaled else q) @ S

        return jax.lax.scan(step, S, (q, k, v, beta, g))[1]

    return run


PRODUCT = {"q": "T d", "k": "T 2 d", "v": "T 2 e", "beta": "T 2", "g": "T", "scale": "", **STATE}


@program
def two_gated_steps(q, k, v, beta, g, scale, S):
    """The gated delta rule on 2T tokens, the second of each two without a decay; outputs at those."""

    def gated_step(S, k, v, beta, g):
        return jnp.exp(g) * S + jnp.outer(k, beta * (v - k @ (jnp.exp(g) * S)))

    def step(S, token):
        q, k, v, beta, g = token
        S = gated_step(gated_step(S, k[0], v[0], beta[0], g), k[1], v[1], beta[1], 0 * g)
        return S, scale * (q @ S)

    return jax.lax.scan(step, S, (q, k, v, beta, g))[1]


@fla.claim(
    "fla-delta.product-scale",
    where="gated_delta_product/naive.py: naive_recurrent_gated_delta_product",
    says="its outputs are those of the gated delta rule on interleaved tokens, with queries "
    "times `scale`",
    given=PRODUCT,
    reading="num_householder = 2. `scale` is a required argument of the reference, which does not "
    "use it.",
)
def product_scale(q, k, v, beta, g, scale, S, *, scaled=False):
    """`scale` is a required argument of the reference, and is not used; `chunk_gated_delta_product` scales the
    queries.

    The tests agree because they pass scaled queries or scale = 1 alone.

    Run: q = 1, k = v = 0 after the state 1, scale = 0: the output is 1.
    """
    return equal(
        product(scaled)(q, k, v, beta, g, scale, S), two_gated_steps(q, k, v, beta, g, scale, S)
    )


product_scale.amend("scale", "they are, once the reference multiplies q by `scale`", scaled=True)
