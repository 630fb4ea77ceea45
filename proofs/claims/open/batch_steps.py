"""Theorem 5.2 of ssd for K ≥ 2: parameters that do not depend on the context do not exist; which others do it."""

from __future__ import annotations

from fractions import Fraction

from scanproof.constructs import tokens
from scanproof.constructs.arrays.array_api import outer, times, unit
from scanproof.constructs.arrays.gradient import gradient
from scanproof.constructs.constructions.gram_polynomial import gram_polynomial, steps_matrix
from scanproof.constructs.layers import hybrid, lsa, ssd
from scanproof.constructs.layers.ssd import decay_mask
from scanproof.constructs.learners.descent import gradient_descent
from scanproof.constructs.learners.losses import MEAN
from scanproof.constructs.learners.operators import batch_gram, steps_polynomial

from ...language.statements import equal
from ..ssd.single_example import example_and_query
from .odd_coefficients import POINTS, coefficient_of_two
from .source import open_questions

# On one example and the query, on a line, a layer has n = m = d = 1: +padding. Tokens are columns, the query last.
LINE = {"a": "2", "S": "2 2", "P": "2 2", "Q": "2 2"}
"""Decays, S, P and Q of one layer; its slope is αγ times a polynomial of degree 3 in α² and in γ²."""


def relation(slope):
    """2(e_31 − e_13)(e_31 − 2e_13) − e_35 + e_11 e_15 for the coefficients e_ij of slope(α, γ)."""
    values = {(k, l): slope(k, l) for k in POINTS for l in POINTS}
    e_11, e_13, e_15, e_31, e_35 = (
        coefficient_of_two(values, *at) for at in ((1, 1), (1, 3), (1, 5), (3, 1), (3, 5))
    )
    return 2 * (e_31 - e_13) * (e_31 - 2 * e_13) - e_35 + e_11 * e_15


def layer_output(a, S, P, Q, xp):
    """The query's label after the layer as a function of (α, y_1, γ), for x_1 = α and the query γ."""
    p = hybrid.Parameters(ssd_mask=decay_mask(a), S=S, lsa_mask=lsa.causal_mask(xp, 2), P=P, Q=Q)
    one = xp.ones((1,))

    def output(alpha, y_1, gamma):
        return hybrid.layer(p, example_and_query(alpha * one, y_1, gamma * one, xp, 1))[1, 1]

    return output


def layer_relations(a, S, P, Q, xp):
    """`relation` for the slope ∂output/∂y_1 at y_1 = 0, once with P_21 = 0 and once with Q_11 = 0."""
    label, feature = unit(xp, 2, 1), unit(xp, 2, 0)
    blind = P - P[1, 0] * outer(label, feature)
    isotropic = Q - Q[0, 0] * outer(feature, feature)
    found = []
    for matrices in ((S, blind, Q), (S, P, isotropic)):
        output = layer_output(a, *matrices, xp)
        found.append(relation(lambda k, l, f=output: gradient(lambda y: f(k, y, l), xp.asarray(0))))
    return found


def without_label(a, S, P, Q, xp):
    """Twice the output's coefficient of α²γ without y_1."""
    output = layer_output(a, S, P, Q, xp)

    def unlabelled(alpha):
        return gradient(lambda gamma: output(alpha, xp.asarray(0), gamma), xp.asarray(0))

    return gradient(lambda alpha: gradient(unlabelled, alpha), xp.asarray(0))


def steps_relation(alpha_step, xp, K, sigma=1):
    """The same for σ⟨w^(K), x_2⟩, which is linear in y_1: its slope is its value at the label 1."""
    one = xp.ones((1,))

    def slope(k, l):
        w_K = gradient_descent(MEAN, xp.zeros((1,)), k * one[None], one, alpha_step / 2, K)
        return sigma * l * w_K[0]

    return relation(slope)


