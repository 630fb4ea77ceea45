"""Theorem 5.2: one layer SSD ∘ LSA performs several steps on a mini-batch (ssd §5.1, App. A)."""

from __future__ import annotations

from math import comb

from scanproof.constructs import tokens
from scanproof.constructs.arrays.iteration import iterate, iterates
from scanproof.constructs.constructions.gram_polynomial import gram_layer, selecting_last
from scanproof.constructs.constructions.hybrid import (
    ON_BATCH,
    THEOREM5_2,
    decays_of_column,
    selecting_mask,
    theorem5_2,
)
from scanproof.constructs.layers import hybrid
from scanproof.constructs.layers import ssd as mamba2
from scanproof.constructs.layers.hybrid_terms import half_step_term, increment, mask_term
from scanproof.constructs.learners.descent import gradient_descent
from scanproof.constructs.learners.losses import MEAN
from scanproof.constructs.learners.operators import (
    batch_gram,
    batch_operator,
    binomials,
    printed_polynomial,
    steps_polynomial,
)

from ...language.statements import differs, equal
from .source import ssd
from .theorem41 import labels
from .theorem51 import decays_beside_diagonal, with_unit_diagonal
from .theorem51_labels import ANY_MASK, DECAYS, with_mask

# The batch S is the set of the first m of n = m + r examples; tokens are columns, the query is the last one.
LINEAR = {"x": "m+r+1 d", "w": "d", "eta": ""}
"""The theorem's data: labels y_i = w·x_i."""
ANY_LABELS = {"x": "m+r+1 d", "y": "m+r", "eta": ""}


def batch_descent(x, y, m, eta, K, xp):
    """w^(K) after K steps on L_S(w) = (1/m) Σ_{t∈S} (w·x_t − y_t)² from w^(0) = 0."""
    return gradient_descent(MEAN, xp.zeros((x.shape[1],)), x[:m], y[:m], eta, K)


DEGREE = 9
"""The highest degree of one layer in its tokens: either sublayer is a polynomial of degree 3."""
STEPS = 5
"""K steps have degree 2K + 1 in the data: five have more than one layer."""


def tenth_difference(function):
    """Σ_k (−1)^k C(10, k) function(k), which is 0 for every polynomial of degree at most 9."""
    order = DEGREE + 1
    return sum((-1) ** k * comb(order, k) * function(k) for k in range(order + 1))


@ssd.claim(
    "ssd.thm5.2",
    where="Thm. 5.2",
    kind="existence",
    says=(
        "for every ε > 0 there are parameters of one SSD ∘ LSA layer with y_{n+1} = ⟨w^(K), x_{n+1}⟩, "
        "w^(r+1) = w^(r) − η∇L_S(w^(r)) + ε^(r), ‖ε^(r)‖ ≤ ε, L_S(w) = (1/m) Σ_{t∈S} (w·x_t − y_t)², w^(0) = 0"
    ),
    given={
        "x": "2 d",
        "w": "d",
        "eta": "",
        "L": "2 2",
        "S": "d+1 d+1",
        "M": "2 2",
        "P": "d+1 d+1",
        "Q": "d+1 d+1",
    },
    sizes={"d": (1,)},
    assuming={"η ≠ 0": lambda eta: eta != 0},
    over_all_parameters=("L", "S", "M", "P", "Q", "eta"),
    reading=(
        "Parameters do not depend on the data; η is fixed, n = m = 1 and K = 5. On data scaled by k = 0, …, 10 the "
        "label of any layer is a polynomial in k of degree at most 9, so that its tenth difference is 0 (first part: "
        "all parameters are symbols, so that those in the counterexample do not matter); that of the five steps is not "
        "(second part, divided by η⁵). No layer is right at these eleven inputs, nor a sequence of layers with errors "
        "tending to 0. Every K ≥ 5 alike, whose degree 2K + 1 is at least 11."
    ),
)
def theorem(x, w, eta, L, S, M, P, Q, xp, d):
    p = hybrid.Parameters(ssd_mask=L, S=S, lsa_mask=M, P=P, Q=Q)

    def layer(k):
        return hybrid.layer(p, tokens.labelled(k * x, (k * x)[:-1] @ w).T)[d, 1]

    def five_steps(k):
        return k * (x[-1] @ batch_descent(k * x, (k * x)[:-1] @ w, 1, eta, STEPS, xp))

    found = tenth_difference(layer)
    yield equal(found, 0 * eta, label="one layer has degree at most 9")
    wanted = tenth_difference(five_steps)
    yield equal(found / eta**5, wanted / eta**5, label="the tenth difference of five steps")


