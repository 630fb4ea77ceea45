"""The proof of Theorem 5.1: what one layer does to the labels y_i (ssd §5.1, App. A, Discussion)."""

from __future__ import annotations

from typing import NamedTuple

from scanproof.constructs import tokens
from scanproof.constructs.arrays.array_api import Array, unit
from scanproof.constructs.arrays.expansion import coefficient
from scanproof.constructs.arrays.iteration import iterates
from scanproof.constructs.arrays.ranges import each
from scanproof.constructs.arrays.scan import scan
from scanproof.constructs.constructions.hybrid import on_features, theorem5_1, theorem5_1_limit
from scanproof.constructs.layers import lsa
from scanproof.constructs.layers import ssd as mamba2
from scanproof.constructs.layers.hybrid_terms import (
    contribution,
    half_step_term,
    increment,
    mask_term,
    other_examples_term,
)
from scanproof.constructs.learners.descent import loss_gradient, stochastic_gradient_descent
from scanproof.constructs.learners.losses import HALF_SUM

from ...language.statements import equal
from .source import ssd
from .theorem41 import labels
from .theorem51 import ANY_LABELS, LINEAR, SIZES

# Tokens are columns, the label is the last row and the query's label is 0. The label row of `half_step_term` is E_2;
# that of `mask_term` is (1/n) Σ_j (1 − L_ji)⟨Bx_i, x_j⟩y_j, in which E_1 is what the examples j ≠ t contribute.


def with_mask(xp, n, d, B, corrections, a=None, L=None):
    """The layer of the proof for any B, with the mask of the decays a, or with any causal mask L."""
    mask = mamba2.decay_mask(a) if L is None else L * lsa.causal_mask(xp, n + 1)
    return theorem5_1(xp, n, d, 1, B=B, corrections=corrections)._replace(ssd_mask=mask)


ANY_MASK = {"x": "n+1 d", "y": "n", "B": "d d", "L": "n+1 n+1"}
DECAYS = {"x": "n+1 d", "w": "d", "B": "d d", "a": "n+1"}


@ssd.claim(
    "ssd.thm5.1-dy",
    where="App. A, eqs. 7–8",
    says=(
        "with P_Y = −1 the two label updates combine to Δy_i = −(1/n) Σ_j (L_ji − 1)⟨x_i, x_j⟩y_j − E_2, "
        "E_2 = (1/n) Σ_{j≤i} (⟨x_i^½, x_j^½⟩y_j^½ − ⟨x_i, x_j⟩y_j)"
    ),
    given=DECAYS,
    sizes={"n": (1, 2, 3), "d": (1, 2)},
    parameters=with_mask,
    reading=(
        "L is a mask of Def. 3.2 and the LSA sublayer is causal, so that both sums run over j ≤ i; the sum over j ≠ t "
        "is E_1. The mended statements hold for every causal L and all labels."
    ),
)
def dy(p, x, xp, n, d, w=None, y=None, *, keep_B=False, adds_up=False, sign=-1):
    Z = tokens.labelled(x, labels(x, w, y)).T
    S = p.Q if keep_B else on_features(xp, xp.eye(d))
    of_sum = p._replace(ssd_mask=p.ssd_mask + 2 * p.lsa_mask) if adds_up else p  # L + 1 for L − 1
    claimed = mask_term(of_sum, Z, S) + sign * half_step_term(p, Z, S)
    return equal(increment(p, Z)[d], claimed[d])


dy.amend(
    "sign+metric",
    "with P_Y = +1 and B kept in every product they combine to −(1/n) Σ_j (L_ji − 1)⟨Bx_i, x_j⟩y_j + E_2",
    given=ANY_MASK,
    corrections=("sign",),
    keep_B=True,
    sign=1,
)
dy.amend(
    "metric",
    "with P_Y = −1 the sublayers add up: −(1/n) Σ_j (L_ji + 1)⟨Bx_i, x_j⟩y_j − E_2, with B kept in every product",
    given=ANY_MASK,
    keep_B=True,
    adds_up=True,
)


