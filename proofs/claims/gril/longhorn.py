"""Longhorn's implicit online step, and in which sense GRIL's update is an explicit one (gril App. G)."""

from __future__ import annotations

from scanproof.constructs.arrays.gradient import gradient
from scanproof.constructs.arrays.ranges import each
from scanproof.constructs.arrays.scan import scan
from scanproof.constructs.constructions.gril import LONGHORN, ONLINE, PROP4_1, prop4_1
from scanproof.constructs.layers import delta_rule, longhorn
from scanproof.constructs.learners.descent import loss_gradient, stochastic_gradient_descent
from scanproof.constructs.learners.losses import HALF_SUM

from ...language.statements import differs, equal
from .source import gril


@gril.claim(
    "gril.longhorn",
    where="App. G",
    says=(
        "for β > 0 argmin_S ‖S − S_{t−1}‖_F² + β‖S k − x‖² is S_{t−1} + Δ (x − S_{t−1}k) kᵀ, Δ = β/(1 + β‖k‖²)"
    ),
    given={"S": "d m", "previous": "d m", "k": "m", "v": "d", "beta": ""},
    sizes={"d": (1, 2, 3), "m": (1, 2, 3)},
    construction=LONGHORN,
    assuming={"β > 0": lambda beta: beta > 0},
    reading=(
        "With S* the updated state: the objective's gradient vanishes at S*, and at any S the objective exceeds its "
        "value at S* by ‖S − S*‖² + β‖(S − S*)k‖² (the objective of that change, with nothing to recall), which for "
        "β > 0 is positive unless S = S*. So S* is the one minimiser."
    ),
)
def implicit_step(S, previous, k, v, beta, xp, d, m):
    token = delta_rule.Token(k=k, v=v, q=k, beta=beta)
    updated, _ = longhorn.step(None, previous, token)
    slope = gradient(lambda at: longhorn.objective(at, previous, token), updated)
    yield equal(slope, xp.zeros((d, m)), "gradient at the updated state")
    excess = longhorn.objective(S, previous, token) - longhorn.objective(updated, previous, token)
    nothing = token._replace(v=xp.zeros((d,)))
    yield equal(excess, longhorn.objective(S - updated, xp.zeros((d, m)), nothing), "excess")


@gril.claim(
    "gril.online-gd",
    where="App. G",
    kind="remark",
    says=(
        "the update Z_t = Z_{t−1} + C_t Q C_tᵀ can be viewed as an explicit online gradient step for the supervised "
        "least-squares objective, because Q yields the gradient contribution y_t x_tᵀ when W0 = 0"
    ),
    given={"x": "N+1 f", "y": "N f", "eta": ""},
    parameters=prop4_1,
    reading=(
        "Every increment Z_t − Z_{t−1} is (the transpose of) minus the gradient of ½‖Wᵀx_t − y_t‖² at W = W0 = 0: "
        "a step of size 1 along a gradient that is always taken at W0, not at the current state."
    ),
)
def online_step(p, x, y, xp, N, f):
    start = xp.zeros((f, f))
    Z = xp.concat([start[None], PROP4_1.run(p, x, y).states], axis=0)
    for t in each(1, N):
        slope = loss_gradient(HALF_SUM, start, x[t - 1 : t], y[t - 1 : t])
        yield equal(Z[t] - Z[t - 1], -slope.T, ("t = ", t))


@online_step.restate(
    "current-state",
    (
        "it is not online gradient descent, whose step is taken at the current predictor: that is the delta rule "
        "Z_t = Z_{t−1} + η (y_t − Z_{t−1} x_t) x_tᵀ, and with η = 1 the two part from t = 2 on"
    ),
    sizes={"N": (1, 2, 3), "f": (1, 2)},
    construction=ONLINE,
    reading="The delta rule is stochastic gradient descent on ½‖Wᵀx_t − y_t‖², one example after the other, Z = Wᵀ.",
)
def not_online_descent(x, y, eta, xp, N, f):
    start = xp.zeros((f, f))

    def descent(rate):
        return stochastic_gradient_descent(HALF_SUM, start, x[:-1], y, rate).T

    rate = eta * xp.ones((N,))
    rule = scan(delta_rule.step, None, start, delta_rule.Token(k=x[:-1], v=y, q=x[:-1], beta=rate))
    yield equal(rule.final_state, descent(eta), "the delta rule")
    if N > 1:
        block = prop4_1(xp, f, eta)
        accumulated = PROP4_1.run(block, x, y).final_state
        yield differs(accumulated, descent(1), "the update of GRIL")