@theorem.restate(
    "one-step",
    "for K = 1 and every S: y_{n+1} = ⟨w^(1), x_{n+1}⟩ with ε^(0) = ε Σ_{j∉S} y_j x_j, for every ε ≠ 0",
    assuming={},
    given={**ANY_LABELS, "eps": ""},
    sizes={"m": (1, 2), "r": (0, 1, 2), "d": (1, 2)},
    construction=ON_BATCH,
    fixed=("eta", "eps"),
    reading=(
        "Witness: a mask of decays (Def. 3.2) with last column 2ηn/m at j ∈ S and nε at the other examples, "
        "S = diag(I, 0), and an LSA sublayer that does nothing; η ≠ 0. K ≥ 2: none, exactly; for d ≥ 2 none in the "
        "limit (open.thm5.2-context-free); d = 1, K = 2, 3, 4 in the limit is open. With an S that depends on the "
        "context: +gram."
    ),
)
def one_step_of_batch(construction, p, x, y, eta, eps, m):
    return equal(construction.predictions(p, x, y), construction.learned(x, y, eta, m=m, eps=eps))


@theorem.restate(
    "gram",
    (
        "for every K ≥ 1 and S = [n], exactly, if S may depend on the context, through R = Σ_t x_t x_tᵀ alone: all "
        "decays 1, S = −n diag(Q_K, 0), Q_{k+1} = (I − ρR)Q_k − ρI, Q_0 = 0, ρ = 2η/n, and P = 0"
    ),
    assuming={},
    given={"x": "n+1 d", "y": "n", "eta": ""},
    sizes={"n": (1, 2), "d": (1, 2), "K": (1, 2, 3)},
    parameters=lambda x, eta, xp, n, K: gram_layer(x, n, eta, K, xp.ones((n + 1,))),
    kind="construction",
    depends_on=("open.thm5.2-context-free+polynomial",),
    reading=(
        "For all data and labels, linear or not, with ε^(r) = 0 and decays in (0, 1]; the query's label is 0 and so "
        "takes no part. For K = 1 Q_1 = −ρI does not depend on the context. Parameters that do not are impossible for "
        "K ≥ 2: open.thm5.2-context-free."
    ),
)
def gram(p, x, y, eta, n, d, K, xp):
    w_K = batch_descent(x, y, n, eta, K, xp)
    yield equal(y @ x[:n] @ p.S[:d, :d], n * w_K, label="S")
    yield equal(hybrid.layer(p, tokens.labelled(x, y).T)[d, n], x[-1] @ w_K, label="the query")


@theorem.restate(
    "gram-last",
    "the same if S is the last m of n = r + m examples: the decay a_{r+1} is 0, the others 1, S = −n diag(Q_K, 0)",
    assuming={},
    given={"x": "r+m+1 d", "y": "r+m", "eta": ""},
    sizes={"r": (0, 1, 2), "m": (1, 2), "d": (1, 2), "K": (1, 2, 3)},
    parameters=lambda x, eta, xp, r, m, K: gram_layer(x, m, eta, K, selecting_last(xp, r, m)),
    kind="construction",
    reading=(
        "The zero decay hides the examples 1, …, r from all later tokens. R and ρ = 2η/m are those of S. Decays in "
        "[0, 1], and no limit; another S takes weights that are limits of masks of decays "
        "(open.thm5.2-context-free+gram)."
    ),
)
def gram_last(p, x, y, eta, r, m, d, K, xp):
    w_K = batch_descent(x[r:], y[r:], m, eta, K, xp)
    return equal(hybrid.layer(p, tokens.labelled(x, y).T)[d, r + m], x[-1] @ w_K)


@ssd.claim(
    "ssd.thm5.2-construction",
    where="App. A",
    kind="construction",
    says=(
        "B = Q = Σ_{s=1}^K C(K,s)(−η)^s m^{−s} R^{s−1}, R = Σ_{t∈S} x_t x_tᵀ, L_ji = 1 − n·1[j ∈ S] and the LSA "
        "sublayer of Thm. 5.1 give y_{n+1} = ⟨w^(K), x_{n+1}⟩ but for the residual E"
    ),
    given=LINEAR,
    sizes={"m": (1, 2), "r": (0, 1), "d": (1,), "K": (1, 2)},
    parameters=theorem5_2,
    reading=(
        "S in eq. 11 is R. E is (1/n) Σ_{j≤i} (⟨Bx_i^½, x_j^½⟩y_j^½ − ⟨Bx_i, x_j⟩y_j), as in Thm. 5.1 but with B, and "
        "w^(0) = 0; K steps are those of the theorem's loss."
    ),
)
def printed(p, x, eta, m, K, w=None, y=None, *, negative=False):
    y = labels(x, w, y)
    wanted = THEOREM5_2.learned(x, y, eta, steps=K, m=m)
    return equal(THEOREM5_2.predictions(p, x, y), wanted if negative else -wanted)


