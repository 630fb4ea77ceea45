"""Proofs for all sizes: found by reading a claim with symbols for sizes, written down, and checked as they are written.

`find` searches and gives a certificate; `check` reads the claim again, and is shown by the kernel that the certificate
proves what was read. Nothing else says that a claim holds at every size.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ..inequalities.told import Bound, told
from ..interpret.bounds import asked
from ..interpret.claims import Part, Reading, read
from ..interpret.questions import Unreadable
from ..interpret.session import Session
from ..kernel.checker import Refused
from ..kernel.errors import KernelError, NotProved
from ..kernel.term import INVERSE, Term
from ..kernel.theorem import Theorem
from ..language.claim import Claim
from ..language.statements import Determines, Differs, Undetermined
from ..search.bounds.chain import bounded
from ..search.bounds.chain import written as bounds_written
from ..search.closed_forms import conditions
from ..search.collisions import colliding
from ..search.lemmas import show
from ..search.proving import proving
from ..search.session import Proving
from ..search.witnesses import differing
from ..search.writing import proof_to
from ..search.zero import Stuck
from . import collision_family, witness_family
from .axioms import axioms_of
from .bounds import Bounded
from .bounds import shown as bounds_shown
from .certificate import AllSizes
from .collision_family import Collision
from .comparison import disagreement
from .source import Source
from .traces import OtherProblem, Shown, conditional, places_of, shown
from .witness_family import Kinds, Mutation, Witness

NO_DENOMINATOR_IS_0 = "no denominator is 0"
EFFORT = 250_000
"""What the search may take for a bound, whose differences have hundreds of monomials."""
NO_SIZES = "it speaks of no sizes"


class Unsafe(str):
    """Why there is no proof for all sizes, where it makes other sizes doubtful too."""


class Stale(str):
    """Why a certificate is of no use: it is of another problem than the claim's."""


@dataclass(frozen=True)
class Found:
    """A proof as it was found: its theorems are still the kernel's, for derivations."""

    theorems: tuple[Theorem, ...]
    """Its equations."""
    session: Session
    certificate: AllSizes
    bounds: tuple[Bound, ...] = ()
    """Its inequalities."""
    conditions: tuple[Part, ...] = ()
    """Those of its side conditions that are bounds, as they were read."""
    divided: bool = False
    """Whether something is divided by that is not the number of an index."""

    @property
    def axioms(self) -> list[str]:
        """What it rests on besides the kernel."""
        return axioms_of(self.session.functions, self.session.differentiated)

    @property
    def assumes(self) -> list[str]:
        """What it takes for granted, in words."""
        return _assumed(self.session, self.divided)


@dataclass(frozen=True)
class Proof:
    """That a claim holds at every size, as it was checked."""

    evidence: tuple[dict[str, Any], ...]

    def entries(self) -> list[dict[str, Any]]:
        """The report's entries."""
        return list(self.evidence)


def prove(claim: Claim, mutate: Mutation = None) -> Proof | str:
    """A proof of all that the claim says at every size from the least of its ranges on, or why there is none.

    Args:
        claim: the claim.
        mutate: a change of the construction's parameters, to see the proof break.
    """
    found = find(claim, mutate)
    return found if isinstance(found, str) else check(claim, found.certificate, mutate)


def find(
    claim: Claim, mutate: Mutation = None, seen: Callable[[Reading], None] | None = None
) -> Found | str:
    """What proves a claim at every size, or why nothing was found.

    Args:
        claim: the claim.
        mutate: a change of the construction's parameters.
        seen: shown what the claim's body produced, before it is proved.
    """
    return _told(lambda: _found(claim, mutate, seen)) if claim.ranges else NO_SIZES


def check(claim: Claim, certificate: AllSizes, mutate: Mutation = None) -> Proof | str:
    """The proof that a certificate is, or why it is none.

    Args:
        claim: the claim.
        certificate: what is said to prove it.
        mutate: a change of the construction's parameters.
    """
    if not claim.ranges:
        return NO_SIZES
    return _told(lambda: _checked(claim, certificate, mutate))


def _told(result: Callable[[], Any]) -> Any:
    """What comes out, or why nothing does."""
    try:
        return result()
    except Unreadable as error:
        told = f"for all sizes it is not read: {error}"
        return Unsafe(told) if error.unsafe else told
    except _Doubtful as error:
        return Unsafe(str(error))
    except NotItself as error:
        return str(error)
    except OtherProblem as error:
        return Stale(f"for all sizes the proof is stale: {error}")
    except Refused as error:
        return f"for all sizes the proof is refused: {error}"
    except Stuck:
        return (
            "for all sizes no proof was found: normal forms and guessed lemmas leave something over"
        )
    except KernelError as error:
        return f"for all sizes no proof was found: {error}"
    except (TypeError, ValueError, AttributeError, IndexError, RecursionError) as error:
        return f"for all sizes it is not read ({type(error).__name__}): {error}"


class _Doubtful(Exception):
    """Why a reading with symbols makes other sizes doubtful."""


class NotItself(Exception):
    """Why a reading with symbols is not the claim's own."""


def _read(claim: Claim, current: Session, mutate: Mutation) -> Reading:
    """The claim's body on symbols, compared with the claim's own numbers.

    Raises:
        NotProved: if it says something else.
    """
    reading = read(claim, current, mutate)
    problem = disagreement(claim, reading) if mutate is None else None
    if problem is not None:
        raise NotItself(problem)
    return reading.once()


def _statements(reading: Reading) -> list[tuple[Term, Term]]:
    """Its equations, each for all positions and all values of the loops' variables."""
    found = []
    for left, right in reading.equations:
        sides = left.shared, right.entry(left.at)
        reading.expect_turns(*sides, left.at)
        found.append(sides)
    return found


