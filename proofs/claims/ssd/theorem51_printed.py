"""Theorem 5.1 with the printed sign: two layers that do it on two examples, and why none do in general.

No parameters of two layers do two steps for n ≥ 3 and d ≥ 8: `printed_sign.refutation`, with the identities here.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from scanproof.constructs import tokens
from scanproof.constructs.arrays.array_api import outer, unit
from scanproof.constructs.arrays.expansion import coefficient
from scanproof.constructs.arrays.gradient import gradient
from scanproof.constructs.constructions import two_examples
from scanproof.constructs.layers import hybrid, lsa, ssd
from scanproof.constructs.learners.descent import stochastic_gradient_descent
from scanproof.constructs.learners.losses import HALF_SUM

from ...language.statements import equal
from . import printed_sign
from .printed_sign import axis
from .theorem51 import restate


class Layers(NamedTuple):
    """Two layers for every ε and every entry −K of the first Q."""

    with_small_mask: Any
    """With ε³ L for the mask L."""
    possible: Any
    """With the mask itself."""


def stacked(layers, x, y):
    """The query's label after the layers."""
    Z = tokens.labelled(x, y).T
    for layer in layers:
        Z = hybrid.layer(layer, Z)
    return Z[1, 2]


@restate(
    "two-examples",
    (
        "for l = n = 2 and d = 1 there are parameters with y^2_3 = ⟨w_2, x_3⟩ + O(ε): decays 1, 1, ε⁻³, S = 0 and then "
        "−2ε³ diag(η + ε, 0), P = 2e_2e_1ᵀ, Q = η e_2e_1ᵀ − η²/ε e_1e_2ᵀ and then η(e_2e_1ᵀ − e_1e_2ᵀ)"
    ),
    given={"x": "3 1", "y": "2", "eta": "", "eps": "", "K": ""},
    parameters=lambda xp, eta: Layers(
        with_small_mask=lambda eps, grown: two_examples.layers(
            xp, two_examples.small_mask(xp, eps), 1, eta, eps, grown
        ),
        possible=lambda eps, grown: two_examples.layers(
            xp, ssd.decay_mask(two_examples.decays(xp, eps)), eps**3, eta, eps, grown
        ),
    ),
    fixed=("eta",),
    assuming={"ε ≠ 0": lambda eps: eps != 0},
    reading=(
        "The label is affine in the entry −K of the first Q, so that for K = η²/ε the label times ε is ε y(0) + "
        "η²(y(1) − y(0)), y(K) being the label at K. That is a polynomial in ε whose coefficient of 1 is 0 and whose "
        "coefficient of ε is ⟨w_2, x_3⟩: for bounded data the label is ⟨w_2, x_3⟩ + O(ε). Any labels, linear or not. "
        "The parameters do not stay bounded as ε → 0."
    ),
)
def two_examples_one_feature(p, x, y, eta, eps, K, xp):
    def label(eps, grown):
        return stacked(p.with_small_mask(eps, grown), x, y)

    def label_times(eps):
        without = label(eps, 0 * eta)
        return eps * without + eta * eta * (label(eps, 1 + 0 * eta) - without)

    possible = ssd.decay_mask(two_examples.decays(xp, eps))
    layers = p.possible(eps, eta * eta / eps)
    w_2 = stochastic_gradient_descent(HALF_SUM, xp.zeros((1,)), x[:2], y, eta)
    without = label(eps, 0 * eta)
    affine = without + K * (label(eps, 1 + 0 * eta) - without)
    yield equal(eps**3 * possible, two_examples.small_mask(xp, eps), label="ε³L")
    yield equal(label(eps, K), affine, label="affine in K")
    yield equal(eps * stacked(layers, x, y), label_times(eps), label="the label times ε")
    yield equal(coefficient(xp, label_times, 0), 0 * eta, label="no pole")
    yield equal(coefficient(xp, label_times, 1), w_2 @ x[2], label="at ε = 0")