printed.amend(
    "sign+factor+prediction",
    "with P_Y = +1 and 2η for η in Q they give y_{n+1} = −⟨w^(K), x_{n+1}⟩ + E",
    given=ANY_LABELS,
    construction=THEOREM5_2,
    corrections=("sign", "scale"),
    negative=True,
    reading=(
        "The factor 2 is that of ∇L_S, whose loss has no ½; labels become residuals y − w·x, and the query's starts "
        "at 0. E is of the same order in η as the steps after the first: ssd.thm5.2-residual."
    ),
)


@ssd.claim(
    "ssd.thm5.2-onestep",
    where="App. A",
    says=(
        "a single SGD step on L_S acts on the vector y as M = I − ηT, (Ty)_i = (1/m) Σ_{t∈S} ⟨x_i, x_t⟩y_t"
    ),
    given={"x": "m+r d", "w_data": "d", "w": "d", "eta": ""},
    sizes={"m": (1, 2), "r": (0, 1), "d": (1, 2)},
    reading="y is the vector of residuals y_i − w·x_i, as in Thm. 5.1, and L_S(w) = (1/m) Σ_{t∈S} (w·x_t − y_t)².",
)
def onestep(x, w, eta, m, w_data=None, y=None, *, factor=1):
    y = x @ w_data if y is None else y
    after = gradient_descent(MEAN, w, x[:m], y[:m], eta)
    residual = y - x @ w
    return equal(y - x @ after, residual - factor * eta * (batch_operator(x, m) @ residual))


onestep.amend(
    "factor",
    "it acts on the residuals as M = I − 2ηT",
    given={"x": "m+r d", "y": "m+r", "w": "d", "eta": ""},
    factor=2,
)


def applied(matrix, columns, times):
    """matrix^times columns, one multiplication after the other."""
    return iterate(lambda now: matrix @ now, columns, times)


def batch_columns(matrix, m, xp):
    """The matrix with every column j ∉ S set to 0: 1[j ∈ S] matrix_ij."""
    rows, columns = matrix.shape
    return xp.concat([matrix[:, :m], xp.zeros((rows, columns - m))], axis=1)


@ssd.claim(
    "ssd.thm5.2-powers",
    where="eq. 10",
    says="(T^s)_ij = (1/m) x_iᵀ R^{s−1} x_j for all i, j, and T^s_ij = 0 when j ∉ S",
    given={"x": "m+r d"},
    sizes={"m": (1, 2), "r": (0, 1), "d": (1, 2), "s": (1, 2, 3)},
    reading="The two halves contradict each other where j ∉ S.",
)
def powers(x, xp, m, r, s, *, scaled=False, in_batch=False):
    T, R = batch_operator(x, m), batch_gram(x, m)
    found = applied(T, T, s - 1)
    claimed = x @ applied(R / m if scaled else R, x.T, s - 1) / m  # m^{−s} R^{s−1} is (R/m)^{s−1}/m
    yield equal(found, batch_columns(claimed, m, xp) if in_batch else claimed)
    yield equal(found[:, m:], xp.zeros((m + r, r)), label="j ∉ S")


powers.amend(
    "scale+indicator",
    "(T^s)_ij = m^{−s} 1[j ∈ S] x_iᵀ R^{s−1} x_j for all i, j",
    scaled=True,
    in_batch=True,
)


@ssd.claim(
    "ssd.thm5.2-operator",
    where="eqs. 9, 11",
    says=(
        "(I − ηT)^K − I = Σ_s C(K,s)(−η)^s T^s = (1[j ∈ S] x_iᵀ Q x_j)_ij, Q = Σ_s C(K,s)(−η)^s m^{−s} R^{s−1}"
    ),
    given={"x": "m+r d", "eta": ""},
    sizes={"m": (1, 2), "r": (0, 1), "d": (1, 2), "K": (1, 2, 3)},
    reading="The printed S^{s−1} in eq. 11 is R^{s−1}: S is a set of examples.",
)
def operator(x, eta, xp, m, r, K):
    T, one = batch_operator(x, m), xp.eye(m + r)
    increment_operator = iterate(lambda now: now - eta * (T @ now), one, K) - one
    terms = iterates(lambda now: -eta * (T @ now), -eta * T, K)  # (−η)^s T^s for s = 1, …, K
    binomial = (binomials(xp, K)[1:, None, None] * terms).sum(axis=0)
    R = batch_gram(x, m)
    Q = printed_polynomial(R, m, eta, K)
    yield equal(increment_operator, binomial, label="binomial expansion")
    yield equal(binomial, batch_columns(x @ Q @ x.T, m, xp), label="Q")
    yield equal(Q, steps_polynomial(R, m, eta, K), label="Q by Pascal's rule")


