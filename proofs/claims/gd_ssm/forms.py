"""Linear attention and S4/S5 as instances of one recurrence (gd-ssm §2)."""

from __future__ import annotations

from scanproof.constructs.arrays.scan import scan
from scanproof.constructs.layers import linear_attention, linear_recurrence, lsa, ssm

from ...language.statements import equal
from .source import gd_ssm

ATTENTION = {"S": "T f", "W_Q": "f m", "W_K": "f m", "W_V": "f d"}
SIZES = {"T": (1, 2, 3), "f": (1, 2), "m": (1, 2), "d": (1, 2)}


def recurrence(S, W_Q, W_K, W_V, xp, m, d):
    """Eq. 5 on the tokens S, from Z = 0, with linear queries, keys and values."""
    tokens = linear_attention.Token(S @ W_Q, S @ W_K, S @ W_V)
    return scan(linear_attention.step, None, xp.zeros((d, m)), tokens)


@gd_ssm.claim(
    "gd-ssm.forms",
    where="eqs. 2, 5",
    says="linear attention Q Kᵀ V can be written as Z_t = Z_{t−1} + v_t ⊗ k_t, read out by q_t",
    given=ATTENTION,
    sizes=SIZES,
    reading=(
        "Row t of Q Kᵀ V is compared with the recurrence's output at step t. Eq. 2 has no mask, so its row t sees "
        "every token, while Z_t has seen t of them."
    ),
)
def forms(S, W_Q, W_K, W_V, xp, T, m, d):
    return equal(recurrence(S, W_Q, W_K, W_V, xp, m, d).outputs, lsa.projected(S, W_Q, W_K, W_V))


@forms.restate(
    "mask",
    "the same for causally masked linear attention tril(Q Kᵀ) V, at every step",
    given=ATTENTION,
    sizes=SIZES,
)
def forms_masked(S, W_Q, W_K, W_V, xp, T, m, d):
    outputs = recurrence(S, W_Q, W_K, W_V, xp, m, d).outputs
    return equal(outputs, lsa.causally_projected(S, W_Q, W_K, W_V))


@forms.restate(
    "last-state",
    "unmasked Q Kᵀ V is the last state Z_T read out by every q_t",
    given=ATTENTION,
    sizes=SIZES,
)
def forms_last(S, W_Q, W_K, W_V, xp, T, m, d):
    state = recurrence(S, W_Q, W_K, W_V, xp, m, d).final_state
    return equal(S @ W_Q @ state.T, lsa.projected(S, W_Q, W_K, W_V))


@gd_ssm.claim(
    "gd-ssm.forms-lti",
    where="eq. 6",
    says="S4/S5 Z_t = A Z_{t−1} + B s_t is an instance of eq. 3",
    given={"A": "m m", "B": "m", "C": "m", "s": "T"},
    reading=(
        "Eq. 3 with * the matrix product, the transition A constant and the input map B s_t; one head and one input "
        "channel, from any initial state that both share (here 0)."
    ),
)
def forms_lti(A, B, C, s, xp, T, m):
    lti = scan(ssm.step, ssm.Discrete(A, B, C), xp.zeros((m,)), s)
    readout = xp.ones((T, 1)) * C[None, :]
    inputs = s[:, None] * B[None, :]
    tokens = linear_recurrence.Token(transition=inputs, input=inputs, readout=readout)
    general = scan(linear_recurrence.matrix_step, A, xp.zeros((m,)), tokens)
    yield equal(general.states, lti.states, "states")
    yield equal(general.outputs, lti.outputs, "outputs")
