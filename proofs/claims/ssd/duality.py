"""Linear self-attention, the recurrence of Mamba-2, and their duality (ssd §3.2 and §3.3)."""

from __future__ import annotations

from scanproof.constructs.arrays.array_api import outer
from scanproof.constructs.arrays.ranges import build, each, product
from scanproof.constructs.arrays.scan import scan
from scanproof.constructs.layers import lsa
from scanproof.constructs.layers import ssd as mamba2

from ...language.statements import equal
from .source import ssd

# Tokens are columns, as in the source: Z is (D, n + 1).


def decay(a, t, s):
    """a_{t:s} = a_t a_{t−1} … a_{s+1}, and 1 for s = t, with t and s counted from 0."""
    return product(a[s + 1 : t + 1])


@ssd.claim(
    "ssd.eq3",
    where="eq. 3",
    says=(
        "H_t = a_t H_{t−1} + z_t ⊗ b_t with H_1 = z_1 ⊗ b_1 unrolls to Σ_{s≤t} a_{t:s} z_s ⊗ b_s, "
        "a_{t:s} = a_t a_{t−1} … a_{s+1}, a_{t:t} = 1"
    ),
    given={"z": "T D", "a": "T", "b": "T N"},
    sizes={"T": (1, 2, 3, 4), "D": (1, 2), "N": (1, 2, 3)},
    reading="H_1 = z_1 ⊗ b_1 is what the recurrence gives from H_0 = 0, whatever a_1 is.",
)
def eq3(z, a, b, xp, T, D, N):
    read_out_by = b  # c_t takes no part in the states
    states = scan(mamba2.step, None, xp.zeros((D, N)), mamba2.Token(z, a, b, read_out_by)).states
    yield equal(states[0], outer(z[0], b[0]), label="H_1")
    for t in each(0, T - 1):

        def added(s, t=t):
            return decay(a, t, s) * outer(z[s], b[s])

        yield equal(states[t], build(xp, t + 1, added).sum(axis=0), label=("H_", t + 1))


@ssd.claim(
    "ssd.def3.2",
    where="Def. 3.2, eqs. 4–5",
    says=(
        "with b_t = S_B z_t and c_t = S_C z_t the outputs H_t c_t are the columns of Z (L ∘ (Zᵀ S_Bᵀ S_C Z)), Lᵀ the "
        "lower-triangular matrix of the a_{t:s}; SSD(Z) = Z + (1/n) Z (L ∘ (Zᵀ S Z)), S = S_Bᵀ S_C"
    ),
    given={"Z": "D n+1", "a": "n+1", "S_B": "N D", "S_C": "N D"},
    sizes={"n": (1, 2, 3), "D": (1, 2), "N": (1, 2, 3)},
    reading=(
        "S_B and S_C have shape (N, D) for any state size N; the printed shapes (N, N) and (D, D) agree with it for "
        "N = D only. The residual Z and the factor 1/n are the layer's: the recurrence has neither."
    ),
)
def def3_2(Z, a, S_B, S_C, xp, n, D, N):
    run = scan(mamba2.step, None, xp.zeros((D, N)), mamba2.tokens(Z, a, S_B, S_C))
    mask, S = mamba2.decay_mask(a), S_B.T @ S_C
    for t in each(0, n):
        printed = build(xp, t + 1, lambda s, t=t: decay(a, t, s))
        yield equal(
            mask.T[t, : t + 1], printed, label=("row ", t + 1, " of Lᵀ, up to the diagonal")
        )
        yield equal(
            mask.T[t, t + 1 :], xp.zeros((n - t,)), label=("row ", t + 1, " of Lᵀ, beyond it")
        )
    yield equal(run.outputs.T, mamba2.masked_mixing(Z, mask, S), label="H_t c_t")
    yield equal(mamba2.layer(Z, mask, S), Z + run.outputs.T / n, label="the layer")


@ssd.claim(
    "ssd.lsa",
    where="Def. 3.1, eq. 2",
    kind="definition",
    says="LSA(Z) = Z + (1/n) P Z (M ∘ (Zᵀ Q Z)), P = W_v, Q = W_kᵀ W_q, M the causal mask",
    given={"Z": "D n+1", "W_v": "D D", "W_k": "D D", "W_q": "D D"},
    reading=(
        "Causal: token i sees the tokens j ≤ i. The layer is compared with causal attention as a recurrence, "
        "H_t = H_{t−1} + z_t ⊗ z_t with output z_t + (1/n) P H_t Q z_t."
    ),
)
def lsa_definition(Z, W_v, W_k, W_q, xp, n, D):
    Q = W_k.T @ W_q
    masked = lsa.layer(Z, lsa.causal_mask(xp, n + 1), W_v, Q)
    parameters = lsa.Parameters(P=W_v, Q=Q, scale=xp.asarray(1) / n)
    return equal(scan(lsa.step, parameters, xp.zeros((D, D)), Z.T).outputs.T, masked)


@ssd.claim(
    "ssd.lsa-mask",
    where="Def. 3.1",
    says="M is the causal mask; the causal mask is a lower-triangular all-ones matrix",
    kind="remark",
    given={"Z": "D n+1", "later": "D n", "P": "D D", "Q": "D D"},
    sizes={"n": (1, 2, 3), "D": (1, 2)},
    reading=(
        "In Z + (1/n) P Z (M ∘ (ZᵀQZ)) with tokens as columns (§3), column i of M says which tokens token i sees. "
        "Causal: the outputs at tokens 1..i do not change when the tokens after i do."
    ),
)
def lsa_mask(Z, later, P, Q, xp, n, *, transposed=False):
    mask = lsa.printed_mask(xp, n + 1)
    mask = mask.T if transposed else mask
    for i in each(1, n):
        changed = xp.concat([Z[:, :i], later[:, i - 1 :]], axis=1)
        outputs = lsa.layer(changed, mask, P, Q)[:, :i]
        yield equal(outputs, lsa.layer(Z, mask, P, Q)[:, :i], label=("outputs 1..", i))


lsa_mask.amend(
    "transpose",
    "the causal mask is the upper-triangular all-ones matrix (as the printed Lᵀ of Def. 3.2 has it)",
    transposed=True,
)


@ssd.claim(
    "ssd.lsa-ssd",
    where="§3.3",
    kind="remark",
    says="SSD (eq. 5) is similar to LSA (eq. 2) without the matrix P: with unit decays it is LSA with P = I, Q = S",
    given={"Z": "D n+1", "S": "D D"},
    reading="M is read as the causal mask of ssd.lsa; its printed orientation is refuted in ssd.lsa-mask.",
)
def lsa_ssd(Z, S, xp, n, D):
    unit_decays = mamba2.decay_mask(xp.ones((n + 1,)))
    causal = lsa.causal_mask(xp, n + 1)
    yield equal(unit_decays, causal, label="L = M")
    yield equal(mamba2.layer(Z, unit_decays, S), lsa.layer(Z, causal, xp.eye(D), S))
