"""Linear attention and its recurrent form (gril §3)."""

from __future__ import annotations

from scanproof.constructs.arrays.scan import scan
from scanproof.constructs.layers import linear_attention, lsa

from ...language.statements import equal
from .source import gril

ATTENTION = {"S": "T f", "W_Q": "f m", "W_K": "f m", "W_V": "f d"}
SIZES = {"T": (1, 2, 3), "f": (1, 2), "m": (1, 2), "d": (1, 2)}


def recurrence(S, W_Q, W_K, W_V, xp, m, d):
    """The recurrent form on the tokens of S: q_t = W_Qᵀ s_t, k_t = W_Kᵀ s_t, v_t = W_Vᵀ s_t."""
    tokens = linear_attention.Token(q=S @ W_Q, k=S @ W_K, v=S @ W_V)
    return scan(linear_attention.step, None, xp.zeros((d, m)), tokens)


@gril.claim(
    "gril.forms",
    where="§3, eq. 3",
    says=(
        "LSA(S) = Q_att K_attᵀ V_att; its recurrent form is Z_t = Z_{t−1} + v_t k_tᵀ, o_t = Z_t q_t"
    ),
    given=ATTENTION,
    sizes=SIZES,
    reading=(
        "Row t of LSA(S) is compared with o_t at every step t, from Z_0 = 0. LSA(S) is printed "
        "without a mask, so its row t sees all T tokens, while Z_t has seen the first t."
    ),
)
def forms(S, W_Q, W_K, W_V, xp, m, d):
    outputs = recurrence(S, W_Q, W_K, W_V, xp, m, d).outputs
    return equal(outputs, lsa.projected(S, W_Q, W_K, W_V))


@forms.restate(
    "mask",
    "it is the recurrent form of causally masked attention tril(Q_att K_attᵀ) V_att, at every step",
)
def forms_masked(S, W_Q, W_K, W_V, xp, m, d):
    outputs = recurrence(S, W_Q, W_K, W_V, xp, m, d).outputs
    return equal(outputs, lsa.causally_projected(S, W_Q, W_K, W_V))


@forms.restate(
    "last-state",
    "LSA(S) is the last state Z_T read out by every q_t; in particular its last row is o_T",
)
def forms_last(S, W_Q, W_K, W_V, xp, m, d):
    run = recurrence(S, W_Q, W_K, W_V, xp, m, d)
    attended = lsa.projected(S, W_Q, W_K, W_V)
    yield equal((S @ W_Q) @ run.final_state.T, attended, "every row")
    yield equal(run.outputs[-1], attended[-1], "the last row")
