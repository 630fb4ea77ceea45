"""Attacking what is proved: mutants of every construction (or claimed side), each refuted or shown equivalent.

A mutant changes one array by sign, scale, transpose, shift, or by one in one entry. A proof that survives a change
which matters was no proof. A mutant that the exact engine still finds to be an identity is equivalent: the change does
not matter to the statement, and it is listed by name so that a reader can see why.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

from ..check.changes import WRONG_FIT
from ..check.instances.at_point import difference_index, statements_at
from ..check.instances.evaluate import in_symbols, leaves
from ..check.instances.points import candidates
from ..exact.engines import FIXED, FLINT, SYMPY, holds
from ..exact.mutation import OnLeaf, changes, on_right_side
from ..exact.scalar import NotPolynomial
from ..language.claim import Claim
from ..language.source import Row
from ..language.statements import Equal, Statement
from .verdict import decide

SCALES = {"−1": -1, "2": 2, "½": Fraction(1, 2), "0": 0}
SIZE = 2
"""Mutants are made at the largest checked sizes that do not exceed this, and tried at the largest of all too."""

Mutate = OnLeaf | None
Finish = Callable[[list[Statement]], list[Statement]]


def attack(
    rows: Sequence[Row], progress: Callable[[str], None] | None = None
) -> list[dict[str, Any]]:
    """Try every mutant of every proved equation among the rows and their amendments.

    Returns:
        One record a claim: its id, the number of mutants, how many were refuted, and the names of those that are
        equivalent and of those that could not be decided.
    """
    records = []
    for row in rows:
        for claim in (row.claim, *row.amendments):
            if progress is not None:
                progress(claim.id)
            if claim.body is not None and decide(claim, FIXED).verdict == "proved":
                record = _attack(claim)
                if record["mutants"]:
                    records.append(record)
    return records


def _attack(claim: Claim) -> dict[str, Any]:
    sizes = _attack_size(claim)
    largest = claim.every_size[-1]
    every_size = [sizes] if sizes == largest else [sizes, largest]
    refuted, equivalent, undecided = 0, [], []
    for name, mutate, finish in _mutants(claim, sizes):
        fate = _fate(claim, every_size, mutate, finish)
        refuted += fate == "refuted"
        if fate == "equivalent":
            equivalent.append(name)
        if fate == "undecided":
            undecided.append(name)
    return {
        "id": claim.id,
        "mutants": refuted + len(equivalent) + len(undecided),
        "refuted": refuted,
        "equivalent": equivalent,
        "undecided": undecided,
    }


def _attack_size(claim: Claim) -> dict[str, int]:
    return {
        name: max([v for v in values if v <= SIZE], default=min(values))
        for name, values in claim.ranges.items()
    }


def _mutants(claim: Claim, sizes: dict[str, int]) -> Iterator[tuple[str, Mutate, Finish]]:
    every = (statements_at(claim, sizes, point) for point in candidates(claim, sizes))
    statements = next((found for found in every if found is not None), [])
    if not any(isinstance(s, Equal) for s in statements):
        return  # a witness that some inputs differ is not an identity that one could break
    if claim.parameters is not None:
        for path, shape in leaves(claim, sizes).items():
            for name, change in changes(shape, SCALES):
                yield f"{path} {name}", OnLeaf(path, change), _unchanged
        return
    for part, statement in enumerate(statements):
        if isinstance(statement, Equal):
            shape = statement.right.shape
            for name, change in changes(shape, SCALES):
                label = f"part {part + 1}: " if len(statements) > 1 else ""
                yield f"{label}right side {name}", None, _only(part, on_right_side(change))


def _only(part: int, change: Callable[[Statement], Statement]) -> Finish:
    """Change statement number `part` alone."""
    return lambda statements: [change(s) if i == part else s for i, s in enumerate(statements)]


def _unchanged(statements: list[Statement]) -> list[Statement]:
    return statements


def _fate(claim: Claim, every_size: list[dict[str, int]], mutate: Mutate, finish: Finish) -> str:
    """Refuted at any of the sizes, equivalent if an identity at all of them, else undecided."""
    identities = True
    for sizes in every_size:
        try:
            for point in candidates(claim, sizes, 2):
                found = statements_at(claim, sizes, point, mutate)
                if found is not None and any(_fails(s) for s in finish(found)):
                    return "refuted"
            identities = identities and _identity(claim, sizes, mutate, finish)
        except WRONG_FIT:
            return "refuted"  # the mutant has no value, or one of another shape
    return "equivalent" if identities else "undecided"


def _fails(statement: Statement) -> bool:
    return isinstance(statement, Equal) and difference_index(statement) is not None


def _identity(claim: Claim, sizes: dict[str, int], mutate: Mutate, finish: Finish) -> bool:
    for engine in (FLINT, SYMPY):
        try:
            statements = finish(in_symbols(engine, claim, sizes, mutate))
        except NotPolynomial:
            continue
        return all(holds(s) for s in statements if isinstance(s, Equal))
    return False