def _found(claim: Claim, mutate: Mutation, seen: Callable[[Reading], None] | None) -> Found:
    with proving() as current:
        reading = _read(claim, current, mutate)
        kinds, shared = _said(reading)
        if not {Determines, Differs, Undetermined}.intersection(kinds):
            return _proved(claim, reading, current, (), seen)
    witnesses = _witnesses(claim, kinds, shared, mutate)
    with proving() as current:
        return _proved(claim, _read(claim, current, mutate), current, witnesses, seen)


def _said(reading: Reading) -> tuple[Kinds, list[tuple[str, ...]]]:
    """The kinds of a claim's statements, and what two inputs share in each."""
    return [part.kind for part in reading.parts], [part.shared for part in reading.parts]


def _witnesses(
    claim: Claim, kinds: Kinds, shared: Sequence[tuple[str, ...]], mutate: Mutation
) -> tuple[Witness | Collision, ...]:
    if Determines in kinds:
        raise NotProved("that a statistic determines a value is not proved for all sizes")
    found: list[Witness | Collision] = []
    if Differs in kinds:
        found.append(differing(claim, kinds, mutate))
    if Undetermined in kinds:
        found += colliding(claim, kinds, shared, mutate)
    return tuple(found)


def _proved(
    claim: Claim,
    reading: Reading,
    current: Proving,
    witnesses: tuple[Witness | Collision, ...],
    seen: Callable[[Reading], None] | None,
) -> Found:
    if seen is not None:
        seen(reading)
    if claim.kind == "bound":
        current.left = EFFORT
    places = places_of(current.partial)
    bounds = asked(reading, places)
    theorems = [show(left, right) for left, right in _statements(reading)]
    shown_bounds = None if bounds is None else bounded(bounds)
    rules = conditions(places, current)
    divided = INVERSE in conditional(places, rules).values()
    trace = proof_to(theorems, rules, places) if theorems else None
    written, said = None, ()
    if bounds is not None and shown_bounds is not None:
        written = bounds_written(bounds, shown_bounds, rules)
        said = tuple(told(shown_bounds))
    read_as = tuple(reading.conditions)
    certificate = AllSizes(trace, witnesses, written)
    return Found(tuple(theorems), current, certificate, said, read_as, divided)


def _checked(claim: Claim, certificate: AllSizes, mutate: Mutation) -> Proof:
    with proving() as current:
        reading = _read(claim, current, mutate)
        kinds, shared = _said(reading)
        statements, places = _statements(reading), places_of(current.partial)
        wanted_bounds = asked(reading, places)
        _expect_one_program(claim, reading, current)
        own = bounds = None
        if not statements and certificate.trace is not None:
            raise Refused("the claim says no equations")
        if wanted_bounds is None and certificate.bounds is not None:
            raise Refused("the claim says no bounds")
        if statements:
            own = shown(statements, places, certificate.trace)
        if wanted_bounds is not None:
            bounds = bounds_shown(wanted_bounds, places, certificate.bounds)
    entries = [_witnessed(claim, one, kinds, shared, mutate) for one in certificate.witnesses]
    wanted = [Differs] * (Differs in kinds) + [kind for kind in kinds if kind is Undetermined]
    given = [Differs if isinstance(one, Witness) else Undetermined for one in certificate.witnesses]
    said = [one.which for one in certificate.witnesses if isinstance(one, Collision)]
    if Determines in kinds or given != wanted or len(set(said)) != len(said):
        raise Refused("the certificate does not show all that the claim says")
    if own is not None or bounds is not None:
        entries.insert(0, _evidence(current, own, bounds))
    if not entries:
        raise Refused("the claim says nothing")
    return Proof(tuple(entries))


def _witnessed(
    claim: Claim,
    one: Witness | Collision,
    kinds: Kinds,
    shared: Sequence[tuple[str, ...]],
    mutate: Mutation,
) -> dict[str, Any]:
    if isinstance(one, Witness):
        return witness_family.verify(claim, one, kinds, proving, mutate)
    if not (0 <= one.which < len(kinds) and kinds[one.which] is Undetermined):
        raise Refused("two inputs for a statement of another kind")
    return collision_family.verify(claim, one, kinds, shared, proving, mutate)


def _evidence(current: Session, own: Shown | None, bounds: Bounded | None) -> dict[str, Any]:
    """That of equations and bounds: besides axioms it says whether denominators were taken to be not 0."""
    method = "induction" if own is not None and own.by_induction else "normal-form"
    if bounds is not None:
        method = "sum-of-squares" if bounds.squares else "bound-chain"
    divided = (own is not None and own.divided) or (bounds is not None and bounds.divided)
    taken = _assumed(current, divided)
    steps = [] if bounds is None else bounds.steps
    return {
        **{"method": method, "scope": "all-sizes", "sizes": None, "engine": "kernel"},
        "axioms": axioms_of(current.functions, current.differentiated),
        **({"assumes": taken} if taken else {}),
        **({"steps": steps} if steps else {}),
    }


def _assumed(current: Session, divided: bool) -> list[str]:
    return [*([NO_DENOMINATOR_IS_0] if divided else []), *current.fits]


def _expect_one_program(claim: Claim, reading: Reading, current: Session) -> None:
    """Refuse a claim of which JAX traces another program at some sizes than at others: symbols do not show that."""
    if not current.programs:
        return
    from .alike import difference

    source = Source([claim.body, claim.parameters, *(function for function, _ in current.programs)])
    names = {v: name for name, v in reading.variables.items()}
    problem = difference(current.programs, names, sorted(source.numbers), source.seed)
    if problem is not None:
        raise _Doubtful(problem)
