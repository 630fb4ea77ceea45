"""How far rounding takes what is read from a state, o = S q."""

from __future__ import annotations

from scanproof.constructs.arrays.definition import definition
from scanproof.constructs.arrays.norms import absolute
from scanproof.constructs.arrays.rounded import Rounding, growth, rounded

from ...language.statements import at_most
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
