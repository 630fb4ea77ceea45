"""The proof of Theorem 5.1: how far one layer moves the features x_i (ssd §5.1, App. A)."""

from __future__ import annotations

from scanproof.constructs import tokens
from scanproof.constructs.arrays.expansion import coefficient
from scanproof.constructs.arrays.norms import absolute, norm
from scanproof.constructs.constructions.hybrid import (
    selecting_mask,
    theorem5_1,
    theorem5_1_drift,
)
from scanproof.constructs.layers import hybrid
from scanproof.constructs.layers import ssd as mamba2
from scanproof.constructs.layers.hybrid_terms import (
    contribution,
    half_step_term,
    increment,
    mask_term,
)

from ...language.statements import at_most, equal
from .sizes_of_data import FEATURES, HALF_STEP, MATRIX
from .source import ssd

# Tokens are columns. The bounds are stated of tokens without labels, which take no part in what becomes of features.
DATA = {"x": "n+1 d", "a": "n+1", "B": "d d", "C": "", "b": ""}
FEW = {"n": (1, 2), "d": (1, 2)}
BOUNDED = {**FEATURES, **MATRIX}


def of_features(x, mask, B, xp):
    """The hybrid layer on features alone, both sums over all tokens j = 1..n+1 as the proof prints them."""
    T, d = x.shape
    return hybrid.Parameters(ssd_mask=mask, S=-B, lsa_mask=xp.ones((T, T)), P=xp.eye(d), Q=B)


@ssd.claim(
    "ssd.thm5.1-eq6",
    where="eq. 6",
    kind="bound",
    says="‖x_i^{l+½} − x_i^l‖ ≤ (1/n) |Σ_j L_ji| ‖B‖ C³ when ‖x‖ ≤ C",
    given=DATA,
    sizes=FEW,
    assuming=BOUNDED,
    reading="L is a mask of Def. 3.2, with decays of either sign.",
)
def eq6(x, a, b, B, C, xp, n, *, of_each=False):
    mask = mamba2.decay_mask(a)
    moved = (mamba2.layer(x.T, mask, -B) - x.T).T
    entries = absolute(mask).sum(axis=0) if of_each else absolute(mask.sum(axis=0))
    return at_most(norm(moved), entries * b * C**3 / n)


eq6.amend("sum", "‖x_i^{l+½} − x_i^l‖ ≤ (1/n) Σ_j |L_ji| ‖B‖ C³ when ‖x‖ ≤ C", of_each=True)


@ssd.claim(
    "ssd.thm5.1-split",
    where="App. A",
    says=(
        "Δx_i = I_1 + I_2, I_1 = (1/n) Σ_j (⟨Bx_i^½, x_j^½⟩x_j^½ − ⟨Bx_i, x_j⟩x_j), "
        "I_2 = (1/n) Σ_j (1 − L_ji)⟨Bx_i, x_j⟩x_j"
    ),
    given={"x": "n+1 d", "L": "n+1 n+1", "B": "d d"},
    sizes={"n": (1, 2), "d": (1, 2)},
    reading="For any L and B, with sums over all the tokens j = 1..n+1 in both sublayers, as printed.",
)
def split(x, L, B, xp):
    p = of_features(x, L, B, xp)
    return equal(increment(p, x.T), half_step_term(p, x.T, B) + mask_term(p, x.T, B))


SIX_VECTORS = dict.fromkeys(("u", "v", "w", "u0", "v0", "w0"), "d")


def three_terms(B, u, v, w, u0, v0, w0, subtracted):
    left = contribution(B, u, v, w) - contribution(B, u0, v0, w0)
    first = contribution(B, u - subtracted, v, w)
    return equal(left, first + contribution(B, u0, v - v0, w) + contribution(B, u0, v0, w - w0))


@ssd.claim(
    "ssd.thm5.1-three-terms",
    where="§5.1",
    says="⟨Bu, v⟩w − ⟨Bu0, v0⟩w0 = ⟨B(u − u0), v⟩w + ⟨Bu0, v − v0⟩w + ⟨Bu0, v0⟩(w − w0)",
    given={**SIX_VECTORS, "B": "d d"},
)
def three_terms_main(B, u, v, w, u0, v0, w0):
    return three_terms(B, u, v, w, u0, v0, w0, u0)


@ssd.claim(
    "ssd.thm5.1-three-terms-a",
    where="App. A",
    says="⟨Bu, v⟩w − ⟨Bu0, v0⟩w0 = ⟨B(u − v0), v⟩w + ⟨Bu0, v − v0⟩w + ⟨Bu0, v0⟩(w − w0)",
    given={**SIX_VECTORS, "B": "d d"},
)
def three_terms_appendix(B, u, v, w, u0, v0, w0, *, subtracted="v0"):
    return three_terms(B, u, v, w, u0, v0, w0, {"u0": u0, "v0": v0}[subtracted])


three_terms_appendix.amend("index", "the same with B(u − u0), as in §5.1", subtracted="u0")


