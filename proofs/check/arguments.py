"""Does a certificate show its claim? Engines run at the sizes that it names, and what holds is tried beyond them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from scanproof.constructs.errors import UsageError

from ..exact.enclosures import ArbField
from ..exact.engines import (
    BY_NAME,
    FLINT,
    MOST_TERMS,
    SYMPY,
    chosen,
    has_entries,
    most_informative,
    small,
    terms,
    truth,
)
from ..exact.instance import Point, ones, scalars, shapes
from ..exact.scalar import NotPolynomial
from ..interpret.session import Sessions
from ..language.calls import arguments
from ..language.claim import Claim
from ..language.sizes import Sizes
from ..language.statements import AtMost, Differs, Equal, Statement, Undetermined
from . import all_sizes
from .beyond import DEAR, NO_VALUE, Tried, beyond, from_some_size_on
from .certificate import AllSizes, Argument, Collision, FixedSizes, Met, Witness
from .given import Broken, Doubtful, OfAnother, Refused, part_of, point_of, sizes_of, statements
from .instances.at_point import difference_index, inputs_as_text, statements_at
from .instances.at_random import agree, balls, overlap, residues
from .instances.evaluate import evaluate, in_symbols
from .refutations import colliding
from .result import Result, evidence, sizes_text
from .sizes_beyond import next_sizes
from .witness_family import one_of_every

NOT_SHOWN = "equality could not be shown, and no counterexample was found"
SINCE_READ = "a proof for all sizes was not looked for since the claim's text changed"
UNSCOPED = (
    "the equation holds for parameters that the body itself makes, which may depend on the inputs; let "
    "parameters= make them, from sizes and the symbols in fixed="
)
PLAIN = (1, 2, -1, 3, Fraction(1, 2), -2, 5, Fraction(-1, 3))
"""Numbers in turn for the entries of a point."""


@dataclass(frozen=True)
class Run:
    """One engine's findings at one size: every statement with its truth, None where it cannot decide."""

    engine: str
    sizes: dict[str, int]
    found: list[tuple[Statement, bool | None]]


def argued(claim: Claim, certificate: Argument, session: Sessions, second: bool) -> Result:
    """The verdict that an argument comes to."""
    by = certificate.by
    proofs = [one for one in by if isinstance(one, AllSizes)]
    entries = [entry for one in proofs for entry in _of_kernel(claim, one, session)]
    if claim.assuming:
        _see_conditions_met(claim, [one for one in by if isinstance(one, Met)])
    if proofs and certificate.why:
        raise Refused("it says why there is no proof for all sizes, and has one")
    runs = list(_runs(claim, [one for one in by if isinstance(one, FixedSizes)], bool(proofs)))
    if second and not proofs and {run.engine for run in runs} == {FLINT.name}:
        runs += _second_opinion(claim)
    every = [[s for s, _ in run.found] for run in runs] or list(_without_engines(claim))
    problem = _disagreement(runs) or says_nothing(every)
    if problem is not None:
        raise UsageError(problem)
    if claim.fixed and any(isinstance(s, Differs | Undetermined) for said in every for s in said):
        return Result("unknown", reason=one_of_every(claim))
    failing = next((run for run in runs if any(t is False for _, t in run.found)), None)
    if failing is not None:
        return Result("unknown", reason=NOT_SHOWN, fails=failing.sizes)
    if not runs and not proofs:
        raise Refused("nothing in it shows the claim")
    wanted = claim.every_size if proofs else [*claim.every_size, *next_sizes(claim).values()]
    shown = [
        *_identities(runs),
        *_witnesses(claim, runs, by),
        *_collisions(claim, runs, by, wanted),
    ]
    for sizes in (
        most_informative(claim) if proofs else (claim.every_size[-1], *small(claim.every_size)[-1:])
    ):
        if runs and _contradicted(claim, sizes):
            raise UsageError(
                f"the engines find the claim true, plain numbers find it false at {sizes}"
            )
    scope = "all-sizes" if proofs else "fixed-size"
    why, outdated = _reason(claim, certificate.why, session)
    found = [*shown, *entries]
    result = Result("proved", scope, why or None, evidence=found, outdated=outdated)
    return _tried(claim, result, runs) if claim.ranges else result


