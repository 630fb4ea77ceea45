"""Theorem 5.1: layers SSD ∘ LSA perform SGD (ssd §5.1, App. A); the theorem, its parameters and their masks."""

from __future__ import annotations

from scanproof.constructs.arrays.array_api import namespace, unit
from scanproof.constructs.arrays.ranges import build
from scanproof.constructs.constructions.hybrid import (
    ON_EXAMPLE,
    THEOREM5_1,
    decays_of_column,
    selecting_mask,
    theorem5_1_limit,
)
from scanproof.constructs.errors import UsageError
from scanproof.constructs.layers import ssd as mamba2
from scanproof.constructs.learners.operators import example_index

from ...language.statements import equal
from . import printed_sign
from .source import ssd
from .theorem41 import labels

# The example of the step is number t of n = t + r; tokens are columns, the query is the last one.
LINEAR = {"x": "t+r+1 d", "w": "d", "eta": ""}
"""The theorem's data: labels y_i = w·x_i."""
ANY_LABELS = {"x": "t+r+1 d", "y": "t+r", "eta": ""}
SIZES = {"t": (1, 2), "r": (0, 1), "d": (1, 2)}


@ssd.claim(
    "ssd.thm5.1",
    where="Thm. 5.1",
    kind="existence",
    says=(
        "for every ε > 0 there are parameters of l SSD ∘ LSA layers with y^l_{n+1} = ⟨w_l, x_{n+1}⟩ and "
        "w_{l+1} = w_l − η∇L_t(w_l) + ε_l, ‖ε_l‖ ≤ ε, t = l mod n, L_t(w) = ½ (w·x_t − y_t)², w_0 = 0"
    ),
    given=printed_sign.GIVEN,
    sizes={"l": (2,), "n": (3,), "d": (8,)},
    assuming={"η ≠ 0": lambda eta: eta != 0},
    over_all_parameters=printed_sign.PARAMETERS,
    depends_on=(
        "ssd.thm5.1+printed-line",
        "ssd.thm5.1+printed-zeros",
        "ssd.thm5.1+printed-query",
        "ssd.thm5.1+printed-coefficients",
    ),
    reading=(
        "It is refuted with the printed sign +: the proof ends with w_l = −θ_l, that is with −, and with − there are "
        "parameters (+reverse+sign). ε is arbitrary, η and the bound on the data are fixed, and the parameters depend "
        "on neither data nor labels (else the statement is empty: an SSD sublayer adds y_j times any multiple of the "
        "query's feature); M is causal, entry (j, i) is 1 for j ≤ i; the examples are counted 1..n "
        "(ssd.thm5.1-index). w_0 plays no part: only what is linear in y does.\n\n"
        "For l = 2, n ≥ 3, d ≥ 8 and η ≠ 0 there are no such parameters, whatever P, S, Q and the SSD masks are. "
        "Suppose there are. Polynomials of bounded degree that are near on bounded data have near coefficients. For "
        "independent x_1, x_2, x_3, other examples being 0 (+printed-zeros), the labels w·x_j are any numbers, so the "
        "two sides are near as polynomials in free x and y. Now put x_j = s_j v with free y_j, v a unit vector that is "
        "orthogonal to S_xy, S_yx, Q_xy, Q_yx, P_yx, P′_yx and P_xxᵀP′_yx, P′ being the second layer's, as there is "
        "for d > 7, and take the part that is linear in y and in the query: by +printed-line it is that of layers in "
        "four coordinates, with parameters L, S, Q, ρ, g, b. By +printed-query its sum with 1 at y = s is "
        "1 + Σ_j α_j s_j² times another polynomial in s, of a degree below 3^{2l}; it is to come near "
        "1 + η(s_1² + s_2²) − η²s_1²s_2². That it cannot is the machine's, at n = 3 and d = 8.\n\n"
        "In the argument X_j = s_j², q = Q_0[0, 0]/n, α_j = L_0[j, n] S_0[0, 0]/n, δ_j = L_0[j, j] S_0[0, 0]/n, "
        "γ_j = L_1[j, n]/n, β = qρ, B_00 = S_1[0, 0], B_01 + B_10 = q(S_1[0, 1] + S_1[1, 0]), B_11 = q² S_1[1, 1], "
        "C_00 = Q_1[0, 0]/n and D_jk is the coefficient of y_j s_j s_k² less that of y_k s_k s_j². By "
        "+printed-coefficients [y_j s_j] is α_j + β + γ_j B_00 + b C_00, and where only example j is not 0, 1 and the "
        "response have the factor F_j = 1 + γ_j U (B_00 + (B_01 + B_10) U + B_11 U²), U = X_j (1 + δ_j X_j)². So "
        "[X_1] F_1 = γ_1 B_00, [X_1²] F_1 = 2δ_1γ_1 B_00 + γ_1 (B_01 + B_10), [X_1³] F_1 = δ_1²γ_1 B_00 + "
        "4δ_1γ_1 (B_01 + B_10) + γ_1 B_11 and [X_1⁹] F_1 = δ_1⁶γ_1 B_11.\n\n"
        "Gauss's lemma: where polynomials with constant term 1 have a product that tends to a polynomial, their "
        "coefficients are bounded and the product of their limits is its limit (proofs/check/limits.py has the "
        "proof). So each tends to 1 where that is 1; and where it is irreducible, one tends to it and the others to 1. "
        "Of three examples it is A + B X_2 with A = 1 + ηX_1 and B = η − η²X_1, which is irreducible, for ηA + B = 2η "
        "is a number other than 0.\n\n"
        "With + there are parameters for one layer (+one-layer), and for l = n = 2, d = 1 (+two-examples); +in-turn "
        "is right up to O(η³)."
    ),
)
def theorem(L, S, Q, rho, g, b, s, eta, xp, l, d, *, sign=1):
    if d <= len(printed_sign.MIXING):
        raise UsageError(
            f"d = {d}: a vector orthogonal to {len(printed_sign.MIXING)} others needs more features."
        )
    p = printed_sign.Line(L, S, Q, rho, g, b)
    return printed_sign.approaches(p, s, eta, xp, tuple(range(l)), sign)


