"""Regularisation: what it changes, and by how much (gd-ssm §3.3, A.4)."""

from __future__ import annotations

from fractions import Fraction

from scanproof.constructs.arrays.gradient import gradient
from scanproof.constructs.arrays.scan import scan
from scanproof.constructs.constructions.gd_ssm import PRINTED_RIDGE, RIDGE
from scanproof.constructs.learners import ridge as ridge_regression
from scanproof.constructs.learners.accumulation import Example, accumulation_step
from scanproof.constructs.learners.descent import loss_gradient
from scanproof.constructs.learners.losses import HALF_MEAN, SUM

from ...language.statements import equal
from .source import gd_ssm


@gd_ssm.claim(
    "gd-ssm.reg",
    where="§3.3",
    kind="remark",
    says="any input-independent regulariser changes only the application, not the recurrence",
    given={"x": "N f", "y": "N k", "W0": "f k", "R": "f k", "c": "", "eta": ""},
    sizes={"N": (1, 2, 3), "f": (1, 2, 3), "k": (1, 2)},
    reading=(
        "One step on loss + ρ(W) equals W0 − η (g_N/N + ∇ρ(W0)) with the same accumulated g_N; ρ is an arbitrary "
        "quadratic Σ R_ab W_ab + c ‖W‖², and the gradient is linear in the loss for any other."
    ),
)
def regulariser(x, y, W0, R, c, eta, xp, N, f, k):
    def rho(W):
        return (R * W).sum() + c * (W * W).sum()

    regularised = gradient(lambda W: HALF_MEAN(W, x, y) + rho(W), W0)
    state = scan(accumulation_step, W0, xp.zeros((f, k)), Example(x, y)).final_state
    return equal(W0 - eta * regularised, W0 - eta * (state / N + gradient(rho, W0)))


@gd_ssm.claim(
    "gd-ssm.a4-gradient",
    where="A.4",
    says="for (1/2N) Σ ‖Wᵀx_i − y_i‖² + ‖W‖² the gradient is (1/t) Σ ∂_W ‖·‖² + 2W0",
    given={"x": "t f", "y": "t k", "W0": "f k"},
    sizes={"t": (1, 2, 3), "f": (1, 2, 3), "k": (1, 2)},
    reading="As in A.1 the ½ of the data term is lost; the term 2W0 is right.",
)
def ridge_gradient(x, y, W0, t, *, factor=1):
    data_term = factor * loss_gradient(SUM, W0, x, y) / t
    return equal(loss_gradient(ridge_regression.LOSS, W0, x, y), data_term + 2 * W0)


ridge_gradient.amend("factor", "the gradient is (1/2t) Σ ∂_W ‖·‖² + 2W0", factor=Fraction(1, 2))


@gd_ssm.claim(
    "gd-ssm.a4-construction",
    where="A.4",
    kind="construction",
    says="for that loss Δ_l W = −(η/N)(W_{l−1}ᵀ Z̃ − Z + W_{l−1})",
    given={"x": "N+1 f", "y": "N f", "W0": "f f", "eta": ""},
    sizes={"N": (1, 2, 3), "f": (1, 2), "L": (1, 2)},
    construction=PRINTED_RIDGE,
    reading=(
        "L layers are compared with L steps on the loss of A.4, read at t = N. Besides the transpose of prop3, the "
        "regulariser's gradient 2W stands inside a bracket that is divided by N, as W."
    ),
)
def printed(construction, p, x, y, W0, eta, L):
    weights, _ = construction.run(p, x, y, W0, L).outputs
    return equal(weights[-1], construction.learner.after(x[:-1], y, eta, W0, L))


printed.amend(
    "transpose+scale",
    "Δ_l W = −(η/N)(Z̃ W_{l−1} − Z + 2N W_{l−1})",
    construction=RIDGE,
    corrections=("scale",),
)
