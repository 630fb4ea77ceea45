"""What a claim's statement is held to: its readings against what the claim's own body does. Run it for the table.

The body runs on NumPy's floats, nothing recorded; a reading in exact scalars is compared with it at the same numbers.
"""

import math
import random
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from fractions import Fraction
from typing import Any

import flint
import numpy as np
from formulas_at_numbers import disagreement as differs_from_claim

from scanproof.constructs.arrays.scan import map_leaves
from scanproof.proofs.check.fidelity import WIDE, disagreement
from scanproof.proofs.check.instances.at_random import agree, residues
from scanproof.proofs.check.instances.enclosed import BITS
from scanproof.proofs.decide.ledger import built_in
from scanproof.proofs.doors.record.claims import record
from scanproof.proofs.doors.refused import Refused
from scanproof.proofs.exact.enclosures import ArbField
from scanproof.proofs.exact.engines import SMALL, chosen
from scanproof.proofs.exact.expressions import ExpressionField
from scanproof.proofs.exact.instance import entry_names, scalars, shapes, symbols
from scanproof.proofs.exact.mutation import paths
from scanproof.proofs.exact.polynomials import FlintField, RationalField
from scanproof.proofs.exact.residues import PrimeField
from scanproof.proofs.exact.scalar import DivisionByZero, NotPolynomial, Ratio
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


def drawn(claim: Claim, sizes: dict[str, int]) -> dict[str, np.ndarray]:
    """Fractions k/64 for the claim's inputs, which are floats, too."""
    rng = random.Random(claim.id)
    return {
        name: np.array(
            [Fraction(rng.randint(16, 64), 64) for _ in range(math.prod(dims))], object
        ).reshape(dims)
        for name, dims in shapes(claim, sizes).items()
    }


def of_body(claim: Claim, sizes: dict[str, int], path: str = "") -> list[np.ndarray]:
    """All sides of what the claim's body says of these numbers as floats, after a leaf of its parameters changed."""
    inputs = {name: one.astype(float) for name, one in drawn(claim, sizes).items()}
    values = {**inputs, **sizes, "xp": np}
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        parameters = claim.construct(values)
        if path:
            names = iter(paths(parameters))
            parameters = map_leaves(
                lambda leaf: _changed(leaf) if next(names) == path else leaf, parameters
            )
        every: list[Any] = claim.statements(values, parameters)
    pairs = [
        (one.left, one.right) if hasattr(one, "left") else (one.statistic, one.value)
        for one in every
    ]
    return [np.asarray(side, float) for pair in pairs for side in pair]


def difference(
    own: list[np.ndarray],
    statement: Statement,
    field: Any,
    sizes: dict[str, int],
    arrays: Mapping[str, np.ndarray],
    values: Mapping[str, Fraction],
    path: str = "",
) -> str:
    """Where a statement's reading in a field is not what the body computes.

    Args:
        own: what the body computes.
        arrays: of the field's scalars.
        values: of its symbols.
        path: a leaf of the parameters that is changed.

    Raises:
        NotPolynomial: if the field lacks a function.
    """
    if field.differentiate is None or not field.generators:
        statement = prepared(statement)
    with flint.ctx.workprec(BITS):
        try:
            read = relations(statement, field, sizes, arrays, _changes(path))
            found = [side for _, *pair in read for side in pair]
        except (DivisionByZero, ZeroDivisionError):
            defined = all(np.isfinite(one).all() for one in own)
            return "no value where the body has one" if defined else ""
    if len(own) != len(found):
        return f"{len(found)} sides for {len(own)}"
    largest = [np.max(np.abs(one[np.isfinite(one)]), initial=1) for one in own]
    lost = WIDE.lost * max(largest, default=1)  # what one side loses may be all of another
    for a, scalars_of in zip(own, found, strict=True):
        b = np.vectorize(lambda entry: _float(entry, values), otypes=[float])(scalars_of)
        if a.shape != b.shape or np.any(np.isfinite(a) & ~(np.abs(a - b) <= lost)):
            return f"another value in {field.name}"
    return ""


