"""A claim as formulas of the kernel, with symbols for sizes: its statement, read.

A body that calls `program(…)` has no statement yet: it is run on kernel arrays, and what comes out is compared with the
claim's own numbers. What the door refuses otherwise is not read, and the reason is the door's.
"""

from __future__ import annotations

from collections.abc import Callable

from ..doors.record.claims import record
from ..doors.record.recording import Program
from ..doors.refused import Refused
from ..doors.told_apart import cases
from ..exact.instance import Point
from ..exact.mutation import OnLeaf
from ..interpret import claims as bodies
from ..interpret.array import symbol
from ..interpret.claims import Given, Interpretation
from ..interpret.questions import Unreadable
from ..interpret.session import Session
from ..kernel.index import Index
from ..language.claim import Claim
from ..language.sizes import Sizes
from ..readings.problem import NoProblem, problem
from ..statement.errors import IllFormed
from ..statement.text import fingerprint
from . import fidelity
from .comparison import disagreement
from .instances.stated import stated

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
    inputs: Callable[[Sizes], Point] | None = None,
    compared: bool = True,
) -> Interpretation:
    """The claim's statements, one turn of each loop.

    Args:
        claim: the claim.
        current: notes what is read.
        mutate: a change of the parameters.
        given: what each input is, from its name and lengths; independent symbols if it is not numbers.
        sizes: those of an earlier reading in this session.
        inputs: the same as `given`, at numbers for sizes.
        compared: whether a program's body, run on kernel arrays, is compared with its own numbers.

    Raises:
        Unreadable, NotItself, KernelError: if it is not read, or what is read is not the claim's.
    """
    found = stated(claim)
    if found is None:
        if not calls_program(claim):
            raise NotItself(_unfaithful(claim))
        body = bodies.read(claim, current, mutate, given, sizes)
        why = disagreement(claim, body, inputs) if compared and mutate is None else None
        if why is not None:
            raise NotItself(why)
        return body.one_turn()
    changes = {} if mutate is None else {mutate.path: mutate.change}
    if not changes.keys() <= {one.path for one in found.statement.parameters}:
        raise Unreadable(f"a change of {', '.join(changes)}, which is no array of the parameters")
    try:
        return problem(found.statement, current, given, sizes, changes)
    except (NoProblem, IllFormed) as error:
        raise Unreadable(str(error)) from error


def calls_program(claim: Claim) -> bool:
    """Whether a claim that has no statement calls a program.

    Raises:
        Unreadable: if it has none for another reason.
    """
    try:
        record(claim)
    except Program:
        return True
    except Refused as error:
        unread = Unreadable(str(error))
        unread.split = cases(error.depends)
        raise unread from error
    return False


def _unfaithful(claim: Claim) -> str:
    why = fidelity.disagreement(claim, record(claim))
    return f"what is recorded of the claim is not the claim's own: {why}"


def hash_of(claim: Claim) -> str:
    """The hash of the claim's statement, which its certificates name; "" where it has none."""
    found = stated(claim)
    return "" if found is None else fingerprint(found.statement)
