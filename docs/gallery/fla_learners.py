"""Layers that learn while they read, in flash-linear-attention: Titans, TTT and MesaNet at one commit.

Both sides of every claim are written here from the published definition; one head, no batch. Nothing is fetched.
"""

import jax
import jax.numpy as jnp

from scanproof import Source, equal, program

fla = Source(
    "fla-learners",
    title="fla-org/flash-linear-attention at bc3b101dcb713ddc5bd8924b66754eb68b5ccf89, fla/ops: learners",
)


def normalised(x, eps):
    """x less its mean, over its deviation; and 1 over that."""
    centred = x - x.mean(-1, keepdims=True)
    inverse = 1 / jnp.sqrt((centred**2).mean(-1, keepdims=True) + eps)
    return centred * inverse, inverse


def error(x, target, w, b, eps):
    """½ ‖w ⊙ norm(x) + b − target‖²."""
    return 0.5 * ((w * normalised(x, eps)[0] + b - target) ** 2).sum()


def backward(x, target, w, b, eps, in_brackets=True):
    """The gradient of `error` by x as TTT's reference has it, or as Titans' has it if not in_brackets."""
    D = x.shape[-1]
    x_hat, inverse = normalised(x, eps)
    g = w * (w * x_hat + b - target)
    first, second = g.sum(-1, keepdims=True), x_hat * (g * x_hat).sum(-1, keepdims=True)
    if in_brackets:
        return (D * g - first - second) * inverse / D
    return D * g - first * inverse / D - second * inverse / D


ROW = {"x": "d", "target": "d", "w": "d", "b": "d", "eps": ""}
POSITIVE = {"ε > 0": lambda eps: eps > 0}


@fla.claim(
    "fla-learners.titans-gradient",
    where="titans/naive.py: titans_linear, chunk_titans_linear (v_new)",
    says="v_new is the gradient of ½ ‖w ⊙ norm(x) + b − target‖² by x = kᵀM",
    given=ROW,
    assuming=POSITIVE,
)
def titans_gradient(x, target, w, b, eps, *, in_brackets=False):
    """Brackets are missing: `D * grad - grad.sum() / (rstd * D)` divides the sum alone.

    ttt/naive.py has `(D * g - g.sum() - …) / (rstd * D)`, which is the gradient; the line that is commented
    out above the one in question is that formula.

    Run: x = target = 0, w = b = 1, ε = 2: v_new is 0.292893, autograd's gradient 0. With d = 2, b = (1, 0)
    and ε = 1: (1.5, −0.5), and (0.5, −0.5).
    """
    true = program(lambda x, target, w, b, eps: jax.grad(error)(x, target, w, b, eps))
    printed = program(lambda *row: backward(*row, in_brackets=in_brackets))
    return equal(printed(x, target, w, b, eps), true(x, target, w, b, eps))


titans_gradient.amend("brackets", "it is with all three terms divided", in_brackets=True)


def titans_step(carry, token):
    """S ← η S − 2θ k (kᵀM − target)ᵀ, M ← (1 − α) M + S."""
    (M, S), (k, target, theta, alpha, eta) = carry, token
    S = eta * S - 2 * theta * jnp.outer(k, k @ M - target)
    return ((1 - alpha) * M + S, S), None


def titans(M, *tokens):
    """M and S after the tokens, from M and no momentum."""
    return jax.lax.scan(titans_step, (M, 0 * M), tokens)[0]


SEQUENCE = {
    "k": "n+1 d",
    "target": "n+1 e",
    "theta": "n+1",
    "alpha": "n+1",
    "eta": "n+1",
    "M": "d e",
}


@fla.claim(
    "fla-learners.titans-resume",
    where="titans/naive.py: chunk_titans_linear_ref with output_final_state and initial_state",
    says="run on n tokens and then on one from the state returned, Titans ends as on all n + 1",
    given=SEQUENCE,
    reading="The loss is ½ ‖kᵀM − target‖², without the norm; chunks of one token.",
)
def titans_resume(k, target, theta, alpha, eta, M, *, carries_momentum=False):
    """Only M is returned and taken; the momentum S begins at 0 again, so that a sequence cut in two ends
    elsewhere.

    Run: with the norm, w = 1, b = 0, ε = 4 and the inputs below M is −1 after both tokens, and 0 if the
    second is a call of its own; chunked and token by token alike.
    """

    @program
    def whole(M, *tokens):
        return titans(M, *tokens)[0]

    @program
    def in_two(M, *tokens):
        M, S = titans(M, *(a[:-1] for a in tokens))
        S = S if carries_momentum else 0 * S
        return titans_step((M, S), tuple(a[-1] for a in tokens))[0][0]

    tokens = (k, target, theta, alpha, eta)
    return equal(in_two(M, *tokens), whole(M, *tokens))


titans_resume.amend("momentum", "it does if S is returned and taken with M", carries_momentum=True)


