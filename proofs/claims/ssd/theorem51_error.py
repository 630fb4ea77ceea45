"""How far the layers of Theorem 5.1 are from SGD, with explicit constants (ssd §5.1, App. A)."""

from __future__ import annotations

from scanproof.constructs import tokens
from scanproof.constructs.arrays.norms import absolute, norm
from scanproof.constructs.arrays.ranges import build
from scanproof.constructs.arrays.scan import scan
from scanproof.constructs.constructions.hybrid import (
    on_features,
    theorem5_1,
    theorem5_1_layers,
)
from scanproof.constructs.layers import hybrid, lsa
from scanproof.constructs.layers.hybrid_terms import half_step_term
from scanproof.constructs.learners.descent import stochastic_gradient_descent
from scanproof.constructs.learners.losses import HALF_SUM

from ...language.statements import at_most, equal
from .sizes_of_data import EPSILON, FEATURES, LABELS, MATRIX, STEP_SIZE
from .theorem51 import ANY_LABELS, SIZES, restate
from .theorem51_labels import Turn, e2, ideal_step

# The layer with its scale mended: L_ti = 1 + ηn/ε, B_l = εI and P_Y = +1; the example of the step is number t of
# n = t + r, and tokens are columns.
BOUNDED = {**FEATURES, **LABELS, **STEP_SIZE, **EPSILON}
ANY_TOKENS = {"x": "t+r+1 d", "y": "t+r+1", "eta": "", "eps": ""}
"""Any features and labels, the query's too: the tokens before any layer of a stack."""
DATA = {**ANY_LABELS, "eps": "", "C": "", "D": ""}


MENDED = ("scale", "sign")


def mended(xp, t, r, d, eta, eps):
    """The parameters of one layer for ε ≥ 0."""
    return theorem5_1(xp, t + r, d, eta, eps, t=t, corrections=MENDED)


def as_columns(x, labels, xp):
    """Tokens (x_i, y_i) as columns, the query's label among the labels: (d + 1, T)."""
    return xp.concat([x, labels[:, None]], axis=1).T


@restate(
    "layer",
    (
        "with L_ti = 1 + ηn/ε and B_l = εI a layer is its limit and "
        "(ε/n) Σ_{j≤i} (⟨x_i^½, x_j^½⟩z_j^½ − ⟨x_i, x_j⟩z_j), for every ε"
    ),
    kind="identity",
    given=ANY_TOKENS,
    sizes=SIZES,
    parameters=mended,
    reading="The unselected part, kept: in the limit it cancels between the sublayers.",
)
def layer(p, x, y, eta, eps, xp, t, r, d):
    Z = as_columns(x, y, xp)
    limit = hybrid.layer(mended(xp, t, r, d, eta, 0), Z)
    rest = half_step_term(p, Z, eps * on_features(xp, xp.eye(d)))
    return equal(hybrid.layer(p, Z), limit + rest)


@restate(
    "step-error",
    (
        "a layer is its limit but for (ε(n + 1)/n) ((1 + u)³ − 1) C³ in the features and "
        "(ε(n + 1)/n) ((1 + u)³ − 1) C²D in the labels, u = (η + ε(n + 1)/n) C², when ‖x_i‖ ≤ C, |y_i| ≤ D and η, ε ≥ 0"
    ),
    kind="bound",
    given={**ANY_TOKENS, "C": "", "D": ""},
    sizes=SIZES,
    assuming=BOUNDED,
    parameters=mended,
)
def step_error(p, x, y, eta, eps, C, D, xp, t, r, d):
    Z = as_columns(x, y, xp)
    n = t + r
    rest = half_step_term(p, Z, eps * on_features(xp, xp.eye(d)))
    share = eps * (n + 1) / n
    growth = share * ((1 + (eta + share) * C**2) ** 3 - 1) * xp.ones((n + 1,))
    yield at_most(norm(rest[:d].T), growth * C**3)
    yield at_most(absolute(rest[d]), growth * C**2 * D)