def printed(xp, t, r, d, eta, eps, B):
    """The parameters that the proof prints, with B_l = εB."""
    return theorem5_1(xp, t + r, d, eta, eps, B, t)


@ssd.claim(
    "ssd.thm5.1-e1",
    where="App. A",
    kind="bound",
    says="|E_1| = O(ε/n), E_1 = (1/n) Σ_{j≠t} (L_ji − 1)⟨x_i, x_j⟩y_j",
    given={**ANY_LABELS, "eps": "", "B": "d d"},
    sizes=SIZES,
    parameters=printed,
    reading="With the printed mask, whose other entries are exactly 1 (for j ≤ i), it is 0.",
)
def e1(p, x, y, xp, t, r, d):
    Z = tokens.labelled(x, y).T
    error = other_examples_term(p, Z, on_features(xp, xp.eye(d)), t - 1, t)[d]
    return equal(error, xp.zeros((t + r + 1,)))


POSITIVE = {"η > 0": lambda eta: eta > 0}


def e2_of_query(xp, n, eta):
    """The ε¹ coefficient of the query's E_2 for n examples x = 1, y = 1 and the query x = 1, with B_l = ε and t = 1."""
    Z = tokens.labelled(xp.ones((n + 1, 1)), xp.ones((n,))).T
    S = on_features(xp, xp.eye(1))
    return coefficient(
        xp, lambda eps: half_step_term(theorem5_1(xp, n, 1, eta, eps), Z, S)[1, n], 1
    )


def limit_of_e2(xp, n, eta):
    """The limit of c(N) = `e2_of_query` if N²c(N) is a polynomial in N of degree 2: half its second difference."""
    squares = [N * (N * e2_of_query(xp, N, eta)) for N in (n, n + 1, n + 2)]
    return (squares[2] - 2 * squares[1] + squares[0]) / 2


@ssd.claim(
    "ssd.thm5.1-e2",
    where="App. A",
    kind="bound",
    says="|E_2| = O(‖L‖_∞ ‖B‖/n²) = O(ε/n)",
    given={"eta": ""},
    sizes={"n": (1, 2, 3)},
    assuming=POSITIVE,
    reading=(
        "Let all n examples and the query be x = 1, y = 1, with B_l = ε and t = 1. The ε¹ coefficient c(n) of the "
        "query's E_2 is then a polynomial in n of degree 2 (sums over equal tokens), divided by n²: |E_2| ≤ Kε/n for "
        "all n and small ε with one K only if the leading coefficient of n²c(n) is 0."
    ),
)
def e2(eta, xp, n):
    return equal(limit_of_e2(xp, n, eta), 0 * eta)


@e2.restate(
    "order",
    "E_2 = O(ε) for fixed n and all data, and the ε¹ coefficient for n equal examples is −(2 + 3η) − (3 + η)/n",
    given={**ANY_LABELS, "B": "d d"},
    sizes=SIZES,
    assuming={},
    reading="The first part: E_2 at ε = 0, where the half step does nothing.",
)
def e2_order(x, y, eta, B, xp, t, r, d):
    n = t + r
    Z, S = tokens.labelled(x, y).T, on_features(xp, xp.eye(d))
    start = half_step_term(theorem5_1(xp, n, d, eta, 0, B, t), Z, S)[d]
    yield equal(start, xp.zeros((n + 1,)), label="E_2 at ε = 0")
    yield equal(e2_of_query(xp, n, eta), -(2 + 3 * eta) - (3 + eta) / n, label="equal examples")


SCALARS = {"u": "d", "v": "d", "u0": "d", "v0": "d", "y": "", "y0": ""}


@ssd.claim(
    "ssd.thm5.1-e2-expansion",
    where="App. A, above the bound on E_2",
    says=(
        "⟨u, v⟩y − ⟨u0, v0⟩y0 = ⟨u − u0, v0⟩y0 + ⟨u0, v − v0⟩y0 + ⟨u, v⟩(y − y0), with u = x_i^½, v = x_j^½, "
        "y = y_j^½ and u0, v0, y0 the same at the start of the layer"
    ),
    given=SCALARS,
)
def e2_expansion(u, v, u0, v0, y, y0, xp, d, *, moved=False):
    one = xp.eye(d)
    left = contribution(one, u, v, y) - contribution(one, u0, v0, y0)
    first = contribution(one, u - u0, v if moved else v0, y0)
    return equal(left, first + contribution(one, u0, v - v0, y0) + contribution(one, u, v, y - y0))


