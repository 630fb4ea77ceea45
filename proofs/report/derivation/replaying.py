"""From a certificate to what a derivation is written from: its theorems, as the kernel makes them while it checks them.

Nothing is searched for. The claim is read for what its definitions call their states; recursions, lemmas and equations
are those of the written proof.
"""

from __future__ import annotations

from dataclasses import replace

from ...check.certificate import AllSizes
from ...check.formulas import formulas
from ...check.traces import conditional, places_of
from ...inequalities.written import check_written
from ...kernel import index
from ...kernel.checker import Proved, check
from ...kernel.index import declared
from ...kernel.term import INVERSE
from ...kernel.theorem import Theorem
from ...language.claim import Claim
from ...search.all_sizes import Found
from ...search.proving import proving
from ...search.session import Lemma, Proving
from .prover import number_of


def replayed(claim: Claim, certificate: AllSizes) -> Found:
    """What a search would have found, from a certificate that was accepted.

    Raises:
        Refused: if the certificate does not show what it says.
    """
    with proving() as reading:
        read = formulas(claim, reading, general=certificate.general, apart=certificate.apart)
        conditions = tuple(read.conditions)
        places = places_of(reading.partial)
    divided = False
    if certificate.bounds is not None:
        equations = check_written(certificate.bounds).equations
        taken = conditional(places, equations.theorems)
        divided = bool(equations.divisors) or INVERSE in taken.values()
    if certificate.trace is None:
        return Found((), reading, certificate, conditions, divided)
    proved = check(certificate.trace)
    session = session_of(reading, proved)
    divided |= bool(proved.divisors)
    conditions = () if certificate.bounds else conditions  # these are the written proof's no more
    return Found(proved.statements, session, certificate, conditions, divided)


def session_of(reading: Proving, proved: Proved) -> Proving:
    """A session that knows what was noted of states while they were read, and the lemmas of the proof."""
    known = index.current.recursions
    turns = {s.name: t for recursion, t in reading.made for s in recursion.states}
    session = replace(
        Proving(simplifier=reading.simplifier),
        recursions={s.name: (one, k) for one in known for k, s in enumerate(one.states)},
        made=[(one, turns.get(one.states[0].name)) for one in known],
        seen=len(known),
        origins=reading.origins,
        products=reading.products,
        ranged=reading.ranged,
        programs=reading.programs,
        fits=reading.fits,
        taken=reading.taken,
        partial=reading.partial,
        differentiated=reading.differentiated,
        symbols=reading.symbols,
        functions=reading.functions,
    )
    made: dict[int, list[Theorem]] = {}
    for one in proved.theorems:
        kind, *proof = one.proof
        if kind == "induction":
            made.setdefault(id(proof[0]), []).append(one)
    for rules in made.values():
        when, _, claims, _ = rules[0].proof[1]
        name = claims[0][0].name
        if session.is_product(name):
            own = number_of(when)
            ends = {v for e in declared(own) for v in e.variables()}
            session.closed[name] = rules[0], tuple(ends - {own})
        session.inductions.append(Lemma(when, list(claims), rules))
        session.lemmas += rules
    return session