@ssd.claim(
    "ssd.thm5.1-i1",
    where="App. A",
    kind="bound",
    says="‖I_1‖ ≤ 3‖B‖C²δ when ‖x‖ ≤ C and ‖x_i^½ − x_i‖ ≤ δ",
    given={"x": "n+1 d", "half": "n+1 d", "B": "d d", "C": "", "b": "", "delta": ""},
    sizes=FEW,
    assuming={**BOUNDED, **HALF_STEP},
    reading=(
        "I_1 = (1/n) Σ_j (⟨Bx_i^½, x_j^½⟩x_j^½ − ⟨Bx_i, x_j⟩x_j) for any x^½ near x; “using ‖x‖ ≤ C” each of the three "
        "terms is bounded, so ‖x_i^½‖ ≤ C is taken to hold too. The sum has n + 1 terms and is divided by n."
    ),
)
def i1(x, half, B, b, C, delta, xp, n, *, terms=0):
    seen = xp.ones((n + 1, n + 1))
    change = mamba2.masked_mixing(half.T, seen, B) - mamba2.masked_mixing(x.T, seen, B)
    bound = 3 * b * C**2 * delta * xp.ones((n + 1,))
    return at_most(norm(change.T / n), bound * (n + terms) / n)


i1.amend("count", "‖I_1‖ ≤ 3 ((n + 1)/n) ‖B‖C²δ", terms=1)


@ssd.claim(
    "ssd.thm5.1-i2",
    where="App. A",
    kind="bound",
    says="‖I_2‖ ≤ (‖B‖C³/n) Σ_j |1 − L_ji| when ‖x‖ ≤ C",
    given={"x": "n+1 d", "L": "n+1 n+1", "B": "d d", "C": "", "b": ""},
    sizes=FEW,
    assuming=BOUNDED,
    reading="For any L, not only the masks of Def. 3.2; the sums are over all n + 1 tokens.",
)
def i2(x, L, b, B, C, xp, n):
    left = norm(mask_term(of_features(x, L, B, xp), x.T, B).T)
    return at_most(left, absolute(1 - L).sum(axis=0) * b * C**3 / n)


DRIFT = {"x": "t+r+1 d", "B": "d d", "eta": ""}
DRIFT_SIZES = {"t": (1, 2), "r": (0, 1), "d": (1, 2)}


def drift_coefficient(parameters, x, xp, d, order):
    """The coefficient of ε^order in Δx_i, as columns, for parameters that depend on ε."""
    Z = tokens.labelled(x, xp.zeros((x.shape[0] - 1,))).T
    return coefficient(xp, lambda eps: increment(parameters(eps), Z)[:d], order)


@ssd.claim(
    "ssd.thm5.1-drift",
    where="App. A",
    kind="bound",
    says=(
        "‖Δx_i‖ = O(ε²) per layer with ‖B‖ ≤ ε, (a) with one entry of L that is 1 − nε and the others 1, as it is "
        "proved, and (b) with 1 + ηn for it, as it is used"
    ),
    given=DRIFT,
    sizes=DRIFT_SIZES,
    reading=(
        "B_l = εB and causal masks; all else fixed, Δx_i is a polynomial in ε, which is O(ε²) if and only if its "
        "coefficients of ε⁰ and ε¹ vanish."
    ),
)
def drift(x, B, eta, xp, t, r, d, *, used=True):
    def proved_mask(eps):
        return theorem5_1_drift(xp, t + r, d, eps, B, t)

    def used_mask(eps):
        return theorem5_1(xp, t + r, d, eta, eps, B, t)

    none = xp.zeros((d, t + r + 1))
    for order in (0, 1):
        found = drift_coefficient(proved_mask, x, xp, d, order)
        yield equal(found, none, label=f"(a), ε^{order}")
    for order in (0, 1) if used else ():
        found = drift_coefficient(used_mask, x, xp, d, order)
        yield equal(found, none, label=f"(b), ε^{order}")


drift.amend("proved-mask", "‖Δx_i‖ = O(ε²) in case (a)", used=False)


def towards_example(x, B, xp, t):
    """⟨Bx_i, x_t⟩ x_t for the tokens i ≥ t and 0 for the others, as columns."""
    T = x.shape[0]
    only_t = selecting_mask(xp, T, t - 1, t, 1, others=0)
    return mamba2.masked_mixing(x.T, only_t, B)


@drift.restate(
    "used-mask",
    "in case (b) Δx_i = −εη⟨Bx_i, x_t⟩x_t + O(ε²) for the tokens i ≥ t, and O(ε²) for the others",
    given=DRIFT,
    sizes=DRIFT_SIZES,
)
def drift_used(x, B, eta, xp, t, r, d):
    def used_mask(eps):
        return theorem5_1(xp, t + r, d, eta, eps, B, t)

    claimed = -eta * towards_example(x, B, xp, t)
    yield equal(drift_coefficient(used_mask, x, xp, d, 0), claimed * 0, label="ε^0")
    yield equal(drift_coefficient(used_mask, x, xp, d, 1), claimed, label="ε^1")


@drift.restate(
    "scale",
    "with L_ti = 1 + ηn/ε, which the label update needs, Δx_i = −η⟨Bx_i, x_t⟩x_t + O(ε) for i ≥ t: no small drift",
    given=DRIFT,
    sizes=DRIFT_SIZES,
    reading="The layer at ε = 0; ssd.thm5.1-step+scale is the statement about labels.",
)
def drift_scaled(x, B, eta, xp, t, r, d):
    def scaled_mask(eps):
        return theorem5_1(xp, t + r, d, eta, eps, B, t, corrections=("scale",))

    found = drift_coefficient(scaled_mask, x, xp, d, 0)
    return equal(found, -eta * towards_example(x, B, xp, t))