@restate(
    "printed-line",
    (
        "tokens s_j v + y_j e_{d+1} stay in the span of G = (v, P_xx v, P_xy, e_{d+1}) before the last LSA sublayer: "
        "SSD, the first LSA sublayer and the label's row of the last one are those of layers in these four coordinates"
    ),
    kind="identity",
    given={
        "v": "d",
        "u": "d",
        "e": "d",
        "S": "d+1 d+1",
        "P": "d+1 d+1",
        "Q": "d+1 d+1",
        "M": "n+1 n+1",
        "s": "n+1",
        "y": "n+1",
        "Z": "4 n+1",
    },
    sizes={"d": (1, 2), "n": (1, 2)},
    reading=(
        "Any masks M; Z are any tokens in the coordinates. S is GᵀSG there, Q is GᵀQG, P of the first layer sends v to "
        "u + (P_yx v) e_y and e_y to e + P_yy e_y, u = P_xx v, e = P_xy, and the label's row of the second one is P'_y "
        "G. Entries of GᵀSG between v and the label are v·S_xy and v·S_yx, those of GᵀQG likewise; P'_y G is (P'_yx v, "
        "P'_yx u, P'_yx e, P'_yy). So for v orthogonal to S_xy, S_yx, Q_xy, Q_yx, P_yx, P'_yx and P_xxᵀP'_yx (S, Q and "
        "P of the first layer) the first S and Q have no entry between v and label, the first P is u, e + ρe_y, ρ = "
        "P_yy, and the second (0, 0, g, b)."
    ),
)
def line(v, u, e, S, P, Q, M, s, y, Z, xp, d):
    on_v, on_u, on_e, on_y = (axis(xp, name) for name in "vuey")

    def span(u, e):
        features = outer(v, on_v) + outer(u, on_u) + outer(e, on_e)
        return xp.concat([features, on_y[None]], axis=0)

    G = span(u, e)
    yield equal(ssd.layer(G @ Z, M, S), G @ ssd.layer(Z, M, G.T @ S @ G), label="SSD")
    small = lsa.layer(Z, M, outer(on_y, P[d] @ G), G.T @ Q @ G)
    yield equal(lsa.layer(G @ Z, M, P, Q)[d], small[3], label="the last LSA, labels")
    G = span(P[:d, :d] @ v, P[:d, d])
    mixed = (P[d, :d] @ v) * on_v + P[d, d] * on_y
    inner = outer(on_u, on_v) + outer(on_e, on_y) + outer(on_y, mixed)
    tokens = outer(on_v, s) + outer(on_y, y)
    small = lsa.layer(tokens, M, inner, G.T @ Q @ G)
    yield equal(lsa.layer(G @ tokens, M, P, Q), G @ small, label="the first LSA")
    Q_4 = G.T @ Q @ G
    yield equal(Q_4[0, 3], v @ Q[:d, d], label="v·Q_xy")
    yield equal(Q_4[3, 0], v @ Q[d, :d], label="v·Q_yx")
    yield equal((P[d] @ G)[0], v @ P[d, :d], label="P_yx v")
    yield equal((P[d] @ G)[1], P[d, :d] @ (P[:d, :d] @ v), label="P_yx P_xx v")


@restate(
    "printed-zeros",
    (
        "where all tokens but k examples and the query are 0, they stay 0, and the others are those of layers on n = k "
        "examples with their entries of the masks and S, Q times k/n"
    ),
    kind="identity",
    given={"Z": "D k", "q": "D", "S": "D D", "P": "D D", "L": "k+r+1 k+r+1"},
    sizes={"D": (1, 2), "k": (1, 2), "r": (0, 1)},
    reading="n = k + r; the first k examples are not 0.",
)
def zeros(Z, q, S, P, L, xp, D, k, r):
    n = k + r
    rows = xp.concat([L[:k], L[n:]], axis=0)
    small_L = xp.concat([rows[:, :k], rows[:, n:]], axis=1)
    few = xp.concat([Z, q[:, None]], axis=1)

    def padded(few):
        return xp.concat([few[:, :k], xp.zeros((D, r)), few[:, k:]], axis=1)

    small = ssd.layer(few, small_L, S * k / n)
    yield equal(ssd.layer(padded(few), L, S), padded(small), label="SSD")
    small = lsa.layer(few, small_L, P, S * k / n)
    yield equal(lsa.layer(padded(few), L, P, S), padded(small), label="LSA")


