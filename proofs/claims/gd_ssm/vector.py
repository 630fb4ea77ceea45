"""Vector targets: Proposition 2 and its derivation (gd-ssm §3.2, A.1)."""

from __future__ import annotations

from fractions import Fraction

from scanproof.constructs import tokens
from scanproof.constructs.arrays.array_api import outer
from scanproof.constructs.arrays.ranges import each
from scanproof.constructs.arrays.scan import scan
from scanproof.constructs.constructions.gd_ssm import BLOCK, EMBEDDED, PROP2, prop2
from scanproof.constructs.layers import gril, linear_attention
from scanproof.constructs.learners.accumulation import Example, accumulation_step
from scanproof.constructs.learners.descent import loss_gradient
from scanproof.constructs.learners.losses import HALF_MEAN, SUM

from ...language.learns import learns
from ...language.statements import equal
from .source import gd_ssm

VECTOR = {"x": "N+1 f", "y": "N f", "eta": ""}


gd_ssm.claim(
    "gd-ssm.prop2",
    where="Prop. 2",
    kind="existence",
    says=(
        "vector targets, window 3 on x_1, y_1, x_2, …: there is a diagonal linear recurrent layer with local "
        "self-attention that outputs the one-step prediction −(ΔW)ᵀ x_{N+1} (loss eq. 22, W0 = 0, predictor Wᵀx)"
    ),
    given=VECTOR,
    construction=PROP2,
    fixed=("eta",),
    corrections=("transpose", "sign"),
    reading="Witness: the printed construction with Q = e_2 e_1ᵀ and β = +η/N, windows two tokens apart.",
)(learns)


printed = gd_ssm.claim(
    "gd-ssm.prop2-construction",
    where="eqs. 17–21, A.1",
    kind="construction",
    says=(
        "Q = e_1 e_2ᵀ, Z_t = Z_{t−1} + C_t Q C_tᵀ, o_t = β Z_t C_t e_3, β = −η/N: o_N is that prediction"
    ),
    given=VECTOR,
    construction=PROP2,
    reading=(
        "Two slips: e_1 e_2ᵀ makes the state Σ x yᵀ where eq. 17 has Σ y xᵀ (seen from f = 2 on), and the sign of β "
        "is that of the gradient, while the state is minus the gradient."
    ),
)(learns)


printed.amend(
    "transpose+sign", "the same with Q = e_2 e_1ᵀ and β = +η/N", corrections=("transpose", "sign")
)

printed.amend(
    "transpose+sign+scale",
    "with Q = e_2 e_1ᵀ and β = +η/t the output is the prediction from D_{1:t} at every t",
    construction=BLOCK,
    corrections=("transpose", "sign", "scale"),
)


@gd_ssm.claim(
    "gd-ssm.prop2-input",
    where="after eq. 21",
    says="with that Q, C_t Q C_tᵀ = y_t x_tᵀ",
    given=VECTOR,
    sizes={"N": (1,)},
    parameters=prop2,
)
def update(p, x, y, eta):
    windows = tokens.windows(tokens.interleaved(x, y), 3, 2)
    return equal(gril.cross_product(windows.window[0], p.mixing), outer(y[0], x[0]))


update.amend("transpose", "with Q = e_2 e_1ᵀ, C_t Q C_tᵀ = y_t x_tᵀ", corrections=("transpose",))


@gd_ssm.claim(
    "gd-ssm.prop2-stride1",
    where="Prop. 2 (“every token s_j”)",
    kind="construction",
    says="the same when the window slides by one over the interleaved stream and every position is accumulated",
    given={"x": "N+1 f", "W": "f f", "eta": ""},
    parameters=prop2,
    corrections=("transpose", "sign"),
    reading=(
        "Tried on data from a linear model with the mended Q and β, so that only the stride is judged. Windows "
        "(y_t, x_{t+1}, y_{t+1}) add x_{t+1} y_tᵀ to the state."
    ),
)
def stride_one(p, x, W, eta, N, *, stride=1):
    slid, y = PROP2._replace(tokens=tokens.Windows(stride=stride)), x[:N] @ W
    return equal(slid.outputs(p, x, y)[-1], slid.learned(x, y, eta))


stride_one.amend("stride", "the same with windows two tokens apart", construction=PROP2, stride=2)


