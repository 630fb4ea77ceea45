"""One step for vector targets: Proposition 4.1 and its derivation (gril §4.2, A.2)."""

from __future__ import annotations

from scanproof.constructs.arrays.array_api import outer
from scanproof.constructs.arrays.ranges import build, each
from scanproof.constructs.arrays.scan import scan
from scanproof.constructs.constructions.gril import A2, A2_LAST, FROM_0, PROP4_1, a2, prop4_1
from scanproof.constructs.layers import gril as layer
from scanproof.constructs.layers import linear_recurrence
from scanproof.constructs.learners.accumulation import (
    Example,
    accumulation_step,
    unscaled_gradient,
)
from scanproof.constructs.learners.descent import loss_gradient
from scanproof.constructs.learners.losses import HALF_MEAN, SUM

from ...language.learns import learns
from ...language.statements import equal
from .linear_model import targets
from .source import gril

LINEAR = {"x": "N+1 f", "w": "f f", "eta": ""}
ANY_TARGETS = {"x": "N+1 f", "y": "N f", "eta": ""}


@gril.claim(
    "gril.eq10",
    where="eq. 10",
    says="C Q Cᵀ = Σ_ij Q_ij c_i ⊗ c_j, for any window width w",
    given={"C": "f w", "Q": "w w"},
    sizes={"w": (1, 2, 3, 4)},
)
def eq10(C, Q, xp, w):
    def column(i):
        return build(xp, w, lambda j: Q[i, j] * outer(C[:, i], C[:, j])).sum(axis=0)

    return equal(layer.cross_product(C, Q), build(xp, w, column).sum(axis=0))


gril.claim(
    "gril.prop4.1",
    where="Prop. 4.1",
    kind="existence",
    says=(
        "window 3, stride 2 on tokens s_{2j} = x_j, s_{2j+1} = y_j, j = 0..N: a diagonal linear recurrent "
        "layer gives ŷ_{j+1} = −(ΔW)ᵀ x_{j+1}, ΔW = η∇L (eq. 15, W0 = 0), at every step"
    ),
    given={"x": "N+2 f", "y": "N+1 f", "eta": ""},
    sizes={"N": (0, 1, 2)},
    construction=PROP4_1,
    fixed=("eta",),
    reading=(
        "Step j averages over the t = j + 1 examples that it has accumulated. Witness: the printed "
        "construction with β = η/t. It does it for arbitrary targets."
    ),
)(learns)


gril.claim(
    "gril.prop4.1-construction",
    where="eqs. 7–10",
    kind="construction",
    says=(
        "Q = e_2 e_1ᵀ, Z_t = Z_{t−1} + C_t Q C_tᵀ, o_t = β Z_t C_t e_3, β = η/t, examples t = 1..N: "
        "o_t is the one-step prediction at every t"
    ),
    given=ANY_TARGETS,
    construction=PROP4_1,
)(learns)


@gril.claim(
    "gril.prop4.1-from0",
    where="Prop. 4.1",
    kind="construction",
    says="the same with tokens j = 0..N all accumulated and β = η/t",
    given={"x": "N+2 f", "w": "f f", "eta": ""},
    sizes={"N": (1, 2)},
    parameters=prop4_1,
    reading=(
        "t is the index j. At j = 0 the scale η/0 has no value; the outputs of steps 1..N, whose state "
        "holds Z_0 = y_0 x_0ᵀ, are compared with the predictions from the j + 1 examples accumulated."
    ),
)
def prop4_1_from0(p, x, w, eta):
    y = targets(x, w)
    every = FROM_0.seen(x, y)
    start = layer.cross_product(every.window[0], p.mixing)
    rest = layer.Window(every.window[1:], every.t[1:])
    outputs = scan(layer.step, p, start, rest).outputs
    return equal(outputs, FROM_0.learned(x, y, eta)[1:])


prop4_1_from0.amend(
    "index",
    "with tokens j = 0..N and β = η/(j + 1), o_j is the one-step prediction at every j, 0 included",
    given={"x": "N+2 f", "y": "N+1 f", "eta": ""},
    sizes={"N": (0, 1, 2)},
    construction=FROM_0,
    corrections=("index",),
    body=learns,
)


