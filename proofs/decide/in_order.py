"""One program's claim in the order of what it costs: numbers at random, the kernel, then exact identities.

What differs at random points is refuted at once. What does not is read with symbols, so that what is not read is told
within a second or two, and given to the kernel. Only where it finds no proof are counterexamples looked for, and sides
multiplied out with every entry a symbol: at few sizes, and there as long as a budget of operations lasts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from ..check import cases
from ..check.beyond import beyond
from ..check.certificate import Refutation
from ..check.certificates import check
from ..check.formulas import split_of
from ..check.instances.at_random import drawn
from ..check.instances.evaluate import evaluate, in_symbols
from ..check.result import Result, sizes_text
from ..check.sizes_beyond import beside
from ..doors.refused import Refused
from ..exact.enclosures import ArbField
from ..exact.engines import ENGINES, FIXED, FLINT, UnequalShapes, chosen
from ..exact.instance import is_for
from ..exact.residues import Meter, TooLong
from ..exact.scalar import DivisionByZero, NotPolynomial, multiplying
from ..language.claim import Claim
from ..language.partition import Number, Remainder, Split, split
from ..language.sizes import Sizes
from ..language.statements import Equal
from ..refute.counterexamples import violation_in_balls
from ..search.proving import proving
from ..search.session import TOO_LATE, TOO_LONG, allowed
from ..search.wording import listening
from .complaints import computed
from .verdict import decide

FEW = 32
"""At no more choices of sizes are sides multiplied out, unless they are given."""
MULTIPLIED = 300_000
"""How many products of two terms a choice of sizes may take whose entries are polynomials, multiplied out."""
GIVEN = 100
"""How many times more a choice of sizes may take that is given: beyond it memory ends, which FLINT does not survive."""
TIES_AT = 4
"""At so many of the listed sizes ties and the like are tried where random points show nothing."""
EXPRESSED = 4_000
"""How many operations one may take whose entries are sympy's expressions, where functions such as exp occur."""
Tell = Callable[[str], None]


@dataclass
class Settled:
    """What was found of a claim, and what is to be said of it in its own names."""

    result: Result
    proved: list[str] = field(default_factory=list)
    leftover: list[str] = field(default_factory=list)
    split: Split | None = None
    """The sizes that reading would have to tell apart."""
    cases: list[str] = field(default_factory=list)
    """The cases of sizes that were proved one by one."""


MOST = 8
"""No more cases of sizes than this are told apart."""
ASKED = 64
"""Up to this number a size is tried that a program compares with it."""


def in_cases(claim: Claim, given: Mapping[str, Sequence[int]], tell: Tell) -> Settled:
    """The verdict on one claim, whose sizes are told apart where reading asks for it.

    The arguments are those of `settled`.
    """
    first = settled(claim, given, tell, splitting=True)
    if first.split is None:
        return first
    waiting, done = [(cases.whole(claim), first)], []
    while waiting:
        case, found = waiting.pop()
        if found.split is None:
            done.append((case, found))
            if found.result.verdict == "refuted":
                break
            continue
        parts = split(case, found.split) if _is_split(found.split) else None
        if parts is None or len(parts) + len(waiting) + len(done) > MOST:
            found = _where_asked(claim, found.split, settled(claim, given, tell))
            why = f"{found.result.reason}; that would be more than {MOST} cases of sizes"
            if found.result.reason and parts is not None:
                found.result = replace(found.result, reason=why)
            return found
        for part in reversed(parts):
            tell(f"the case {part}")
            own = cases.restricted(claim, part)
            waiting.append((part, settled(own, {}, tell, splitting=True)))
    result = cases.together(claim, [(case, found.result) for case, found in done])
    open_case = next((f for _, f in done if f.result.scope != "all-sizes"), done[-1][1])
    if result.scope == "all-sizes":
        names = [str(case) for case, _ in done]
        proved = [f"{case}: {found.proved[0]}" for case, found in done if found.proved]
        return Settled(result, proved, cases=names)
    return Settled(result, [], open_case.leftover)


def _where_asked(claim: Claim, how: Split, found: Settled) -> Settled:
    """The verdict on what holds at fixed sizes, with the size beside the number that reading would tell apart."""
    if not isinstance(how, Number) or how.last > ASKED:
        return found
    for n in (how.last, how.last + 1):
        sizes = beside(claim, how.size, n)
        holds = found.result.verdict == "proved"
        if holds and is_for(claim, sizes) and _at_random(claim, sizes) is False:
            return Settled(_in_balls(claim, sizes))
    return found


def _is_split(how: Split) -> bool:
    """Whether sizes are told apart so, into no more cases than are looked at."""
    if isinstance(how, Number):
        return how.last <= MOST
    return not isinstance(how, Remainder) or how.by <= MOST


def settled(
    claim: Claim, given: Mapping[str, Sequence[int]], tell: Tell, splitting: bool = False
) -> Settled:
    """The verdict on one claim.

    Args:
        claim: the claim.
        given: sizes at which it is to be computed exactly, whatever that takes; few if there are none.
        tell: hears what is tried.
        splitting: whether to end where sizes would have to be told apart.
    """
    if splitting and (how := split_of(claim)) is not None:
        return Settled(Result("unknown"), split=how)
    tell("random numbers")
    seen = [_at_random(claim, sizes) for sizes in chosen(claim)]
    why, doubtful, left = None, False, []
    if False not in seen:
        tell("a proof for all sizes")
        with listening() as said:
            result = decide(claim, ENGINES["kernel"])
        if result.verdict != "unknown":
            return Settled(result, said.proved)
        if TOO_LONG in str(result.reason):
            late = TOO_LATE in str(result.reason)
            more = (
                "seconds (--time-limit)" if late else f"than {allowed():,} steps (--steps, steps=)"
            )
            result.reason = f"{result.reason}; with more {more} it may be found"
        if splitting and said.split is not None:
            return Settled(result, split=said.split)
        why, doubtful, left = result.reason, result.doubtful, said.leftover
    tell("exact numbers at a few sizes")
    unread = next((one for one in seen if isinstance(one, str)), None)
    found = Result("unknown", reason=unread) if unread else _at_few_sizes(claim, bool(given))
    differs = next((n for n, one in zip(chosen(claim), seen, strict=True) if one is False), None)
    if differs is not None and found.verdict == "unknown" and not claim.assuming:
        shown = _in_balls(claim, differs)
        found = shown if shown.verdict == "refuted" else found
    if found.verdict in ("refuted", "error"):
        return Settled(found)
    if doubtful:
        return Settled(replace(found, verdict="unknown", scope=None, reason=why), [], left)
    reason = why if found.verdict == "proved" else _joined(why, found.reason)
    return Settled(replace(found, reason=reason), [], left)


