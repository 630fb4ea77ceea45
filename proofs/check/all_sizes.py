"""Proofs for all sizes, checked as they are written.

`check` reads the claim again, with symbols for sizes, and is shown by the kernel that the certificate proves what was
read. Nothing else says that a claim holds at every size.
"""

from __future__ import annotations

import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..interpret.bounds import request_of
from ..interpret.claims import Interpretation
from ..interpret.questions import Unreadable
from ..interpret.session import Session, Sessions
from ..kernel.checker import Refused
from ..kernel.errors import KernelError
from ..kernel.term import Term
from ..language.claim import Claim
from ..language.statements import Determines, Differs, Undetermined
from ..statement.conditions import LOGARITHMS, NO_DENOMINATOR_IS_0
from .axioms import axioms_of
from .bounds import Bounded
from .bounds import shown as bounds_shown
from .certificate import AllSizes
from .formulas import Mutation, NotItself, formulas, hash_of
from .kernel_errors import placed, refusal
from .result import evidence
from .size_conditions import as_data, in_words, too_narrow
from .source import Source
from .traces import OtherProblem, Shown, places_of, shown
from .witness_family import verify

NOT_READ = "for all sizes it is not read"
ANOTHER = "it is of another statement; the claim, or its definitions, have changed"
UNNAMED = "it names no statement: an earlier version of scanproof wrote it"
DIFFERING = -1
"""Stands for all statements whose sides differ: one witness shows them."""


class Unsafe(str):
    """Why there is no proof for all sizes, where it makes other sizes doubtful too."""


class Stale(str):
    """Why a certificate is of no use: it is of another problem than the claim's."""


@dataclass(frozen=True)
class Proof:
    """That a claim holds at every size, as it was checked."""

    evidence: tuple[dict[str, Any], ...]

    def entries(self) -> list[dict[str, Any]]:
        """The report's entries."""
        return list(self.evidence)


def check(
    claim: Claim, certificate: AllSizes, session: Sessions, mutate: Mutation = None
) -> Proof | str:
    """The proof that a certificate is, or why it is none.

    Args:
        claim: the claim.
        certificate: what is said to prove it.
        session: opens a session to read the claim in; that of the search reads most programs.
        mutate: a change of the construction's parameters.
    """
    return outcome(lambda: _checked(claim, certificate, session, mutate))


def unread(claim: Claim, session: Sessions) -> str | None:
    """Why the claim is not read with symbols for sizes; None if it is."""

    def read_alone() -> None:
        with session() as current:
            formulas(claim, current)

    return outcome(read_alone)


def outcome(result: Callable[[], Any]) -> Any:
    """What comes out, or why nothing does."""
    try:
        return result()
    except Unreadable as error:
        why = f"{NOT_READ}: {placed(error)}"
        return Unsafe(why) if _is_unsafe(error) else why
    except _Doubtful as error:
        return Unsafe(str(error))
    except NotItself as error:
        return Unsafe(str(error))
    except OtherProblem as error:
        return Stale(f"for all sizes the proof is stale: {error}")
    except Refused as error:
        return f"for all sizes the proof is refused: {error}"
    except KernelError as error:
        return f"for all sizes no proof was found: {refusal(error)}"
    except RecursionError as error:
        return f"for all sizes {_recursing(error)}"
    except (TypeError, ValueError, AttributeError, IndexError) as error:
        return f"{NOT_READ} ({type(error).__name__}): {placed(error)}"


def _is_unsafe(error: BaseException | None) -> bool:
    """Whether an error, or what it came from, makes other sizes doubtful."""
    while error is not None:
        if getattr(error, "unsafe", False):
            return True
        error = error.__cause__ or error.__context__
    return False


def _recursing(error: RecursionError) -> str:
    """What went on without end, by the folder of the function that was called most often."""
    called = Counter[str]()
    frames = 0
    for frame, _ in traceback.walk_tb(error.__traceback__):
        frames += 1
        called[frame.f_globals.get("__name__", "")] += 1
    (module, _), *_ = called.most_common(1)
    if any(f".{folder}." in module for folder in ("search", "kernel")):
        where = module.partition("scanproof.")[2]
        return (
            f"the search gave up: it applied rules to what they made, {frames} calls deep ({where})"
        )
    return f"it is not read: it recurses without end, {frames} calls deep"


