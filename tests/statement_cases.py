"""What a claim's statement is held to: its readings against what the claim's own body does. Run it for the table."""

from __future__ import annotations

import random
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from fractions import Fraction
from typing import Any

import numpy as np
from formulas_at_numbers import disagreement as differs_from_claim

from scanproof.proofs.check.fidelity import ROUNDING, disagreement
from scanproof.proofs.check.instances.at_random import agree, drawn, residues
from scanproof.proofs.decide.ledger import built_in
from scanproof.proofs.doors.record.claims import record
from scanproof.proofs.doors.refused import Refused
from scanproof.proofs.exact.array import ExactArray, Namespace
from scanproof.proofs.exact.enclosures import ArbField
from scanproof.proofs.exact.engines import SMALL, chosen
from scanproof.proofs.exact.expressions import ExpressionField, is_zero
from scanproof.proofs.exact.instance import entry_names, run_body, shapes, symbols
from scanproof.proofs.exact.mutation import OnLeaf
from scanproof.proofs.exact.polynomials import FlintField
from scanproof.proofs.exact.residues import PRIME, PrimeField
from scanproof.proofs.exact.scalar import NotPolynomial
from scanproof.proofs.interpret.questions import Unreadable
from scanproof.proofs.interpret.session import session
from scanproof.proofs.language.claim import Claim
from scanproof.proofs.language.statements import Equal
from scanproof.proofs.readings import floats
from scanproof.proofs.readings.derivative import prepared
from scanproof.proofs.readings.exact import relations
from scanproof.proofs.readings.problem import NoProblem, problem
from scanproof.proofs.readings.program import program
from scanproof.proofs.readings.residues import Residues, identical
from scanproof.proofs.statement.statement import Statement

LIMITS = {"ssd.thm5.1"}
"""Claims about limits, which stay Python."""


def claims() -> Iterator[Claim]:
    """Every claim with a body of the ledger without programs, and its amendments."""
    for row in built_in().rows:
        yield from (one for one in (row.claim, *row.amendments) if one.body is not None)


def statements(claim: Claim) -> list[tuple[Statement, dict[str, int]]]:
    """The statement at a few choices of sizes: one for all of them, or one for each.

    Raises:
        Refused: if it cannot be recorded at numbers either.
    """
    try:
        found = record(claim)
    except Refused:
        return [(record(claim, sizes), sizes) for sizes in chosen(claim)]
    return [(found, sizes) for sizes in chosen(claim)]


def sides(one: Any) -> tuple[Any, Any]:
    """Both sides of a claim's statement, or its statistic and its value."""
    return (one.left, one.right) if hasattr(one, "left") else (one.statistic, one.value)


def exact_difference(claim: Claim, statement: Statement, sizes: dict[str, int]) -> str:
    """Where the statement, in residues or balls, is not what the claim's body gives on arrays of them."""
    for make, draw in (
        (PrimeField, lambda rng: rng.randrange(PRIME)),
        (ArbField, lambda rng: Fraction(rng.randint(1, 64), 64)),
    ):
        field: Any = make()
        rng = random.Random(claim.id)
        arrays = drawn(claim, field, sizes, lambda draw=draw, rng=rng: draw(rng))
        with suppress(NotPolynomial):
            return field_difference(claim, statement, field, sizes, arrays)
    return "no field has its functions"


def symbol_difference(claim: Claim, statement: Statement, sizes: dict[str, int]) -> str:
    """The same with symbols for entries; "" where no engine has the functions."""
    for make in (FlintField, ExpressionField):
        if make is ExpressionField and max(sizes.values(), default=0) > SMALL:
            continue  # an expression of sympy's grows with each turn
        field: Any = make(entry_names(claim, sizes))
        with suppress(NotPolynomial):
            return field_difference(claim, statement, field, sizes, symbols(claim, field, sizes))
    return ""


def change_difference(claim: Claim, statement: Statement, sizes: dict[str, int]) -> str:
    """Where a changed leaf of the parameters does to the statement something else than to the claim."""
    field = PrimeField()
    rng = random.Random(claim.id)
    arrays = drawn(claim, field, sizes, lambda: rng.randrange(PRIME))
    with suppress(NotPolynomial):
        for path in [one.path for one in statement.parameters]:
            found = field_difference(claim, statement, field, sizes, arrays, path)
            if found:
                return f"{found} where {path} is changed"
    return ""


