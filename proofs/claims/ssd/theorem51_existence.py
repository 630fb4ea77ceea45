"""Theorem 5.1 as a statement of existence: SGD in the query's slot after the last of l layers (ssd §5.1, App. A)."""

from __future__ import annotations

from scanproof.constructs import tokens
from scanproof.constructs.arrays.array_api import unit
from scanproof.constructs.arrays.expansion import coefficient
from scanproof.constructs.arrays.norms import absolute, norm
from scanproof.constructs.arrays.ranges import each
from scanproof.constructs.arrays.scan import scan
from scanproof.constructs.constructions import sequential_sgd
from scanproof.constructs.constructions.reverse_sgd import (
    IN_TURN,
    after_each,
    decays,
    query_mask,
    reverse,
    small_mask,
    weighted,
    with_masks,
)
from scanproof.constructs.constructions.sequential_sgd import sequential
from scanproof.constructs.layers import hybrid
from scanproof.constructs.layers import ssd as mamba2
from scanproof.constructs.learners.descent import gradient_descent, stochastic_gradient_descent
from scanproof.constructs.learners.losses import HALF_SUM, MEAN

from ...language.statements import at_most, equal
from .theorem51 import restate

# Tokens are columns, the query is the last one. The layers are those of `reverse_sgd`: limits ε → 0 of SSD sublayers
# with a mask of decays and an LSA sublayer with P = 0. Row k of V (l, n) has the weights of step k.
DATA = {"x": "n+1 d", "y": "n"}


def weighted_step(data, w, weights):
    """w ← w − Σ_j V_j (w·x_j − y_j) x_j."""
    x, y = data
    w = gradient_descent(weighted(weights), w, x, y, 1)
    return w, w


def descent(x, y, V, xp):
    """w_0 = 0, w_1, …, w_l: (l + 1, d)."""
    start = xp.zeros((x.shape[1],))
    steps = scan(weighted_step, (x[:-1], y), start, V).states
    return xp.concat([start[None], steps], axis=0)


@restate(
    "reverse+sign",
    (
        "for every l and ε > 0 there are parameters of l layers with y^l_{n+1} = −⟨w_l, x_{n+1}⟩ + O(ε) after the last "
        "layer, for l steps of SGD on any examples in any order: layer k does step l + 1 − k"
    ),
    given={**DATA, "V": "l n"},
    sizes={"n": (1, 2), "d": (1, 2), "l": (1, 2, 3)},
    construction=IN_TURN,
    fixed=("V",),
    reading=(
        "The layers at ε = 0, where x ← x − Σ_j V_j ⟨x_j, x⟩ x_j and y ← y − Σ_j V_j ⟨x_j, x⟩ y_j at the query, and "
        "the examples stay; w_k is w_{k−1} − Σ_j V_kj (w_{k−1}·x_j − y_j) x_j for any V, and a row ηe_t of V is a step "
        "of SGD (+reverse-step). For each layer k the machine proves that ⟨w_{l−k}, x^k⟩ − y^k at the query is the "
        "same after it as before it; k = 0 gives ⟨w_l, x_{n+1}⟩, k = l gives −y^l_{n+1}. Masks of decays tend to those "
        "used here (+reverse-mask), and a layer is a polynomial in its mask: for bounded data its label differs by "
        "O(ε). The labels before the last layer are not −⟨w_k, x_{n+1}⟩."
    ),
)
def reverse_order(p, x, y, V, xp, n, d, l):
    w, Z = descent(x, y, V, xp), tokens.labelled(x, y).T
    columns = xp.concat([Z[None], after_each(p, Z)], axis=0)

    def kept(k):
        return w[l - k] @ columns[k][:d, n] - columns[k][d, n]

    yield equal(columns[l][:, :n], columns[0][:, :n], label="the examples stay")
    yield equal(kept(0), w[l] @ x[n], label="before the first layer")
    for k in each(0, l - 1):
        yield equal(kept(k + 1), kept(k), label="one layer")
    yield equal(kept(l), -columns[l][d, n], label="after the last layer")