@open_questions.claim(
    "open.thm5.2-context-free",
    kind="existence",
    says=(
        "for some K ≥ 2, n ≥ m ≥ 1 and d there are parameters of one SSD ∘ LSA layer (ssd Defs. 3.1 and 3.2: a causal "
        "mask M, decays, any S, P, Q) that do not depend on the context, with y_{n+1} = ⟨w^(K), x_{n+1}⟩ or a fixed "
        "nonzero multiple of it for all linear data, w^(K) after K steps from 0 on L_S(w) = (1/m) Σ_{t∈S} (w·x_t − "
        "y_t)², η ≠ 0"
    ),
    given={**LINE, "sigma": "", "rate": ""},
    sizes={"K": (2, 3)},
    assuming={"σ ≠ 0, ρ ≠ 0": lambda sigma, rate: sigma * rate != 0},
    over_all_parameters=("a", "S", "P", "Q", "sigma", "rate"),
    reading=(
        "All tokens are 0 but one example of S and the query, on a line through 0: that is the case n = m = d = 1 with "
        "x_1 = α, x_2 = γ, other S, P, Q and the rate 2η/m (+padding). e_ij is the coefficient of α^i γ^j in the "
        "output's slope at y_1 = 0. Right for all data, the output has no part without y_1, of which P_21 Q_11 is a "
        "coefficient; and where P_21 = 0 or Q_11 = 0, 2(e_31 − e_13)(e_31 − 2e_13) = e_35 − e_11 e_15. K steps have "
        "e_13 = e_15 = e_35 = 0 and e_31 ≠ 0 (σ²ρ⁴ is divided out, ρ the rate). For d ≥ 2 some line has P_21 = 0: "
        "there no sequence of layers has outputs that tend to those of K steps, since the relation is one between "
        "outputs. +none has the identities. So K ≥ 2: none, exactly; for d ≥ 2 none in the limit; K ≥ 5 none in the "
        "limit for any d, by the degrees of ssd.thm5.2; d = 1, K = 2, 3, 4 in the limit is open."
    ),
)
def context_free(a, S, P, Q, sigma, rate, xp, K):
    target, scale = steps_relation(rate, xp, K, sigma), sigma**2 * rate**4
    yield equal(without_label(a, S, P, Q, xp), 2 * P[1, 0] * Q[0, 0], label="without y_1")
    for case, found in zip(("P_21 = 0", "Q_11 = 0"), layer_relations(a, S, P, Q, xp), strict=True):
        yield equal(found, 0 * rate, label=f"the layer, {case}")
        yield equal(found / scale, target / scale, label=f"K steps, {case}")


@context_free.restate(
    "none",
    (
        "for no K ≥ 2: with n = d = 1 the output's coefficient of α²γ without y_1 is P_21 Q_11; where P_21 = 0 or "
        "Q_11 = 0 the layer has 2(e_31 − e_13)(e_31 − 2e_13) − e_35 + e_11 e_15 = 0; for K steps at the rate 2η/m = ρ "
        "it is ½ K²(K − 1)² ρ⁴"
    ),
    assuming={},
    given={**LINE, "rate": ""},
    sizes={},
    depends_on=("open.thm5.2-context-free+padding",),
    kind="remark",
    reading=(
        "K = 2, 3, 4 by the identity; K ≥ 5 because the slope of K steps has degree 2K − 1 ≥ 9 in α and that of a "
        "layer at most 7. All parameters but P_21, or Q_11, are arbitrary."
    ),
)
def none(a, S, P, Q, rate, xp):
    curved = without_label(a, S, P, Q, xp)
    yield equal(curved, 2 * P[1, 0] * Q[0, 0], label="without y_1")
    for case, found in zip(("P_21 = 0", "Q_11 = 0"), layer_relations(a, S, P, Q, xp), strict=True):
        yield equal(found, 0 * rate, label=f"the layer, {case}")
    for K in (2, 3, 4):
        claimed = times(Fraction((K * (K - 1)) ** 2, 2), rate**4)
        yield equal(steps_relation(rate, xp, K), claimed, label=f"K = {K}")


