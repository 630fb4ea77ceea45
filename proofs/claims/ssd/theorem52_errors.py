"""The proof of Theorem 5.2: the size of Q and of the residuals (ssd App. A)."""

from __future__ import annotations

from scanproof.constructs import tokens
from scanproof.constructs.arrays.expansion import coefficient
from scanproof.constructs.arrays.iteration import iterate, iterates
from scanproof.constructs.arrays.norms import absolute, norm, operator_norm
from scanproof.constructs.constructions.hybrid import (
    on_features,
    selecting_mask,
    theorem5_2,
)
from scanproof.constructs.layers import hybrid
from scanproof.constructs.layers.hybrid_terms import (
    half_step,
    half_step_term,
    other_examples_term,
)
from scanproof.constructs.learners.operators import (
    batch_gram,
    batch_operator,
    binomials,
    steps_polynomial,
)

from ...language.statements import at_most, differs, equal
from .sizes_of_data import FEATURES, LABELS, MATRIX
from .source import ssd
from .theorem51_labels import with_mask

# The batch S is the set of the first m of n = m + r examples. A bound O(·) is stated with an explicit constant.
DATA = {"x": "m+r+1 d", "y": "m+r", "B": "d d", "C": "", "D": "", "b": ""}
FEW = {"m": (1, 2), "r": (0, 1), "d": (1, 2)}
SMALL = {"m‖B‖C² ≤ 1": lambda b, C, m: at_most(m * b * C**2, 1)}


def printed_mask(xp, m, r, d, B):
    """The layer with L_ji = 1 − n·1[j ∈ S] for any B."""
    mask = selecting_mask(xp, m + r + 1, 0, m, 1 - (m + r))
    return with_mask(xp, m + r, d, B, ("sign",), L=mask)


@ssd.claim(
    "ssd.thm5.2-dx",
    where="App. A",
    kind="bound",
    says="‖x_i^½ − x_i‖ = O(mε)",
    given={"x": "m+r+1 d", "B": "d d", "C": "", "b": ""},
    sizes=FEW,
    assuming={**FEATURES, **MATRIX},
    parameters=printed_mask,
    reading="As ‖x_i^½ − x_i‖ ≤ (m + 1 + 1/n) ‖B‖C³ with ‖B‖ ≤ ε and the printed mask, and m + 1 + 1/n ≤ 3m.",
)
def dx(p, x, b, C, xp, m, r, d):
    Z = tokens.labelled(x, xp.zeros((m + r,))).T
    moved = norm((half_step(p, Z) - Z)[:d].T)
    everywhere = xp.ones((m + r + 1,))
    yield at_most(moved, (m + 1 + xp.asarray(1) / (m + r)) * b * C**3 * everywhere)
    yield at_most(moved, 3 * m * b * C**3 * everywhere)


@ssd.claim(
    "ssd.thm5.2-e1",
    where="App. A",
    kind="bound",
    says="|E_1| = 0, the contributions of the indices not in S",
    given={"x": "m+r+1 d", "y": "m+r", "B": "d d"},
    sizes={"m": (1, 2), "r": (0, 1, 2), "d": (1, 2)},
    parameters=printed_mask,
)
def e1(p, x, y, m, r, d):
    error = other_examples_term(p, tokens.labelled(x, y).T, p.Q, 0, m)[d]
    return equal(error, 0 * error)