@ssd.claim(
    "ssd.thm5.2-eq12",
    where="eq. 12",
    says=(
        "Δy_i = −(1/n) Σ_j (L_ji ⟨Bx_i, x_j⟩y_j + ⟨−Bx_i^½, x_j^½⟩y_j^½) = −(1/n) Σ_j (L_ji − 1)⟨Bx_i, x_j⟩y_j + E"
    ),
    given=ANY_MASK,
    sizes={"n": (1, 2, 3), "d": (1, 2)},
    parameters=with_mask,
    corrections=("sign",),
    reading=(
        "E = (1/n) Σ_{j≤i} (⟨Bx_i^½, x_j^½⟩y_j^½ − ⟨Bx_i, x_j⟩y_j), for every causal L. The source's line has −B in "
        "the second product and no P_Y, that is P_Y = +1, and is judged so; the P_Y = −1 of Thm. 5.1, with which it "
        "can also be read, is another layer (+P_Y)."
    ),
)
def eq12(p, x, y, d):
    increments, claimed = both_sides(p, x, y)
    return equal(increments[d], claimed[d])


def both_sides(p, x, y):
    """The layer's increment, and the leading term with E."""
    Z = tokens.labelled(x, y).T
    return increment(p, Z), mask_term(p, Z, p.Q) + half_step_term(p, Z, p.Q)


@eq12.restate(
    "P_Y",
    "with P_Y = −1, as Thm. 5.1 sets it, the two sides differ for some linear data and decays",
    given=DECAYS,
    sizes={"n": (1, 2, 3), "d": (1, 2)},
    corrections=(),
)
def eq12_of_theorem51(p, x, w, d):
    increments, claimed = both_sides(p, x, x[:-1] @ w)
    return differs(increments[d], claimed[d])


@ssd.claim(
    "ssd.thm5.2-mask",
    where="App. A",
    kind="remark",
    says="L_ji = 1 − n·1[j ∈ S] is a mask of Def. 3.2, that is of decay products",
    sizes={"m": (1, 2), "r": (0, 1, 2)},
    reading=(
        "Entries j ≤ i. A mask of Def. 3.2 has a_i = L_{i−1,i}: it is the mask of these decays. The diagonal is taken "
        "as 1, which Def. 3.2 has and L_jj = 1 − n for j ∈ S has not."
    ),
)
def mask(xp, m, r):
    n = m + r
    printed = with_unit_diagonal(selecting_mask(xp, n + 1, 0, m, 1 - n))
    return equal(printed, mamba2.decay_mask(decays_beside_diagonal(printed)))


@mask.restate(
    "columns",
    "the decays a_{j+1} = L_{j,n+1}/L_{j+1,n+1} give a mask with the printed columns i ∉ S, the query's among them",
    sizes={"m": (1, 2), "r": (0, 1, 2)},
    reading="So every token outside S can be given the printed weights.",
)
def columns(xp, m, r):
    n = m + r
    printed = selecting_mask(xp, n + 1, 0, m, 1 - n)
    possible = mamba2.decay_mask(decays_of_column(printed[:, n]))
    return equal(possible[:, m:], printed[:, m:])


@ssd.claim(
    "ssd.thm5.2-weights",
    where="Thm. 5.2",
    kind="remark",
    says="Q is a parameter of the layer: it does not depend on the context",
    given={"x": "m d", "other": "m d", "eta": ""},
    sizes={"m": (1, 2), "d": (1, 2), "K": (1, 2, 3)},
    reading="Two contexts with inputs x and `other` in S are to have the same Q.",
)
def weights(x, other, eta, m, K):
    first, second = (steps_polynomial(batch_gram(inputs, m), m, eta, K) for inputs in (x, other))
    return equal(first, second)


weights.amend(
    "one-step",
    "for K = 1 it is −(η/m)I for every context",
    sizes={"m": (1, 2), "d": (1, 2)},
    K=1,
)
