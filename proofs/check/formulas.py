"""A claim as formulas of the kernel, with symbols for sizes: its statement, read.

What the door refuses is not read, and the reason is the door's.
"""

from __future__ import annotations

from scanproof.constructs.errors import UsageError

from ..doors.record.claims import record
from ..doors.refused import Refused
from ..exact.mutation import OnLeaf
from ..interpret.array import symbol
from ..interpret.claims import Given, Interpretation
from ..interpret.questions import Unreadable
from ..interpret.session import Session
from ..kernel.index import Index
from ..language.claim import Claim
from ..language.partition import Split
from ..readings.problem import NoProblem, problem
from ..statement.entries import entries
from ..statement.errors import IllFormed
from ..statement.general import general as with_size
from ..statement.general import lengths_in
from ..statement.text import fingerprint
from . import fidelity
from .instances.stated import stated
from .told_apart import cases

Mutation = OnLeaf | None
"""A change of one leaf of the construction's parameters."""


class NotItself(Exception):
    """Why what is read with symbols for sizes is not the claim's own."""


def formulas(
    claim: Claim,
    current: Session,
    mutate: Mutation = None,
    given: Given = symbol,
    sizes: dict[str, Index] | None = None,
    general: int | None = None,
    apart: bool = False,
) -> Interpretation:
    """The claim's statements, one turn of each loop.

    Args:
        claim: the claim.
        current: notes what is read.
        mutate: a change of the parameters.
        given: what each input is, from its name and lengths; independent symbols if it is not numbers.
        sizes: those of an earlier reading in this session.
        general: a number in whose place a size is read, which makes the claim's statement a case of what is read.
        apart: whether entries along axes of a few places are read one by one.

    Raises:
        Unreadable, NotItself, KernelError: if it is not read, or what is read is not the claim's.
    """
    found = stated(claim)
    if found is None:
        raise NotItself(_unfaithful(claim))
    changes = {} if mutate is None else {mutate.path: mutate.change}
    if not changes.keys() <= {one.path for one in found.statement.parameters}:
        raise Unreadable(f"a change of {', '.join(changes)}, which is no array of the parameters")
    current.programs += found.programs
    try:
        said = found.statement if general is None else with_size(found.statement, general)
        said = entries(said) if apart else said
        return problem(said, current, given, sizes, changes, bool(found.programs))
    except (NoProblem, IllFormed) as error:
        raise Unreadable(str(error)) from error


def _unfaithful(claim: Claim) -> str:
    """Why a claim has no statement that is its own.

    Raises:
        Unreadable: if it is not recorded, with the line that is in the way.
    """
    try:
        statement = record(claim)
    except Refused as error:
        unread = Unreadable(str(error))
        unread.split = cases(error.depends)
        raise unread from error
    why = fidelity.disagreement(claim, statement)
    return f"what is recorded of the claim is not the claim's own: {why}"


def split_of(claim: Claim) -> Split | None:
    """The sizes that have to be told apart for the claim to be read; None where it is read, or none would help."""
    if stated(claim) is None:
        try:
            record(claim)
        except Refused as error:
            return cases(error.depends)
        except UsageError:  # which shows where the claim is decided
            pass
    return None


def numbers_of(claim: Claim) -> list[int]:
    """The numbers in the claim's statement in whose place a size may be read."""
    found = stated(claim)
    return [] if found is None else lengths_in(found.statement)


def hash_of(claim: Claim) -> str:
    """The hash of the claim's statement, which its certificates name; "" where it has none."""
    found = stated(claim)
    return "" if found is None else fingerprint(found.statement)