def restate(suffix, says, **changes):
    """An amendment of Theorem 5.1 with data, sizes and hypotheses of its own."""
    own = {"given": {}, "sizes": {}, "assuming": {}, "depends_on": ()}
    return theorem.restate(suffix, says, **{**own, **changes})


@restate(
    "one-layer",
    "for l = 1 and every t ≤ n: y^1_{n+1} = ⟨w_1, x_{n+1}⟩ with ε_0 = ε Σ_{j≠t} y_j x_j, for every ε ≠ 0",
    given={**ANY_LABELS, "eps": ""},
    sizes={"t": (1, 2, 3), "r": (0, 1), "d": (1, 2)},
    construction=ON_EXAMPLE,
    fixed=("eta", "eps"),
    reading=(
        "Witness: a mask of decays (Def. 3.2) with last column nη at j = t and nε at the other examples, "
        "S = diag(I, 0), and an LSA sublayer that does nothing; η ≠ 0. For |x| ≤ C and |y| ≤ D it has ‖ε_0‖ ≤ εnCD."
    ),
)
def one_layer(construction, p, x, y, eta, eps, t):
    return equal(construction.predictions(p, x, y), construction.learned(x, y, eta, t=t, eps=eps))


@ssd.claim(
    "ssd.thm5.1-construction",
    where="App. A",
    kind="construction",
    says=(
        "A_l = −B_l, P_X = I, P_Y = −1, ‖B_l‖ ≤ ε, L_ti = 1 + ηn and other entries 1 give y^l_{n+1} = ⟨w_l, x_{n+1}⟩, "
        "w_{l+1} = w_l − η∇L_t(w_l) + O(ε)"
    ),
    given=LINEAR,
    sizes=SIZES,
    parameters=theorem5_1_limit,
    reading=(
        "One layer from w_0 = 0, both masks causal, B_l = εB. The label is a polynomial in ε, so that it is "
        "⟨w_1, x_{n+1}⟩ + O(ε) only if the two agree at ε = 0. There, for every B, the layer does nothing: its leading "
        "term is −η⟨B_l x_i, x_t⟩y_t, from which the proof drops B_l."
    ),
)
def printed(p, x, eta, t, w=None, y=None, *, negative=False):
    y = labels(x, w, y)
    wanted = THEOREM5_1.learned(x, y, eta, t=t)
    return equal(THEOREM5_1.predictions(p, x, y), wanted if negative else -wanted)


