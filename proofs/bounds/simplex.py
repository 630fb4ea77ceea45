"""x ≥ 0 with A x = b in exact fractions, by the simplex method with Bland's rule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from ..kernel.errors import TooHard

PIVOTS = 400
"""More exchanges than this are too many."""
Column = Mapping[int, Fraction]


def solution(columns: Sequence[Column], b: Sequence[Fraction]) -> dict[int, Fraction] | None:
    """Some x ≥ 0 with Σ_k x_k columns[k] = b, as the entries that are not 0; None if there is none.

    Raises:
        TooHard: if it takes too many steps.
    """
    count = len(columns)
    rows: list[dict[int, Fraction]] = []
    right = [abs(value) for value in b]
    for r, value in enumerate(b):
        sign = -1 if value < 0 else 1
        rows.append({k: column[r] * sign for k, column in enumerate(columns) if column.get(r)})
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
        raise TooHard("a certificate that takes too long to find")
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