@gril.claim(
    "gril.eq2-match",
    where="after eq. 10",
    kind="remark",
    says=(
        "the output ŷ_{t+1} matches eq. 2, o_t = Z_t U_t, o'_t = o_t * σ(U_1 o_t), with U(C_t) = β C_t q, "
        "U_1 = I, σ the identity, * the matrix product"
    ),
    given=LINEAR,
    parameters=prop4_1,
    reading=(
        "The output of eq. 2 is o'. With these choices it is o_t * o_t: of two columns a matrix product "
        "at f = 1 only, where it agrees with the elementwise one, which is used here at every f."
    ),
)
def eq2_match(p, x, eta, xp, f, w=None, y=None, *, gated=True):
    y = targets(x, w, y)
    every = PROP4_1.seen(x, y)
    steps = every.t.shape[0]

    def readout(s):
        return layer.read_scale(p, every.t[s]) * (every.window[s] @ p.query)

    updates = build(xp, steps, lambda s: layer.cross_product(every.window[s], p.mixing))
    maps = linear_recurrence.Token(None, updates, build(xp, steps, readout))
    outputs = scan(linear_recurrence.matrix_step, xp.eye(f), xp.zeros((f, f)), maps).outputs
    if gated:
        before, gate = outputs, xp.eye(f)
        outputs = build(xp, steps, lambda s: linear_recurrence.gated_output(before[s], gate))
    yield equal(outputs, PROP4_1.predictions(p, x, y), "the block's output")
    yield equal(outputs, PROP4_1.learned(x, y, eta), "ŷ_{t+1}")


eq2_match.amend(
    "ungated",
    "the output is the o_t = Z_t U_t of eq. 2 with U(C_t) = β C_t q, without the output gate",
    given=ANY_TARGETS,
    construction=PROP4_1,
    gated=False,
)


@gril.claim(
    "gril.a2-gradient",
    where="A.2",
    says="∇L(D_{1:t}; W0) = (1/2t) Σ ∂_W ‖Wᵀ x_i − y_i‖² at W = W0, for eq. 15",
    given={"x": "t f", "y": "t k", "W0": "f k"},
)
def a2_gradient(x, y, W0, xp, t):
    terms = build(xp, t, lambda i: loss_gradient(SUM, W0, x[i : i + 1], y[i : i + 1]))
    return equal(loss_gradient(HALF_MEAN, W0, x, y), terms.sum(axis=0) / (2 * t))


@gril.claim(
    "gril.eq16",
    where="eq. 16",
    says=(
        "g(D_{1:t}; [W0]_{:,i}) = g(D_{1:t−1}; [W0]_{:,i}) + ([W0]_{:,i}·x_t − [y_t]_i) x_t, and (1/t) g is "
        "column i of ∇L(D_{1:t}; W0)"
    ),
    given={"x": "N f", "y": "N k", "W0": "f k"},
    sizes={"k": (1, 2)},
)
def eq16(x, y, W0, xp, N, f, k):
    for i in each(0, k - 1):
        g = scan(accumulation_step, W0[:, i], xp.zeros((f,)), Example(x, y[:, i])).states
        for t in each(1, N):
            column = loss_gradient(HALF_MEAN, W0, x[:t], y[:t])[:, i]
            yield equal(g[t - 1] / t, column, ("column ", i + 1, ", t = ", t))


@gril.claim(
    "gril.a2-construction",
    where="A.2",
    kind="construction",
    says="o_t = (η/N) Z_t C_t q corresponds exactly to −η ∇L(D_{1:t}; W0)ᵀ x_{t+1}, W0 = 0",
    given=LINEAR,
    construction=A2,
    reading=(
        "At every t, as the formula says with D_{1:t}. The gradient on D_{1:t} is an average over t "
        "examples, so that η/N is its scale at t = N only."
    ),
)
def a2_construction(construction, p, x, eta, w=None, y=None):
    y = targets(x, w, y)
    return equal(construction.predictions(p, x, y), construction.learned(x, y, eta))


a2_construction.amend(
    "scale",
    "o_t = (η/t) Z_t C_t q is −η ∇L(D_{1:t}; 0)ᵀ x_{t+1} at every t",
    given=ANY_TARGETS,
    corrections=("scale",),
)


a2_construction.amend(
    "last",
    "o_N = (η/N) Z_N C_N q is −η ∇L(D; 0)ᵀ x_{N+1}, at the last token",
    given=ANY_TARGETS,
    construction=A2_LAST,
)


@gril.claim(
    "gril.a2-state",
    where="A.2",
    says="[Z_t]_{:,i} = g(D_{1:t}; [W0]_{:,i}), W0 = 0, Q = e_2 e_1ᵀ",
    given=LINEAR,
    parameters=a2,
    reading=(
        "Q = e_2 e_1ᵀ makes Z_t = Σ y_i x_iᵀ, while the matrix with columns g is −Σ x_i y_iᵀ: the sign is "
        "wrong from f = 1 on, and rows stand for columns from f = 2 on."
    ),
)
def a2_state(p, x, xp, N, f, w=None, y=None, *, sign=1, rows=False):
    y = targets(x, w, y)
    states = A2.run(p, x, y).states
    for t in each(1, N):
        columns = unscaled_gradient(xp.zeros((f, f)), x[:t], y[:t])
        state = states[t - 1].T if rows else states[t - 1]
        yield equal(state, sign * columns, ("t = ", t))


a2_state.amend(
    "sign+transpose",
    "[Z_t]_{i,:} = −g(D_{1:t}; 0)ᵀ: row i is minus the unscaled gradient for output i",
    given=ANY_TARGETS,
    sign=-1,
    rows=True,
)
