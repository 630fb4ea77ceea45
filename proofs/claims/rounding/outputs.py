"""How far rounding takes what is read from a state, o = S q, and the outputs of a chunk."""

from __future__ import annotations

from typing import Any

from scanproof.constructs.arrays.definition import definition
from scanproof.constructs.arrays.norms import absolute
from scanproof.constructs.arrays.rounded import Rounding, growth, rounded
from scanproof.constructs.arrays.scan import map_leaves, scan
from scanproof.constructs.forms import chunked
from scanproof.constructs.layers import linear_attention

from ...language.statements import at_most, equal
from .source import MODEL, errors, rounding


@definition
def read(parameters, state, query):
    """o = S q, the readout of the layers with a matrix for a state."""
    return state, state @ query


@rounding.claim(
    "rounding.readout",
    kind="bound",
    says=(
        "o = S q, read from a computed state that is off by |Ŝ − S| ≤ E in every entry, keys of length N: "
        "|ô − o| ≤ (1 + u)^{N+1} (|S| + E) |q| − |S| |q| + 2N (1 + u)^N η for all N"
    ),
    given={
        **{"S": "D N", "off": "D N", "E": "D N", "q": "N"},
        **{"delta_read": "N 2 D", "eps_read": "N 2 D", "u": "", "eta": ""},
    },
    sizes={"D": (1, 2), "N": (1, 2)},
    assuming={
        **errors("read"),
        "|Ŝ − S| ≤ E": lambda off, E: at_most(absolute(off), E),
    },
    reading=(
        f"{MODEL} E is what any other row says of the state: from rounding.recurrent-unit-gate, with A_t = "
        "Σ_{s≤t} |v_s| ⊗ |k_s|, |ô_t − o_t| ≤ ((1 + u)^{t+N+2} − 1) A_t |q_t| + underflow."
    ),
)
def readout(S, off, E, q, delta_read, eps_read, u, eta, xp, D, N, *, read_once=1):
    run, made = rounded(read), (Rounding(delta_read, eps_read),)
    none = (Rounding(0 * delta_read, 0 * eps_read),)
    exact, computed = run(None, S, (q, none))[1], run(None, S + off, (q, made))[1]
    sizes = run(None, absolute(S), (absolute(q), none))[1]
    most = run(None, absolute(S) + E, (absolute(q), none))[1]
    yield at_most(absolute(exact), sizes)
    off = growth(u, N) * growth(u, read_once) * most - sizes + 2 * N * growth(u, N) * eta
    yield at_most(absolute(computed - exact), off)


def with_errors(
    sizes: chunked.Parts, ones: chunked.Parts, r: Any, e: Any, u: Any, C: Any, N: Any, eta: Any
) -> Any:
    """What the sizes of a chunk's outputs, W_t + A |q_t|, come to at most with all errors.

    Args:
        sizes: W_t and A |q_t|, as `within` and `read`.
        ones: V_t and Q_t.
        r: what scores are off by, (r, r').
        e: what the state is off by, (e, e').
        u: the unit roundoff.
        C: tokens a chunk.
        N: the length of keys.
        eta: what underflow takes from one operation at most.
    """
    c, g, more = growth(u, C), growth(u, N), growth(u, 1)
    within = c * growth(u, 2) * ((1 + r[0]) * sizes.within + r[1] * ones.within)
    read = g * growth(u, 2) * ((1 + e[0]) * sizes.read + e[1] * ones.read)
    return within + read + (more * (2 * C * c * eta + 2 * N * g * eta) + eta)


def scores_off(sizes: Any, u: Any, N: Any, eta: Any) -> Any:
    """What q·k is off by at most, for keys of length N with |q|·|k| = `sizes`."""
    return (growth(u, N) * growth(u, 1) - 1) * sizes + 2 * N * growth(u, N) * eta


