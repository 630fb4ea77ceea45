"""What the layers of Theorem 5.1 compute, with their scale mended: SGD in a metric of its own (ssd §5.1, App. A)."""

from __future__ import annotations

from scanproof.constructs import tokens
from scanproof.constructs.arrays.ranges import each
from scanproof.constructs.arrays.scan import scan
from scanproof.constructs.constructions.hybrid import theorem5_1_layers
from scanproof.constructs.learners import moving_metric
from scanproof.constructs.learners.descent import stochastic_gradient_descent
from scanproof.constructs.learners.losses import HALF_SUM

from ...language.statements import equal
from .theorem51 import restate

# Tokens are columns, the label is the last row and the query's label is 0. The layers are those with L_ti = 1 + ηn/ε,
# B_l = εI and P_Y = +1, at ε = 0.
SCALE = ("scale", "sign")


def limit_layers(x, y, eta, chosen, causal=True):
    """The tokens after each of the layers at ε = 0, (l, d + 1, n + 1), on the examples that the rows choose."""
    Z = tokens.labelled(x, y).T
    return theorem5_1_layers(Z, chosen, eta, 0, SCALE, causal=causal).states


def moving(x, y, eta, chosen, xp):
    """(w_l, A_l) of `moving_metric` with the weights (l, n) of the examples in each step."""
    data = moving_metric.Data(x[:-1], y, eta)
    return scan(moving_metric.step, data, moving_metric.start(xp, x.shape[1]), chosen).final_state


def residuals(x, y, w, xp):
    """y_i − w·x_i, where the query's label is 0: (n + 1,)."""
    return xp.concat([y, xp.zeros((1,))], axis=0) - x @ w


def padded(chosen, xp):
    """Rows e_t on n examples as rows on n + 1 tokens."""
    return xp.concat([chosen, xp.zeros((chosen.shape[0], 1))], axis=1)


DATA = {"x": "n+1 d", "y": "n", "eta": ""}
LAYERS = {**DATA, "chosen": "l n"}


@restate(
    "rule",
    (
        "with L_ti = 1 + ηn/ε, B_l = εI and ε → 0, l layers in which every token sees the examples leave "
        "x_i^l = A_l x_i and y_i^l = y_i − ⟨w_l, x_i⟩, where w_{l+1} = w_l − η G_l ∇L_t(w_l), G_l = A_lᵀA_l, "
        "A_{l+1} = (I − η u uᵀ) A_l, u = A_l x_t"
    ),
    kind="identity",
    given=LAYERS,
    sizes={"n": (1, 2), "d": (1, 2), "l": (1, 2)},
    reading=(
        "The closed form: SGD preconditioned by the Gram matrix of the map that the features have been through. Row l "
        "of `chosen` is e_t; any weights v do, with Σ_j v_j u_j u_jᵀ, u_j = A_l x_j, for u uᵀ and "
        "L = ½ Σ_j v_j (w·x_j − y_j)²."
    ),
)
def rule(x, y, eta, chosen, xp):
    Z = limit_layers(x, y, eta, padded(chosen, xp), causal=False)[-1]
    w, A = moving(x, y, eta, chosen, xp)
    yield equal(Z[:-1], A @ x.T, label="features")
    yield equal(Z[-1], residuals(x, y, w, xp), label="labels")


@restate(
    "linear",
    "on linear labels y_i = w·x_i these layers have w_l = w − A_lᵀ w: they learn as fast as they shrink the features",
    kind="identity",
    given={"x": "n+1 d", "w": "d", "eta": "", "chosen": "l n"},
    sizes={"n": (1, 2), "d": (1, 2), "l": (1, 2)},
)
def linear(x, w, eta, chosen, xp):
    learnt, A = moving(x, x[:-1] @ w, eta, chosen, xp)
    return equal(learnt, w - A.T @ w)


