"""Nodes that no claim's body records yet: each reading of them is what NumPy computes, at sizes 0 and 1 too."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from scanproof.proofs.exact.array import Namespace
from scanproof.proofs.exact.enclosures import ArbField
from scanproof.proofs.exact.polynomials import RationalField
from scanproof.proofs.exact.scalar import DivisionByZero, NotPolynomial
from scanproof.proofs.interpret.session import session
from scanproof.proofs.readings import floats
from scanproof.proofs.readings.derivative import without_gradients
from scanproof.proofs.readings.functions import hashed, smooth
from scanproof.proofs.readings.latex import latex
from scanproof.proofs.readings.problem import NoProblem, problem
from scanproof.proofs.readings.program import program
from scanproof.proofs.readings.residues import PRIMES, Residues, identical, prepared
from scanproof.proofs.readings.run import of, relations
from scanproof.proofs.readings.whole_arrays import in_whole_arrays
from scanproof.proofs.statement import binding, making, nodes
from scanproof.proofs.statement.errors import IllFormed
from scanproof.proofs.statement.formats import WHOLE, Format
from scanproof.proofs.statement.nodes import Input, Node
from scanproof.proofs.statement.statement import Statement, relation
from scanproof.proofs.statement.text import text
from scanproof.proofs.statement.whole import Size, whole

N, M = (whole(Size(name, 0)) for name in "NM")
MATRIX, RIGHT = Input("L", (N, N)), Input("B", (N, M))
TABLE, PLACES = Input("A", (N, M)), Input("i", (M, 2), WHOLE)
EVERY_SIZE = [{"N": n, "M": m} for n, m in ((0, 0), (0, 1), (1, 0), (1, 1), (3, 2), (5, 3))]


def of_inputs(*inputs: Input, left: Node, right: Node | None = None) -> Statement:
    sizes = (Size("N", 0), Size("M", 0))
    said = relation("equal", left, left if right is None else right)
    return Statement("mine", sizes, inputs, (said,))


def shape_at(one: Input, sizes: dict[str, int]) -> tuple[int, ...]:
    return floats.Floats(sizes, {}).shape(one.lengths)


def numbers(statement: Statement, sizes: dict[str, int]) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    found = {}
    for one in statement.inputs:
        low, high = (-1, 5) if one.format.is_whole else (1, 9)  # also what is no place
        found[one.name] = rng.integers(low, high, shape_at(one, sizes))
    return found


def check(statement: Statement, wanted: Any, exact: bool = True) -> None:
    """Hold the floats, whole arrays, printed program, fractions and residues of a statement to NumPy."""
    names: dict[str, Any] = {}
    exec(program(statement), names)
    assert latex(statement).count("{") == latex(statement).count("}")
    for sizes in EVERY_SIZE:
        given = numbers(statement, sizes)
        own = np.asarray(wanted(**given), dtype=float)
        inputs = {name: one.astype(float) for name, one in given.items()}
        found = {
            "floats": next(floats.relations(statement, sizes, inputs))[1],
            "whole": next(floats.relations(in_whole_arrays(statement), sizes, inputs))[1],
            "program": next(names["statement"](**sizes, **inputs))[1],
        }
        if exact:
            xp = Namespace(RationalField())
            fractions = {name: xp.asarray(one) for name, one in given.items()}
            found["fractions"] = next(relations(statement, xp, sizes, fractions))[1].entries
        for reading, value in found.items():
            value = np.asarray(value, dtype=float)
            assert value.shape == own.shape, (reading, sizes)
            assert np.allclose(value, own, rtol=1e-9, atol=1e-12), (reading, sizes)
        if exact:
            residues = {name: one.astype(np.int64) % PRIMES[0] for name, one in given.items()}
            value = next(of(prepared(statement), Residues(PRIMES[0], sizes, residues)))[1]
            exactly = next(relations(statement, xp, sizes, fractions))[1].entries
            modulo = [
                Fraction(str(one)).numerator
                * pow(Fraction(str(one)).denominator, -1, PRIMES[0])
                % PRIMES[0]
                for one in exactly.flat
            ]
            assert [*np.asarray(value).flat] == modulo, sizes


def looked_up(A, i):
    found = np.zeros((*i.shape, *A.shape[1:]))
    for at in np.ndindex(i.shape):
        if 0 <= i[at] < len(A):
            found[at] = A[i[at]]
    return found


def test_entries_are_looked_up_at_places_and_are_0_where_there_is_none():
    check(of_inputs(TABLE, PLACES, left=making.lookup(TABLE, PLACES)), looked_up)


@pytest.mark.parametrize("lower", (True, False))
@pytest.mark.parametrize("unit", (True, False))
def test_triangular_systems_are_solved_whatever_the_other_triangle_holds(lower: bool, unit: bool):
    def solution(L, B):
        kept = np.tril(L) if lower else np.triu(L)
        kept = kept - np.diag(np.diag(kept)) + np.eye(len(L)) if unit else kept
        return np.linalg.solve(kept, B.astype(float))

    check(of_inputs(MATRIX, RIGHT, left=making.solved(MATRIX, RIGHT, lower, unit)), solution)


def test_a_system_in_a_build_is_solved_for_all_positions():
    position = binding.fresh(0, M)
    column = making.take(RIGHT, (whole(making.Axis(0)), whole(position)), (N,))
    scaled = making.entrywise("multiply", MATRIX, making.number(whole(position) + 1))
    built = binding.build(position, making.solved(scaled, column))

    def solution(L, B):
        found = [np.linalg.solve(np.tril(L) * (m + 1), B[:, m]) for m in range(B.shape[1])]
        return np.array(found).reshape(B.shape[::-1])

    check(of_inputs(MATRIX, RIGHT, left=built), solution)


def test_a_system_is_the_loop_over_its_rows_for_the_kernel():
    """The problem's formulas are evaluated with numbers: both sides of L X = B."""
    solved = making.solved(MATRIX, RIGHT, unit=True)
    with session() as opened:
        found = problem(of_inputs(MATRIX, RIGHT, left=solved), opened)
    assert len(found.parts) == 1 and len(opened.recursions) == 1
