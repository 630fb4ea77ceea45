"""Formulas printed in flash-linear-attention's notes: context parallelism, RWKV-7, the generalised delta rule.

Both sides of every claim are written here from the published definition; one head, no batch. Nothing is fetched.
That a printed line fails says nothing of the kernels beside it.
"""

import jax
import jax.numpy as jnp

from scanproof import Source, equal, program

fla = Source(
    "fla-notes",
    title="fla-org/flash-linear-attention at bc3b101dcb713ddc5bd8924b66754eb68b5ccf89, fla/ops: notes",
)


def decay_to_the_end(from_next):
    """The product of α_k from k = r, or from k = r + 1 if from_next, to C."""

    @program
    def products(g):
        C = g.shape[0]
        i = jnp.arange(C)
        counted = i[None, :] > i[:, None] if from_next else i[None, :] >= i[:, None]
        return jnp.exp(jnp.where(counted, g[None, :], 0.0).sum(axis=1))

    return products


@fla.claim(
    "fla-notes.cp-decay",
    where="cp/README.md, Code mapping",
    says="exp(g_last − g_r) = γ^{r→C}, the product of α_k for k from r to C",
    given={"g": "C"},
    reading="g here is log α before the cumulated sum. The code is right: it is the product that "
    "is printed one factor too long.",
)
def cp_decay(g, *, from_next=False):
    """A key at r has not met its own decay: γ^{i→C} in the recurrence of chunks, S_ext and M has one factor
    too many.

    The kernels use exp(g_last − g_r), which is right. Definition and code differ already for one token.

    Run: read, not run: it is a definition. naive_chunk_gated_delta_rule and the kernels use exp(g_last −
    g_r).
    """

    @program
    def by_code(g):
        G = jnp.cumsum(g)
        return jnp.exp(G[-1] - G)

    return equal(by_code(g), decay_to_the_end(from_next)(g))


cp_decay.amend("range", "it is the product of α_k for k from r + 1 to C", from_next=True)


CHUNK = {"Q": "C d", "K": "C d", "W": "C d", "U": "C e", "A": "C C", "g": "C d", "S": "d e"}
COTANGENTS = {"dS": "d e", "dO": "C e"}


def chunk(Q, K, W, U, A, g, S):
    """State and outputs of a chunk from U, W and the scores A; γ is exp of cumulated g."""
    G = jnp.cumsum(g, axis=0)
    new = U - W @ S
    after = jnp.exp(G[-1])[:, None] * S + (jnp.exp(G[-1] - G) * K).T @ new
    return after, (jnp.exp(G) * Q) @ S + A @ new


@program
def by_gradient(Q, K, W, U, A, g, S, dS, dO):
    def value(S):
        after, outputs = chunk(Q, K, W, U, A, g, S)
        return (after * dS).sum() + (outputs * dO).sum()

    return jax.grad(value)(S)


def by_stage_1(decay_first):
    @program
    def printed(Q, K, W, U, A, g, S, dS, dO):
        G = jnp.cumsum(g, axis=0)
        decayed = jnp.exp(G[-1])[:, None] * dS
        read = K @ decayed if decay_first else (jnp.exp(G[-1] - G) * K) @ dS
        dV = read + A.T @ dO
        return decayed + (jnp.exp(G) * Q).T @ dO - W.T @ dV

    return printed


@fla.claim(
    "fla-notes.cp-backward",
    where="cp/README.md, Pre-Process Backward, Stage 1",
    says="dS ← diag(γ^C) dS; dV = K dS + dV_local; dS ← dS + (Γ^{1→C} ⊙ Q)ᵀ dO s − Wᵀ dV is "
    "the gradient by S",
    given={**CHUNK, **COTANGENTS},
    reading="One chunk; s = 1; dV_local = Aᵀ dO; γ^{1→C} as in the text, exp of g cumulated.",
)
def cp_backward(Q, K, W, U, A, g, S, dS, dO, *, decay_first=True):
    """dV is to be read before dS is decayed, with the keys decayed to the end: Γ^{r+1→C} ⊙ K.

    chunk_gated_delta_rule_bwd_dhu does it in this order; the printed lines decay by γ^C, whatever r is.

    Run: autograd of naive_chunk_gated_delta_rule by its initial state, C = 1, k = β = g = dS = 1, q = 0: 0.
    The printed lines give e − e² = −4.67; the amended ones 0.
    """
    args = (Q, K, W, U, A, g, S, dS, dO)
    return equal(by_gradient(*args), by_stage_1(decay_first)(*args))


cp_backward.amend(
    "order",
    "it is with dV = (Γ^{r+1→C} ⊙ K) dS + dV_local before dS is decayed",
    decay_first=False,
)


@program
def two_ranks(K1, W1, U1, g1, K2, W2, U2, g2, S):
    """A chunk, and another after it."""

    def step(K, W, U, g, S):
        G = jnp.cumsum(g, axis=0)
        return jnp.exp(G[-1])[:, None] * S + (jnp.exp(G[-1] - G) * K).T @ (U - W @ S)

    return step(K2, W2, U2, g2, step(K1, W1, U1, g1, S))


@program
def merged(K1, W1, U1, g1, K2, W2, U2, g2, S):
    """M₂(M₁S + S₁) + S₂, from what each rank computes alone."""

    def local(K, W, U, g):
        G = jnp.cumsum(g, axis=0)
        kg = jnp.exp(G[-1] - G) * K
        return jnp.diag(jnp.exp(G[-1])) - kg.T @ W, kg.T @ U

    (M1, S1), (M2, S2) = local(K1, W1, U1, g1), local(K2, W2, U2, g2)
    return M2 @ (M1 @ S + S1) + S2