def _reason(claim: Claim, why: str, session: Sessions) -> tuple[str, bool]:
    """Why there is no proof for all sizes, and whether what the certificate says of it holds no more.

    That a claim is not read is seen by reading it: the text that was at fault may have changed since.
    """
    if not why.startswith(all_sizes.NOT_READ):
        return why, False
    now = all_sizes.unread(claim, session)
    return (SINCE_READ, True) if now is None else (now, False)


def _of_kernel(claim: Claim, one: AllSizes, session: Sessions) -> list[dict[str, Any]]:
    found = all_sizes.check(claim, one, session)
    if isinstance(found, all_sizes.Unsafe):
        raise Doubtful(found)
    if isinstance(found, all_sizes.Stale):
        raise OfAnother(found)
    if isinstance(found, str):
        raise Broken(found)
    return found.entries()


def _see_conditions_met(claim: Claim, given: list[Met]) -> None:
    if not given:
        raise Refused("no inputs in it meet the claim's conditions")
    for one in given:
        sizes = sizes_of(claim, one.sizes)
        statements(claim, sizes, point_of(claim, sizes, one.inputs))


def _runs(claim: Claim, given: list[FixedSizes], lifted: bool) -> Iterator[Run]:
    """Every engine at its sizes, up to the first at which a statement is false.

    The first engine has to run at all listed sizes; at one of them where there is a proof for all sizes.
    """
    every = claim.every_size
    for number, one in enumerate(given):
        if one.engine not in BY_NAME:
            raise Refused(f"there is no engine {one.engine!r}")
        own = [sizes_of(claim, sizes) for sizes in one.every_size]
        needed = [] if number else most_informative(claim) if lifted else every
        if not own or any(s not in own for s in needed) or any(s not in every for s in own):
            raise Refused(f"{one.engine} does not run at the claim's sizes")
        for sizes in own:
            try:
                found = in_symbols(BY_NAME[one.engine], claim, sizes)
            except NotPolynomial as error:
                raise Refused(f"{one.engine} has no {error}, which the claim needs") from None
            run = Run(one.engine, sizes, [(s, truth(s)) for s in found])
            for statement, shown in run.found:
                if shown is None and not isinstance(statement, Undetermined):
                    raise Refused(f"{one.engine} shows no {type(statement).__name__}")
            yield run
            if any(shown is False for _, shown in run.found):
                return


def _second_opinion(claim: Claim) -> Iterator[Run]:
    """Sympy's, where polynomials are small."""
    for sizes in small(claim.every_size):
        if terms(in_symbols(FLINT, claim, sizes)) <= MOST_TERMS:
            found = in_symbols(SYMPY, claim, sizes)
            yield Run(SYMPY.name, sizes, [(s, truth(s)) for s in found])


def _identities(runs: list[Run]) -> Iterator[dict[str, Any]]:
    if any(isinstance(s, Equal | AtMost) for run in runs for s, _ in run.found):
        for engine in dict.fromkeys(run.engine for run in runs):
            every = [r.sizes for r in runs if r.engine == engine]
            yield evidence("identity", "fixed-size", every, engine)


