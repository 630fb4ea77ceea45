"""x ≥ 0 with A x = b in exact fractions, by the simplex method with Bland's rule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

PIVOTS = 400
"""More exchanges than this are too many."""
Column = Mapping[int, Fraction]


def solution(columns: Sequence[Column], b: Sequence[Fraction]) -> dict[int, Fraction] | None:
    """Some x ≥ 0 with Σ_k x_k columns[k] = b, as the entries that are not 0; None if none is found."""
    kept = _useful(columns, b)
    if kept is None:
        return None
    lines = sorted({r for k in kept for r in columns[k]})
    place = {r: n for n, r in enumerate(lines)}
    fewer = [{place[r]: c for r, c in columns[k].items()} for k in kept]
    found = _simplex(fewer, [b[r] for r in lines])
    return None if found is None else {kept[k]: x for k, x in found.items()}


def _useful(columns: Sequence[Column], b: Sequence[Fraction]) -> list[int] | None:
    """The columns that need not be 0 for the look of one line; None if a line cannot be met."""
    left = dict(enumerate(columns))
    rows: list[dict[int, bool]] = [{} for _ in b]
    for k, column in left.items():
        for r, c in column.items():
            rows[r][k] = c > 0
    waiting = list(range(len(b)))
    while waiting:
        r = waiting.pop()
        signs = set(rows[r].values())
        if b[r] and (b[r] > 0) not in signs:
            return None
        if b[r] or len(signs) > 1:
            continue
        for k in list(rows[r]):  # a sum of what is ≥ 0 is 0
            for other in left.pop(k):
                del rows[other][k]
                waiting.append(other)
    return list(left)


def _simplex(columns: Sequence[Column], b: Sequence[Fraction]) -> dict[int, Fraction] | None:
    count = len(columns)
    rows: list[dict[int, Fraction]] = [{} for _ in b]
    right = [abs(value) for value in b]
    for k, column in enumerate(columns):
        for r, c in column.items():
            rows[r][k] = -c if b[r] < 0 else c
    # A row without a column of its own gets an artificial one, count + r; their sum is made 0.
    basis = [_unit(row, columns, count + r) for r, row in enumerate(rows)]
    for _ in range(PIVOTS):
        cost: dict[int, Fraction] = {}
        for r, k in enumerate(basis):
            if k >= count:
                for j, value in rows[r].items():
                    cost[j] = cost.get(j, Fraction(0)) + value
        enters = min((j for j, value in cost.items() if value > 0), default=None)
        if enters is None:
            break
        ratios = [
            (right[r] / row[enters], basis[r], r)
            for r, row in enumerate(rows)
            if row.get(enters, 0) > 0
        ]
        _exchange(rows, right, basis, min(ratios)[2], enters)
    else:
        return None
    if any(right[r] for r, k in enumerate(basis) if k >= count):
        return None
    return {k: right[r] for r, k in enumerate(basis) if k < count and right[r]}


def _unit(row: Column, columns: Sequence[Column], otherwise: int) -> int:
    """A column that is 1 in this row and 0 elsewhere, so that it can start in the basis."""
    return next((k for k, value in row.items() if len(columns[k]) == 1 and value == 1), otherwise)


def _exchange(
    rows: list[dict[int, Fraction]], right: list[Fraction], basis: list[int], r: int, enters: int
) -> None:
    pivot = rows[r][enters]
    rows[r] = {j: value / pivot for j, value in rows[r].items()}
    right[r] = right[r] / pivot
    basis[r] = enters
    for s, row in enumerate(rows):
        factor = row.get(enters)
        if s == r or not factor:
            continue
        for j, value in rows[r].items():
            new = row.get(j, Fraction(0)) - factor * value
            if new:
                row[j] = new
            else:
                row.pop(j, None)
        right[s] = right[s] - factor * right[r]
