"""A claim's statement, recorded once and held to what the claim's untraced body computes."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from weakref import WeakKeyDictionary

from scanproof.constructs.errors import UsageError

from ...doors.record.claims import record
from ...doors.record.recording import Refused
from ...exact.scalar import NotPolynomial
from ...language.claim import Claim
from ...readings.derivative import prepared
from ...readings.residues import Residues
from ...statement.errors import IllFormed
from ...statement.statement import Statement
from ..fidelity import disagreement


@dataclass(frozen=True)
class Stated:
    """A statement that is the claim's own, for all sizes."""

    statement: Statement

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


SWITCHED = False
"""Whether verdicts rest on statements at given sizes.

Before they do, a report has to name the definitions that ran where a body was recorded, as it names those of bodies
that are run.
"""
_known: WeakKeyDictionary[Claim, Stated | None] = WeakKeyDictionary()


def stated(claim: Claim) -> Stated | None:
    """The claim's statement for all sizes; None if it is not recorded so, or is not what the body computes."""
    if claim not in _known:
        _known[claim] = _faithful(claim)
    return _known[claim]


def read(claim: Claim) -> Stated | None:
    """The claim's statement where verdicts rest on statements at given sizes; None where the body is run."""
    return stated(claim) if SWITCHED else None


def _faithful(claim: Claim) -> Stated | None:
    with suppress(Refused, UsageError):
        statement = record(claim)
        if disagreement(claim, statement) is None:
            return Stated(statement)
    return None