def _witnesses(claim: Claim, runs: list[Run], by: tuple[Any, ...]) -> Iterator[dict[str, Any]]:
    """Inputs for all that is said to differ, at every size at which the first engine ran."""
    given = {(w.sizes, w.part): w for w in by if isinstance(w, Witness)}
    for run in (r for r in runs if r.engine == runs[0].engine):
        for part, (statement, _) in enumerate(run.found):
            if isinstance(statement, Differs):
                one = given.pop((tuple(run.sizes.items()), part), None)
                if one is None:
                    raise Refused(
                        f"no inputs in it show that sides differ at {sizes_text(run.sizes)}"
                    )
                point = point_of(claim, run.sizes, one.inputs)
                if difference_index(part_of(statements(claim, run.sizes, point), part)) is None:
                    raise Refused(f"the sides do not differ at {sizes_text(run.sizes)}")
                yield _of_inputs(run.sizes, inputs_as_text(point))
    if given:
        raise Refused("it has inputs for a statement that does not say that sides differ")


def _of_inputs(sizes: dict[str, int], inputs: Any) -> dict[str, Any]:
    return {**evidence("witness", "fixed-size", [sizes], "rational"), "inputs": inputs}


def _collisions(
    claim: Claim, runs: list[Run], by: tuple[Any, ...], wanted: list[dict[str, int]]
) -> Iterator[dict[str, Any]]:
    """Two inputs for all that is said to be no map, at all the sizes wanted.

    Where no proof is for all sizes these are the listed ones and the next ones: it is how such a claim is tried beyond.
    """
    parts = {p for r in runs for p, (s, _) in enumerate(r.found) if isinstance(s, Undetermined)}
    given = {(c.sizes, c.part): c for c in by if isinstance(c, Collision)}
    for part in sorted(parts):
        for sizes in wanted:
            one = given.pop((tuple(sizes.items()), part), None)
            if one is None:
                raise Refused(f"no two inputs in it collide at {sizes_text(sizes)}")
            shown, statement = colliding(claim, one)
            if not isinstance(statement, Undetermined):
                raise Refused("the claim does not say that there is no map")
            yield _of_inputs(sizes, shown.inputs)
    if given:
        raise Refused("it has two inputs for a statement that is not about a map")


def _disagreement(runs: list[Run]) -> str | None:
    """Two engines that ran at one size must give every statement the same truth."""
    for one in runs:
        for other in runs:
            if one.sizes == other.sizes and [t for _, t in one.found] != [
                t for _, t in other.found
            ]:
                at = sizes_text(one.sizes)
                return f"engines {one.engine} and {other.engine} disagree at {at}"
    return None


class SaysNothing(UsageError):
    """A claim compares nothing at any of its sizes."""


def says_nothing(every: list[list[Statement]]) -> str | None:
    """A comparison whose sides are empty at every size would be true of anything."""
    full = {p: False for found in every for p in range(len(found))}
    for found in every:
        full.update({p: True for p, statement in enumerate(found) if has_entries(statement)})
    empty = sorted(part for part, has in full.items() if not has)
    if not empty:
        return None
    return f"statement number {empty[0] + 1} compares arrays without entries at every size"


def _without_engines(claim: Claim) -> Iterator[list[Statement]]:
    """The statements in balls, of which only the shapes are looked at."""
    field = ArbField()
    for sizes in chosen(claim):
        try:
            yield evaluate(claim, field, sizes, scalars(claim, field, ones(claim, sizes)))
        except ArithmeticError:
            continue


def _contradicted(claim: Claim, sizes: Sizes) -> bool:
    """Whether an independent evaluation in plain numbers contradicts an equation that the engines proved."""
    found = statements_at(claim, sizes, _plain(claim, sizes)) or []
    return any(isinstance(s, Equal) and difference_index(s) is not None for s in found)


def _plain(claim: Claim, sizes: Sizes) -> Point:
    point, count = {}, 0
    for name, dims in shapes(claim, sizes).items():
        point[name] = np.empty(dims, dtype=object)
        for index in np.ndindex(dims):
            point[name][index] = Fraction(PLAIN[count % len(PLAIN)])
            count += 1
    return point


