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
    definitions: frozenset[Callable[..., Any]]
    """Those that ran where it was recorded."""

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


_known: WeakKeyDictionary[Claim, Stated | None] = WeakKeyDictionary()


def stated(claim: Claim) -> Stated | None:
    """The claim's statement for all sizes; None if it is not recorded so, or is not what the body computes.

    Reports name the definitions that ran where it was recorded as if they ran each time that it is asked for.
    """
    if claim not in _known:
        with recording():
            _known[claim] = _faithful(claim)
    known = _known[claim]
    for definition in known.definitions if known else ():
        note(definition)
    return known


def _faithful(claim: Claim) -> Stated | None:
    with suppress(Refused, UsageError):
        with recording() as ran:
            statement = record(claim)
        if disagreement(claim, statement) is None:
            return Stated(statement, frozenset(ran))
    return None