@stride_one.restate(
    "embedding",
    "sliding by one, if x fills the first k coordinates and y the other l, with zeros elsewhere",
    given={"x": "N+1 k", "y": "N l", "eta": ""},
    sizes={"N": (1, 2, 3), "k": (1, 2), "l": (1, 2)},
    construction=EMBEDDED,
)
def stride_one_embedded(construction, p, x, y, eta, xp, k):
    output = construction.outputs(p, x, y)[-1]
    return equal(output, xp.concat([xp.zeros((k,)), construction.learned(x, y, eta)]))


@gd_ssm.claim(
    "gd-ssm.cqc-lsa",
    where="after eq. 21",
    kind="remark",
    says="C Q Cᵀ is a truncated form of eq. 2",
    given={"C": "f w", "Q": "w w"},
    reading=(
        "The key–value part of linear attention (eqs. 2 and 5) over the w tokens of the window, with keys c_j and "
        "values (C Q)_j. The values mix positions, which the feature maps of eq. 2 alone do not do."
    ),
)
def truncated_attention(C, Q, xp, f):
    mixed = (C @ Q).T
    window = linear_attention.Token(q=C.T, k=C.T, v=mixed)
    attended = scan(linear_attention.step, None, xp.zeros((f, f)), window).final_state
    return equal(gril.cross_product(C, Q), attended)


@gd_ssm.claim(
    "gd-ssm.a1-gradient",
    where="A.1",
    says="∇L(D_{1:t}; W0) = (1/t) Σ ∂_W ‖Wᵀ x_i − y_i‖² for the loss of eq. 22",
    given={"x": "t f", "y": "t k", "W0": "f k"},
    sizes={"t": (1, 2, 3), "f": (1, 2, 3), "k": (1, 2)},
    reading="Eq. 22 carries 1/(2N); the ½ is lost in the gradient.",
)
def gradient(x, y, W0, t, *, factor=1):
    return equal(loss_gradient(HALF_MEAN, W0, x, y), factor * loss_gradient(SUM, W0, x, y) / t)


gradient.amend("factor", "∇L(D_{1:t}; W0) = (1/2t) Σ ∂_W ‖Wᵀ x_i − y_i‖²", factor=Fraction(1, 2))


@gd_ssm.claim(
    "gd-ssm.eq23",
    where="eq. 23",
    says=(
        "column recursion g([W0]_{:,i}) += ([W0]_{:,i}·x_t − [y_t]_i) x_t, and (1/t) g is the column of ∇L"
    ),
    given={"x": "N f", "y": "N k", "W0": "f k"},
    sizes={"N": (1, 2, 3), "f": (1, 2, 3), "k": (1, 2)},
)
def column_recursion(x, y, W0, xp, N, f, k):
    for i in each(0, k - 1):
        columns = scan(accumulation_step, W0[:, i], xp.zeros((f,)), Example(x, y[:, i])).states
        for t in each(1, N):
            whole = loss_gradient(HALF_MEAN, W0, x[:t], y[:t])
            yield equal(columns[t - 1] / t, whole[:, i], ("column ", i + 1, ", t = ", t))


@gd_ssm.claim(
    "gd-ssm.a1-input",
    where="A.1",
    says="with Q = e_1 e_2ᵀ the input for output i is [y_t]_i x_t",
    given=VECTOR,
    sizes={"N": (1,)},
    parameters=prop2,
    reading=(
        "The input for output i is column i of C_t Q C_tᵀ, as in the state of A.1. (In eq. 18, o = β Z C e_3, "
        "output i is read from row i instead: see prop2-input.)"
    ),
)
def column_input(p, x, y, eta, f):
    windows = tokens.windows(tokens.interleaved(x, y), 3, 2)
    update = gril.cross_product(windows.window[0], p.mixing)
    for i in each(0, f - 1):
        yield equal(update[:, i], y[0, i] * x[0], ("output ", i + 1))


@gd_ssm.claim(
    "gd-ssm.a1-state",
    where="A.1",
    says="[Z_t]_{:,i} = g(D_{1:t}; [W0]_{:,i})ᵀ with that Q and W0 = 0",
    given=VECTOR,
    parameters=prop2,
    reading="Columns are compared as vectors; the transpose of a column says nothing more.",
)
def column_state(p, x, y, eta, xp, N, f, *, sign=1):
    states = BLOCK.run(p, x, y).states
    for i in each(0, f - 1):
        columns = scan(
            accumulation_step, xp.zeros((f,)), xp.zeros((f,)), Example(x[:N], y[:, i])
        ).states
        yield equal(states[:, :, i], sign * columns, ("column ", i + 1))


column_state.amend(
    "sign", "[Z_t]_{:,i} = −g(D_{1:t}; 0), the column of minus the gradient", sign=-1
)