def in_turn(x, labels, eta, xp, causal=True):
    """The tokens after each of n layers of the limit, on the examples 1, …, n: (n, d + 1, n + 1)."""
    n = x.shape[0] - 1
    Z = as_columns(x, labels, xp)
    return theorem5_1_layers(Z, xp.eye(n + 1)[:n], eta, 0, MENDED, causal=causal).states


def ideal_labels(x, start, eta, xp, causal=True):
    """The labels after each of n steps y_i ← y_i − η⟨x_i, x_t⟩y_t, t = 1, …, n: (n, n + 1).

    Of the tokens i ≥ t if causal, else of all.
    """
    n = x.shape[0] - 1
    visible = lsa.causal_mask(xp, n + 1) if causal else xp.ones((n + 1, n + 1))
    turns = Turn(x[:-1], visible[:-1], xp.eye(n))
    return scan(ideal_step, (x, eta), start, turns).states


def sgd_residuals(x, start, eta, xp):
    """y_i − w_l·x_i after each of l = 1, …, n steps of SGD from 0 on the examples in turn: (n, n + 1)."""
    n, d = x.shape[0] - 1, x.shape[1]

    def step(data, w, e):
        w = stochastic_gradient_descent(HALF_SUM, w, (e @ data[0])[None], (e @ data[1])[None], eta)
        return w, w

    weights = scan(step, (x, start), xp.zeros((d,)), xp.eye(n + 1)[:n]).states
    return start - weights @ x.T


def layers_so_far(xp, n):
    """l = 1, …, n, shape (n, 1)."""
    return build(xp, n, lambda before: xp.asarray(before + 1))[:, None]


@e2.restate(
    "bound",
    "|E_2| ≤ ((n + 1)/n) ((1 + u)³ − 1) C²D with u = ε‖B‖ (η + (n + 1)/n) C², for the printed layer with B_l = εB",
    given={**DATA, "B": "d d", "b": ""},
    sizes=SIZES,
    assuming={**BOUNDED, **MATRIX},
    parameters=None,
    reading="So E_2 = O(ε) with a constant that depends on C, D, ‖B‖ and η, and not on n; it is not O(ε/n).",
)
def e2_bound(x, y, eta, eps, B, b, C, D, xp, t, r, d):
    n = t + r
    p = theorem5_1(xp, n, d, eta, eps, B, t)
    error = half_step_term(p, tokens.labelled(x, y).T, on_features(xp, xp.eye(d)))[d]
    share = xp.asarray(n + 1) / n
    growth = (1 + eps * b * (eta + share) * C**2) ** 3 - 1
    return at_most(absolute(error), share * growth * C**2 * D * xp.ones((n + 1,)))


LAYERS = {"x": "n+1 d", "y": "n", "eta": "", "C": "", "D": ""}
LAYER_SIZES = {"n": (1, 2), "d": (1, 2)}
SHORT = {**FEATURES, **STEP_SIZE, "ηC² ≤ 2": lambda eta, C: at_most(eta * C**2, 2)}


@restate(
    "drift",
    "for η ≥ 0, ηC² ≤ 2 and every l ≤ n the layers in the limit have ‖x_i^l‖ ≤ C and ‖x_i^l − x_i‖ ≤ lηC³",
    kind="bound",
    given={"x": "n+1 d", "eta": "", "C": ""},
    sizes=LAYER_SIZES,
    assuming=SHORT,
)
def drift(x, eta, C, xp, n, d):
    X = in_turn(x, xp.zeros((n + 1,)), eta, xp)[:, :d].mT
    yield at_most(norm(X), C)
    yield at_most(norm(X - x), layers_so_far(xp, n) * eta * C**3 * xp.ones((n + 1,)))


