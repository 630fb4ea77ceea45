"""Equations printed in papers of 2024 and 2025: Gated DeltaNet's objectives and chunks, Titans.

Both sides of every claim are written here from the printed equation. Nothing is fetched. That a printed line fails
says nothing of the theorem around it, nor of the code that was released with it.
"""

import jax
import jax.numpy as jnp
from jax.scipy.linalg import solve_triangular

from scanproof import Source, equal, program

gdn = Source(
    "gated-deltanet",
    title="Gated Delta Networks: Improving Mamba2 with Delta Rule (Yang, Kautz, Hatamizadeh)",
    arxiv="2412.06464",
)

STEP = {"S": "e d", "k": "d", "v": "e", "alpha": "", "beta": ""}


def stationary(objective, update):
    """The gradient of the objective by S_t, at the update."""

    @program
    def gradient(S, k, v, alpha, beta):
        before = S
        after = update(S, k, v, alpha, beta)
        return jax.grad(lambda S: objective(S, before, k, v, alpha, beta))(after)

    return gradient


def zero(S, k, v, alpha, beta):
    return 0 * S


def half_square(x):
    return 0.5 * (x**2).sum()


def inner(S, k, v):
    return (v * (S @ k)).sum()


def row(id, method, says):
    return gdn.claim(
        f"gated-deltanet.objective-{id}",
        where=f"Table 1, {method}",
        says=says,
        given=STEP,
        reading="A step minimises these if their gradient is 0 at it; halves of the objectives printed.",
    )


@row("la", "LA", "S + v kᵀ minimises ‖S_t − S_{t−1}‖² − 2⟨S_t k, v⟩")
def linear_attention(S, k, v, alpha, beta):
    def objective(S, before, k, v, alpha, beta):
        return half_square(S - before) - inner(S, k, v)

    def update(S, k, v, alpha, beta):
        return S + jnp.outer(v, k)

    args = (S, k, v, alpha, beta)
    return equal(stationary(objective, update)(*args), program(zero)(*args))


@row("mamba2", "Mamba2", "α S + v kᵀ minimises ‖S_t − α S_{t−1}‖² − 2⟨S_t k, v⟩")
def mamba2(S, k, v, alpha, beta):
    def objective(S, before, k, v, alpha, beta):
        return half_square(S - alpha * before) - inner(S, k, v)

    def update(S, k, v, alpha, beta):
        return alpha * S + jnp.outer(v, k)

    args = (S, k, v, alpha, beta)
    return equal(stationary(objective, update)(*args), program(zero)(*args))


@row(
    "longhorn",
    "Longhorn",
    "S(I − ε k kᵀ) + ε v kᵀ, ε = β/(1 + β kᵀk), minimises ‖S_t − S_{t−1}‖² − β ‖S_t k − v‖²",
)
def longhorn(S, k, v, alpha, beta, *, sign=-1):
    """The regression error has to be added: with − the objective rewards it, and ε would be −β/(1 − β kᵀk).

    Longhorn's own paper (Liu et al. 2024) has the sum. Read from two transcriptions of
    the table, one of them viktor-shcherb/msc_thesis at a6577d1, references/2025-04-gated-delta-networks.

    Run: read, not run: there is no code for the objective.
    """

    def objective(S, before, k, v, alpha, beta):
        return half_square(S - before) + sign * beta * half_square(S @ k - v)

    def update(S, k, v, alpha, beta):
        epsilon = beta / (1 + beta * (k * k).sum())
        return S - epsilon * jnp.outer(S @ k, k) + epsilon * jnp.outer(v, k)

    args = (S, k, v, alpha, beta)
    return equal(stationary(objective, update)(*args), program(zero)(*args))


longhorn.amend("sign", "it minimises ‖S_t − S_{t−1}‖² + β ‖S_t k − v‖²", sign=1)


@row(
    "deltanet",
    "DeltaNet",
    "S(I − β k kᵀ) + β v kᵀ minimises ‖S_t − S_{t−1}‖² − 2⟨S_t k, β(v − S_{t−1}k)⟩",
)
def deltanet(S, k, v, alpha, beta):
    def objective(S, before, k, v, alpha, beta):
        return half_square(S - before) - inner(S, k, beta * (v - before @ k))

    def update(S, k, v, alpha, beta):
        return S - beta * jnp.outer(S @ k, k) + beta * jnp.outer(v, k)

    args = (S, k, v, alpha, beta)
    return equal(stationary(objective, update)(*args), program(zero)(*args))