e2_expansion.amend("index", "the same with ⟨u − u0, v⟩y0 as its first term", moved=True)


@ssd.claim(
    "ssd.thm5.1-step",
    where="§5.1, App. A",
    kind="bound",
    says="y_i^{l+1} − y_i^l = −η⟨x_i, x_t⟩y_t + O(ε/n)",
    given=LINEAR,
    sizes=SIZES,
    parameters=theorem5_1_limit,
    reading=(
        "For the tokens i ≥ t, which see example t, and fixed n: the left side is a polynomial in ε (B_l = εB), so the "
        "statement holds only if it is −η⟨x_i, x_t⟩y_t at ε = 0. It is 0 there."
    ),
)
def step(p, x, eta, xp, t, r, d, w=None, y=None):
    y = labels(x, w, y)
    found = increment(p, tokens.labelled(x, y).T)[d]
    return equal(found[t - 1 :], -eta * (x @ x[t - 1])[t - 1 :] * y[t - 1])


step.amend(
    "scale",
    "with L_ti = 1 + ηn/ε and B_l = εI: y_i^{l+1} − y_i^l = −η⟨x_i, x_t⟩y_t + O(ε) for i ≥ t, at fixed n",
    given=ANY_LABELS,
    corrections=("scale",),
    reading=(
        "The layer at ε = 0, with the mask given times ε and S divided by it. P_Y takes no part. The features then "
        "change by as much: ssd.thm5.1-drift+scale."
    ),
)


@ssd.claim(
    "ssd.thm5.1-vanish",
    where="Discussion",
    kind="remark",
    says="the error terms E_1, E_2 are residuals that vanish as the sequence length n grows",
    given={"eta": ""},
    sizes={"n": (1, 2, 3)},
    assuming=POSITIVE,
    reading=(
        "For the n equal examples of ssd.thm5.1-e2 the ε¹ coefficient c(n) of the query's E_2 tends to half the second "
        "difference of n²c(n), which is a polynomial in n of degree 2."
    ),
)
def vanish(eta, xp, n, *, stays=False):
    return equal(limit_of_e2(xp, n, eta), -(2 + 3 * eta) if stays else 0 * eta)


vanish.amend(
    "limit",
    "for n equal examples the ε¹ coefficient of E_2 tends to −(2 + 3η) as n grows",
    assuming={},
    stays=True,
)


class Turn(NamedTuple):
    """The example t of one step, among n examples and T = n + 1 tokens."""

    x: Array
    """x_t, shape (d,)."""
    seen_by: Array
    """1 for the tokens that see it, else 0, shape (T,)."""
    chosen: Array
    """e_t, which picks its label, shape (n,)."""


def in_turn(xp, n, l):
    """The examples 1, …, n, 1, … of l steps as rows e_1, …, e_n, e_1, …, shape (l, n)."""

    def following(e):
        return xp.concat([e[-1:], e[:-1]], axis=0)

    return iterates(following, unit(xp, n, 0), l)


def ideal_step(parameters, labels, turn):
    """y_i ← y_i − η ⟨x_i, x_t⟩ y_t for every token i that sees token t (ssd App. A, without error terms)."""
    x, eta = parameters
    label = turn.chosen @ labels[:-1]
    labels = labels - eta * (turn.seen_by * (x @ turn.x)) * label
    return labels, labels


def label_change(x, y, eta, chosen, visible, xp):
    """y^l − y^0 for l ideal steps on the chosen examples, rows e_t: the query's label starts at 0."""
    start = xp.concat([y, xp.zeros((1,))], axis=0)
    turns = Turn(chosen @ x[:-1], chosen @ visible[:-1], chosen)
    return scan(ideal_step, (x, eta), start, turns).final_state - start