@ssd.claim(
    "ssd.thm5.2-e2",
    where="App. A",
    kind="bound",
    says="|E_2| ≤ (K_0/n) Σ_{j≤i} (‖x_i^½ − x_i‖ + ‖x_j^½ − x_j‖ + |y_j^½ − y_j|) = O(m‖B‖)",
    given=DATA,
    sizes=FEW,
    assuming={**FEATURES, **LABELS, **MATRIX, **SMALL},
    parameters=printed_mask,
    reading=(
        "E_2 as in Thm. 5.1, without B in its products: |E_2| ≤ ((n + 1)/n) ((1 + u)³ − 1) C²D with "
        "u = (m + 1 + 1/n) ‖B‖C². For m‖B‖C² ≤ 1 that is at most 126 m‖B‖C⁴D; for large ‖B‖ E_2 is cubic in ‖B‖."
    ),
)
def e2(p, x, y, b, C, D, xp, m, r, d):
    n = m + r
    error = absolute(half_step_term(p, tokens.labelled(x, y).T, on_features(xp, xp.eye(d)))[d])
    everywhere = xp.ones((n + 1,))
    u = (m + 1 + xp.asarray(1) / n) * b * C**2
    yield at_most(error, (n + 1) * ((1 + u) ** 3 - 1) * C**2 * D / n * everywhere)
    yield at_most((n + 1) * ((1 + u) ** 3 - 1) * C**2 * D / n, 126 * m * b * C**4 * D)


@e2.restate(
    "with-B",
    "the same for the residual E of Thm. 5.2, with B in its products: |E| ≤ ((n + 1)/n) ‖B‖ ((1 + u)³ − 1) C²D",
    assuming={**FEATURES, **LABELS, **MATRIX},
    reading="u = (m + 1 + 1/n) ‖B‖C². For small ‖B‖ it is quadratic in ‖B‖: E and the second step are of one order.",
)
def e2_with_b(p, x, y, b, C, D, xp, m, r, d):
    n = m + r
    error = absolute(half_step_term(p, tokens.labelled(x, y).T, p.Q)[d])
    u = (m + 1 + xp.asarray(1) / n) * b * C**2
    return at_most(error, (n + 1) * b * ((1 + u) ** 3 - 1) * C**2 * D / n * xp.ones((n + 1,)))


BATCH = {"x": "m d", "eta": "", "C": ""}
BATCH_SIZES = {"m": (1, 2), "d": (1,), "K": (1, 2, 3)}


@ssd.claim(
    "ssd.thm5.2-qnorm",
    where="App. A",
    kind="bound",
    says="‖Q‖ ≤ (1/(mC²)) ((1 + |η|C²)^K − 1)",
    given=BATCH,
    sizes={"m": (1, 2), "d": (1, 2), "K": (1, 2, 3)},
    assuming=FEATURES,
)
def qnorm(x, eta, C, xp, m, K):
    Q = steps_polynomial(batch_gram(x, m), m, eta, K)
    return at_most(operator_norm(Q), ((1 + absolute(eta) * C**2) ** K - 1) / (m * C**2))


@ssd.claim(
    "ssd.thm5.2-qnorm-eq",
    where="App. A",
    says="‖Q‖ = (1/m) Σ_{s=1}^K C(K,s) |η|^s C^{2(s−1)}",
    given=BATCH,
    sizes={"m": (1, 2), "d": (1,), "K": (1, 2)},
    assuming={**FEATURES, "C > 0": lambda C: C > 0},
    reading="At d = 1, for all |x_t| ≤ C and step sizes η.",
)
def qnorm_equal(x, eta, C, xp, m, K):
    Q = steps_polynomial(batch_gram(x, m), m, eta, K)
    powers = iterates(lambda now: now * xp.abs(eta) * C**2, xp.abs(eta), K)  # |η|^s C^{2(s−1)}
    return equal(xp.abs(Q[0, 0]), (binomials(xp, K)[1:] * powers).sum() / m)


qnorm_equal.amend(
    "one-step",
    "for K = 1 ‖Q‖ = |η|/m; for K ≥ 2 it is a bound (ssd.thm5.2-qnorm)",
    sizes={"m": (1, 2, 3), "d": (1,)},
    K=1,
)


@ssd.claim(
    "ssd.thm5.2-qsmall",
    where="App. A",
    kind="bound",
    says="for small |η|C², ‖Q‖ = O(K/m) |η|",
    given={"x": "m d"},
    sizes={"m": (1, 2), "d": (1, 2), "K": (1, 2, 3)},
    reading="As η → 0 with K and the data fixed: Q = −(K/m)ηI + O(η²), Q being a polynomial in η.",
)
def qsmall(x, xp, m, d, K):
    def Q(eta):
        return steps_polynomial(batch_gram(x, m), m, eta, K)

    yield equal(coefficient(xp, Q, 0), xp.zeros((d, d)), label="η^0")
    yield equal(coefficient(xp, Q, 1), -xp.eye(d) * K / m, label="η^1")