class _Doubtful(Exception):
    """Why an interpretation with symbols makes other sizes doubtful."""


def equations_of(interpretation: Interpretation) -> list[tuple[Term, Term]]:
    """Its equations, each for all positions and all values of the loops' variables."""
    found = []
    for left, right in interpretation.equations:
        sides = left.shared, right.entry(left.at)
        interpretation.expect_turns(*sides, left.at)
        found.append(sides)
    return found


def _checked(claim: Claim, certificate: AllSizes, session: Sessions, mutate: Mutation) -> Proof:
    with session() as current:
        interpretation = formulas(
            claim, current, mutate, general=certificate.general, apart=certificate.apart
        )
        if certificate.statement != hash_of(claim):
            raise OtherProblem(ANOTHER if certificate.statement else UNNAMED)
        statements, places = equations_of(interpretation), places_of(current.partial)
        wanted_bounds = request_of(interpretation, places)
        narrow = too_narrow(claim, current)
        if narrow is not None:
            raise _Doubtful(narrow)
        _expect_one_program(claim, current)
        own = bounds = None
        if not statements and certificate.trace is not None:
            raise Refused("the claim says no equations")
        if wanted_bounds is None and certificate.bounds is not None:
            raise Refused("the claim says no bounds")
        if statements:
            own = shown(statements, places, certificate.trace)
        if wanted_bounds is not None:
            bounds = bounds_shown(wanted_bounds, places, certificate.bounds)
    entries = [
        verify(claim, one, interpretation.parts, session, mutate) for one in certificate.witnesses
    ]
    kinds = [part.kind for part in interpretation.parts]
    wanted = [n for n, kind in enumerate(kinds) if kind is Undetermined]
    if Differs in kinds:
        wanted.insert(0, DIFFERING)
    given = [DIFFERING if one.statement is None else one.statement for one in certificate.witnesses]
    if Determines in kinds or sorted(given) != wanted:
        raise Refused("the certificate does not show all that the claim says")
    if own is not None or bounds is not None:
        entries.insert(0, _evidence(current, own, bounds))
    if not entries:
        raise Refused("the claim says nothing")
    return Proof(tuple(entries))


def _evidence(current: Session, own: Shown | None, bounds: Bounded | None) -> dict[str, Any]:
    """That of equations and bounds: besides axioms it says whether denominators were taken to be not 0."""
    method = "induction" if own is not None and own.by_induction else "normal-form"
    if bounds is not None:
        method = "sum-of-squares" if bounds.squares else "bound-chain"
    divided = (own is not None and own.divided) or (bounds is not None and bounds.divided)
    logarithms = own is not None and own.logarithms and bool(current.programs)
    taken = assumed(current, divided, logarithms)
    axioms = axioms_of(current.functions, current.differentiated)
    steps = [] if bounds is None else list(bounds.steps)
    return {
        **evidence(method, "all-sizes", None, "kernel", axioms),
        **({"assumes": taken} if taken else {}),
        **({"conditions": list(map(as_data, current.fits))} if current.fits else {}),
        **({"steps": steps} if steps else {}),
    }


def assumed(current: Session, divided: bool, logarithms: bool = False) -> list[str]:
    """What a proof takes for granted, in words for the evidence."""
    said = [*([NO_DENOMINATOR_IS_0] if divided else []), *([LOGARITHMS] if logarithms else [])]
    return list(dict.fromkeys([*said, *map(in_words, current.fits), *current.taken]))


def _expect_one_program(claim: Claim, current: Session) -> None:
    """Refuse a claim of which JAX traces another program at some sizes than at others: symbols do not show that."""
    if not current.programs:
        return
    from .alike import difference

    source = Source([*claim.functions, *(one.function for one in current.programs)])
    least = {name: min(values) for name, values in claim.ranges.items()}
    problem = difference(current.programs, least, sorted(source.numbers), source.seed)
    if problem is not None:
        raise _Doubtful(problem)