@restate(
    "first-epoch",
    "with causal masks and the examples 1, …, l in turn the same holds for the tokens i ≥ l, the query among them",
    kind="identity",
    given=DATA,
    sizes={"n": (1, 2, 3), "d": (1, 2)},
    reading=(
        "For every l ≤ n. A second pass differs, since token 1 has not seen the others (+second-epoch)."
    ),
)
def first_epoch(x, y, eta, xp, n):
    for l in each(1, n):
        chosen = xp.eye(n)[:l]
        Z = limit_layers(x, y, eta, padded(chosen, xp))[-1]
        w, A = moving(x, y, eta, chosen, xp)
        yield equal(Z[:-1, l - 1 :], (A @ x.T)[:, l - 1 :], label=("features, l = ", l))
        yield equal(Z[-1, l - 1 :], residuals(x, y, w, xp)[l - 1 :], label=("labels, l = ", l))


@restate(
    "second-epoch",
    (
        "the first step of a second pass with causal masks takes token 1 as its own first step left it, k z_1 with "
        "k = 1 − η‖x_1‖²: w_{n+1} = w_n + η k² y_1 A_nᵀx_1, where +rule has A_nᵀA_n x_1 (y_1 − w_n·x_1) for "
        "k² y_1 A_nᵀx_1, and SGD (y_1 − w_n·x_1) x_1"
    ),
    kind="identity",
    given=DATA,
    sizes={"n": (1, 2, 3), "d": (1, 2)},
    reading="Token 1 does not see the examples after it. For n = 1 the first two are the same; SGD has k for k³.",
)
def second_epoch(x, y, eta, xp, n):
    chosen = xp.concat([xp.eye(n), xp.eye(n)[:1]], axis=0)
    Z = limit_layers(x, y, eta, padded(chosen, xp))[-1]
    w, A = moving(x, y, eta, xp.eye(n), xp)
    kept = 1 - eta * (x[0] @ x[0])
    after = w + eta * kept * kept * y[0] * (A.T @ x[0])
    return equal(-Z[-1, n], x[n] @ after)


@restate(
    "condition",
    (
        "after two layers the weights exceed those of SGD by −η² (2 − η‖x_1‖²) (x_1·x_2) (y_2 − w_1·x_2) x_1: they are "
        "the same for all labels if and only if x_1·x_2 = 0 or η‖x_1‖² ∈ {0, 2}"
    ),
    kind="identity",
    given={"x": "3+r d", "y": "2+r", "eta": ""},
    sizes={"r": (0, 1), "d": (1, 2)},
    reading=(
        "Examples 1 and 2 in turn. That no other data do it is read off the factors, as y_2 − w_1·x_2 is any number. "
        "For more layers and 0 < η‖x_t‖² < 2: they are SGD at each step if and only if the examples are pairwise "
        "orthogonal, since ‖A_l v‖ = ‖v‖ only for v orthogonal to x_1, …, x_l, and G_l x_{l+1} = x_{l+1} asks for that."
    ),
)
def condition(x, y, eta, xp, r, d):
    chosen = xp.eye(r + 2)[:2]
    found, _ = moving(x, y, eta, chosen, xp)
    first = stochastic_gradient_descent(HALF_SUM, xp.zeros((d,)), x[:1], y[:1], eta)
    both = stochastic_gradient_descent(HALF_SUM, xp.zeros((d,)), x[:2], y[:2], eta)
    factor = eta * eta * (2 - eta * (x[0] @ x[0])) * (x[0] @ x[1]) * (y[1] - first @ x[1])
    return equal(found - both, -factor * x[0])


@restate(
    "orthogonal",
    "if the examples are pairwise orthogonal, l ≤ n layers are l steps of SGD, exactly",
    kind="identity",
    given={"c": "n", "query": "n+s", "y": "n", "eta": ""},
    sizes={"n": (1, 2, 3), "s": (0, 1)},
    reading=(
        "Orthogonal vectors are multiples of coordinate vectors in some orthonormal basis, in which x_i = c_i e_i; "
        "the query is any vector, and there may be s coordinates besides."
    ),
)
def orthogonal(c, query, y, eta, xp, n, s):
    examples = xp.concat([c[:, None] * xp.eye(n), xp.zeros((n, s))], axis=1)
    x = xp.concat([examples, query[None]], axis=0)
    for l in each(1, n):
        found = limit_layers(x, y, eta, padded(xp.eye(n)[:l], xp))[-1][-1, n]
        sgd = stochastic_gradient_descent(HALF_SUM, xp.zeros((n + s,)), x[:l], y[:l], eta)
        yield equal(-found, query @ sgd, label=("l = ", l))