def _at_few_sizes(claim: Claim, as_given: bool) -> Result:
    lacking = _lacking(claim)
    if lacking is not None:
        return _at_random_alone(claim, lacking)
    few = _as_given(claim) if as_given else _few(claim)
    if few is None:
        return _at_random_alone(claim, "both sides are too large to be multiplied out")
    nowhere = next((one for one in few.every_size if not _has_value(few, one)), None)
    if nowhere is not None:
        why = f"at {sizes_text(nowhere)} something is divided by 0, whatever the inputs"
        return Result("unknown", reason=why)
    return decide(few, FIXED)


def _lacking(claim: Claim) -> str | None:
    """What no engine has that the claim needs; None if one has all of it."""
    why = None
    for engine in FIXED.fixed:
        try:
            with multiplying(MULTIPLIED):
                in_symbols(engine, claim, claim.every_size[0])
            return None
        except NotPolynomial as error:
            why = _not_exact(error)
        except (ArithmeticError, TooLong):
            return None
    return why


def _not_exact(error: NotPolynomial) -> str:
    """What no engine has, or why a program is not read at numbers."""
    if isinstance(error.__cause__, Refused):
        return str(error)
    return f"{error} is not computed exactly"


def _at_random_alone(claim: Claim, because: str) -> Result:
    """What numbers at random points say of a claim that no engine is asked about."""
    fails = next((one for one in chosen(claim) if _at_random(claim, one) is False), None)
    held = 0
    if fails is None:
        tried = beyond(claim, claim.every_size)
        fails, held = tried.fails, len(tried.held)
    if fails is None:
        choices = "1 choice" if held == 1 else f"{held} choices"
        why = f"{because}; at {choices} of sizes they agree at random points"
        return Result("unknown", reason=why)
    found = _in_balls(claim, fails)
    if found.verdict == "refuted":
        return found
    why = f"at {sizes_text(fails)} the two differ at random points; {found.reason}"
    return Result("unknown", reason=why)


def _in_balls(claim: Claim, fails: Sizes) -> Result:
    """The verdict by inputs at which enclosures differ, at the smallest sizes where some do at random points."""
    small = [sizes for sizes in claim.every_size if _at_random(claim, sizes) is False][:1]
    # Where small sizes hold at random points they may fail at ties.
    found = violation_in_balls(claim, small or [*claim.every_size[:TIES_AT], fails])
    if found is None:
        return Result("unknown", reason="no small numbers were found that show it")
    return check(claim, Refutation(claim.id, found), proving)


def _joined(why: str | None, engine: str | None) -> str | None:
    if why is None or engine is None:
        return why or engine
    return f"{why}; at fixed sizes: {engine}"


def _at_random(claim: Claim, sizes: Sizes) -> bool | str | None:
    """Whether the sides may be equal, at a random point; None if there is no value, or why none can be computed."""
    try:
        found, same = computed(claim, sizes)
        return all(same(one) for one in found if isinstance(one, Equal))
    except NotPolynomial as error:
        return _not_exact(error)
    except (ArithmeticError, AttributeError, TypeError, ValueError):
        return None


def _has_value(claim: Claim, sizes: Sizes) -> bool:
    """Whether both sides are numbers at a random point, as far as that is computed."""
    with suppress(NotPolynomial, UnequalShapes):
        try:
            computed(claim, sizes)
        except (DivisionByZero, ZeroDivisionError):
            return False
    return True


def _few(claim: Claim) -> Claim | None:
    """The claim at so few sizes that all of them are soon multiplied out; None if none are."""
    ranges = {name: tuple(values) for name, values in claim.ranges.items()}
    while True:
        top = {name: max(values) for name, values in ranges.items()}
        if math.prod(map(len, ranges.values())) <= FEW and _is_affordable(claim, top):
            return replace(claim, sizes=ranges)
        widest = max(ranges, key=lambda name: len(ranges[name]), default=None)
        if widest is None or len(ranges[widest]) == 1:
            return None
        ranges[widest] = ranges[widest][:-1]


def _as_given(claim: Claim) -> Claim | None:
    top = {name: max(values) for name, values in claim.ranges.items()}
    return claim if _is_affordable(claim, top, GIVEN) else None


def _is_affordable(claim: Claim, sizes: Sizes, times: int = 1) -> bool:
    """Whether polynomials there, or expressions where there are functions such as exp, stay small."""
    try:
        try:
            with multiplying(times * MULTIPLIED):
                in_symbols(FLINT, claim, sizes)
        except NotPolynomial:
            exact = ArbField(Meter(times * EXPRESSED))
            evaluate(claim, exact, sizes, drawn(claim, exact, sizes, lambda: 1))
    except TooLong:
        return False
    except ArithmeticError:
        pass  # which the engine will say itself
    return True