@context_free.restate(
    "padding",
    (
        "where all tokens are 0 but z_m and z_{n+1}, both in the span of (x, 0) and e_{d+1}, the SSD sublayer leaves "
        "them there, and label row and SSD sublayer are those of a layer with n = d = 1 in coordinates along the two: "
        "S/n, Q/n and the row e_{d+1}ᵀP restricted to the span, and the entries m, n + 1 of the masks"
    ),
    assuming={},
    given={
        "a": "m+r+1",
        "S": "d+1 d+1",
        "P": "d+1 d+1",
        "Q": "d+1 d+1",
        "x": "d",
        "Z": "2 2",
    },
    sizes={"m": (1, 2), "r": (0, 1), "d": (1, 2)},
    kind="identity",
    reading="Z holds the coordinates. The example may stand anywhere among the m + r.",
)
def padding(a, S, P, Q, x, Z, xp, m, r, d):
    n = m + r
    L, M = decay_mask(a), lsa.causal_mask(xp, n + 1)
    label = unit(xp, d + 1, d)
    span = xp.stack([xp.concat([x, xp.zeros((1,))], axis=0), label])
    places = xp.stack([unit(xp, n + 1, m - 1), unit(xp, n + 1, n)])
    small_L, small_M = (places @ mask @ places.T for mask in (L, M))
    small_S, small_Q = (span @ matrix @ span.T / n for matrix in (S, Q))
    small_P = outer(unit(xp, 2, 1), span @ P[d])
    tokens_in_place = span.T @ Z @ places
    moved = ssd.layer(Z, small_L, small_S)
    yield equal(ssd.layer(tokens_in_place, L, S), span.T @ moved @ places, label="SSD")
    labels = lsa.layer(Z, small_M, small_P, small_Q)[1]
    yield equal(lsa.layer(tokens_in_place, M, P, Q)[d], labels @ places, label="LSA, labels")
    yield equal(small_L, decay_mask(xp.stack([xp.asarray(1), L[m - 1, n]])), label="L")
    yield equal(small_M, lsa.causal_mask(xp, 2), label="M")


CONTEXT = {"x": "m+r+1 d", "y": "m+r", "eta": ""}
CONTEXT_SIZES = {"m": (1, 2), "r": (0, 1), "d": (1, 2), "K": (1, 2, 3)}


@context_free.restate(
    "gram",
    (
        "parameters that depend on the context through R = Σ_{t∈S} x_t x_tᵀ alone do all K ≥ 1 steps exactly: "
        "S = diag(Q_K, 0), Q_{k+1} = (I − ρR)Q_k − ρI, Q_0 = 0, ρ = 2η/m, weights −1 from S to the query and 0 "
        "elsewhere, P = 0"
    ),
    assuming={},
    given=CONTEXT,
    sizes=CONTEXT_SIZES,
    parameters=lambda x, eta, m, K: gram_polynomial(x, m, eta, K),
    depends_on=("ssd.thm5.1+reverse-mask",),
    kind="construction",
    reading=(
        "For all data and labels, linear or not, and any S. The weights are a limit of masks of decays and do not "
        "depend on the context; for K = 1 neither does Q_1 = −ρI. With decays in [0, 1], and no limit, for S = [n] or "
        "the last m examples: ssd.thm5.2+gram, ssd.thm5.2+gram-last."
    ),
)
def gram(p, x, y, eta, xp, m, r, d, K):
    w_K = gradient_descent(MEAN, xp.zeros((d,)), x[:m], y[:m], eta, K)
    yield equal(w_K, -((y[:m] @ x[:m]) @ p.S[:d, :d]), label="Q")
    Z = tokens.labelled(x, y).T
    after = hybrid.layer(p, Z)
    yield equal(after[d, m + r], x[-1] @ w_K, label="the query")
    yield equal(after[:, : m + r], Z[:, : m + r], label="the examples stay")


@context_free.restate(
    "polynomial",
    "Q_K is the polynomial of ssd eq. 11, Σ_{s=1}^K C(K, s)(−ρ)^s R^{s−1}",
    assuming={},
    given={"x": "m d", "eta": ""},
    sizes={"m": (1, 2), "d": (1, 2), "K": (1, 2, 3)},
    kind="identity",
)
def polynomial(x, eta, m, K):
    R = batch_gram(x, m)
    return equal(steps_matrix(R, 2 * eta / m, K), steps_polynomial(R, m, 2 * eta, K))
