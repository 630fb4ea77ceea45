"""`triangular_solve`: forward or backward substitution, a recursion over the rows of a triangular system.

Row e of M x = b with M lower triangular is x_e = (b_e − Σ_{j<e} M_ej x_j) / M_ee, and these equations have one
solution where no M_ee is 0: that is the state of a loop which writes row e in its turn e and keeps the others. Upper
triangular systems begin with the last row. What stands in the other triangle is not looked at, nor is the diagonal
where it is said to be of ones; every other diagonal entry is divided by, so that it is not 0 is a side condition.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...kernel.index import Index, position
from ...kernel.term import Term, as_term
from .. import areas
from ..array import KernelArray, comprehension
from ..namespace import Namespace
from ..questions import Unreadable
from ..simplifying import simplified
from ..terms import equal_indices, total
from .maxima import divided
from .scan import UNROLLED, looped, unrolled
from .values import picked, reals


def _triangular_solve(reader: Any, params: Any, a: Any, b: Any) -> KernelArray:
    matrix, right = reals(a), reals(b)
    if not params["left_side"]:  # x A = b is Aᵀ xᵀ = bᵀ
        right = right.mT
    lower = params["lower"]
    if params["transpose_a"] == params["left_side"]:
        matrix, lower = matrix.mT, not lower
    if matrix.dims[-2:] != (length := right.dims[-2],) * 2:
        raise Unreadable(
            f"a system of {areas.spelled(matrix.dims[-2])} equations for {areas.spelled(length)} unknowns"
        )
    solution = _solved(matrix, right, lower, bool(params["unit_diagonal"]))
    return solution if params["left_side"] else solution.mT


def _solved(matrix: KernelArray, right: KernelArray, lower: bool, unit: bool) -> KernelArray:
    """x of M x = b, row by row; `matrix` (…, C, C) and `right` (…, C, d) -> (…, C, d)."""
    length = right.dims[-2]
    weights = None if unit else _one_by(_diagonal(matrix))

    def turn(time: Index, carry: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        solved = reals(carry[0])
        row = time if lower else length - 1 - time

        def at(*place: Index) -> Term:
            *batch, i, column = place
            j = position("j", 0, length)
            before = [row - 1 - j] if lower else [j - row - 1]
            known = matrix.entry([*batch, row, j], before) * solved.entry([*batch, j, column])
            found = right.entry([*batch, row, column]) - total(known, j)
            if weights is not None:
                found = found * weights.entry([*batch, row])
            here = equal_indices(i, row)
            return solved.entry(place) * (1 + here * -1) + found * here

        return [comprehension(right.dims, at)], []

    start: list[Any] = [comprehension(right.dims, lambda *at: as_term(0))]
    if not length.terms and length.const <= UNROLLED:
        return reals(unrolled(turn, start, length.const, False)[0])
    return reals(looped(turn, start, length, [], [matrix, right], False)[0])


def _diagonal(matrix: KernelArray) -> KernelArray:
    entries = picked(matrix, matrix.dims[:-1], lambda at: [*at, at[-1]])
    return comprehension(entries.dims, lambda *at: simplified(entries.entry(list(at))))


def _one_by(array: KernelArray) -> KernelArray:
    return divided(Namespace().asarray(1), array)


RULES: dict[str, Callable[..., Any]] = {"triangular_solve": _triangular_solve}
