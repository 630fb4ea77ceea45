"""The kernel as one more engine: a claim that holds at fixed sizes is tried with symbols for sizes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ..bounds.chain import bounded
from ..bounds.told import Bound, ordered
from ..kernel.errors import KernelError, NotProved
from ..kernel.theorem import Theorem
from ..language.claim import Claim
from ..language.statements import Determines, Differs, Undetermined
from ..reading.array import KernelArray
from ..reading.claims import Part, Reading, read
from ..reading.questions import Unreadable
from ..search.lemmas import show
from ..search.normal import Stuck
from ..search.session import Session, session
from .axioms import axioms_of
from .collision_family import Collision, colliding
from .comparison import disagreement
from .source import Source
from .witness_family import Witness, differing

NO_DENOMINATOR_IS_0 = "no denominator is 0"
EFFORT = 250_000
"""What the search may take for a bound, whose differences have hundreds of monomials."""
NO_SIZES = "it speaks of no sizes"


class Unsafe(str):
    """Why there is no proof for all sizes, where it makes other sizes doubtful too."""


@dataclass(frozen=True)
class Proof:
    """Every statement of a claim, for all sizes."""

    theorems: tuple[Theorem, ...]
    """Its equations."""
    method: str
    session: Session
    bounds: tuple[Bound, ...] = ()
    """Its inequalities."""
    conditions: tuple[Part, ...] = ()
    """Those of its side conditions that are bounds, as they were read."""
    witnesses: tuple[Witness | Collision, ...] = ()
    """Where it says that sides differ, or that a statistic does not determine a value."""

    def entries(self) -> list[dict[str, Any]]:
        """The report's entries."""
        own = [self.evidence()] if self.theorems or self.bounds else []
        return [*own, *(one.evidence() for one in self.witnesses)]

    def evidence(self) -> dict[str, Any]:
        """That of equations and bounds: besides axioms it says whether denominators were taken to be not 0."""
        entry = {"method": self.method, "scope": "all-sizes", "sizes": None, "engine": "kernel"}
        axioms = axioms_of(self.session.functions, self.session.differentiated)
        taken = [NO_DENOMINATOR_IS_0] if self.session.divided else []
        taken += self.session.fits
        assumes = {"assumes": taken} if taken else {}
        steps = list(ordered([step for bound in self.bounds for step in bound.steps]))
        return {**entry, "axioms": axioms, **assumes, **({"steps": steps} if steps else {})}


def prove(
    claim: Claim,
    mutate: Callable[[Any], Any] | None = None,
    seen: Callable[[Reading], None] | None = None,
) -> Proof | str:
    """A proof of all that the claim says at every size from the least of its ranges on, or why there is none.

    Args:
        claim: the claim.
        mutate: a change of the construction's parameters, to see the proof break.
        seen: shown what the claim's body produced, before it is proved.
    """
    if not claim.ranges:
        return NO_SIZES
    with session() as current:
        if claim.kind == "bound":
            current.left = EFFORT
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
        problem = disagreement(claim, reading) if mutate is None else None
        if problem is not None:
            return problem
        reading = reading.once()
        theorems = [_theorem(left, right, reading) for left, right in reading.equations]
        bounds = bounded(reading.parts, reading)
        method = _method(bounds, current)
        witnesses = _witnesses(claim, reading, current, mutate)
        problem = _other_programs(claim, reading, current)
        if problem is not None:
            return Unsafe(problem)
    except Unreadable as error:
        told = f"for all sizes it is not read: {error}"
        return Unsafe(told) if error.unsafe else told
    except Stuck:
        return (
            "for all sizes no proof was found: normal forms and guessed lemmas leave something over"
        )
    except KernelError as error:
        return f"for all sizes no proof was found: {error}"
    except (TypeError, ValueError, AttributeError, IndexError, RecursionError) as error:
        return f"for all sizes it is not read ({type(error).__name__}): {error}"
    conditions = tuple(reading.conditions)
    return Proof(tuple(theorems), method, current, tuple(bounds), conditions, witnesses)


def _other_programs(claim: Claim, reading: Reading, current: Session) -> str | None:
    """Where JAX traces another program at some sizes than at others, which a reading with symbols does not show."""
    if not current.programs:
        return None
    from ..programs.alike import difference

    source = Source([claim.body, claim.parameters, *(function for function, _ in current.programs)])
    names = {v: name for name, v in reading.variables.items()}
    return difference(current.programs, names, sorted(source.numbers), source.seed)


def _method(bounds: Sequence[Bound], current: Session) -> str:
    if bounds:
        return "sum-of-squares" if any(one.squares for one in bounds) else "bound-chain"
    return "induction" if current.inductions else "normal-form"


def _theorem(left: KernelArray, right: KernelArray, reading: Reading) -> Theorem:
    """The equation for all positions, and for all values of the loops' variables."""
    found = show(left.term, right.entry(left.at))
    reading.expect_turns(found, left.at)
    return found


def _witnesses(
    claim: Claim, reading: Reading, current: Session, mutate: Callable[[Any], Any] | None
) -> tuple[Witness | Collision, ...]:
    kinds = {part.kind for part in reading.parts}
    if Determines in kinds:
        raise NotProved("that a statistic determines a value is not proved for all sizes")
    found: list[Witness | Collision] = []
    if Differs in kinds:
        found.append(differing(claim, reading, current, mutate))
    if Undetermined in kinds:
        found += colliding(claim, reading, current, mutate)
    return tuple(found)
