"""Non-linear regression from the linear statistic: Proposition 4 (gd-ssm A.3)."""

from __future__ import annotations

from scanproof.constructs.gradient import gradient
from scanproof.constructs.learners.accumulation import unscaled_gradient
from scanproof.constructs.learners.descent import loss_gradient
from scanproof.constructs.learners.losses import HALF_MEAN, SquaredError

from ...language.statements import determines, equal
from .source import gd_ssm

SQUARE = SquaredError(HALF_MEAN.scale, mean=True, link=lambda z: z * z)
"""The mean half squared error of the predictor g(w·x) with g(z) = z²."""


@gd_ssm.claim(
    "gd-ssm.prop4",
    where="Prop. 4, A.3",
    kind="existence",
    says=(
        "data from y = g(w·x): there is a map f of the linear statistic alone with "
        "f(Σ (w0·x_i − y_i) x_i) = Σ (g(w0·x_i) − y_i) g'(w0·x_i) x_i for all data sets and t"
    ),
    given={"x": "N f", "w": "f", "w0": "f"},
    sizes={"N": (1, 2), "f": (1, 2)},
    reading=(
        "g(z) = z² is one non-linear g. Both data sets come from y = g(w·x), each with its own w, and share w0, so f "
        "may know w0. Two data sets with one statistic and two right-hand sides leave no f."
    ),
    unmended=(
        "the right-hand side is not a function of the statistic; a universal approximator can only come close on a "
        "distribution of tasks, which is a measurement"
    ),
)
def statistic_suffices(x, w, w0, N):
    y = (x @ w) * (x @ w)
    target = N * loss_gradient(SQUARE, w0, x, y)
    return determines(unscaled_gradient(w0, x, y), target, shared=("w0",))


POLYNOMIAL = {"x": "t f", "y": "t", "w": "f", "a": "", "b": "", "c": "", "d": ""}


@gd_ssm.claim(
    "gd-ssm.a3-gradient",
    where="A.3",
    says="the gradient of (1/2t) Σ (g(w·x_i) − y_i)² is (1/t) Σ (g − y_i) g' x_i",
    given=POLYNOMIAL,
    reading="For every cubic g(z) = a + bz + cz² + dz³; g' is derived, not typed in.",
)
def gradient_with_link(x, y, w, a, b, c, d, t):
    def g(z):
        return a + b * z + c * z * z + d * z * z * z

    slope = gradient(lambda z: g(z).sum(), x @ w)
    loss = SquaredError(HALF_MEAN.scale, mean=True, link=g)
    return equal(loss_gradient(loss, w, x, y), ((g(x @ w) - y) * slope) @ x / t)


@gd_ssm.claim(
    "gd-ssm.a3-output",
    where="A.3",
    kind="construction",
    says="the output is o_t = f(z_t)ᵀ Θ c_t with the z_t of eq. 12",
    given={"x": "t+1 f", "y": "t", "w0": "f", "eta": ""},
    reading=(
        "Suppose that f does what Prop. 4 asks on this data set (g(z) = z²), and Θc_t = x_{t+1}. The output is "
        "compared with the prediction of Prop. 4, −η ∇L(D_{1:t}; w0)·x_{t+1}: the factor −η/t is missing."
    ),
)
def output(x, y, w0, eta, t, *, readout=False):
    mapped = t * loss_gradient(SQUARE, w0, x[:-1], y)
    scale = -eta / t if readout else 1
    prediction = -eta * loss_gradient(SQUARE, w0, x[:-1], y)
    return equal(scale * (mapped @ x[-1]), prediction @ x[-1])


output.amend(
    "scale", "the output is o_t = −(η/t) f(z_t)ᵀ Θ c_t, if such an f is given", readout=True
)