printed.amend(
    "scale+sign",
    "with L_ti = 1 + ηn/ε and B_l = εI one layer gives y^1_{n+1} = −⟨w_1, x_{n+1}⟩ + O(ε)",
    given=ANY_LABELS,
    construction=THEOREM5_1,
    corrections=("scale",),
    negative=True,
    reading=(
        "The layer at ε = 0, with the mask given times ε and S divided by it. P_Y takes no part. The sign is that of "
        "y = θ·x with w = −θ, with which the proof itself ends. ssd.thm5.1-drift+scale says what becomes of the "
        "features, which is why this is one layer's statement."
    ),
)


@ssd.claim(
    "ssd.thm5.1-index",
    where="Thm. 5.1",
    kind="remark",
    says="step l = 0, 1, 2, … uses the example t = l mod n of the examples 1, …, n",
    sizes={"n": (1, 2, 3, 4)},
    reading="The first n steps, from w_0 to w_n, use each of the examples 1..n once.",
)
def index(xp, n, *, shift=0):
    def used(step):
        return unit(xp, n + 2, example_index(step, n) + shift)

    uses = build(xp, n, used).sum(axis=0)  # how often each of 0, …, n + 1 is used
    return equal(uses[1 : n + 1], xp.ones((n,)))


index.amend("shift", "step l uses the example t = (l mod n) + 1", shift=1)


@ssd.claim(
    "ssd.thm5.1-mask",
    where="App. A",
    kind="remark",
    says="the mask with L_ti = 1 + ηn and other entries 1 is a mask of Def. 3.2, that is of decay products",
    given={"eta": ""},
    sizes={"t": (1, 2, 3), "r": (0, 1, 2)},
    reading=(
        "Entries j ≤ i. A mask of Def. 3.2 has a_i = L_{i−1,i}: it is the mask of these decays. The diagonal is taken "
        "as 1, which Def. 3.2 has and L_tt = 1 + ηn has not; for t = 1 the rest then is a mask of decays."
    ),
)
def mask(eta, xp, t, r):
    printed = with_unit_diagonal(selecting_mask(xp, t + r + 1, t - 1, t, 1 + eta * (t + r)))
    return equal(printed, mamba2.decay_mask(decays_beside_diagonal(printed)))


def with_unit_diagonal(mask):
    """The mask with 1 for its diagonal."""
    diagonal = namespace(mask).eye(mask.shape[0])
    return mask * (1 - diagonal) + diagonal


def decays_beside_diagonal(mask):
    """a_i = L_{i−1,i}, and 1 for a_1, which takes no part: (T, T) -> (T,)."""
    xp = namespace(mask)
    later = build(xp, mask.shape[0] - 1, lambda i: mask[i, i + 1])
    return xp.concat([xp.ones((1,)), later], axis=0)


@mask.restate(
    "columns",
    "the decays a_t = 1/(1 + ηn), a_{t+1} = 1 + ηn, others 1, give a mask with the printed columns i ≠ t",
    given={"eta": ""},
    sizes={"t": (1, 2, 3), "r": (0, 1, 2)},
    reading="So every token but x_t itself can be given the printed weights; 1 + ηn ≠ 0.",
)
def columns(eta, xp, t, r):
    printed = selecting_mask(xp, t + r + 1, t - 1, t, 1 + eta * (t + r))
    possible = mamba2.decay_mask(decays_of_column(printed[:, t + r]))
    yield equal(possible[:, : t - 1], printed[:, : t - 1], label="columns i < t")
    yield equal(possible[:, t:], printed[:, t:], label="columns i > t")