@restate(
    "printed-query",
    (
        "in these coordinates, to first order in the query: the first SSD sublayer takes the query v to Q v + (Σ_j α_j "
        "s_j y_j) e_y, Q = 1 + Σ_j α_j s_j²; what follows, where y = 0, gives a query v the label 0, and e_y the label "
        "1"
    ),
    kind="identity",
    given={
        **printed_sign.OF_TWO_LAYERS,
        "y": "n",
        "a": "2 n",
        "c": "2",
        "k": "",
    },
    sizes={"n": (2, 3)},
    reading=(
        "The label's derivative at the query 0 is linear in the query's direction. Hence the response, its part that "
        "is linear in y, is Σ_j α_j s_j y_j + Q r, r that of the layers with α = 0; at y = s, 1 + response = Q (1 + "
        "r). α_j = L_{j,n+1} S_11/n. In turn: the first SSD sublayer, the first LSA sublayer, which leaves examples "
        "and query in the span of v and u but for k e_y, and the second layer on any such examples, columns of a, and "
        "such a query."
    ),
)
def query(L, S, Q, rho, g, b, s, y, a, c, k, xp, n):
    p = printed_sign.Line(L, S, Q, rho, g, b)
    first, second = printed_sign.layers(p, xp)
    alpha = printed_sign.scalars(p).alpha
    on_v, on_u, _, on_y = (axis(xp, name) for name in "vuey")
    zero, places = xp.asarray(0), xp.eye(n + 1)

    def slope(function, row):
        return gradient(lambda q: function(q)[row, n], zero)

    def after_first(q):
        Z = printed_sign.columns(s, y, q * on_v, xp)
        return ssd.layer(Z, first.ssd_mask, first.S)

    Q_1 = 1 + sum((alpha[j] * s[j] * s[j] for j in range(n)), zero)
    moved = sum((alpha[j] * s[j] * y[j] for j in range(n)), zero)
    for row, claimed in enumerate((Q_1, zero, zero, moved)):
        yield equal(slope(after_first, row), claimed, label=f"SSD, {'vuey'[row]}")

    def after_second(q):
        Z = printed_sign.columns(s, 0 * s, q * (c[0] * on_v + k * on_y), xp)
        return lsa.layer(Z, first.lsa_mask, first.P, first.Q)

    examples = after_second(zero)
    yield equal(examples[2:], xp.zeros((2, n + 1)), label="LSA, examples")
    yield equal(slope(after_second, 2), zero, label="LSA, e")
    yield equal(slope(after_second, 3), k, label="LSA, label")

    def after_all(q):
        Z = outer(on_v, a[0] @ places[:n]) + outer(on_u, a[1] @ places[:n])
        Z = Z + q * outer(c[0] * on_v + c[1] * on_u + k * on_y, places[n])
        return hybrid.layer(second, Z)

    yield equal(slope(after_all, 3), k, label="the second layer, label")


@restate(
    "printed-coefficients",
    (
        "in these coordinates the response has the coefficient α_j + β + γ_j B_00 + b C_00 of y_j s_j; where only "
        "example j is not 0, and y_j = s_j, 1 + response = (1 + α_j X_j) F_j E_j"
    ),
    kind="identity",
    given=printed_sign.OF_TWO_LAYERS,
    sizes={"n": (2,)},
    reading=(
        "X_j = s_j², U = X_j(1 + δ_jX_j)², F_j = 1 + γ_j U(B_00 + (B_01 + B_10)U + B_11U²), V = U(1 + ν_jU(B_00 + "
        "…))², E_j = 1 + βU + V(C_00 + (C_01 + C_10)U + C_11U²)(b(1 + βU) + gU). α_j, δ_j are the entries of the first "
        "mask from example j to the query and to itself, times S_vv/n; γ_j, ν_j those of the second over n; β = Q_vv "
        "ρ/n; B is S and C is Q/n of the second layer on v and Q_vv u/n. With D_jk the coefficient of y_j s_j s_k² "
        "less that of y_k s_k s_j², D_12 − D_13 = ((β + bC_00)B_00 − B_01 − B_10)(γ_2 − γ_3) if α = 0: ssd.thm5.1 uses "
        "it for n = 3, and checks it."
    ),
)
def coefficients(L, S, Q, rho, g, b, s, xp, n):
    p = printed_sign.Line(L, S, Q, rho, g, b)
    c = printed_sign.scalars(p)

    def response(s, y):
        return printed_sign.response(p, s, y, xp)

    for j in range(n):
        found = printed_sign.lowest(response, j, n, xp)
        claimed = c.alpha[j] + c.beta + c.gamma[j] * c.B[0] + c.b * c.C[0]
        yield equal(found, claimed, label=f"y_{j + 1} s_{j + 1}")
        one = s[j] * unit(xp, n, j)
        Q_j, F_j, E_j = printed_sign.alone(c, j, s[j])
        yield equal(1 + response(one, one), Q_j * F_j * E_j, label=f"example {j + 1} alone")