@rounding.claim(
    "rounding.chunked-outputs",
    kind="bound",
    says=(
        "a chunk of C tokens, y_t = S q_t + Σ_{s≤t} (q_t·k_s) v_s, keys of length N, from a state off by "
        "|Ŝ − S| ≤ e A + e' and scores off by r B + r', |S| ≤ A and |q_t·k_s| ≤ B: with W_t = Σ_{s≤t} B_ts |v_s|, "
        "V_t = Σ_{s≤t} |v_s|, Q_t = Σ_j |q_tj| the computed outputs have in every entry |ŷ_t − y_t| ≤ (1 + u)^{N+2} "
        "((1 + e) A |q_t| + e' Q_t) + (1 + u)^{C+2} ((1 + r) W_t + r' V_t) − A |q_t| − W_t + "
        "(1 + u) (2C (1 + u)^C + 2N (1 + u)^N) η + η, for all C and N"
    ),
    given={
        **{"S": "D N", "S_off": "D N", "A": "D N", "e": "", "e_least": ""},
        **{"P": "C C", "P_off": "C C", "B": "C C", "r": "", "r_least": ""},
        **{"v": "C D", "k": "C N", "q": "C N"},
        **{"delta_write": "C 2 D N", "eps_write": "C 2 D N", "delta_add": "D N", "eps_add": "D N"},
        **{"delta_score": "N 2 C C", "eps_score": "N 2 C C"},
        **{"delta_within": "C 2 C D", "eps_within": "C 2 C D"},
        **{"delta_read": "N 2 C D", "eps_read": "N 2 C D"},
        **{"delta_sum": "C D", "eps_sum": "C D", "u": "", "eta": ""},
    },
    sizes={"C": (1, 2), "D": (1,), "N": (1,)},
    assuming={
        **errors("score", "within", "read", "sum"),
        "|S| ≤ A": lambda S, A: at_most(absolute(S), A),
        "|Ŝ − S| ≤ e A + e'": lambda S_off, A, e, e_least: at_most(
            absolute(S_off), e * A + e_least
        ),
        "0 ≤ e": lambda e: at_most(0, e),
        "0 ≤ e'": lambda e_least: at_most(0, e_least),
        "|P| ≤ B": lambda P, B: at_most(absolute(P), B),
        "|P̂ − P| ≤ r B + r'": lambda P_off, B, r, r_least: at_most(
            absolute(P_off), r * B + r_least
        ),
        "0 ≤ r": lambda r: at_most(0, r),
        "0 ≤ r'": lambda r_least: at_most(0, r_least),
    },
    reading=(
        f"{MODEL} The definition is `forms.chunked.attend`. The first statement: its outputs are those of S_t = "
        "S_{t−1} + v_t ⊗ k_t, y_t = S_t q_t, from the state S; the second and the fourth: the definition, run so, "
        "takes scores off by r = (1 + u)^{N+1} − 1 and r' = 2N (1 + u)^N η with B = |Q| |K|ᵀ, and then "
        "`forms.chunked.read`. rounding.chunked-unit-gate has e = (1 + u)^{C+n+1} − 1 and e' = "
        "(2C (1 + u)^C + 1) n (1 + u)^n η after n chunks, with A = Σ_s |v_s| ⊗ |k_s|. Put in, with T = (n + 1) C, they "
        "make ((1 + u)^{C+T/C+N+2} − 1) Σ |v_s| (|k_s|·|q_t|) over all tokens up to t, and underflow."
    ),
)
def outputs(
    S,
    S_off,
    A,
    e,
    e_least,
    P,
    P_off,
    B,
    r,
    r_least,
    v,
    k,
    q,
    delta_write,
    eps_write,
    delta_add,
    eps_add,
    delta_score,
    eps_score,
    delta_within,
    eps_within,
    delta_read,
    eps_read,
    delta_sum,
    eps_sum,
    u,
    eta,
    xp,
    C,
    D,
    N,
):
    tokens = linear_attention.Token(q, k, v)
    recurrence = scan(linear_attention.step, None, S, tokens)
    plain = chunked.attend(None, S, tokens)[1]
    yield equal(plain.outputs, recurrence.outputs, label="the recurrence's outputs")

    reads = (
        Rounding(delta_within, eps_within),
        Rounding(delta_read, eps_read),
        Rounding(delta_sum, eps_sum),
    )
    writes = (Rounding(delta_write, eps_write), Rounding(delta_add, eps_add))
    made = (*writes, Rounding(delta_score, eps_score), *reads)
    nothing, run = map_leaves(lambda leaf: 0 * leaf, made), rounded(chunked.read)
    none, attend = nothing[3:], rounded(chunked.attend)
    whole = attend(None, S, (tokens, made))[1]
    after = run(None, S, ((tokens, whole.scores), reads))[1]
    yield equal(whole.outputs, after.outputs, label="a chunk, after its scores")
    size = map_leaves(absolute, tokens)
    scores = attend(None, S, (tokens, nothing))[1].scores
    of_sizes = attend(None, A, (size, nothing))[1].scores
    yield at_most(absolute(scores), of_sizes, label="scores")
    off = absolute(whole.scores - scores)
    yield at_most(off, scores_off(of_sizes, u, N, eta), label="their error")

    exact = run(None, S, ((tokens, P), none))[1]
    computed = run(None, S + S_off, ((tokens, P + P_off), reads))[1]
    sizes = run(None, A, ((size, B), none))[1]
    ones = run(None, xp.ones((D, N)), ((size, xp.ones((C, C))), none))[1]
    c, g, more = growth(u, C), growth(u, N), growth(u, 1)

    yield at_most(absolute(exact.within), sizes.within, label="what the chunk adds")
    of_within = c * more * ((1 + r) * sizes.within + r_least * ones.within) + 2 * C * c * eta
    off = absolute(computed.within - exact.within)
    yield at_most(off, of_within - sizes.within, label="its error")
    yield at_most(absolute(exact.read), sizes.read, label="what is read")
    of_read = g * more * ((1 + e) * sizes.read + e_least * ones.read) + 2 * N * g * eta
    yield at_most(absolute(computed.read - exact.read), of_read - sizes.read, label="its error")
    off = absolute(computed.outputs - exact.outputs)
    most = with_errors(sizes, ones, (r, r_least), (e, e_least), u, C, N, eta) - sizes.outputs
    yield at_most(off, most, label="the outputs' error")
