"""How far rounding takes a recurrence that is evaluated chunk by chunk from its exact states."""

from __future__ import annotations

from typing import Any

from scanproof.constructs.arrays.norms import absolute
from scanproof.constructs.arrays.rounded import Rounding, growth, rounded
from scanproof.constructs.arrays.scan import map_leaves, scan
from scanproof.constructs.forms import chunked
from scanproof.constructs.forms.merged import scan_merged
from scanproof.constructs.layers import linear_attention

from ...language.statements import at_most, equal
from .source import MODEL, counted, errors, growths, rounding


def most_off(sizes: Any, in_chunk: Any, grown: Any, more: Any, C: Any, m: Any, eta: Any) -> Any:
    """How far the computed state after m chunks of C tokens is off at most, linear attention from S_0 = 0.

    Args:
        sizes: Σ_{s≤mC} |v_s| ⊗ |k_s|.
        in_chunk: (1 + u)^C.
        grown: (1 + u)^m.
        more: 1 + u.
        C: tokens a chunk.
        m: chunks.
        eta: what underflow takes at most.
    """
    return (in_chunk * more * grown - 1) * sizes + (2 * C * in_chunk + 1) * m * grown * eta


@rounding.claim(
    "rounding.chunked-unit-gate",
    kind="bound",
    says=(
        "T = nC tokens in n chunks of C, what each writes added up first: the computed states after the chunks have in "
        "every entry |Ŝ_m − S_m| ≤ ((1 + u)^{C+m+1} − 1) Σ_{s≤mC} |v_s| ⊗ |k_s| + (2C(1 + u)^C + 1) m (1 + u)^m η, so "
        "the last is off by at most ((1 + u)^{C+T/C+1} − 1) times the sum, and underflow, for all C and n"
    ),
    given={
        **{"v": "n C D", "k": "n C N", "delta_write": "n C 2 D N", "eps_write": "n C 2 D N"},
        **{"delta_add": "n D N", "eps_add": "n D N", "u": "", "eta": ""},
    },
    sizes={"n": (1, 2), "C": (1, 2), "D": (1,), "N": (1,)},
    assuming=errors("write", "add"),
    reading=(
        f"{MODEL} The states are those of S_t = S_{{t−1}} + v_t ⊗ k_t, S_0 = 0, at the ends of the chunks: the first "
        "statement. The program adds to 0 as well, in each chunk and in the first state, and rounds that too."
    ),
)
def unit_gate(
    v, k, delta_write, eps_write, delta_add, eps_add, u, eta, xp, n, C, D, N, *, added=1, carried=1
):
    tokens, zero = linear_attention.Token(k, k, v), xp.zeros((D, N))
    run = rounded(chunked.carry)
    errors_made = (Rounding(delta_write, eps_write), Rounding(delta_add, eps_add))
    none = map_leaves(lambda leaf: 0 * leaf, errors_made)
    exact = scan(run, None, zero, (tokens, none))
    computed = scan(run, None, zero, (tokens, errors_made))
    sizes = scan(run, None, zero, (map_leaves(absolute, tokens), none))
    recurrence = scan_merged(linear_attention.step, None, zero, tokens)
    yield equal(exact.final_state, recurrence.final_state, label="the recurrence's last state")

    each = xp.ones((D, N))
    in_chunk, grown = growth(u, C), growths(xp, u, n)[:, None, None] * each
    yield at_most(absolute(exact.outputs), sizes.outputs, label="what a chunk writes")
    most = (in_chunk * growth(u, added) - 1) * sizes.outputs + 2 * C * in_chunk * eta
    yield at_most(absolute(computed.outputs - exact.outputs), most, label="its error")
    yield at_most(absolute(exact.states), sizes.states, label="states")
    m = counted(xp, n)[:, None, None]
    most = most_off(sizes.states, in_chunk, grown, growth(u, carried), C, m, eta)
    yield at_most(absolute(computed.states - exact.states), most, label="their error")
