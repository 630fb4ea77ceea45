"""Proofs for all sizes, found: a claim is read with symbols for sizes, and what is found is written down.

`check.all_sizes` sees the certificate again; what is said here counts for nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from ..check.all_sizes import (
    Proof,
    assumed,
    check,
    equations_of,
    outcome,
)
from ..check.axioms import axioms_of
from ..check.certificate import AllSizes
from ..check.formulas import Mutation, formulas, hash_of, numbers_of
from ..check.traces import conditional, places_of
from ..check.witness_family import Witness
from ..interpret.bounds import request_of
from ..interpret.claims import Interpretation, Part
from ..interpret.questions import Unreadable
from ..kernel import index as declarations
from ..kernel.errors import KernelError, NotProved, TooHard
from ..kernel.laws import TANH, TURNING
from ..kernel.signs import RELU, SOFTPLUS
from ..kernel.term import DEFINED, INVERSE, LOG, STEP, ZERO, Term, function_of
from ..kernel.theorem import Theorem
from ..language.claim import Claim
from ..language.statements import Determines, Differs, Undetermined
from .bounds.finding import bounded
from .bounds.finding import written as bounds_written
from .closed_forms import conditions
from .laws import UNGUARDED, is_double
from .lemmas import show
from .proving import proving
from .session import Proving
from .witnesses import find_witnesses
from .wording import note_leftover, note_proved, note_split
from .writing import proof_to
from .zero import Stuck

COMPARING = {RELU, STEP, ZERO, TANH}
"""Functions that are taken apart where no proof is found with them as they are."""
EFFORT = 250_000
"""What the search may take for a bound, whose differences have hundreds of monomials."""


@dataclass(frozen=True)
class Found:
    """A proof as it was found: its theorems are still the kernel's, for derivations."""

    theorems: tuple[Theorem, ...]
    """Its equations."""
    session: Proving
    certificate: AllSizes
    conditions: tuple[Part, ...] = ()
    """Its side conditions that are bounds, as they were read."""
    divided: bool = False
    """Whether something is divided by that is not the number of an index."""

    @property
    def axioms(self) -> list[str]:
        """What it rests on besides the kernel."""
        return axioms_of(self.session.functions, self.session.differentiated)

    @property
    def assumes(self) -> list[str]:
        """What it takes for granted, in words."""
        return assumed(self.session, self.divided)


def prove(claim: Claim, mutate: Mutation = None) -> Proof | str:
    """A proof of all that the claim says at every size from the least of its ranges on, or why there is none.

    Args:
        claim: the claim.
        mutate: a change of the construction's parameters, to see the proof break.
    """
    found = find(claim, mutate)
    return found if isinstance(found, str) else checked(claim, found.certificate, mutate)


def checked(claim: Claim, certificate: AllSizes, mutate: Mutation = None) -> Proof | str:
    """`check`, the claim read as the search reads it."""
    return check(claim, certificate, proving, mutate)


def find(claim: Claim, mutate: Mutation = None) -> Found | str:
    """What proves a claim at every size, or why nothing was found.

    Args:
        claim: the claim.
        mutate: a change of the construction's parameters.
    """
    return outcome(lambda: _searched(claim, mutate))


def _searched(claim: Claim, mutate: Mutation) -> Found:
    try:
        return _found(claim, mutate)
    except Exception as error:
        if isinstance(error, Unreadable):
            note_split(error)
        if isinstance(error, Stuck):
            why = "an equation is left to show"
            raise NotProved(f"{why}{f': {error.words}' if error.words else ''}") from None
        raise


def _found(claim: Claim, mutate: Mutation) -> Found:
    """A proof by opaque functions and their laws; else by other ways, the last one a size in place of a number."""
    tried: list[Proving] = []
    try:
        return _found_by(claim, mutate, tried)
    except (NotProved, TooHard) as error:
        ways: list[dict[str, Any]] = []
        if any(one.kept for one in tried):
            ways.append({"columns": False})
        if _has_doubles():
            ways += [{"doubled": False}, {"doubled": False, "by_guards": True}]
        if _has(LOG, SOFTPLUS):
            ways.append({"in_exponents": not tried[0].in_exponents})
        if any(not COMPARING.isdisjoint(one.functions) for one in tried):
            ways += [{"by_cases": True, "lookups": False}] if _has_lookups() else []
            ways.append({"by_cases": True})
        if _has_guards():
            ways += [
                {**way, "by_guards": True} for way in ({}, *(w for w in ways if "by_cases" in w))
            ]
        try:
            return _found_by(claim, mutate, tried, apart=True)
        except Unreadable:  # no entries that are read one by one
            pass
        except KernelError:
            ways = [{**way, "apart": True} for way in ways]
        ways += [] if mutate else [{"general": number} for number in numbers_of(claim)[:1]]
        for way in ways:
            with suppress(KernelError, Unreadable):
                return _found_by(claim, mutate, tried, **way)
        raise error from None