def exact_difference(claim: Claim, statement: Statement, sizes: dict[str, int]) -> str:
    """Where the statement, in fractions, residues or balls, is not what the claim's body computes."""
    point = drawn(claim, sizes)
    balls, rational = ArbField(), RationalField()
    own = of_body(claim, sizes)
    found = difference(own, statement, balls, sizes, scalars(claim, balls, point), {})
    with suppress(NotPolynomial, DivisionByZero):
        fractions = relations(prepared(statement), rational, sizes, scalars(claim, rational, point))
        field = PrimeField()
        modular = relations(prepared(statement), field, sizes, scalars(claim, field, point))
        for (_, *one), (_, *other) in zip(fractions, modular, strict=True):
            for a, b in zip(one, other, strict=True):
                if not all(field.number(p) == q for p, q in zip(a.flat, b.flat, strict=True)):
                    return "another value in residues"
    return found


def symbol_difference(claim: Claim, statement: Statement, sizes: dict[str, int]) -> str:
    """The same with symbols for entries; "" where no engine has the functions."""
    names = entry_names(claim, sizes)
    numbers = [entry for one in drawn(claim, sizes).values() for entry in one.flat]
    for make in (FlintField, ExpressionField):
        if make is ExpressionField and max(sizes.values(), default=0) > SMALL:
            continue  # an expression of sympy's grows with each turn
        field: Any = make(names)
        with suppress(NotPolynomial):
            arrays = symbols(claim, field, sizes)
            values = dict(zip(field.generators, numbers, strict=True))
            return difference(of_body(claim, sizes), statement, field, sizes, arrays, values)
    return ""


def change_difference(claim: Claim, statement: Statement, sizes: dict[str, int]) -> str:
    """Where a changed leaf of the parameters does to the statement something else than to the claim."""
    field = ArbField()
    arrays = scalars(claim, field, drawn(claim, sizes))
    for path in [one.path for one in statement.parameters]:
        own = of_body(claim, sizes, path)
        found = difference(own, statement, field, sizes, arrays, {}, path)
        if found:
            return f"{found} where {path} is changed"
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
    return (leaf * 10 + 1) / 8


def _changes(path: str) -> dict[str, Any]:
    return {path: _changed} if path else {}


def _float(scalar: Any, values: Mapping[str, Fraction]) -> float:
    """A scalar as a float, with these numbers for its symbols."""
    if isinstance(scalar, Ratio):
        names = scalar.num.context().names()  # one, of no symbol, where there are none
        point = [flint.fmpq(*values.get(n, Fraction(0)).as_integer_ratio()) for n in names]
        parts = [1 if one is None else one(*point) for one in (scalar.num, scalar.den)]
        top, bottom = (Fraction(str(one)) for one in parts)
        return float(top / bottom)
    if hasattr(scalar, "free_symbols"):
        return float(scalar.subs({one: values[one.name] for one in scalar.free_symbols}).evalf())
    return float(scalar)


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
            if not np.all(~np.isfinite(b) | (np.abs(a - b) <= WIDE.lost * (1 + np.abs(b)))):
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


def differences(claim: Claim, found: list[tuple[Statement, dict[str, int]]]) -> dict[str, str]:
    """Where a claim's statements, at a few sizes, are not what its body says, by what is held to it; "" where they are.

    A test compares this, and not a call with statements in it: pytest would write out each of them as a tree.
    """
    every = {
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
    return {name: next(filter(None, several), "") for name, several in every.items()}


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
        for name, why in differences(claim, found).items():
            passed[
                f"{name}: {why if name == 'formulas' and why else 'agrees' if not why else 'differs'}"
            ] += 1
            if why and name != "formulas":
                failed.append(f"{claim.id}: {name}: {why}")
    lines = [f"{count:5} {what}" for what, count in sorted(passed.items())]
    return "\n".join([*lines, *failed])


if __name__ == "__main__":
    print(table())