def field_difference(
    claim: Claim, statement: Statement, field: Any, sizes: dict[str, int], arrays: Any, path=""
) -> str:
    """Where a claim's statement and its body, on these arrays of a field, do not say the same.

    Args:
        path: a leaf of the parameters that is changed.

    Raises:
        NotPolynomial: if the body needs a function that the field lacks.
    """
    own = run_body(claim, field, sizes, arrays, OnLeaf(path, _changed) if path else None)
    if field.differentiate is None or not field.generators:
        statement = prepared(statement)
    changes = {path: lambda leaf: _changed(ExactArray(leaf, field)).entries} if path else {}
    found = list(relations(statement, field, sizes, arrays, changes))
    if len(own) != len(found):
        return f"{len(found)} relations for {len(own)}"
    same = _overlap if isinstance(field, ArbField) else _equal
    for one, (_, *pair) in zip(own, found, strict=True):
        for a, b in zip(sides(one), pair, strict=True):
            a = Namespace(field).asarray(a).entries
            if a.shape != b.shape or not all(map(same, a.flat, b.flat)):
                return f"another value in {field.name}"
    return ""


def residue_difference(claim: Claim, statement: Statement, sizes: dict[str, int]) -> str:
    """Where residues of the statement do not agree as the body's do; "" where both need other functions."""
    try:
        own = all(agree(one) for one in residues(claim, sizes) if isinstance(one, Equal))
    except NotPolynomial:
        own = None
    try:
        found = identical(Residues(statement), sizes, random.Random(claim.id))
    except NotPolynomial:
        found = None
    return "" if own == found else f"today {own}, of the statement {found}"


def _changed(leaf: Any) -> Any:
    return leaf * 3 + 1


def _equal(a: Any, b: Any) -> bool:
    return bool(a == b) or (hasattr(a, "free_symbols") and is_zero(a - b))


def _overlap(a: Any, b: Any) -> bool:
    apart = bool(a != b)  # of balls, a == b says something else
    return not apart


def program_difference(claim: Claim, statement: Statement, sizes: dict[str, int]) -> str:
    """Where the printed program's sides are not those of the reading on floats."""
    rng = np.random.default_rng(0)
    inputs = {n: rng.uniform(0.25, 1, dims) for n, dims in shapes(claim, sizes).items()}
    names: dict[str, Any] = {}
    exec(compile(program(statement), "program", "exec"), names)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        own = list(names["statement"](**({} if statement.at else sizes), **inputs))
        found = list(floats.relations(statement, sizes, inputs))
    if len(own) != len(found):
        return f"the program yields {len(own)} relations, and {len(found)} there are"
    for (_, *one), (_, *pair) in zip(own, found, strict=True):
        for a, b in zip(one, pair, strict=True):
            a, b = np.broadcast_arrays(np.asarray(a, float), np.asarray(b, float))
            if not np.all(~np.isfinite(b) | (np.abs(a - b) <= ROUNDING * (1 + np.abs(b)))):
                return "the program's values are others"
    return ""


def problem_difference(claim: Claim, statement: Statement) -> str:
    """Where the formulas are not the claim's own at a few sizes; "unread" where there are none."""
    if statement.at or not claim.ranges:
        return "numbers alone"
    try:
        with session() as opened:
            return differs_from_claim(claim, problem(statement, opened)) or ""
    except (NoProblem, Unreadable):
        return "unread"


def table() -> str:
    """How many claims pass what."""
    passed: Counter[str] = Counter()
    failed: list[str] = []
    for claim in claims():
        try:
            found = statements(claim)
        except Refused as error:
            passed["not recorded"] += 1
            failed.append(f"{claim.id}: {error}")
            continue
        how = "recorded at numbers" if found[0][0].at else "recorded for all sizes"
        passed[how] += 1
        checks = {
            "exact numbers": [exact_difference(claim, s, sizes) for s, sizes in found],
            "changed parameters": [change_difference(claim, *found[-1])],
            "symbols": [symbol_difference(claim, *found[0])],
            "residues": [residue_difference(claim, *one) for one in found],
            "printed program": [program_difference(claim, s, sizes) for s, sizes in found],
            "untraced body": [
                disagreement(claim, s) or "" for s in {id(s): s for s, _ in found}.values()
            ],
            "formulas": [problem_difference(claim, found[0][0])],
        }
        for name, every in checks.items():
            why = next((one for one in every if one), "")
            passed[
                f"{name}: {why if name == 'formulas' and why else 'agrees' if not why else 'differs'}"
            ] += 1
            if why and name != "formulas":
                failed.append(f"{claim.id}: {name}: {why}")
    lines = [f"{count:5} {what}" for what, count in sorted(passed.items())]
    return "\n".join([*lines, *failed])


if __name__ == "__main__":
    print(table())