def sgd_weights(x, y, eta, chosen, xp):
    """w_l after l steps of SGD on the chosen examples, rows e_t, from w_0 = 0."""
    w_0 = xp.zeros((x.shape[1],))
    return stochastic_gradient_descent(HALF_SUM, w_0, chosen @ x[:-1], chosen @ y, eta)


@ssd.claim(
    "ssd.thm5.1-affine",
    where="§5.1, App. A",
    says="y_i^l = y_i^0 + ⟨θ_l, x_i⟩ with θ_l independent of i, for all tokens i and every l",
    given={"x": "n+1 d", "w": "d", "eta": ""},
    sizes={"n": (1, 2, 3), "d": (1,)},
    assuming=POSITIVE,
    reading=(
        "The ideal update y_i ← y_i − η⟨x_i, x_t⟩y_t, t = 1, 2, …, n, with the causal sums of eq. 8: tokens i < t do "
        "not see x_t. At d = 1 such a θ_l exists (all x ≠ 0) if and only if (y_i^l − y_i^0) x_k = (y_k^l − y_k^0) x_i."
    ),
)
def affine(x, w, eta, xp, n):
    causal = lsa.causal_mask(xp, n + 1)
    for l in each(1, n):
        change = label_change(x, x[:-1] @ w, eta, xp.eye(n)[:l], causal, xp)
        for i in each(1, n):
            later, earlier = change[i] * x[:i, 0], change[:i] * x[i, 0]
            yield equal(later, earlier, label=("l = ", l, ", i = ", i + 1, ", k < i"))


TRAINING = {"x": "n+1 d", "y": "n", "eta": ""}


@affine.restate(
    "first-pass",
    "for l ≤ n and the tokens i ≥ l, the query among them: y_i^l = y_i^0 + ⟨θ_l, x_i⟩ with θ_l = −w_l, l steps of SGD",
    given=TRAINING,
    assuming={},
    sizes={"n": (1, 2, 3), "d": (1, 2)},
    reading=(
        "Ideal updates with causal sums on the examples 1, …, n in turn. A second pass fails: token 1 does not see the "
        "others, so that its label is not that of w_n."
    ),
)
def affine_first_pass(x, y, eta, xp, n):
    causal = lsa.causal_mask(xp, n + 1)
    for l in each(1, n):
        first = xp.eye(n)[:l]
        change = label_change(x, y, eta, first, causal, xp)
        theta = -sgd_weights(x, y, eta, first, xp)
        yield equal(change[l - 1 :], x[l - 1 :] @ theta, label=("l = ", l))


@affine.restate(
    "all-examples",
    "for all tokens and every l it holds, with θ_l = −w_l, if each token's sum runs over all n examples",
    given=TRAINING,
    assuming={},
    sizes={"n": (1, 2), "d": (1, 2), "l": (1, 2, 3, 4)},
    reading="Ideal updates on the examples 1, …, n, 1, …, for up to four steps.",
)
def affine_all_examples(x, y, eta, xp, n, l):
    everything = lsa.examples_mask(xp, n + 1)
    chosen = in_turn(xp, n, l)
    change = label_change(x, y, eta, chosen, everything, xp)
    return equal(change, x @ -sgd_weights(x, y, eta, chosen, xp))


@ssd.claim(
    "ssd.thm5.1-rewrite",
    where="§5.1, App. A",
    says="−⟨η(y_t^0 + θ·x_t)x_t, x_i⟩ = ⟨η∇L_t(−θ), x_i⟩, L_t(w) = ½ (w·x_t − y_t^0)²",
    given={"x_t": "d", "x_i": "d", "theta": "d", "y_t": "", "eta": ""},
)
def rewrite(x_t, x_i, theta, y_t, eta):
    gradient = loss_gradient(HALF_SUM, -theta, x_t[None, :], y_t[None])
    return equal((eta * gradient) @ x_i, -eta * (y_t + theta @ x_t) * (x_t @ x_i))
