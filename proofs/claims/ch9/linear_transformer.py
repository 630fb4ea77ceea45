"""Kernelised attention as a recurrence (ch9 §9.2.1)."""

from __future__ import annotations

from scanproof.constructs.arrays.scan import scan
from scanproof.constructs.arrays.size import entries
from scanproof.constructs.layers import linear_attention

from ...language.statements import equal
from .source import ch9

TOKENS = {"q": "n m", "k": "n m", "v": "n d"}


def running_sums(q, k, v, xp, m, d):
    """The recurrence of eqs. 9.15–9.17 from a_{−1} = 0, b_{−1} = 0."""
    empty = (xp.zeros((m, d)), xp.zeros((m,)))
    return scan(linear_attention.normalised_step, None, empty, linear_attention.Token(q, k, v))


@ch9.claim(
    "ch9.linear-attention",
    where="eqs. 9.13–9.17",
    says=(
        "kernelised attention Σ_j (φ(q_i)·φ(k_j)) v_j / Σ_j φ(q_i)·φ(k_j) equals the running sums a_i, b_i with "
        "c_i = φ(q_i)·a_i / φ(q_i)·b_i (sums over j ≤ i)"
    ),
    given=TOKENS,
    reading="For any φ: the symbols q and k stand for φ(q) and φ(k). The sums are causal, over j ≤ i.",
    hypotheses=("φ(q_i)·b_i ≠ 0",),
)
def attention(q, k, v, xp, m, d):
    masked = linear_attention.normalised(linear_attention.Token(q, k, v))
    return equal(running_sums(q, k, v, xp, m, d).outputs, masked)


@ch9.claim(
    "ch9.state-size",
    where="§9.2.1",
    kind="remark",
    says="whereas the standard KV cache has size O(n), the partial sums a_i and b_i have size O(1) in n",
    given=TOKENS,
    sizes={"n": (1, 2, 3, 4, 5), "m": (1, 2, 3), "d": (1, 2, 3)},
    reading=(
        "Counted in numbers: at every n the state has m·d + m of them, m the size of φ's values; the keys and values "
        "of n tokens have n(m + d)."
    ),
)
def state_size(q, k, v, xp, n, m, d):
    state = running_sums(q, k, v, xp, m, d).final_state
    yield equal(entries(state), xp.asarray(m) * d + m, "state")
    yield equal(entries((k, v)), xp.asarray(n) * (m + d), "keys and values")


@ch9.claim(
    "ch9.taylor",
    where="eqs. 9.18–9.19",
    says="φ(x) = [1; x; (½ x_a x_b)_ab] satisfies φ(q)·φ(k) = 1 + q·k + ½(q·k)²",
    given={"q": "d", "k": "d"},
    reading="The product of two halves is a quarter: φ(q)·φ(k) = 1 + q·k + ¼(q·k)².",
)
def taylor(q, k):
    return expansion(linear_attention.taylor_features(q), linear_attention.taylor_features(k), q, k)


def expansion(phi_q, phi_k, q, k):
    """φ(q)·φ(k) is the Taylor polynomial of exp(q·k) of degree 2."""
    score = q @ k
    return equal(phi_q @ phi_k, 1 + score + score * score / 2)


@taylor.restate("root", "φ(x) = [1; x; (x_a x_b / √2)_ab] satisfies it")
def taylor_root(q, k, xp):
    coefficient = 1 / xp.sqrt(xp.asarray(2))
    phi_q, phi_k = (linear_attention.quadratic_features(x, coefficient) for x in (q, k))
    return expansion(phi_q, phi_k, q, k)


@taylor.restate("split", "φ(q) with ½ x_a x_b and φ'(k) with x_a x_b satisfy it")
def taylor_split(q, k):
    phi_k = linear_attention.quadratic_features(k, 1)
    return expansion(linear_attention.taylor_features(q), phi_k, q, k)
