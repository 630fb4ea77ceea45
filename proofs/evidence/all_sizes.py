"""The kernel as one more engine: a claim that holds at fixed sizes is tried with symbols for sizes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..kernel.errors import KernelError
from ..kernel.index import declared
from ..kernel.theorem import Theorem
from ..language.claim import Claim
from ..reading.array import KernelArray, holds
from ..reading.claims import Reading, read
from ..reading.size import Unreadable
from ..search.lemmas import show
from ..search.normal import Stuck
from ..search.session import Session, session
from .axioms import axioms_of
from .comparison import disagreement

NO_DENOMINATOR_IS_0 = "no denominator is 0"
NO_SIZES = "it speaks of no sizes"
ONLY_EQUATIONS = "for all sizes equations only are proved, and it says more: that sides differ, or are bounded"


@dataclass(frozen=True)
class Proof:
    """Every equation of a claim, for all sizes."""

    theorems: tuple[Theorem, ...]
    method: str
    session: Session

    def evidence(self) -> dict[str, Any]:
        """The report's entry: besides axioms it says whether denominators were taken to be not 0."""
        entry = {"method": self.method, "scope": "all-sizes", "sizes": None, "engine": "kernel"}
        axioms = axioms_of(self.session.functions, self.session.differentiated)
        assumes = {"assumes": [NO_DENOMINATOR_IS_0]} if self.session.divided else {}
        return {**entry, "axioms": axioms, **assumes}


def prove(
    claim: Claim,
    mutate: Callable[[Any], Any] | None = None,
    seen: Callable[[Reading], None] | None = None,
) -> Proof | str:
    """A proof of all the claim's equations at every size from the least of its ranges on, or why there is none.

    Args:
        claim: the claim.
        mutate: a change of the construction's parameters, to see the proof break.
        seen: shown what the claim's body produced, before it is proved.
    """
    if not claim.ranges:
        return NO_SIZES
    with session() as current:
        return _prove(claim, mutate, seen, current)


def _prove(
    claim: Claim,
    mutate: Callable[[Any], Any] | None,
    seen: Callable[[Reading], None] | None,
    current: Session,
) -> Proof | str:
    try:
        reading = read(claim, current, mutate)
        if seen is not None:
            seen(reading)
        theorems = [_theorem(left, right, reading) for left, right in reading.equations]
        problem = disagreement(claim, reading) if mutate is None else None
        if problem is not None:
            return problem
    except Unreadable as error:
        return f"for all sizes it is not read: {error}"
    except Stuck:
        return "for all sizes no proof was found: normal forms and guessed lemmas leave something over"
    except KernelError as error:
        return f"for all sizes no proof was found: {error}"
    except (TypeError, ValueError, AttributeError, IndexError, RecursionError) as error:
        return f"for all sizes it is not read ({type(error).__name__}): {error}"
    method = "induction" if current.inductions else "normal-form"
    return Proof(tuple(theorems), method, current)


def _theorem(left: KernelArray, right: KernelArray, reading: Reading) -> Theorem:
    """The equation for all positions, and for all values of the loops' variables.

    Where a variable has no value at some sizes, the theorem says nothing there; so each must have one at all sizes.
    """
    found = show(left.term, right.entry(left.at))
    own = {v for e in (*left.at, *reading.sizes.values()) for v in e.variables()}
    for v in (found.left.scope | found.right.scope) - own:
        ends = declared(v)
        if len(ends) == 2 and not holds(ends[0] + ends[1]):
            raise Unreadable("a loop that may have no turn")
    return found
