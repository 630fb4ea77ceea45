"""Signs of sums that are seen in how they are written: of squares, quadratic forms, and functions that are ≥ 0."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
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
PAIRED = 5
"""A sum over more indices is not looked at as that of squares."""
ENDS = 16
"""So many lower ends of ranges are tried for what sums are over."""
NOTHING: frozenset[Index] = frozenset()


Pair = tuple[Monomial, Fraction]


def seen_sign(pairs: Iterable[Pair], outer: int = 0, rows: frozenset[Index] = NOTHING) -> int:
    """2 if a sum is seen to be > 0, 1 if it is ≥ 0, else 0; `outer` of its bound indices are positions.

    It is seen of products of squares and of quadratic forms, times functions that are ≥ 0, and numbers of indices and
    their inverses that are so where the rows hold; of squares of sums, (Σ f g)²; and of n Σ f² − (Σ f)², for one factor
    f of any sign, times others that are ≥ 0. Roots are ≥ 0 whatever they are of.
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


def _is_square(m: Monomial, outer: int, rows: frozenset[Index]) -> bool:
    """Whether Σ P F F' is a sum of P (Σ F)², P ≥ 0: of indices exchanged for others no factor speaks with both."""
    bound = range(-outer - 1, -m.bound - 1, -1)
    if len(bound) > PAIRED:
        return False
    for pairs in _pairings(tuple(bound)):
        one, other = ({pair[k] for pair in pairs} for k in (0, 1))
        swapped = {**{i: variable(j) for i, j in pairs}, **{j: variable(i) for i, j in pairs}}
        if pairs and m.substitute(swapped, m.bound) == m:
            spoken = [e.variables() for e in (*m.factors, *m.guards)]
            rest = [f for f in m.factors if not f.variables() & (one | other)]
            signless = [f for f in rest if not _is_not_below_0(f, rows | m.guards)]
            apart = not any(v & one and v & other for v in spoken)
            if apart and signless[::2] == signless[1::2]:
                return True
    return False


def _pairings(indices: tuple[int, ...]) -> Iterator[list[tuple[int, int]]]:
    """The ways to pair some of the indices, in either order but for the first pair."""
    if len(indices) < 2:
        yield []
        return
    first, *others = indices
    yield from _pairings(tuple(others))
    for k, second in enumerate(others):
        for more in _pairings((*others[:k], *others[k + 1 :])):
            for turned in itertools.product((False, True), repeat=len(more)):
                rest = [(b, a) if t else (a, b) for (a, b), t in zip(more, turned, strict=True)]
                yield [(first, second), *rest]


def _sign_of_forms(pairs: Iterable[Pair], outer: int, rows: frozenset[Index]) -> int:
    forms: dict[tuple, Form] = {}
    for m, c in pairs:
        if c > 0 and _is_square(m, outer, rows):
            continue
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
    return function_of(f) in NOT_BELOW_0 or is_above_0(f, rows)


def is_above_0(
    f: Factor,
    rows: frozenset[Index],
    known: dict[tuple[Factor, frozenset[Index]], bool] | None = None,
) -> bool:
    """Whether a factor is seen to be > 0: a number ≥ 1, a value of exp, and roots and inverses of sums of such."""
    if f.name in (NUMBER, INVERSE_NUMBER):
        return implied(f.at[0] - 1, rows)
    if function_of(f) not in (ROOT, INVERSE):
        return function_of(f) == EXP
    outer = max([0, *(-v for v in f.variables())])
    # Behind these, what it is of has indices of its own: nothing that is known around it is of those.
    rows = frozenset([e for e in rows if min(e.variables(), default=0) >= -outer])
    known = {} if known is None else known  # one may stand in another many times
    if (f, rows) not in known:
        known[f, rows] = is_sum_above_0(body(f, outer), outer, rows, known)
    return known[f, rows]


def is_sum_above_0(
    pairs: Sequence[Pair],
    outer: int,
    rows: frozenset[Index],
    known: dict[tuple[Factor, frozenset[Index]], bool] | None = None,
) -> bool:
    """Whether a sum of what is seen to be > 0 has a summand: without a range, or in one that has a value."""
    known = {} if known is None else known
    return any(_has_summand(m, outer, rows) for m, _ in pairs) and all(
        c > 0 and all(is_above_0(g, rows, known) for g in m.factors) for m, c in pairs
    )


def _has_summand(m: Monomial, outer: int, rows: frozenset[Index]) -> bool:
    """Whether the guards hold for some values of the indices that are summed over: each is tried at its lower ends."""
    waiting = [m.guards]
    for v in range(-outer - 1, -m.bound - 1, -1):
        lows = [
            (guards, variable(v) - g) for guards in waiting for g in guards if g.coefficient(v) == 1
        ]
        if len(lows) > ENDS:
            return False
        waiting = [frozenset([g.substitute({v: low}) for g in guards]) for guards, low in lows]
    return any(all(implied(g, rows) for g in guards) for guards in waiting)


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
