"""Stacked causal LSA layers: that they do not do several steps at the query, and what they compute."""

from __future__ import annotations

from scanproof.constructs import tokens
from scanproof.constructs.arrays.scan import scan
from scanproof.constructs.constructions.value_projection import label_value
from scanproof.constructs.layers import lsa
from scanproof.constructs.learners.prefix import prefix_step

from ...language.statements import differs, equal
from ..ssd.single_example import exchanged, steps_exchanged
from .source import open_questions

ANY_LAYERS = {"pi": "L", "Q": "L d+1 d+1", "x": "d", "alpha": "", "gamma": "", "eta": ""}
"""P_l = diag(0, …, 0, π_l) and any Q_l, one example αx and the query γx."""


def on_a_line(pi, Q, x, alpha, gamma, xp, n, L, d):
    """`exchanged` for P_l = diag(0, …, 0, π_l), whose row is orthogonal to every (x, 0)."""
    value = xp.concat([xp.zeros((L, d)), pi[:, None]], axis=1)
    return exchanged(value, Q, x, alpha, gamma, xp, n)


@open_questions.claim(
    "open.lsa-causal-stack",
    kind="existence",
    says=(
        "for some L ≥ 2, some n and d there are numbers π_l and matrices Q_l such that L LSA layers with the causal "
        "mask (ssd Def. 3.1) and P_l = diag(0, …, 0, π_l) hold ⟨w_L, x_{n+1}⟩ or a fixed nonzero multiple of it in the "
        "query's slot for all linear data, w_L after L steps of gradient descent on (1/n) Σ (w·x_i − y_i)² from 0, η ≠ "
        "0"
    ),
    given={**ANY_LAYERS, "sigma": ""},
    sizes={"L": (2, 3), "n": (1, 2), "d": (1, 2)},
    assuming={"σ ≠ 0, η ≠ 0": lambda sigma, eta: sigma * eta != 0},
    over_all_parameters=("pi", "Q", "sigma", "eta"),
    reading=(
        "π_l and Q_l do not depend on the data. One example (αx, y_1), the query γx and other tokens 0: the slope of "
        "the layers' output at y_1 = 0 does not change when α and γ are exchanged (first part, for all parameters); "
        "that of two steps or more does (second part, divided by ση² ≠ 0). So no parameters do it, nor any sequence "
        "of them in the limit. Why so for every L: +none. LSA with a P that moves features is not treated."
    ),
)
def causal_stack(pi, Q, x, alpha, gamma, sigma, eta, xp, n, L, d):
    there, back = on_a_line(pi, Q, x, alpha, gamma, xp, n, L, d)
    yield equal(there - back, 0 * eta, label="layers")
    to, fro = steps_exchanged(x, alpha, gamma, eta, xp, n, L)
    scale = sigma * eta**2
    yield equal((there - back) / scale, sigma * (to - fro) / scale, label="L steps")


@causal_stack.restate(
    "none",
    (
        "for no L, n, d: the slope of their output at y_1 = 0 is the same for (x_1, x_{n+1}) = (αx, γx) and (γx, αx) "
        "where all other tokens are 0, and that of K ≥ 2 steps is not"
    ),
    assuming={},
    given=ANY_LAYERS,
    sizes={"L": (1, 2, 3), "K": (2, 3), "n": (1, 2), "d": (1,)},
    kind="remark",
    reading=(
        "π_l and Q_l are arbitrary, and the number L of layers need not be that of steps. Checked for L ≤ 3, K = 2, 3, "
        "n ≤ 2 and d = 1; for all L and K: to first order in y_1 only xᵀQ_l x counts, so that the labels are "
        "multiplied by commuting matrices I + c_l[[α², 0], [αγ, γ²]]. With f(t) = Π (1 + c_l t) the off-diagonal entry "
        "of their product is αγ(f(α²) − f(γ²))/(α² − γ²), symmetric in α and γ. For K steps it is αγ(1 − (1 − "
        "ρα²)^K)/α², ρ = 2η/n, not symmetric for K ≥ 2."
    ),
)
def no_stack(pi, Q, x, alpha, gamma, eta, xp, n, L, d, K):
    yield equal(*on_a_line(pi, Q, x, alpha, gamma, xp, n, L, d), label="layers")
    yield differs(*steps_exchanged(x, alpha, gamma, eta, xp, n, K), label="K steps")


STACK = {"x": "n+1 d", "y": "n", "c": "L"}
STACK_SIZES = {"n": (1, 2, 3), "d": (1, 2), "L": (1, 2, 3)}


def stacked_layers(x, y, c, xp, n, d):
    """The tokens after L layers with P = diag(0, …, 0, 1), Q_l = c_l diag(I, 0) and M causal; their labels before."""
    mask = lsa.causal_mask(xp, n + 1)

    def layer(_, Z, scale):
        p = label_value(xp, d, scale)
        Z = lsa.layer(Z, mask, p.V, p.S)
        return Z, Z

    before = xp.concat([y, xp.zeros((1,))], axis=0)
    return scan(layer, None, tokens.labelled(x, y).T, c).final_state, before


@causal_stack.restate(
    "prefix",
    (
        "with P_l = diag(0, …, 0, 1) and Q_l = c_l diag(I, 0) every token i carries weights of its own: "
        "y_i^L = y_i − ⟨w_i^L, x_i⟩, w_i^{l+1} = w_i^l − (c_l/n) Σ_{j≤i} (y_j − ⟨w_j^l, x_j⟩) x_j, w_i^0 = 0: gradient "
        "descent on the prefix of i in which each example j is judged by the weights of its own, shorter prefix"
    ),
    assuming={},
    given=STACK,
    sizes=STACK_SIZES,
    kind="identity",
    reading=(
        "For all data, all c_l and every token; the query i = n + 1 counts as an example with label 0, its own weights "
        "among those that it learns from. With c_l = −2η and one layer it is one step of GD; from the second layer on "
        "w_j^l and w_i^l are different weights."
    ),
)
def prefix_learners(x, y, c, xp, n, d):
    Z, before = stacked_layers(x, y, c, xp, n, d)
    visible = lsa.causal_mask(xp, n + 1)

    def learn(_, W, scale):
        W = prefix_step(x, before, W, -scale / n, visible)
        return W, W

    W = scan(learn, None, xp.zeros((n + 1, d)), c).final_state
    yield equal(Z[:d], x.T, label="the features stay")
    yield equal(Z[d], before - (W * x).sum(axis=1), label="the labels")


@causal_stack.restate(
    "operator",
    "they are y^L = Π_l (I + (c_l/n) G) y, G_ij = [j ≤ i]⟨x_i, x_j⟩, where GD has the full Gram matrix of the examples",
    assuming={},
    given=STACK,
    sizes=STACK_SIZES,
    kind="identity",
    reading="The product is taken over l = 1, …, L; its factors commute.",
)
def triangular(x, y, c, xp, n, d):
    Z, before = stacked_layers(x, y, c, xp, n, d)
    gram = lsa.causal_mask(xp, n + 1) * (x @ x.T)

    def apply(_, label, scale):
        label = label + scale / n * (label @ gram)
        return label, label

    yield equal(Z[d], scan(apply, None, before, c).final_state)