def _has(*functions: str) -> bool:
    """Whether there are values of one of these functions."""
    return any(one.name in functions for one in declarations.current.bodies.values())


def _has_doubles() -> bool:
    """Whether there are sines or cosines of an angle and of its half."""
    bodies = declarations.current.bodies
    return any(one.name in TURNING and is_double(name) for name, one in bodies.items())


def _has_guards() -> bool:
    """Whether a function other than an inverse or a logarithm is of what counts at some positions alone."""
    every = [one for one in declarations.current.bodies.values() if one.name not in UNGUARDED]
    return any(
        min(e.variables(), default=1) >= -one.arity
        for one in every
        for m, _ in one.body
        for e in m.guards
    )


def _has_lookups() -> bool:
    """Whether a function is of a sum that has an entry at a place that inputs determine."""
    return any(
        function_of(f) == ZERO and min(f.variables()) < -one.arity
        for one in declarations.current.bodies.values()
        if one.name not in (DEFINED, ZERO)
        for m, _ in one.body
        for f in m.factors
    )


def _has_sigmoids() -> bool:
    """Whether something is divided by 1 + exp(z)."""
    every = [dict(one.body) for one in declarations.current.bodies.values() if one.name == INVERSE]
    return any([*body.values()] == [1, 1] and any(not m.factors for m in body) for body in every)


def _found_by(
    claim: Claim,
    mutate: Mutation,
    tried: list[Proving],
    by_cases: bool = False,
    by_guards: bool = False,
    columns: bool = True,
    in_exponents: bool | None = None,
    general: int | None = None,
    apart: bool = False,
    doubled: bool = True,
    lookups: bool = True,
) -> Found:
    """Notes the session of the search; where logarithms and sigmoids meet, products of these may be sums of those."""
    with proving() as current:
        tried.append(current)
        current.columns, current.doubled, current.lookups = columns, doubled, lookups
        interpretation = formulas(claim, current, mutate, general=general, apart=apart)
        if in_exponents is None:
            in_exponents = not by_cases and _has(LOG, SOFTPLUS) and _has_sigmoids()
        if by_cases or by_guards or in_exponents:  # what was read is what the check reads
            current.by_cases, current.by_guards = by_cases, by_guards
            current.in_exponents = in_exponents
            for known in (
                current.reduced,
                current.closed,
                current.split,
                current.starts,
                current.anywhere,
            ):
                known.clear()
            current.seen = 0
        kinds = {part.kind for part in interpretation.parts}
        if kinds.isdisjoint((Determines, Differs, Undetermined)):
            return _proved(claim, interpretation, current, (), general, apart)
    if Determines in kinds:
        raise NotProved("that a statistic determines a value is not proved for all sizes")
    witnesses = find_witnesses(claim, interpretation.parts, mutate)
    with proving() as current:
        again = formulas(claim, current, mutate)
        return _proved(claim, again, current, witnesses)


def _shown(equations: Sequence[tuple[Term, Term]]) -> list[Theorem]:
    """All equations; one that no lemma was found for is tried again with those that others needed."""
    found: dict[int, Theorem] = {}
    while len(found) < len(equations):
        before, stuck = len(found), None
        for k, (left, right) in enumerate(equations):
            if k not in found:
                try:
                    found[k] = show(left, right)
                except Stuck as error:
                    stuck = error
        if stuck is not None and len(found) == before:
            raise stuck
    return [found[k] for k in range(len(equations))]


def _proved(
    claim: Claim,
    interpretation: Interpretation,
    current: Proving,
    witnesses: tuple[Witness, ...],
    general: int | None = None,
    apart: bool = False,
) -> Found:
    if claim.kind == "bound":
        current.left = EFFORT
    places = places_of(current.partial)
    bounds = request_of(interpretation, places)
    try:
        theorems = _shown(list(equations_of(interpretation)))
    except Stuck as error:
        if general is None:  # else it is of a statement that nobody asked about
            error.words = note_leftover(error.goal, claim.given)
        raise
    except TooHard:
        if current.stuck is not None and general is None:
            note_leftover(current.stuck, claim.given)
        raise
    note_proved(theorems, claim.given, general)
    shown_bounds = None if bounds is None else bounded(bounds)
    rules = conditions(places, current)
    divided = INVERSE in conditional(places, rules).values()
    trace = proof_to(theorems, rules, places) if theorems else None
    written = None
    if bounds is not None and shown_bounds is not None:
        written = bounds_written(bounds, shown_bounds, rules)
    read_as = tuple(interpretation.conditions)
    certificate = AllSizes(trace, witnesses, written, hash_of(claim), general, apart)
    return Found(tuple(theorems), current, certificate, read_as, divided)