def _tried(claim: Claim, result: Result, runs: list[Run]) -> Result:
    """What holds by its evidence, run at numbers far beyond it; see `beyond`."""
    made = claim.parameters is not None and claim.body and "p" in arguments("the body", claim.body)
    unscoped = claim.kind == "existence" and not (made or claim.over_all_parameters)
    if unscoped and any(entry["method"] != "witness" for entry in result.evidence):
        return Result("unknown", reason=UNSCOPED)
    ran = [run.sizes for run in runs]
    left_out = [sizes for sizes in claim.every_size if sizes not in ran]
    tried = beyond(claim, left_out, proved=result.scope == "all-sizes")
    if tried.fails is not None and tried.unequal:
        return Result("unknown", reason=f"at {sizes_text(tried.fails)} {tried.unequal}")
    if tried.fails is not None:
        why = f"at {sizes_text(tried.fails)} it fails at a random point"
        return Result("unknown", reason=why, fails=tried.fails)
    seen = [*tried.held, *tried.undefined, *tried.unmet]
    for sizes in left_out:
        if sizes not in (tried.held if runs else seen) and not _holds(claim, sizes):
            return Result("unknown", reason=NOT_SHOWN, fails=sizes)
    empty = from_some_size_on(tried.undefined, tried.held)
    if empty is not None:
        name, value = empty
        reason = (
            f"it says nothing at larger sizes: {NO_VALUE}, whatever the inputs are, from {name} = {value} on, at all "
            "choices that were tried"
        )
        return Result("unknown", reason=reason)
    why = _blocked(claim, result, tried, runs)
    if why is not None:
        return Result("unknown", reason=why)
    if (tried.was_run or tried.outside) and not _of_maps(runs):
        result.evidence = [*result.evidence, tried.evidence()]
    return result


def _of_maps(runs: list[Run]) -> bool:
    """Whether all that is shown is that there are no maps: two inputs are given at larger sizes, too."""
    return bool(runs) and all(isinstance(s, Undetermined) for run in runs for s, _ in run.found)


def _blocked(claim: Claim, result: Result, tried: Tried, runs: list[Run]) -> str | None:
    """Why what was shown is not believed, from what came of trying it beyond; None if nothing stands against it.

    What the claim raises, or needs and no arithmetic has, stands against all that is shown of it: it may be another one
    there. That a choice is dear does not, as long as another one held; an identity at some sizes is none beyond them
    where no choice could be run.
    """
    if tried.raised:
        sizes, why = tried.raised[0]
        return f"at {sizes_text(sizes)} the claim raised {why}"
    of_maps = _of_maps(runs)
    if tried.unread and not of_maps:
        sizes, why = tried.unread[0]
        return f"at {sizes_text(sizes)} it could not be run: {why}"
    held = any(sizes not in claim.every_size for sizes in tried.held)
    if held or of_maps or result.scope == "all-sizes":
        return None
    if tried.undefined:
        return f"at {sizes_text(tried.undefined[0])} {NO_VALUE}, and no larger size was run"
    if tried.unmet:
        at = sizes_text(tried.unmet[0])
        return f"at {at} no inputs were found that meet the conditions, and no larger size was run"
    if tried.dear:
        return f"no larger size was run: each takes more than {DEAR:,} operations"
    return None  # its conditions leave no larger size that was tried


def _holds(claim: Claim, sizes: Sizes) -> bool:
    """Whether a listed size at which the sampling stopped short contradicts no statement.

    Equations are run at random numbers: a polynomial of symbols takes memory that grows with a power of the sizes.
    """
    for numbers, same in ((residues, agree), (balls, overlap)):
        if numbers is balls and claim.assuming:  # which random numbers need not meet
            break
        with suppress(NotPolynomial, ArithmeticError):
            found = numbers(claim, sizes)
            equations = [s for s in found if isinstance(s, Equal)]
            if len(equations) == len(found):
                return all(map(same, equations))
    for engine in BY_NAME.values():
        with suppress(NotPolynomial):
            return all(truth(s) is not False for s in in_symbols(engine, claim, sizes))
    return True
