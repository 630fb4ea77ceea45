"""Signs of sums that are seen in how they are written: of squares, quadratic forms, and functions that are ≥ 0."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from fractions import Fraction

from .index import Index, variable
from .inequalities import implied
from .term import (
    EXP,
    INVERSE,
    INVERSE_NUMBER,
    NUMBER,
    STEP,
    ZERO,
    Factor,
    Monomial,
    body,
    function_of,
)

RELU, ROOT, SOFTPLUS = "relu", "sqrt", "softplus"
NOT_BELOW_0 = (EXP, RELU, SOFTPLUS, STEP, ZERO, ROOT)
NOTHING: frozenset[Index] = frozenset()


Pair = tuple[Monomial, Fraction]


def seen_sign(pairs: Iterable[Pair], outer: int = 0, rows: frozenset[Index] = NOTHING) -> int:
    """2 if a sum is seen to be > 0, 1 if it is ≥ 0, else 0; `outer` of its bound indices are positions.

    It is seen of products of squares and of quadratic forms, times functions that are ≥ 0, and numbers of indices and
    their inverses that are so where the rows hold; of n Σ f² − (Σ f)² too, for one factor f of any sign, times others
    that are ≥ 0. Roots are ≥ 0 whatever they are of.
    """
    pairs = list(pairs)
    return _sign_of_forms(pairs, outer, rows) or _sign_of_forms(
        [one for m, c in pairs for one in _below(m, c, outer, rows)], outer, rows
    )


def _below(m: Monomial, c: Fraction, outer: int, rows: frozenset[Index]) -> list[Pair]:
    """What c Σ P (Σ f)² with c < 0 ≤ P is no less than: c Σ P n Σ f², by Cauchy and Schwarz, for n summands or fewer.

    The second of the two indices of (Σ f)² is the last one. Other monomials stay as they are.
    """
    j = -m.bound
    second = [g for g in m.guards if j in g.variables()]
    low, high = ([g for g in sorted(second) if g.coefficient(j) == sign] for sign in (1, -1))
    if c >= 0 or not low or not high:
        return [(m, c)]
    for i in range(j + 1, -outer):
        first, other = ([f for f in m.factors if k in f.variables()] for k in (i, j))
        rest = [f for f in m.factors if f not in first and f not in other]
        if (
            m.substitute({i: variable(j), j: variable(i)}, m.bound) == m
            and not any(i in g.variables() for g in second)
            and not any(j in f.variables() for f in first)
            and all(_is_not_below_0(f, rows | m.guards) for f in rest)
        ):
            n = low[0] + high[0] + 1
            summands: list[tuple[list[Factor], int]] = [
                *(([Factor(NUMBER, (variable(v),))], k) for v, k in n.terms),
                ([], n.const),
            ]
            over = Factor(INVERSE_NUMBER, (n,))
            if over in rest:
                rest.remove(over)
                summands = [([], 1)]
            guards = m.guards.difference(second)
            return [
                (
                    Monomial(m.bound - 1, guards, tuple(sorted([*rest, *first, *first, *number]))),
                    c * k,
                )
                for number, k in summands
                if k
            ]
    return [(m, c)]


def _sign_of_forms(pairs: Iterable[Pair], outer: int, rows: frozenset[Index]) -> int:
    forms: dict[tuple, Form] = {}
    for m, c in pairs:
        signed = tuple([f for f in m.factors if _is_not_below_0(f, rows | m.guards)])
        others = tuple([f for f in m.factors if f not in signed])
        if len(others) <= 2:
            form = forms.setdefault((m.bound, m.guards, signed), {})
            f, g = (*others, None, None)[:2]
            for row, column in ((f, g), (g, f)):
                entries = form.setdefault(row, {})
                entries[column] = entries.get(column, Fraction(0)) + c / 2
        elif c < 0 or others[::2] != others[1::2]:
            return 0
    signs = {times: _sign(form) for times, form in forms.items()}
    above = any(
        sign == 2 and bound == outer and not guards and {*map(function_of, signed)} <= {EXP}
        for (bound, guards, signed), sign in signs.items()
    )
    return (1 + above) * all(signs.values())


def _is_not_below_0(f: Factor, rows: frozenset[Index]) -> bool:
    """Whether a factor is seen to be ≥ 0: the number of e where e ≥ 0, and 1/e, which needs a value, where e ≥ 1."""
    if f.name == NUMBER:
        return implied(f.at[0], rows)
    if f.name == INVERSE_NUMBER:
        return implied(f.at[0] - 1, rows)
    return function_of(f) in NOT_BELOW_0 or _is_above_0(f, rows)


def _is_above_0(f: Factor, rows: frozenset[Index]) -> bool:
    """Whether a factor is seen to be > 0: a number ≥ 1, a value of exp, and roots and inverses of sums of such."""
    if f.name in (NUMBER, INVERSE_NUMBER):
        return implied(f.at[0] - 1, rows)
    if function_of(f) not in (ROOT, INVERSE):
        return function_of(f) == EXP
    outer = max([0, *(-v for v in f.variables())])
    inside = body(f, outer)
    return bool(inside) and all(
        c > 0 and not m.guards and m.bound == outer and all(_is_above_0(g, rows) for g in m.factors)
        for m, c in inside
    )


Form = dict[Factor | None, dict[Factor | None, Fraction]]
"""A symmetric quadratic form: the coefficients of f · g, None being 1."""
WIDEST = 32
"""A form is not looked at where one of its rows has more entries."""


def _sign(form: Form) -> int:
    """2 if a form is seen to be > 0, 1 if it is ≥ 0, else 0: its squares are completed, that of 1 last."""
    for f in sorted(form, key=lambda f: f is None):
        row = {g: c for g, c in form[f].items() if c}
        if row and (row.get(f, 0) <= 0 or len(row) > WIDEST):
            return 0
        if row and f is None:
            return 2
        for g, h in itertools.product(row, row):
            form[g][h] = form[g].get(h, Fraction(0)) - row[g] * row[h] / row[f]
    return 1
