"""Products of values of exp over turns, as exp of a sum over these.

What telescopes is written by its ends: of exp(H(t + 1) − H(t)) the product over turns is exp(H(high) − H(low)). So do
the terms of all places of a chunk, such as g[2 t] + g[2 t + 1], whose sum over chunks is one over tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from ..inequalities.statements import summed
from ..interpret.terms import positions_in, total
from ..kernel.index import Index, position, position_number, variable
from ..kernel.term import EXP, Factor, Monomial, Term, apply, as_term, body
from .steps import RENAMED, sum_of

Sum = dict[Monomial, Fraction]


def accumulated(gates: Sequence[Factor], time: Index, low: Index, high: Index) -> Term:
    """Π_{low ≤ r < high} of values of exp at the time r, 0 ≤ low ≤ high: exp of a difference of sums."""
    v = position_number(time)
    rest = summed(pair for f in gates for pair in body(f, 0))
    ends = _telescoped(rest, v, low, high)
    tokens = _over_tokens(rest, time, low, high)
    result = as_term(1)
    every = [ends, tokens, *(_summed({m: c}, time, low, high) for m, c in rest.items() if c)]
    for exponent in every:
        if exponent.parts:
            result = result * apply(EXP, exponent, positions_in(exponent))
    return result


def _summed(parts: Sum, time: Index, low: Index, high: Index) -> Term:
    """Σ_{r < high} − Σ_{r < low} of the terms at the time r."""
    found = Term({})
    for end, sign in ((high, 1), (low, -1)):
        if end.terms or end.const:
            r = position("r", 0, end)
            inside = sum_of(parts.items()).substitute({position_number(time): r})
            found = found + total(inside, r) * sign
    return found


def _telescoped(rest: Sum, v: int, low: Index, high: Index) -> Term:
    """What terms H(v + 1) − H(v), which are put away, sum up to."""
    found = Term({})
    for m, c in list(rest.items()):
        later = m.substitute({v: variable(v) + 1}, m.bound)
        if later != m and m in rest and rest.get(later) == -c:
            del rest[m], rest[later]
            one = sum_of([(m, c)])
            found = found + one.substitute({v: low}) - one.substitute({v: high})
    return found


def _over_tokens(rest: Sum, time: Index, low: Index, high: Index) -> Term:
    """What the terms of all places of a chunk, which are put away, sum up to."""
    found = Term({})
    for m, c in list(rest.items()):
        by = _stride(m, position_number(time))
        if by is None:
            continue
        of = _by_token(m, position_number(time))
        every = [of.substitute({RENAMED: time * by + j}, of.bound) for j in range(by)]
        if all(rest.get(n) == c for n in every):
            for n in every:
                del rest[n]
            token = position("i", 0)
            parts = {of.substitute({RENAMED: token}, of.bound): c}
            found = found + _summed(parts, token, low * by, high * by)
    return found


def _stride(m: Monomial, v: int) -> int | None:
    """How far the places that a variable moves go with each turn, if all go as far."""
    every = {e.coefficient(v) for e in (*m.guards, *(e for f in m.factors for e in f.at))} - {0}
    return max(every) if len(every) == 1 and max(every) > 1 else None


def _by_token(m: Monomial, v: int) -> Monomial:
    """The monomial at a token, `RENAMED`, instead of a place that moves by the length of a chunk with each turn."""

    def moved(e: Index) -> Index:
        return Index(e.const, {RENAMED if w == v else w: 1 if w == v else c for w, c in e.terms})

    factors = sorted(Factor(f.name, tuple(map(moved, f.at))) for f in m.factors)
    return Monomial(m.bound, frozenset(map(moved, m.guards)), tuple(factors))
