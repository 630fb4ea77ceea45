"""Near misses: which small change of a refuted claim makes it true, found by trying them all.

Changed are a claim's right side, readings and parameters (`near_misses`), and the text of a user's own functions
(`own_near_misses`).
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from itertools import islice
from typing import Any

from ..check.changes import WRONG_FIT, Make, changes, is_identity, is_mended
from ..check.instances.at_random import agree, balls, overlap, residues
from ..exact.scalar import NotPolynomial
from ..language.claim import Claim
from ..language.sizes import Sizes
from ..language.statements import Equal, Statement
from .own_text import OwnEdit, edited, own_edits

Limited = Callable[[], AbstractContextManager[None]]
"""A block that raises an error when what runs in it takes too long."""
LIMIT = 4
MOST_EDITS = 1000
"""So many edits of a user's text are tried."""


def near_misses(claim: Claim, fails: Sizes) -> tuple[str, ...]:
    """The names of changes (`check.changes`) that make every statement an identity, as far as random numbers show.

    Args:
        claim: the claim.
        fails: sizes at which it is refuted.
    """
    found: list[str] = []
    screen = _Screen(claim, fails)
    for name, changed, make in changes(claim):
        if len(found) == LIMIT:
            break
        if name in found or not screen.lets_through(changed, make):
            continue
        if is_mended(claim, name, fails):  # as the check sees it: what is empty agrees above
            found.append(name)
    return tuple(found)


def own_near_misses(claim: Claim, fails: Sizes, limited: Limited) -> list[OwnEdit]:
    """Edits of the user's functions that make every statement an identity at chosen sizes; one of each line at most.

    An edit after which both sides are 0 that were not is none: what it says would be something else.

    Args:
        claim: the claim.
        fails: sizes at which it is refuted.
        limited: in which each edited claim is evaluated, since an edit may make a loop endless.
    """
    found: dict[tuple[str, int], OwnEdit] = {}
    screen = _Screen(claim, fails)
    for edit in islice(own_edits(claim), MOST_EDITS):
        if len(found) == LIMIT:
            break
        place = edit.file, edit.line
        if place not in found and _is_near(claim, edited(claim, edit), screen, limited):
            found[place] = edit
    return list(found.values())


def _is_near(claim: Claim, changed: Claim, screen: _Screen, limited: Limited) -> bool:
    make: Make = lambda sizes: (None, lambda statement: statement)  # noqa: E731
    try:
        with limited():
            return (
                screen.lets_through(changed, make)
                and is_identity(changed, make)
                and not _is_emptied(claim, changed)
            )
    except Exception:  # a user's code with an edit in it may raise anything
        return False


def _is_emptied(claim: Claim, changed: Claim) -> bool:
    """Whether sides are 0, at random numbers, that were not."""
    sizes = claim.every_size[-1]
    at = residues if _is_polynomial(claim, sizes) else balls
    pairs = zip(at(claim, sizes), at(changed, sizes), strict=True)
    return any(_is_zero(new) and not _is_zero(old) for old, new in pairs)


def _is_polynomial(claim: Claim, sizes: Sizes) -> bool:
    try:
        return bool(residues(claim, sizes))
    except NotPolynomial:
        return False


def _is_zero(statement: Statement) -> bool:
    return isinstance(statement, Equal) and not any(
        entry != 0 for side in (statement.left, statement.right) for entry in side.flat
    )


class _Screen:
    """The claim at random numbers where it fails and at every size, evaluated once for all changes of right sides."""

    def __init__(self, claim: Claim, fails: Sizes) -> None:
        self._claim = claim
        self._fails = dict(fails)
        self._unchanged: dict[str, list[Statement]] = {}

    def lets_through(self, changed: Claim, make: Make) -> bool:
        """Whether a change seems to make all statements identities: residues decide, enclosures ask the engine."""
        try:
            return self._agrees(changed, make, residues, agree)
        except NotPolynomial:
            self._unchanged.clear()
        try:
            return self._agrees(changed, make, balls, overlap) and is_identity(changed, make)
        except NotPolynomial:  # where it has no statement
            return False

    def _agrees(
        self,
        changed: Claim,
        make: Make,
        at: Callable[..., list[Statement]],
        same: Callable[[Any], bool],
    ) -> bool:
        try:
            for sizes in [self._fails, *(s for s in changed.every_size if s != self._fails)]:
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
