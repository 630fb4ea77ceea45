"""From a claim and its proof to a derivation, and from a false claim to the line where it breaks."""

from __future__ import annotations

import contextlib
import re
from typing import Any, cast

from ...check.formulas import NotItself
from ...check.instances.evaluate import in_symbols
from ...exact.engines import FLINT
from ...exact.scalar import DivisionByZero, NotPolynomial
from ...interpret.questions import Unreadable
from ...kernel.errors import KernelError
from ...kernel.term import Term
from ...language.claim import Claim
from ...search.all_sizes import Found
from ...search.normal import simplified
from ...search.session import Proving, resumed
from ..words import Record, is_collision
from . import prover
from .bounds import WRITING, bounded
from .document import Derivation
from .normal_forms import normal_form
from .writer import Equation, Writer

UNREADABLE = (TypeError, ValueError, AttributeError, IndexError, RecursionError)
"""What a claim's body raises that cannot do with symbols for sizes."""
READABLE = 40
"""What is left over is not printed if it has more terms than this."""
DEEP = 10
"""Nor is it looked for where more indices than this are summed over at once."""
LOOP = re.compile(r"(,| at|:)? *\w+ = \d+")
"""A loop's variable in a label: the equation is for all its values."""


def derive(claim: Claim, proof: Any) -> Derivation:
    """The derivation of a claim that is proved for all sizes; call it before the next proof starts.

    Args:
        claim: the claim.
        proof: its proof, whose theorems are still the kernel's.
    """
    bounds = proof.certificate.bounds
    found = Derivation(claim.id, [])
    if proof.theorems or bounds is None:
        with resumed(proof.session) as session:
            session.left = WRITING
            found = _derived(claim, proof, session)
    if bounds is not None:
        found.sections += bounded(claim, proof, found)
    return found


def _derived(claim: Claim, proof: Found, session: Proving) -> Derivation:
    writer = Writer(claim, session)
    given = writer.given(writer.conditions(proof.conditions))
    writer.definitions()
    used = [one for theorem in proof.theorems for one in theorem.used]
    rules = prover.resting(used)
    writer.lemmas(rules)
    sides = [(cast(Term, theorem.left), theorem.right) for theorem in proof.theorems]
    equations = [
        (writer.formed(simplified, left) or left, writer.formed(simplified, right) or right)
        for left, right in sides
    ]
    for theorem, equation, heading, recorded in zip(
        proof.theorems, equations, headings(claim, len(equations)), sides, strict=True
    ):
        writer.statement(equation, heading, theorem.used, recorded)
    writer.section("Result")
    writer.denominators(proof.theorems, rules)
    writer.assumptions(proof.axioms, proof.assumes)
    for witness in proof.certificate.witnesses:
        writer.witness(witness.evidence([]))
    writer.result(len(proof.theorems), "equation", given.values())
    return writer.finished()


def breaking(claim: Claim, example: Record) -> Derivation | None:
    """Where a false claim breaks: the equation that an example refutes, with what is left between its sides.

    Args:
        claim: the claim as stated.
        example: its counterexample in the report.

    Returns:
        None if the claim cannot be read with symbols for sizes, or what is left over is too long to read.
    """
    if is_collision(example):
        return None
    try:
        with prover.interpreted(claim) as (session, sizes, equations):
            titles = headings(claim, len(equations))
            for (left, right), heading in zip(equations, titles, strict=True):
                if any(m.bound > DEEP for m in (*left.parts, *right.parts)):
                    return None
                difference = normal_form(left - right, session)
                if len(difference.parts) > READABLE:
                    return None
                if prover.is_nonzero(difference, session, sizes, example):
                    return _broken(claim, session, (left, right), difference, heading)
    except (NotItself, Unreadable, KernelError, *UNREADABLE):
        pass
    return None


def _broken(
    claim: Claim, session: Proving, equation: Equation, difference: Term, heading: str
) -> Derivation:
    writer = Writer(claim, session)
    writer.given()
    writer.definitions()
    writer.lemmas((), proofs=False)
    writer.difference(equation, difference, f"Where it breaks ({heading[0].lower()}{heading[1:]})")
    return writer.finished()


def headings(claim: Claim, count: int) -> list[str]:
    """A heading for each equation: the claim's own labels, where its loops leave each one equation."""
    found = []
    if count > 1:
        with contextlib.suppress(NotPolynomial, DivisionByZero):
            found = in_symbols(FLINT, claim, claim.every_size[0])
    labels = [LOOP.sub("", str(statement.label)) for statement in found]
    if len(labels) != count or any(re.search(r"\d", label) for label in labels):
        labels = [""] * count
    if count == 1:
        return ["The equation"]
    return [f"Equation {n}: {label}".removesuffix(": ") for n, label in enumerate(labels, start=1)]
