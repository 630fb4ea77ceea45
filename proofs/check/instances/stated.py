"""A claim's statement, recorded once and held to what the claim's untraced body computes."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from weakref import WeakKeyDictionary

from scanproof.constructs.arrays.definition import note, recording
from scanproof.constructs.errors import UsageError

from ...doors.record.claims import record
from ...doors.refused import Refused
from ...exact.scalar import NotPolynomial
from ...language.claim import Claim
from ...language.sizes import Sizes
from ...readings.derivative import prepared
from ...readings.residues import Residues
from ...statement.errors import IllFormed
from ...statement.statement import Statement
from ..fidelity import disagreement


@dataclass(frozen=True)
class Stated:
    """A statement that is the claim's own, for all sizes or at those of its `at`."""

    statement: Statement
    definitions: frozenset[Callable[..., Any]]
    """Those that ran where it was recorded."""
    programs: tuple[Any, ...] = ()
    """The programs that the body called, as they were recorded (`doors.jaxpr.programs.Lowered`)."""

    effort: int = 0
    """As how many operations modulo a prime it counts that programs were traced at these sizes."""

    @cached_property
    def written(self) -> Statement | None:
        """The same with gradients written out as nodes; None if a function has no derivative."""
        with suppress(IllFormed):
            return prepared(self.statement)
        return None

    @cached_property
    def residues(self) -> Residues | None:
        """The same modulo primes, of equations alone; None if something in it has no residues."""
        if any(one.kind != "equal" for one in self.statement.relations):
            return None
        with suppress(IllFormed, NotPolynomial):
            return Residues(self.statement)
        return None


ALL_SIZES = ()
Known = dict[tuple[tuple[str, int], ...], Stated | None]
"""By the sizes that are numbers, `ALL_SIZES` with symbols."""
KEPT = 8
"""Of so many claims the statements are kept: more would be searched for garbage again and again."""
_known: WeakKeyDictionary[Claim, Known] = WeakKeyDictionary()


def stated(claim: Claim, sizes: Sizes | None = None) -> Stated | None:
    """The claim's statement for all sizes, or where it has none and `sizes` are given the one at these.

    None if it is not recorded, or is not what the body computes. Reports name the definitions that ran where it was
    recorded as if they ran each time that it is asked for.
    """
    known = _known.setdefault(claim, {})
    if len(_known) > KEPT:
        del _known[next(iter(_known))]
    if ALL_SIZES not in known:
        known[ALL_SIZES] = _faithful(claim, None)
    found = known[ALL_SIZES]
    if found is None and sizes:
        key = tuple(sorted(sizes.items()))
        if key not in known:
            known[key] = _faithful(claim, sizes)
        found = known[key]
    for definition in found.definitions if found else ():
        note(definition)
    return found


def _faithful(claim: Claim, sizes: Sizes | None) -> Stated | None:
    with recording() as ran, suppress(Refused, UsageError):
        programs: list[Any] = []
        statement = record(claim, sizes, programs)
        recorded = frozenset(ran)
        if disagreement(claim, statement, programs) is None:
            effort = sum(one.effort for one in programs) if sizes else 0
            return Stated(statement, recorded, tuple(programs), effort)
    return None
