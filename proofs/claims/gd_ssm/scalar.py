"""The scalar-target network of Proposition 1 (gd-ssm §3.1)."""

from __future__ import annotations

from scanproof.constructs.arrays.ranges import each
from scanproof.constructs.constructions.gd_ssm import NETWORK, PRODUCTS, PROP1, prop1
from scanproof.constructs.learners.accumulation import unscaled_gradient
from scanproof.constructs.learners.descent import loss_gradient
from scanproof.constructs.learners.losses import HALF_MEAN

from ...language.learns import learns
from ...language.statements import equal
from .source import gd_ssm

SCALAR = {"x": "N+1 f", "y": "N", "eta": ""}


gd_ssm.claim(
    "gd-ssm.prop1",
    where="Prop. 1",
    kind="existence",
    says=(
        "for tokens c_j = [x_j y_j, x_{j+1}] from a linear model there are A, B, U of a diagonal linear recurrent "
        "layer such that the output at the last token is −(Δw)·x_{N+1}, Δw = η∇L, L = eq. 8, w0 = 0"
    ),
    given=SCALAR,
    construction=PROP1,
    fixed=("eta",),
    corrections=("sign",),
    reading="Witness: the printed construction with β = +η/N. It does it for arbitrary targets y.",
)(learns)


printed = gd_ssm.claim(
    "gd-ssm.prop1-construction",
    where="eqs. 12–16",
    kind="construction",
    says=(
        "z_t = z_{t−1} + Ψc_t, Ψc_t = x_t y_t, o_t = β z_tᵀ Θ c_t, Θc_t = x_{t+1}, β = −η/N: "
        "o_N is the one-step prediction"
    ),
    given=SCALAR,
    construction=PROP1,
    reading=(
        "Eq. 12 accumulates +x_t y_t, which at w0 = 0 is minus the gradient's term, so that the minus sign of "
        "β = −η/N is one too many."
    ),
)(learns)


printed.amend("sign", "the same with β = +η/N", corrections=("sign",))


every_token = gd_ssm.claim(
    "gd-ssm.prop1-every-token",
    where="Prop. 1",
    kind="construction",
    says="the same at every token t: o_t is the one-step prediction for x_{t+1} from D_{1:t}",
    given=SCALAR,
    construction=NETWORK,
    reading="Read with the printed β = −η/N at every token.",
)(learns)


every_token.amend("sign+scale", "the same with β = +η/t at token t", corrections=("sign", "scale"))


@gd_ssm.claim(
    "gd-ssm.prop1-state",
    where="after eq. 12",
    says="the state z_t of that network is the unscaled gradient t ∇L(D_{1:t}; w0)",
    given=SCALAR,
    parameters=prop1,
    reading="w0 = 0, as the text assumes just before.",
)
def state(p, x, y, eta, xp, N, f, *, sign=1):
    states = NETWORK.run(p, x, y).states
    for t in each(1, N):
        gradient = loss_gradient(HALF_MEAN, xp.zeros((f,)), x[:t], y[:t])
        yield equal(states[t - 1], sign * t * gradient, ("t = ", t))


state.amend("sign", "z_t = −t ∇L(D_{1:t}; 0)", sign=-1)


@gd_ssm.claim(
    "gd-ssm.prop1-diagonal",
    where="after eqs. 12, 13",
    kind="construction",
    says=(
        "a (square, 2f×2f) Ψ whose only nonzero entries are the first f diagonal ones, and Θ with only the last f, "
        "satisfy the conditions Ψc_t = x_t y_t and Θc_t = x_{t+1}"
    ),
    given=SCALAR,
    construction=PRODUCTS,
    corrections=("square",),
    reading=(
        "Read as square matrices. (The paper prints Ψ as 2f×f with "
        "Ψᵀc_t, with "
        "which its half holds; the shape of Θ is not printed.) Compared through what the conditions are for: the "
        "output must be β (Σ_i x_i y_i)·x_{t+1}. With square "
        "matrices Ψc_t fills the first f coordinates and Θc_t the last f, so that their product is 0."
    ),
)
def diagonal(p, x, y, eta, xp, N, f):
    outputs = PRODUCTS.outputs(p, x, y)
    for t in each(1, N):
        accumulated = -unscaled_gradient(xp.zeros((f,)), x[:t], y[:t])
        yield equal(outputs[t - 1], p.beta * (accumulated @ x[t]), ("t = ", t))


diagonal.amend("rectangular", "Ψ = [I 0] and Θ = [0 I], both f×2f, satisfy them", corrections=())
