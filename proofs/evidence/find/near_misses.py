"""Near misses: which small change of a refuted claim makes it true, found by trying them all."""

from __future__ import annotations

import itertools

from ...exact.scalar import DivisionByZero, NotPolynomial
from ...language.claim import Claim
from ...language.statements import Equal, Statement
from ..at_point import difference_index, statements_at
from ..at_random import agree, residues
from ..check.changes import WRONG_FIT, Make, changes, is_identity
from ..points import candidates

LIMIT = 4
PROBED_SIZES = 8
PROBES = 3


def near_misses(claim: Claim) -> tuple[str, ...]:
    """The names of changes (`check.changes`) that make every statement an identity.

    Each is screened at a few points, and then at random residues of every size.
    """
    found: list[str] = []
    probes = _Probes(claim)
    for name, changed, make in changes(claim):
        if len(found) == LIMIT:
            break
        if name not in found and probes.survives(changed, make) and _seems_true(changed, make):
            found.append(name)
    return tuple(found)


def _seems_true(changed: Claim, make: Make) -> bool:
    try:
        for sizes in changed.every_size:
            mutate, finish = make(sizes)
            for statement in map(finish, residues(changed, sizes, mutate)):
                if not isinstance(statement, Equal) or not agree(statement):
                    return False
    except (NotPolynomial, DivisionByZero, ZeroDivisionError):  # residues do not tell
        return is_identity(changed, make)
    except WRONG_FIT:
        return False
    return True


class _Probes:
    """The claim's statements at a few points, evaluated once for all changes of its right sides."""

    def __init__(self, claim: Claim) -> None:
        self._claim = claim
        self._points = [
            (sizes, point)
            for sizes in claim.every_size[:PROBED_SIZES]
            for point in itertools.islice(candidates(claim, sizes, 1), PROBES)
        ]
        self._unchanged: dict[int, list[Statement] | None] = {}

    def survives(self, claim: Claim, make: Make) -> bool:
        """Whether no probe shows a difference; a change that does not fit the shapes does not survive."""
        for number, (sizes, point) in enumerate(self._points):
            try:
                mutate, finish = make(sizes)
                if mutate is None and claim is self._claim:
                    if number not in self._unchanged:
                        self._unchanged[number] = statements_at(claim, sizes, point)
                    found = self._unchanged[number]
                else:
                    found = statements_at(claim, sizes, point, mutate)
                if found is not None and not all(
                    isinstance(s, Equal) and difference_index(finish(s)) is None for s in found
                ):
                    return False
            except WRONG_FIT:
                return False
        return True
