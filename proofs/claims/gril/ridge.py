"""Regularisation: what it changes, and by how much (gril §4.3, A.5)."""

from __future__ import annotations

from scanproof.constructs.arrays.gradient import gradient
from scanproof.constructs.arrays.ranges import build
from scanproof.constructs.constructions.gril import A5, A5_FADING, PROP_A1, propA_1
from scanproof.constructs.learners import ridge as ridge_regression
from scanproof.constructs.learners.descent import gradient_descent, loss_gradient
from scanproof.constructs.learners.losses import HALF_MEAN, SUM

from ...language.statements import equal
from .linear_model import targets
from .source import gril


@gril.claim(
    "gril.reg",
    where="§4.3",
    kind="remark",
    says=(
        "any input-independent regularization term, such as an L2 penalty, can be added without changing the "
        "recurrence"
    ),
    given={"x": "N+1 f", "y": "N f", "W0": "f f", "G": "f f", "c": "", "d": "", "eta": ""},
    sizes={"N": (1, 2), "f": (1, 2), "L": (1, 2)},
    parameters=propA_1,
    corrections=("transpose",),
    reading=(
        "One step: the layer of A.3 left as it is, with −η ∇R(W0) added when its update is applied, is GD on the "
        "loss plus R; R(W) = ⟨G, W⟩ + c‖W‖² + d ΣW⁴, with free G, c and d, stands for any R, of which a step sees "
        "the gradient at W0 alone. L2 penalty c‖W‖², L layers: GD on that loss with the states of the layers "
        "without it."
    ),
)
def reg(p, x, y, W0, G, c, d, eta, N, L):
    def penalty(W):
        return (G * W).sum() + c * (W * W).sum() + d * (W**4).sum()

    def penalised(W, x, y):
        return HALF_MEAN(W, x, y) + penalty(W)

    def with_l2(W, x, y):
        return HALF_MEAN(W, x, y) + c * (W * W).sum()

    examples = x[:N]
    plain = PROP_A1.run(p, x, y, W0, 1)
    applied = plain.outputs[0][-1] - eta * gradient(penalty, W0)
    yield equal(applied, gradient_descent(penalised, W0, examples, y, eta), "any R, one step")
    l2 = PROP_A1.run(p._replace(ridge=2 * N * c), x, y, W0, L)
    descended = gradient_descent(with_l2, W0, examples, y, eta, L)
    yield equal(l2.outputs[0][-1], descended, "L2, L layers")
    for with_penalty, without in zip(l2.states, plain.states, strict=True):
        yield equal(with_penalty, without, "states")


@gril.claim(
    "gril.a5-gradient",
    where="A.5",
    says="the gradient of (1/2N) Σ ‖ŷ_i − y_i‖² + ‖W‖² is (1/2t) Σ ∂_W ‖ŷ_i − y_i‖² + 2W0",
    given={"x": "t f", "y": "t k", "W0": "f k"},
    reading="On the first t examples, for which 1/2N is 1/2t.",
)
def a5_gradient(x, y, W0, xp, t):
    terms = build(xp, t, lambda i: loss_gradient(SUM, W0, x[i : i + 1], y[i : i + 1])).sum(axis=0)
    return equal(loss_gradient(ridge_regression.LOSS, W0, x, y), terms / (2 * t) + 2 * W0)


@gril.claim(
    "gril.a5-construction",
    where="A.5",
    kind="construction",
    says="Δ_l W = −(η/N)(Z̃ W_{l−1} − Z + W_{l−1}) does GD on that loss",
    given={"x": "N+1 f", "w": "f f", "W0": "f f", "eta": ""},
    sizes={"N": (1, 2), "f": (1, 2), "L": (1, 2)},
    construction=A5,
    reading=(
        "L layers against L steps, at t = N. The penalty's gradient is 2W, outside the bracket that η/N "
        "multiplies, so that 2N W_{l−1} belongs inside (seen at f = N = L = 1); and Z is transposed, as in A.3."
    ),
)
def a5_construction(construction, p, x, W0, eta, L, w=None, y=None):
    y = targets(x, w, y)
    weights, _ = construction.run(p, x, y, W0, L).outputs
    return equal(weights[-1], construction.learner.after(x[:-1], y, eta, W0, L))


ANY_TARGETS = {"x": "N+1 f", "y": "N f", "W0": "f f", "eta": ""}

a5_construction.amend(
    "transpose+scale",
    "Δ_l W = −(η/N)(Z̃ W_{l−1} − Z + 2N W_{l−1}) with Z = Σ x yᵀ does GD on that loss",
    given=ANY_TARGETS,
    corrections=("transpose", "ridge"),
)
a5_construction.amend(
    "transpose+loss",
    (
        "with Z = Σ x yᵀ the printed update does GD on (1/2N) (Σ ‖ŷ_i − y_i‖² + ‖W‖²), "
        "a penalty that fades with N"
    ),
    given=ANY_TARGETS,
    construction=A5_FADING,
    corrections=("transpose",),
)