@fla.claim(
    "fla-learners.titans-padding",
    where="titans/naive.py: chunk_titans_linear_ref, the padding of theta, alpha and eta",
    says="padding the sequence to whole chunks does not change the final state",
    given={"k": "T d", "target": "T e", "theta": "T", "alpha": "T", "eta": "T", "M": "d e"},
    reading="Padded by one token, T = chunk_size − 1; the loss without the norm, gradients at "
    "each token.",
)
def titans_padding(k, target, theta, alpha, eta, M, *, repeats=True):
    """The last θ, α and η are copied into the last row of the padding, so that M is decayed and moved once
    more.

    With zeros there (k = 0 moves nothing by itself) the final state is that of the sequence.

    Run: with the norm, w = 1, b = 0, ε = 4 and the input below M is 0 with chunk_size 1, and −1 with
    chunk_size 2.
    """

    @program
    def alone(M, *tokens):
        return titans(M, *tokens)[0]

    @program
    def padded(M, *tokens):
        after = titans(M, *tokens)
        last = [a[-1] if repeats else 0 * a[-1] for a in tokens[2:]]
        return titans_step(after, (0 * tokens[0][-1], 0 * tokens[1][-1], *last))[0][0]

    tokens = (k, target, theta, alpha, eta)
    return equal(padded(M, *tokens), alone(M, *tokens))


titans_padding.amend("zeros", "it does not if α and η are padded with zeros", repeats=False)


@fla.claim(
    "fla-learners.titans-chunk",
    where="titans/naive.py: chunk_titans_linear, combine_params",
    says="with gradients at the chunk's first state, M_T = β_T M + f_T S − 2 Σ_j g_j k_j u_jᵀ",
    given={"k": "T d", "u": "T e", "theta": "T", "a": "T", "eta": "T", "M": "d e", "S": "d e"},
    reading="1 − α_t = exp(a_t); β, f and g are the reference's sums of products of exp(a) and η, "
    "read as recursions.",
)
def titans_chunk(k, u, theta, a, eta, M, S):
    @program
    def recurrent(k, u, theta, a, eta, M, S):
        def step(carry, token):
            (M, S), (k, u, theta, a, eta) = carry, token
            S = eta * S - 2 * theta * jnp.outer(k, u)
            return (jnp.exp(a) * M + S, S), None

        return jax.lax.scan(step, (M, S), (k, u, theta, a, eta))[0][0]

    @program
    def summed(k, u, theta, a, eta, M, S):
        """What a token before t adds to M_t and to S_t, for all tokens at once."""
        T = k.shape[0]

        def step(carry, token):
            (beta, f, m, G, n), (t, theta, a, eta) = carry, token
            m, n = eta * m, eta * n + jnp.where(jnp.arange(T) == t, theta, 0.0)
            return (jnp.exp(a) * beta, jnp.exp(a) * f + m, m, jnp.exp(a) * G + n, n), None

        one, none = jnp.ones_like(a[0]), jnp.zeros_like(a)
        start = one, 0 * one, one, none, none
        beta, f, _, g, _ = jax.lax.scan(step, start, (jnp.arange(T), theta, a, eta))[0]
        return beta * M + f * S - 2 * (g[:, None] * k).T @ u

    args = (k, u, theta, a, eta, M, S)
    return equal(recurrent(*args), summed(*args))


def ttt_outputs(by_column):
    """o_t = W₀ᵀq_t − Σ_{s ≤ t} η (q_t·k_s) u_s, with η of the reader t, or of the token s if by_column."""

    @program
    def batch(q, k, target, eta, W):
        u = k @ W - target
        rate = eta[None, :] if by_column else eta[:, None]
        return q @ W - jnp.tril(rate * (q @ k.T)) @ u

    return batch


@program
def ttt_steps(q, k, target, eta, W):
    """W_t = W_{t−1} − η_t ∇ℓ(W₀; x_t), o_t = W_tᵀ q_t."""

    def step(Wt, token):
        q, k, target, eta = token
        Wt = Wt - eta * jnp.outer(k, k @ W - target)
        return Wt, q @ Wt

    return jax.lax.scan(step, W, (q, k, target, eta))[1]


@fla.claim(
    "fla-learners.ttt-rate",
    where="ttt/naive.py: ttt_linear (o_i, h)",
    says="within a mini-batch each token's gradient is taken with that token's learning rate",
    given={"q": "T d", "k": "T d", "target": "T e", "eta": "T", "W": "d e"},
    reading="One mini-batch; the loss ½ ‖Wᵀk − target‖² without norm and bias; η(x_t) is the rate "
    "of token t's step.",
)
def ttt_rate(q, k, target, eta, W, *, by_column=False):
    """`eta_i * Attn` scales rows: all gradients up to t are taken with the rate of the reader t; h uses the
    last one's.

    `eta_i.transpose(-2, -1) * Attn`, and `eta_i * k_i` in the update of h, take each with its own. With one
    rate for all tokens of a mini-batch, or mini-batches of one, the two agree.

    Run: keys (1, 0) and 0, b = (1, 0), w = 1, ε = 1, rates 0 and 1 from W = 0: the token with rate 0 moves
    W to [[−1, 1], [0, 0]] in a mini-batch of two; in mini-batches of one W stays 0.
    """
    args = (q, k, target, eta, W)
    return equal(ttt_outputs(by_column)(*args), ttt_steps(*args))