@row(
    "gated",
    "Gated DeltaNet",
    "S α(I − β k kᵀ) + β v kᵀ minimises ‖S_t − α S_{t−1}‖² − 2⟨S_t k, β(v − α S_{t−1}k)⟩",
)
def gated_deltanet(S, k, v, alpha, beta):
    def objective(S, before, k, v, alpha, beta):
        return half_square(S - alpha * before) - inner(S, k, beta * (v - alpha * before @ k))

    def update(S, k, v, alpha, beta):
        return alpha * (S - beta * jnp.outer(S @ k, k)) + beta * jnp.outer(v, k)

    args = (S, k, v, alpha, beta)
    return equal(stationary(objective, update)(*args), program(zero)(*args))


CHUNK = {"q": "C d", "k": "C d", "v": "C e", "beta": "C", "g": "C"}


@program
def recurrent(q, k, v, beta, g):
    """Eq. 10 with α = exp(g), from S = 0."""

    def step(S, token):
        q, k, v, beta, g = token
        S = jnp.exp(g) * S
        S = S + jnp.outer(beta * (v - S @ k), k)
        return S, S @ q

    return jax.lax.scan(step, jnp.zeros((v.shape[1], k.shape[1])), (q, k, v, beta, g))[1]


def in_chunks(decayed):
    """(Q Kᵀ ⊙ M) Ũ, or with Γ for M if decayed; Ũ solves (I + strictLower(diag(β)(Γ ⊙ K Kᵀ))) Ũ = diag(β) V."""

    @program
    def chunk(q, k, v, beta, g):
        G = jnp.cumsum(g)
        decay = jnp.exp(G[:, None] - G[None, :])
        A = jnp.eye(k.shape[0]) + jnp.tril(beta[:, None] * (decay * (k @ k.T)), -1)
        u = solve_triangular(A, beta[:, None] * v, lower=True, unit_diagonal=True)
        return jnp.tril(q @ k.T * decay if decayed else q @ k.T) @ u

    return chunk


@gdn.claim(
    "gated-deltanet.chunk-outputs",
    where="section 3.3, O_[t]",
    says="the outputs of a chunk are Q S + (Q Kᵀ ⊙ M)(Ũ − W S), with M the causal mask",
    given=CHUNK,
    reading="The first chunk, S = 0; M is the causal mask of eq. 9, as DeltaNet has it without "
    "decays.",
)
def chunk_outputs(q, k, v, beta, g, *, decayed=False):
    """What token s wrote has decayed by γ_t/γ_s when t reads it: the scores need Γ in place of M, as eq. 2 has
    it.

    The reference in flash-linear-attention multiplies by Γ. Read from the two transcriptions
    of Table 1.

    Run: naive_chunk_gated_delta_rule and naive_recurrent_gated_delta_rule of flash-linear-attention both
    give (0, 2.718) on the input below; the printed line gives (0, 1).
    """
    args = (q, k, v, beta, g)
    return equal(in_chunks(decayed)(*args), recurrent(*args))


chunk_outputs.amend("decay", "they are with Γ, the mask of decays, for M", decayed=True)


@gdn.claim(
    "gated-deltanet.sgd",
    where="section 3.1",
    says="S − β ∇½ ‖S k − v‖² = S(I − β k kᵀ) + β v kᵀ",
    given={"S": "e d", "k": "d", "v": "e", "beta": ""},
)
def sgd(S, k, v, beta):
    @program
    def step(S, k, v, beta):
        return S - beta * jax.grad(lambda S: half_square(S @ k - v))(S)

    @program
    def printed(S, k, v, beta):
        return S @ (jnp.eye(k.shape[0]) - beta * jnp.outer(k, k)) + beta * jnp.outer(v, k)

    return equal(step(S, k, v, beta), printed(S, k, v, beta))


titans = Source(
    "titans", title="Titans: Learning to Memorize at Test Time (Behrouz et al.)", arxiv="2501.00663"
)


@titans.claim(
    "titans.chunk",
    where="section 3.2",
    says="M_t = (1 − α_t) M_{t−1} − θ_t u_t is β_t M_0 − Σ θ_i (β_t/β_i) u_i, β the product of "
    "the 1 − α",
    given={"u": "T d", "theta": "T", "a": "T", "M": "d"},
    reading="1 − α_t = exp(a_t); u_i is the gradient for token i at the chunk's first state.",
)
def weights_after_a_chunk(u, theta, a, M):
    @program
    def steps(u, theta, a, M):
        def step(M, token):
            u, theta, a = token
            return jnp.exp(a) * M - theta * u, None

        return jax.lax.scan(step, M, (u, theta, a))[0]

    @program
    def summed(u, theta, a, M):
        b = jnp.cumsum(a)
        return jnp.exp(b[-1]) * M - ((theta * jnp.exp(b[-1] - b))[:, None] * u).sum(axis=0)

    return equal(steps(u, theta, a, M), summed(u, theta, a, M))