@restate(
    "reverse-three",
    "the same with all three steps at once: three such layers leave y^3_{n+1} = −⟨w_3, x_{n+1}⟩",
    given={**DATA, "V": "3 n"},
    sizes={"n": (1, 2), "d": (1, 2)},
    parameters=reverse,
    fixed=("V",),
)
def three_layers(p, x, y, V, xp, n, d):
    label = after_each(p, tokens.labelled(x, y).T)[2, d, n]
    return equal(label, -(x[n] @ descent(x, y, V, xp)[3]))


@restate(
    "reverse-step",
    (
        "the step with weight η on example t alone is that of SGD, w − η∇L_t(w); with 2η/m on the first m examples it "
        "is that of gradient descent on (1/m) Σ (w·x_j − y_j)²"
    ),
    kind="identity",
    given={"x": "t+r d", "y": "t+r", "w": "d", "eta": ""},
    sizes={"t": (1, 2), "r": (0, 1), "d": (1, 2)},
    reading="t stands for m in the second part; r = 0 is the full batch.",
)
def steps(x, y, w, eta, xp, t, r):
    def step(weights):
        return gradient_descent(weighted(weights), w, x, y, 1)

    sgd = stochastic_gradient_descent(HALF_SUM, w, x, y, eta, [t - 1])
    yield equal(step(eta * unit(xp, t + r, t - 1)), sgd, label="SGD")
    batch = xp.concat([xp.ones((t,)), xp.zeros((r,))], axis=0)
    descended = gradient_descent(MEAN, w, x[:t], y[:t], eta)
    yield equal(step(2 * eta / t * batch), descended, label="mini-batch")


@restate(
    "reverse-mask",
    (
        "for ε, η ≠ 0 the decays a_{j+1} = p_j/p_{j+1}, p_t = −ηn/ε² at example t, or at the first t, p_{n+1} = 1 and "
        "p_j = −1/ε elsewhere, have a mask L of which ε²L is a polynomial in ε; at ε = 0 it is −ηn in these rows of "
        "the query's column and 0 elsewhere"
    ),
    kind="identity",
    given={"eta": "", "eps": ""},
    sizes={"t": (1, 2), "r": (0, 1)},
    reading=(
        "With S = ε² diag(I, 0) these are SSD layers of Def. 3.2; for ε, η > 0 all decays but the last are positive."
    ),
)
def masks(eta, eps, xp, t, r):
    batch = xp.concat([xp.ones((t,)), xp.zeros((r,))], axis=0)
    for chosen, words in ((unit(xp, t + r, t - 1), "example t"), (batch, "the first t")):
        possible = mamba2.decay_mask(decays(chosen, eta, eps))
        yield equal(eps * eps * possible, small_mask(chosen, eta, eps), label=f"ε²L, {words}")
        limit = small_mask(chosen, eta, xp.asarray(0))
        yield equal(limit, query_mask(eta * chosen), label=f"ε = 0, {words}")


# In turn, with the printed sign: the query moves the other way than the examples.


def in_turn(x, y, eta, xp, l, r, d):
    """y_{n+1} after each of the first l layers on n = l + r examples, (l,)."""
    Z = tokens.labelled(x, y).T
    return after_each(sequential(xp, l + r, d, eta, l), Z)[:, d, l + r]


def sgd(x, y, eta, l, xp, d):
    """w_l after l steps on the examples 1, …, l from 0."""
    return stochastic_gradient_descent(HALF_SUM, xp.zeros((d,)), x[:l], y[:l], eta)


@restate(
    "in-turn",
    (
        "for l ≤ 3 and ε > 0 there are parameters of l layers, the same for the first ones, with y^l_{n+1} = "
        "⟨w_l, x_{n+1}⟩ + O(η³) + O(ε) for SGD on the examples in turn: weights −η for example t at the examples i > t "
        "and +η at the query"
    ),
    given={"x": "l+r+1 d", "y": "l+r"},
    sizes={"l": (1, 2, 3), "r": (0, 1), "d": (1, 2)},
    parameters=lambda xp, l, r, d: lambda eta: sequential(xp, l + r, d, eta, l),
    reading=(
        "The layers at ε = 0 (masks: +in-turn-mask); the coefficients of η⁰, η¹ and η² of the label and of the "
        "prediction agree. The printed parameters with their scale mended have η² wrong, and the other sign "
        "(ssd.thm5.1-construction, +condition). That η³ differs for l = 2 is +in-turn-error. n = l + r."
    ),
)
def order(p, x, y, xp, l, r, d):
    def error(eta):
        return after_each(p(eta), tokens.labelled(x, y).T)[l - 1, d, l + r] - x[l + r] @ sgd(
            x, y, eta, l, xp, d
        )

    for k in range(3):
        yield equal(coefficient(xp, error, k), 0 * y[0], label=("η^", k))


