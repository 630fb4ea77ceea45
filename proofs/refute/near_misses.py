"""Near misses: which small change of a refuted claim makes it true, found by trying them all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..check.changes import WRONG_FIT, Make, changes, is_identity, is_mended
from ..exact.at_random import agree, balls, overlap, residues
from ..exact.scalar import NotPolynomial
from ..language.claim import Claim
from ..language.sizes import Sizes
from ..language.statements import Equal, Statement

LIMIT = 4


def near_misses(claim: Claim) -> tuple[str, ...]:
    """The names of changes (`check.changes`) that make every statement an identity, as far as random numbers show."""
    found: list[str] = []
    screen = _Screen(claim)
    for name, changed, make in changes(claim):
        if len(found) == LIMIT:
            break
        if name in found or not screen.lets_through(changed, make):
            continue
        if is_mended(
            claim, name
        ):  # as the check sees it: what is empty at small sizes agrees there
            found.append(name)
    return tuple(found)


class _Screen:
    """The claim at random numbers of every size, evaluated once for all changes of its right sides."""

    def __init__(self, claim: Claim) -> None:
        self._claim = claim
        self._unchanged: dict[str, list[Statement]] = {}

    def lets_through(self, changed: Claim, make: Make) -> bool:
        """Whether a change seems to make all statements identities: residues decide, enclosures ask the engine."""
        try:
            return self._agrees(changed, make, residues, agree)
        except NotPolynomial:
            self._unchanged.clear()
            return self._agrees(changed, make, balls, overlap) and is_identity(changed, make)

    def _agrees(
        self,
        changed: Claim,
        make: Make,
        at: Callable[..., list[Statement]],
        same: Callable[[Any], bool],
    ) -> bool:
        try:
            for sizes in changed.every_size:
                mutate, finish = make(sizes)
                found = self._statements(changed, sizes, mutate, at)
                if not all(isinstance(s, Equal) and same(finish(s)) for s in found):
                    return False
        except NotPolynomial:
            raise
        except WRONG_FIT:  # a quotient by 0 among them: at random numbers hardly by chance
            return False
        return True

    def _statements(
        self, changed: Claim, sizes: Sizes, mutate: Any, at: Callable[..., list[Statement]]
    ) -> list[Statement]:
        if mutate is not None or changed is not self._claim:
            return at(changed, sizes, mutate)
        key = str(sizes)
        if key not in self._unchanged:
            self._unchanged[key] = at(changed, sizes)
        return self._unchanged[key]
