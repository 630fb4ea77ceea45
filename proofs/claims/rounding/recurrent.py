"""How far rounding takes a recurrence, token by token, from its exact states."""

from __future__ import annotations

from scanproof.constructs.arrays.norms import absolute
from scanproof.constructs.arrays.rounded import Rounding, growth, rounded
from scanproof.constructs.arrays.scan import map_leaves, scan
from scanproof.constructs.layers import linear_attention, ssd

from ...language.statements import at_most
from .source import MODEL, counted, errors, growths, of_rows, rounding

SIZES = {"T": (1, 2), "D": (1,), "N": (1,)}
READ = {"q": "T N", "delta_read": "T N 2 D", "eps_read": "T N 2 D", "u": "", "eta": ""}


@rounding.claim(
    "rounding.recurrent-unit-gate",
    kind="bound",
    says=(
        "the computed states Ŝ_t of S_t = S_{t−1} + v_t ⊗ k_t, S_0 = 0, have in every entry "
        "|Ŝ_t − S_t| ≤ ((1 + u)^{t+1} − 1) Σ_{s≤t} |v_s| ⊗ |k_s| + 2t (1 + u)^t η, for any number of tokens"
    ),
    given={
        **{"v": "T D", "k": "T N", "delta_write": "T 2 D N", "eps_write": "T 2 D N"},
        **READ,
    },
    sizes=SIZES,
    assuming=errors("write", "read"),
    reading=MODEL,
)
def unit_gate(
    v, k, q, delta_write, eps_write, delta_read, eps_read, u, eta, xp, T, D, N, *, added=1, lost=2
):
    tokens = linear_attention.Token(q, k, v)
    roundings = (*of_rows(delta_write, eps_write, 2), Rounding(delta_read, eps_read))
    zero = xp.zeros((D, N))
    exact = scan(linear_attention.step, None, zero, tokens).states
    computed = scan(rounded(linear_attention.step), None, zero, (tokens, roundings)).states
    sizes = scan(linear_attention.step, None, zero, map_leaves(absolute, tokens)).states
    each = xp.ones((D, N))
    grown = growths(xp, u, T)[:, None, None] * each
    yield at_most(absolute(exact), sizes)
    t = counted(xp, T)[:, None, None]
    most = (grown * growth(u, added) - 1) * sizes + lost * t * grown * eta
    yield at_most(absolute(computed - exact), most)


@rounding.claim(
    "rounding.recurrent-scalar-decay",
    kind="bound",
    says=(
        "the computed states Ŝ_t of S_t = a_t S_{t−1} + v_t ⊗ k_t, S_0 = 0, have in every entry "
        "|Ŝ_t − S_t| ≤ ((1 + u)^{2t} − 1) A_t + (1 + u)^{2t} η U_t, where A_t is what the layer makes of |a|, |v|, "
        "|k|, and U_t what it makes of |a| if each token writes 3"
    ),
    given={
        **{"v": "T D", "k": "T N", "a": "T", "delta_write": "T 3 D N", "eps_write": "T 3 D N"},
        **READ,
    },
    sizes=SIZES,
    assuming=errors("write", "read"),
    reading=f"{MODEL} Any decays a_t; for |a_t| ≤ 1 U_t is at most 3t.",
)
def scalar_decay(
    v, k, q, a, delta_write, eps_write, delta_read, eps_read, u, eta, xp, T, D, N, *, added=1
):
    tokens = ssd.Token(v, a, k, q)
    roundings = (*of_rows(delta_write, eps_write, 3), Rounding(delta_read, eps_read))
    zero = xp.zeros((D, N))
    exact = scan(ssd.step, None, zero, tokens).states
    computed = scan(rounded(ssd.step), None, zero, (tokens, roundings)).states
    sizes = map_leaves(absolute, tokens)
    ones = sizes._replace(v=3 * xp.ones((T, D)), k=xp.ones((T, N)))
    of_sizes = scan(ssd.step, None, zero, sizes).states
    of_ones = scan(ssd.step, None, zero, ones).states
    each = xp.ones((D, N))
    grown = growths(xp, u, T)[:, None, None] * each
    yield at_most(absolute(exact), of_sizes)
    again = growths(xp, u, T, added)[:, None, None] * each
    most = (grown * again - 1) * of_sizes + grown * grown * of_ones * eta
    yield at_most(absolute(computed - exact), most)