@qsmall.restate(
    "uniform",
    "‖Q‖ ≤ (K/m) |η| (1 + |η|C²)^{K−1} for all η and K ≥ 1",
    given=BATCH,
    sizes={"m": (1, 2), "d": (1, 2), "K": (1, 2, 3)},
    assuming=FEATURES,
    reading="With a constant that does not depend on the data but for C: for |η|C² ≤ 1/K it is at most e (K/m) |η|.",
)
def qsmall_uniform(x, eta, C, xp, m, K):
    Q = steps_polynomial(batch_gram(x, m), m, eta, K)
    size = absolute(eta)
    return at_most(operator_norm(Q), K * size * (1 + size * C**2) ** (K - 1) / m)


def query_label(x, y, xp, m, K, corrections):
    """The query's label after the layer of Thm. 5.2, as a function of η."""
    n, d = y.shape[0], x.shape[1]
    Z = tokens.labelled(x, y).T
    return lambda eta: hybrid.layer(theorem5_2(x, m, eta, K, corrections), Z)[d, n]


def k_steps(x, y, xp, m, K):
    """The query's entry of (I − ηT)^K y, as a function of η, with T on all tokens and 0 for the query's label."""
    T = batch_operator(x, m)
    start = xp.concat([y, xp.zeros((1,))], axis=0)

    return lambda eta: iterate(lambda now: now - eta * (T @ now), start, K)[-1]


RESIDUAL_SIZES = {"m": (1, 2), "r": (0, 1), "d": (1,), "K": (1, 2)}


@ssd.claim(
    "ssd.thm5.2-residual",
    where="App. A, end of the proof",
    kind="bound",
    says="with ε and η of the same order the residual is |E| = O(ε), and the K-step update is thereby recovered",
    given={"x": "m+r+1 d", "w": "d"},
    sizes=RESIDUAL_SIZES,
    reading=(
        "The K-step update of the query's label is (I − ηT)^K y; E is what the layer gives beyond it, a polynomial in "
        "η. E = O(η) says that it is 0 at η = 0, and holds. K steps differ from one of size Kη first in η², so that "
        "recovering them asks that the η² coefficients agree. P_Y = +1, as in the line above eq. 12; with the P_Y = −1 "
        "of Thm. 5.1 already the η¹ coefficients differ."
    ),
)
def residual(x, xp, m, K, w=None, y=None, *, highest=2):
    y = x[:-1] @ w if y is None else y
    layer = query_label(x, y, xp, m, K, ("sign",))
    steps = k_steps(x, y, xp, m, K)
    for order in range(highest + 1):
        found = coefficient(xp, layer, order)
        yield equal(found, coefficient(xp, steps, order), label=f"η^{order}")


residual.amend(
    "first-order",
    "the η¹ coefficients agree: the residual is O(η²), and one step of size Kη is recovered",
    given={"x": "m+r+1 d", "y": "m+r"},
    highest=1,
    reading="K steps of size η and one of size Kη agree to first order.",
)


@residual.restate(
    "second-order",
    (
        "the η² coefficients differ at d = 1, m ≤ 2, r ≤ 1, K ≤ 2: the residual is as large as what K steps add to one "
        "step of size Kη"
    ),
    given={"x": "m+r+1 d", "w": "d"},
    sizes=RESIDUAL_SIZES,
    reading="For some data at each of these sizes, which are all that is checked.",
)
def residual_second(x, w, xp, m, K):
    y = x[:-1] @ w
    found = coefficient(xp, query_label(x, y, xp, m, K, ("sign",)), 2)
    return differs(found, coefficient(xp, k_steps(x, y, xp, m, K), 2))
