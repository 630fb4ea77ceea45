"""Scalar regression: the warm-up and its network (gril §4.1, A.1)."""

from __future__ import annotations

from scanproof.constructs.arrays.ranges import build, each
from scanproof.constructs.arrays.scan import scan
from scanproof.constructs.constructions.gril import A1, A1_EVERY, a1
from scanproof.constructs.learners.accumulation import Example, accumulation_step
from scanproof.constructs.learners.descent import loss_gradient, prefix_predictions
from scanproof.constructs.learners.losses import HALF_MEAN

from ...language.statements import differs, equal
from .linear_model import targets
from .source import gril

LINEAR = {"x": "N+1 f", "w": "f", "eta": ""}
ANY_TARGETS = {"x": "N+1 f", "y": "N", "eta": ""}


def accumulated(w0, x, y, xp, f):
    """z_1, …, z_N of eq. 5 from z_0 = 0."""
    return scan(accumulation_step, w0, xp.zeros((f,)), Example(x[:-1], y)).states


def read_out(z, x, eta, xp):
    """Eq. 6 as printed: −(η/t) z_tᵀ x_{t+1} at every t."""
    return build(xp, z.shape[0], lambda s: -(eta / (s + 1)) * (z[s] @ x[s + 1]))


@gril.claim(
    "gril.eq5-6",
    where="eqs. 4–6",
    says=(
        "z_t = z_{t−1} + (w0·x_t − y_t) x_t, ŷ_{t+1} = −(η/t) z_t·x_{t+1} is the prediction after "
        "one step on (1/2t) Σ (w·x_i − y_i)² from w0 = 0, at every t"
    ),
    given=ANY_TARGETS,
    reading="With w0 = 0 and z_0 = 0, as the text sets them; for arbitrary targets.",
)
def eq5_6(x, y, eta, xp, f):
    w0 = xp.zeros((f,))
    z = accumulated(w0, x, y, xp, f)
    return equal(prefix_predictions(HALF_MEAN, w0, x, y, eta), read_out(z, x, eta, xp))


@gril.claim(
    "gril.eq5-z0",
    where="after eq. 5",
    kind="remark",
    says="starting from z_0 = 0 is equivalent to w0 = 0",
    given={"x": "N+1 f", "w": "f", "w0": "f"},
    reading=(
        "If the two were equivalent, eq. 5 started from z_0 = 0 would pass through the same states "
        "whether w0 is set to 0 or not. It does not: z_0 = 0 is the empty sum for every w0."
    ),
)
def eq5_z0(x, w, w0, xp, f):
    y = targets(x, w)
    from_w0 = accumulated(w0, x, y, xp, f)
    return equal(from_w0, accumulated(xp.zeros((f,)), x, y, xp, f))


@eq5_z0.restate(
    "separate",
    "z_0 = 0 makes z_t = t ∇L(D_{1:t}; w0) for every w0; that eq. 6 is the prediction needs w0 = 0 besides",
    given={**ANY_TARGETS, "w0": "f"},
)
def eq5_z0_separate(x, y, w0, eta, xp, N, f):
    z = accumulated(w0, x, y, xp, f)
    for t in each(1, N):
        gradient = loss_gradient(HALF_MEAN, w0, x[:t], y[:t])
        yield equal(z[t - 1], t * gradient, ("state, t = ", t))
    predictions = prefix_predictions(HALF_MEAN, w0, x, y, eta)
    yield differs(read_out(z, x, eta, xp), predictions, "eq. 6 for w0 ≠ 0")


@gril.claim(
    "gril.a1-construction",
    where="A.1, eqs. 12–14",
    kind="construction",
    says=(
        "Ψ = [I 0], Θ = [0 I], β = −η/N: the final output o_t = β z_tᵀ Θ c_t is the prediction ŷ_{t+1}"
    ),
    given=LINEAR,
    construction=A1,
    reading=(
        "Read at the last token t = N, where η/N is the step size of eq. 6 (“the SSM final output”). "
        "Eq. 12 accumulates +x_t y_t where eq. 5 has (w0·x_t − y_t) x_t = −x_t y_t, and keeps β negative."
    ),
)
def a1_construction(construction, p, x, eta, w=None, y=None):
    y = targets(x, w, y)
    return equal(construction.predictions(p, x, y), construction.learned(x, y, eta))


a1_construction.amend("sign", "the same with β = +η/N", given=ANY_TARGETS, corrections=("sign",))
a1_construction.amend(
    "input-sign",
    "the same with Ψ = −[I 0], which is eq. 5, and β = −η/N",
    given=ANY_TARGETS,
    corrections=("input-sign",),
)
a1_construction.amend(
    "sign+scale",
    "with β = +η/t the output o_t is the prediction ŷ_{t+1} at every token t",
    given=ANY_TARGETS,
    construction=A1_EVERY,
    corrections=("sign", "scale"),
)


@gril.claim(
    "gril.a1-state",
    where="A.1",
    says="the state of that network is the unscaled gradient t ∇L(D_{1:t}; w0)",
    given=LINEAR,
    parameters=a1,
    reading="At w0 = 0, which the section assumes.",
)
def a1_state(p, x, xp, N, f, w=None, y=None, *, sign=1):
    y = targets(x, w, y)
    states = A1.run(p, x, y).states
    for t in each(1, N):
        gradient = loss_gradient(HALF_MEAN, xp.zeros((f,)), x[:t], y[:t])
        yield equal(states[t - 1], sign * t * gradient, ("t = ", t))


a1_state.amend(
    "sign",
    "the state is minus the unscaled gradient, −t ∇L(D_{1:t}; 0)",
    given=ANY_TARGETS,
    sign=-1,
)
a1_state.amend(
    "input-sign",
    "with Ψ = −[I 0] the state is t ∇L(D_{1:t}; 0)",
    given=ANY_TARGETS,
    corrections=("input-sign",),
)
