"""How far rounding takes a recurrence that is evaluated chunk by chunk from its exact states."""

from __future__ import annotations

from typing import Any

from scanproof.constructs.arrays.norms import absolute
from scanproof.constructs.arrays.ranges import build, product
from scanproof.constructs.arrays.rounded import Rounding, growth, rounded
from scanproof.constructs.arrays.scan import map_leaves, scan
from scanproof.constructs.forms import chunked
from scanproof.constructs.forms.merged import scan_merged
from scanproof.constructs.layers import linear_attention, ssd

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
    return (in_chunk * more * grown - 1) * sizes + lost_by_states(in_chunk, grown, C, m, eta)


def lost_by_states(in_chunk: Any, grown: Any, C: Any, m: Any, eta: Any) -> Any:
    """What underflow takes from that state at most, with the arguments of `most_off`."""
    return (2 * C * in_chunk + 1) * m * grown * eta


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


@rounding.claim(
    "rounding.chunked-scalar-decay",
    kind="bound",
    says=(
        "T = nC tokens in n chunks of C, H ← g H + Σ_s v_s ⊗ (w_s k_s) with the products of decays w_s = a_C ⋯ a_{s+1} "
        "and g = a_1 ⋯ a_C, which the program has only up to |ŵ_s − w_s| ≤ e_s and |ĝ − g| ≤ f: the computed states "
        "after m chunks have in every entry |Ĥ_m − H_m| ≤ (1 + u)^{C+2m+1} (Â_m + η U_m) − A_m, where A_m is what the "
        "same makes of |w|, |g|, |v|, |k|, Â_m of |w| + e, |g| + f, |v|, |k|, and U_m of 1, |g| + f, |v| + 4, 1"
    ),
    given={
        **{"v": "n C D", "k": "n C N", "a": "n C", "w": "n C", "g": "n", "w_off": "n C"},
        **{"g_off": "n", "e": "n C", "f": "n"},
        **{"delta_weigh": "n C N", "eps_weigh": "n C N"},
        **{"delta_write": "n C 2 D N", "eps_write": "n C 2 D N"},
        **{"delta_decay": "n D N", "eps_decay": "n D N"},
        **{"delta_add": "n D N", "eps_add": "n D N", "u": "", "eta": ""},
    },
    sizes={"n": (1, 2), "C": (1, 2), "D": (1,), "N": (1,)},
    assuming={
        **errors("weigh", "write", "decay", "add"),
        "|ŵ − w| ≤ e": lambda w_off, e: at_most(absolute(w_off), e),
        "|ĝ − g| ≤ f": lambda g_off, f: at_most(absolute(g_off), f),
    },
    reading=(
        f"{MODEL} The definition is `forms.chunked.carry_decayed`. The first statement: with these products it makes "
        "the last state of H_t = a_t H_{t−1} + v_t ⊗ k_t, H_0 = 0; the others hold for any numbers w and g. "
        "Products that are taken one by one have the e and f of rounding.decay-products; "
        "`exp` of sums of logarithms has others."
    ),
)
def scalar_decay(
    v,
    k,
    a,
    w,
    g,
    w_off,
    g_off,
    e,
    f,
    delta_weigh,
    eps_weigh,
    delta_write,
    eps_write,
    delta_decay,
    eps_decay,
    delta_add,
    eps_add,
    u,
    eta,
    xp,
    n,
    C,
    D,
    N,
    *,
    added=1,
):
    zero = xp.zeros((D, N))
    left = build(xp, n, lambda i: ssd.decay_mask(a[i])[:, -1])
    whole = build(xp, n, lambda i: product(a[i]))
    tokens = chunked.Weighed(v, k, left, whole)
    by_chunks = scan(chunked.carry_decayed, None, zero, tokens)
    recurrence = scan_merged(ssd.step, None, zero, ssd.Token(v, a, k, k))
    yield equal(by_chunks.final_state, recurrence.final_state, label="the recurrence's last state")

    run = rounded(chunked.carry_decayed)
    errors_made = (
        Rounding(delta_weigh, eps_weigh),
        Rounding(delta_write, eps_write),
        Rounding(delta_decay, eps_decay),
        Rounding(delta_add, eps_add),
    )
    none = map_leaves(lambda leaf: 0 * leaf, errors_made)
    computed_factors = chunked.Weighed(v, k, w + w_off, g + g_off)
    size = chunked.Weighed(absolute(v), absolute(k), absolute(w), absolute(g))
    more = size._replace(left=size.left + e, whole=size.whole + f)
    ones = more._replace(k=xp.ones((n, C, N)), left=xp.ones((n, C)))
    exact = scan(run, None, zero, (chunked.Weighed(v, k, w, g), none))
    computed = scan(run, None, zero, (computed_factors, errors_made))
    sizes = scan(run, None, zero, (size, none))
    most = scan(run, None, zero, (more, none))
    in_chunk = scan(run, None, zero, (ones._replace(v=size.v + 2), none))
    lost = scan(run, None, zero, (ones._replace(v=size.v + 4), none))

    yield at_most(absolute(exact.outputs), sizes.outputs, label="what a chunk writes")
    grown = growth(u, C) * growth(u, 2)
    off = grown * (most.outputs + eta * in_chunk.outputs) - sizes.outputs
    yield at_most(absolute(computed.outputs - exact.outputs), off, label="its error")
    yield at_most(in_chunk.outputs + 2 * C, lost.outputs, label="what a chunk loses")
    yield at_most(absolute(exact.states), sizes.states, label="states")
    grown = growths(xp, u, n)[:, None, None] * xp.ones((D, N))
    grown = growth(u, C) * growth(u, added) * grown * grown
    off = grown * (most.states + eta * lost.states) - sizes.states
    yield at_most(absolute(computed.states - exact.states), off, label="their error")


@rounding.claim(
    "rounding.decay-products",
    kind="bound",
    says=(
        "p_t = a_t p_{t−1}, p_0 = 1, one decay after the other: the computed products have |p̂_t − p_t| ≤ "
        "((1 + u)^t − 1) |p_t| + (1 + u)^t η U_t with U_t = |a_t| U_{t−1} + 1, U_0 = 0, for any number of decays"
    ),
    given={"a": "C", "delta_decay": "C", "eps_decay": "C", "u": "", "eta": ""},
    sizes={"C": (1, 2, 3)},
    assuming=errors("decay"),
    reading=(
        f"{MODEL} For |a_t| ≤ 1 U_t is at most t, so in rounding.chunked-scalar-decay it is enough to have "
        "e_s = ((1 + u)^C − 1) |w_s| + C (1 + u)^C η, and the same for f."
    ),
)
def decay_products(a, delta_decay, eps_decay, u, eta, xp, C, *, more=1):
    run, made = rounded(chunked.times), (Rounding(delta_decay, eps_decay),)
    none = map_leaves(lambda leaf: 0 * leaf, made)
    one, each = xp.asarray(1), (Rounding(0 * delta_decay, xp.ones((C,))),)
    exact = scan(run, None, one, (a, none)).states
    computed = scan(run, None, one, (a, made)).states
    sizes = scan(run, None, one, (absolute(a), none)).states
    lost = scan(run, None, 0 * one, (absolute(a), each)).states
    yield at_most(absolute(exact), sizes, label="sizes")
    grown = growths(xp, u, C, more)
    yield at_most(absolute(computed - exact), (grown - 1) * sizes + grown * lost * eta)