ttt_rate.amend("columns", "it is if η scales columns", by_column=True)


def ttt_bias(masks):
    """The bias after a mini-batch of T tokens and one of padding: bias − η_last Σ u."""

    @program
    def after(k, target, eta, W, bias, w, b, eps):
        tokens = backward(k @ W + bias[None], target, w, b, eps)
        padding = backward(bias[None], 0 * bias[None], w, b, eps)
        u = jnp.concatenate([tokens, padding])
        if masks:
            u = u[: k.shape[0]]
        return bias - eta * u.sum(axis=0)

    return after


@fla.claim(
    "fla-learners.ttt-padding",
    where="ttt/naive.py: chunk_ttt_linear_ref, the padding; ttt_linear (hb)",
    says="padding the sequence to whole mini-batches does not change the final bias",
    given={
        **{"k": "T d", "target": "T e", "eta": "", "W": "d e"},
        **{"bias": "e", "w": "e", "b": "e", "eps": ""},
    },
    assuming=POSITIVE,
    reading="Padded by one token; η is the last token's rate, which the reference copies into the "
    "padding.",
)
def ttt_padding(k, target, eta, W, bias, w, b, eps, *, masks=False):
    """The padding has keys 0, so that W is safe; but its error is that of the bias alone, which the sum for hb
    takes in.

    Run: the inputs below: the bias is (0.16, 0.84) with mini-batches of one, and (0.32, 0.68) with mini-
    batches of two.
    """

    @program
    def alone(k, target, eta, W, bias, w, b, eps):
        return bias - eta * backward(k @ W + bias[None], target, w, b, eps).sum(axis=0)

    args = (k, target, eta, W, bias, w, b, eps)
    return equal(ttt_bias(masks)(*args), alone(*args))


ttt_padding.amend("mask", "it does not if the sum leaves out the rows of the padding", masks=True)


@fla.claim(
    "fla-learners.mesa-ridge",
    where="mesa_net/naive.py: naive_mesa_net_exact",
    says="W with (H_kk + Λ) W = H_kv is stationary for ½ Σ_t γ_t β_t ‖Wᵀk_t − v_t‖² + ½ Σ λ_i "
    "‖W_i‖²",
    given={"k": "T d", "v": "T e", "g": "T", "beta": "T", "lamb": "d", "W": "d e"},
    reading="γ_t is the product of the decays after t; the gradient by W is (H_kk + Λ) W − H_kv, "
    "for every W.",
)
def mesa_ridge(k, v, g, beta, lamb, W):
    @program
    def gradient(k, v, g, beta, lamb, W):
        G = jnp.cumsum(g)

        def loss(W):
            errors = ((k @ W - v) ** 2).sum(axis=1)
            return (
                0.5 * (jnp.exp(G[-1] - G) * beta * errors).sum()
                + 0.5 * (lamb[:, None] * W**2).sum()
            )

        return jax.grad(loss)(W)

    @program
    def normal_equations(k, v, g, beta, lamb, W):
        def step(carry, token):
            (kk, kv), (k, v, g, beta) = carry, token
            kk = jnp.exp(g) * kk + jnp.outer(beta * k, k)
            kv = jnp.exp(g) * kv + jnp.outer(beta * k, v)
            return (kk, kv), None

        d, e = W.shape
        start = jnp.zeros((d, d)), jnp.zeros((d, e))
        kk, kv = jax.lax.scan(step, start, (k, v, g, beta))[0]
        return kk @ W + lamb[:, None] * W - kv

    args = (k, v, g, beta, lamb, W)
    return equal(gradient(*args), normal_equations(*args))


@fla.claim(
    "fla-learners.mesa-cg",
    where="mesa_net/naive.py: naive_mesa_net_CG, naive_mesa_net_decoding_one_step (+ 1e-5)",
    says="conjugate gradients give c o for c times the query, as the exact solution does",
    given={"q": "d", "h": "", "c": ""},
    assuming={"h > 0": lambda h: h > 0, "c > 0": lambda c: c > 0},
    reading="H_kk + Λ = h I, one iteration, which is all that it takes.",
)
def mesa_cg(q, h, c, *, epsilon=True):
    """1e-5 is added to pᵀHp and to rᵀr, whatever their size: for queries of 10⁻² it is a tenth of them.

    An ε relative to rᵀr, or a stop where rᵀr is 0, leaves the solution linear in the query.

    Run: h = 1, naive_mesa_net_CG with its 30 iterations: o/q is 0.99999 for q = 1, 0.963 for q = 10⁻²,
    0.629 for q = 10⁻³; naive_mesa_net_exact gives 1.
    """

    def solve(q, h):
        return (q * q).sum() / ((q * h * q).sum() + (1e-5 if epsilon else 0)) * q

    scaled = program(lambda q, h, c: solve(c * q, h))
    return equal(scaled(q, h, c), program(lambda q, h, c: c * solve(q, h))(q, h, c))


mesa_cg.amend("epsilon", "they do without 1e-5, where q ≠ 0", epsilon=False)