@restate(
    "in-turn-error",
    (
        "after two of these layers the label is exactly ⟨w_2, x_{n+1}⟩ − "
        "η³‖x_1‖²⟨x_1, x_2⟩⟨x_1, x_{n+1}⟩(y_2 − ⟨w_1, x_2⟩), after one ⟨w_1, x_{n+1}⟩"
    ),
    kind="identity",
    given={"x": "r+3 d", "y": "r+2", "eta": ""},
    sizes={"r": (0, 1), "d": (1, 2)},
    reading="n = r + 2. With x_1·x_2 = 0 two layers are two steps, as those of the printed sign are.",
)
def error_of_two(x, y, eta, xp, r, d):
    label, query = in_turn(x, y, eta, xp, 2, r, d), x[r + 2]
    w_1, w_2 = (sgd(x, y, eta, l, xp, d) for l in (1, 2))
    moved = eta**3 * (x[0] @ x[0]) * (x[0] @ x[1]) * (x[0] @ query)
    yield equal(label[0], w_1 @ query, label="one layer")
    yield equal(label[1], w_2 @ query - moved * (y[1] - w_1 @ x[1]), label="two layers")


@restate(
    "in-turn-mask",
    (
        "for ε, η ≠ 0 the decays a_{j+1} = p_j/p_{j+1}, p_t = ηn/ε², p_{n+1} = 1 and p_j = −1 elsewhere, have a mask L "
        "of which ε²L is a polynomial in ε; at ε = 0 its row t is −ηn behind t and +ηn at the query, all else is 0"
    ),
    kind="identity",
    given={"eta": "", "eps": ""},
    sizes={"t": (1, 2), "r": (0, 1)},
    reading="With S = ε² diag(I, 0) these are SSD layers of Def. 3.2. The last decay is −1 for t < n.",
)
def masks_in_turn(eta, eps, xp, t, r):
    chosen = unit(xp, t + r, t - 1)
    small = sequential_sgd.small_mask(chosen, eta, eps)
    possible = mamba2.decay_mask(sequential_sgd.decays(chosen, eta, eps))
    yield equal(eps * eps * possible, small, label="ε²L")
    limit = sequential_sgd.small_mask(chosen, eta, xp.asarray(0))
    yield equal(limit, eta * sequential_sgd.unscaled_mask(chosen), label="ε = 0")


@restate(
    "mask-error",
    (
        "a layer with S = diag(I, 0) and P = 0 whose mask is wrong by at most ε in each entry has features wrong by at "
        "most ((n + 1)/n) ε C³ and labels by at most ((n + 1)/n) ε C² D, for ‖x_i‖ ≤ C and |y_i| ≤ D"
    ),
    kind="bound",
    given={"x": "n+1 d", "y": "n+1", "M": "n+1 n+1", "E": "n+1 n+1", "eps": "", "C": "", "D": ""},
    sizes={"n": (1, 2), "d": (1, 2)},
    assuming={
        "‖x_i‖ ≤ C": lambda x, C: at_most(norm(x), C),
        "|y_i| ≤ D": lambda y, D: at_most(absolute(y), D),
        "|E_ji| ≤ ε": lambda E, eps: at_most(absolute(E), eps),
        "ε ≥ 0": lambda eps: at_most(0, eps),
    },
    reading=(
        "For any mask M. In +reverse-mask and +in-turn-mask the entries of E are at most ε max(1, ηn) for 0 < ε ≤ 1, "
        "ε² ≤ ηn, so that this is what one of those layers lacks to its limit."
    ),
)
def mask_error(x, y, M, E, eps, C, D, xp, n, d):
    Z = xp.concat([x, y[:, None]], axis=1).T
    right, wrong = (with_masks(xp, d, mask) for mask in (M, M + E))
    moved = hybrid.layer(wrong, Z) - hybrid.layer(right, Z)
    yield at_most(norm(moved[:d].T), eps * C**3 * (n + 1) / n)
    yield at_most(absolute(moved[d]), eps * C**2 * D * (n + 1) / n)