def label_bounds(Z, x, ideal, eta, C, D, delta, E, xp):
    """The bounds after l = 1, …, n layers, from drifts δ, labels D and errors E at the start."""
    n, d = x.shape[0] - 1, x.shape[1]
    l, everyone = layers_so_far(xp, n), xp.ones((n + 1,))
    growth = 1 + eta * C**2
    growths = build(xp, n, lambda before: growth ** (before + 1))[:, None]  # (1 + ηC²)^l
    drifted = 2 * l * eta * C * delta + l * (l - 1) * eta**2 * C**4
    yield at_most(norm(Z[:, :d].mT), C, label="features")
    yield at_most(norm(Z[:, :d].mT - x), (delta + l * eta * C**3) * everyone, label="drift")
    yield at_most(absolute(Z[:, d]), growths * D * everyone, label="labels")
    yield at_most(absolute(Z[:, d] - ideal), (E + drifted * D) * growths * everyone, label="error")


@restate(
    "error",
    (
        "for η ≥ 0, ηC² ≤ 2, |y_i| ≤ D and every l ≤ n layers in the limit in which every token sees the examples, the "
        "labels are y_i − ⟨w_l, x_i⟩, and −⟨w_l, x_{n+1}⟩ at the query, but for l(l − 1) η²C⁴D (1 + ηC²)^l, w_l being "
        "l steps of SGD"
    ),
    kind="bound",
    given=LAYERS,
    sizes=LAYER_SIZES,
    assuming={**SHORT, **LABELS},
    reading=(
        "One pass. At the query causal masks make no difference in it (+first-epoch); with causal sums, and for more "
        "than one pass: +epochs."
    ),
)
def error(x, y, eta, C, D, xp, n):
    start = xp.concat([y, xp.zeros((1,))], axis=0)
    ideal = ideal_labels(x, start, eta, xp, causal=False)
    yield equal(ideal, sgd_residuals(x, start, eta, xp), label="ideal updates are SGD's")
    Z = in_turn(x, start, eta, xp, causal=False)
    yield from label_bounds(Z, x, ideal, eta, C, D, 0 * eta, 0 * eta, xp)


EPOCH = {
    "x": "n+1 d",
    "h": "n+1 d",
    "y": "n+1",
    "ideal": "n+1",
    **dict.fromkeys(("eta", "C", "D", "delta", "E"), ""),
}
STARTED = {
    **SHORT,
    **LABELS,
    "‖h_i‖ ≤ C": lambda h, C: at_most(norm(h), C),
    "‖h_i − x_i‖ ≤ δ": lambda h, x, delta: at_most(norm(h - x), delta),
    "|y_i − ŷ_i| ≤ E": lambda y, ideal, E: at_most(absolute(y - ideal), E),
}


@restate(
    "epochs",
    (
        "one more pass with causal masks, from any features ‖h_i‖ ≤ C, ‖h_i − x_i‖ ≤ δ and labels |y_i| ≤ D, "
        "|y_i − ŷ_i| ≤ E: after l ≤ n of its layers these are at most C, δ + lηC³, D (1 + ηC²)^l and "
        "(E + (2lηCδ + l(l − 1) η²C⁴) D) (1 + ηC²)^l, ŷ being ideal updates with causal sums (η ≥ 0, ηC² ≤ 2)"
    ),
    kind="bound",
    given=EPOCH,
    sizes=LAYER_SIZES,
    assuming=STARTED,
    reading=(
        "So l layers of any number of passes have the bound of +error, with l counted through. In the first pass the "
        "ideal updates of the tokens i ≥ l are SGD's (ssd.thm5.1-affine+first-pass, at fixed sizes); in a later one "
        "the early tokens have not seen the later ones, and they are not."
    ),
)
def epochs(x, h, y, ideal, eta, C, D, delta, E, xp, n):
    after = ideal_labels(x, ideal, eta, xp)
    return label_bounds(in_turn(h, y, eta, xp), x, after, eta, C, D, delta, E, xp)