@fla.claim(
    "fla-notes.cp-merge",
    where="cp/README.md, Merge",
    says="the state after two ranks is M₂(M₁ S + S_ext,1) + S_ext,2",
    given={
        **{"K1": "C d", "W1": "C d", "U1": "C e", "g1": "C d"},
        **{"K2": "D d", "W2": "D d", "U2": "D e", "g2": "D d", "S": "d e"},
    },
    reading="With γ^{r→C} as the code has it; one chunk a rank, of any two lengths.",
)
def cp_merge(K1, W1, U1, g1, K2, W2, U2, g2, S):
    args = (K1, W1, U1, g1, K2, W2, U2, g2, S)
    return equal(two_ranks(*args), merged(*args))


def gradient_of(loss):
    return program(lambda S, k, v: jax.grad(lambda S: loss(S, k, v))(S))


@fla.claim(
    "fla-notes.rwkv7-gradient",
    where="rwkv7/RWKV7(Goose).md, Introduction",
    says="the gradient of ½ ‖v − kᵀS‖² by S is S k kᵀ − v kᵀ",
    given={"S": "d d", "k": "d", "v": "d"},
    reading="Where kᵀS and S k can both be formed, keys and values have one size.",
)
def rwkv7_gradient(S, k, v, *, state_first=False):
    """The note's state maps keys by S k (its S is d_v × d_k, and o = S r); the loss is written for kᵀ S.

    The gradient printed is that of ½ ‖v − S k‖². For d = 1 the two agree.

    Run: torch's autograd, with S = [[0, 0], [1, 0]], k = (1, 0), v = 0: 0 for ½ ‖v − kᵀS‖², and [[0, 0],
    [1, 0]] for ½ ‖v − S k‖².
    """

    def loss(S, k, v):
        return 0.5 * ((v - (S @ k if state_first else k @ S)) ** 2).sum()

    printed = program(lambda S, k, v: jnp.outer(S @ k, k) - jnp.outer(v, k))
    return equal(gradient_of(loss)(S, k, v), printed(S, k, v))


rwkv7_gradient.amend("transpose", "it is that of ½ ‖v − S k‖²", state_first=True)


def rwkv7(values):
    """S ← S D + S α βᵀ + v kᵀ with α = −k, β = η k; values(η, v) for v."""

    @program
    def run(decay, eta, k, v, S):
        def step(S, token):
            decay, eta, k, v = token
            return S * decay[None] + jnp.outer(S @ -k, eta * k) + jnp.outer(values(eta, v), k), None

        return jax.lax.scan(step, S, (decay, eta, k, v))[0]

    return run


@program
def sgd_with_decay(decay, eta, k, v, S):
    """S ← S D − η (S k kᵀ − v kᵀ)."""

    def step(S, token):
        decay, eta, k, v = token
        return S * decay[None] - eta * (jnp.outer(S @ k, k) - jnp.outer(v, k)), None

    return jax.lax.scan(step, S, (decay, eta, k, v))[0]


@fla.claim(
    "fla-notes.rwkv7-update",
    where="rwkv7/RWKV7(Goose).md, the final recurrence",
    says="S D + S α βᵀ + v kᵀ with α = −k, β = η k is SGD with rate η and decay D",
    given={"decay": "T d", "eta": "T", "k": "T d", "v": "T e", "S": "e d"},
)
def rwkv7_update(decay, eta, k, v, S, *, rate_in_value=False):
    """The last term of SGD is η v kᵀ; the final recurrence has v kᵀ, so that η must go into v as well.

    Run: read, not run: two printed lines of one derivation, of which the second leaves out η.
    naive_recurrent_rwkv7 is the second, for whatever v it is given.
    """
    values = (lambda eta, v: eta * v) if rate_in_value else (lambda eta, v: v)
    return equal(rwkv7(values)(decay, eta, k, v, S), sgd_with_decay(decay, eta, k, v, S))


rwkv7_update.amend("value", "it is, with η v in place of v", rate_in_value=True)


STEP = {"S": "e d", "w": "d", "a": "d", "b": "d", "k": "d", "v": "e", "G": "e d"}


def rwkv7_step(S, w, a, b, k, v):
    return S * jnp.exp(-jnp.exp(w))[None] + jnp.outer(S @ a, b) + jnp.outer(v, k)


@fla.claim(
    "fla-notes.rwkv7-backward",
    where="rwkv7/RWKV7(Goose).md, section 2",
    says="the formulas for dw, da, db, dk, dv and the gradient by the state before are those "
    "of a step",
    given=STEP,
    reading="G is the gradient by the state after the step.",
)
def rwkv7_backward(S, w, a, b, k, v, G):
    args = (S, w, a, b, k, v)

    def true(n):
        def value(*args):
            return (rwkv7_step(*args[:-1]) * args[-1]).sum()

        return program(lambda *args: jax.grad(value, argnums=n)(*args))

    def decay(w):
        return jnp.exp(-jnp.exp(w))

    printed = {
        0: lambda S, w, a, b, k, v, G: jnp.outer(G @ b, a) + G * decay(w)[None],
        1: lambda S, w, a, b, k, v, G: -(G * S).sum(0) * jnp.exp(w) * decay(w),
        2: lambda S, w, a, b, k, v, G: (S * (G @ b)[:, None]).sum(0),
        3: lambda S, w, a, b, k, v, G: (G * (S @ a)[:, None]).sum(0),
        4: lambda S, w, a, b, k, v, G: (G * v[:, None]).sum(0),
        5: lambda S, w, a, b, k, v, G: (G * k[None]).sum(1),
    }
    for n, formula in printed.items():
        yield equal(true(n)(*args, G), program(formula)(*args, G))
