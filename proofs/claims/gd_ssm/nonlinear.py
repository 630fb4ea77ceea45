"""Non-linear regression from the linear statistic: Proposition 4 (gd-ssm A.3)."""

from __future__ import annotations

from scanproof.constructs.arrays.gradient import gradient
from scanproof.constructs.constructions.gd_ssm import CONSTANT, NONLINEAR, prop1, vanishing_cubic
from scanproof.constructs.learners.accumulation import unscaled_gradient
from scanproof.constructs.learners.descent import loss_gradient
from scanproof.constructs.learners.losses import HALF_MEAN

from ...language.statements import determines, equal, undetermined
from ..links import cubic, shifted_square, with_link
from .source import gd_ssm

SQUARE = with_link(HALF_MEAN, lambda z: z * z)
"""The mean half squared error of the predictor g(w·x), g(z) = z²."""


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
    depends_on=("gril.propA.2",),
)
def statistic_suffices(x, w, w0, N):
    y = (x @ w) * (x @ w)
    target = N * loss_gradient(SQUARE, w0, x, y)
    return determines(unscaled_gradient(w0, x, y), target, shared=("w0",))


@statistic_suffices.restate(
    "vanishing",
    "for w0 = 0 and any g with g(0) = 0 there is one: f(s) = g'(0) s",
    given={"x": "N f", "y": "N", "b": "", "c": "", "d": ""},
    parameters=lambda b: lambda statistic: b * statistic,
    fixed=("b",),
    hypotheses=("w0 = 0", "g(0) = 0"),
    reading=(
        "g(z) = bz + cz² + dz³ stands for any such g: at w0 = 0 the gradient sees g through g(0) and g'(0) = b. "
        "Arbitrary targets."
    ),
)
def vanishing_link(p, x, y, b, c, d, xp, N, f):
    zero = xp.zeros((f,))
    target = N * loss_gradient(with_link(HALF_MEAN, vanishing_cubic(b, c, d)), zero, x, y)
    return equal(p(unscaled_gradient(zero, x, y)), target)


@statistic_suffices.restate(
    "needs-vanishing",
    "for w0 = 0 and g(z) = (1 + z)², where g(0) ≠ 0, there is none",
    given={"x": "N f", "w": "f"},
    sizes={"N": (2,), "f": (1,)},
    hypotheses=("w0 = 0",),
    reading="What +vanishing assumes of g(0) is needed. Data from y = g(w·x).",
)
def link_must_vanish(x, w, xp, N, f):
    zero, y = xp.zeros((f,)), shifted_square(x @ w)
    target = N * loss_gradient(with_link(HALF_MEAN, shifted_square), zero, x, y)
    return undetermined(unscaled_gradient(zero, x, y), target)


POLYNOMIAL = {"x": "t f", "y": "t", "w": "f", "a": "", "b": "", "c": "", "d": ""}


@gd_ssm.claim(
    "gd-ssm.a3-gradient",
    where="A.3",
    says="the gradient of (1/2t) Σ (g(w·x_i) − y_i)² is (1/t) Σ (g − y_i) g' x_i",
    given=POLYNOMIAL,
    reading="For every cubic g(z) = a + bz + cz² + dz³; g' is derived, not typed in.",
)
def gradient_with_link(x, y, w, a, b, c, d, t):
    g = cubic(a, b, c, d)
    slope = gradient(lambda z: g(z).sum(), x @ w)
    return equal(loss_gradient(with_link(HALF_MEAN, g), w, x, y), ((g(x @ w) - y) * slope) @ x / t)


def readout_of_map(xp, f, N, eta, b, corrections):
    """Eqs. 12–16 with f(z) = b z before the readout: scale b, and with "scale" (η/t) b."""
    network = prop1(xp, f, N, eta, ("sign", "scale"))
    if "scale" in corrections:
        return network._replace(beta=b * network.beta)
    return network._replace(beta=xp.asarray(b), count=xp.asarray(CONSTANT))


@gd_ssm.claim(
    "gd-ssm.a3-output",
    where="A.3",
    kind="construction",
    says="the output is o_t = f(z_t)ᵀ Θ c_t with the z_t of eq. 12",
    given={"x": "N+1 f", "y": "N", "eta": "", "b": "", "c": "", "d": ""},
    sizes={"N": (1, 2, 3), "f": (1, 2)},
    construction=NONLINEAR,
    parameters=readout_of_map,
    assuming={"η > 0": lambda eta: eta > 0},
    reading=(
        "Where a map f exists (prop4+vanishing: w0 = 0, g(0) = 0, f(s) = g'(0) s), the network's output is "
        "compared with "
        "the prediction of Prop. 4, −η ∇L(D_{1:t}; 0)·x_{t+1}. The scale η/t is missing; its minus sign is not, since "
        "z_t of eq. 12 is minus the statistic."
    ),
)
def output(construction, p, x, y, eta, b, c, d):
    learned = construction.learned(x, y, eta, b=b, c=c, d=d)
    return equal(construction.predictions(p, x, y), learned)


output.amend(
    "scale", "the output is o_t = (η/t) f(z_t)ᵀ Θ c_t", corrections=("scale",), assuming={}
)
