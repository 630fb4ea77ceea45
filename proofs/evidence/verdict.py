"""From a claim to its verdict: run the engines, look for counterexamples, never answer better than was shown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scanproof.constructs.definition import recording

from ..exact.roots import FlintRootsField
from ..exact.scalar import DivisionByZero, NotPolynomial
from ..language.claim import Claim
from ..language.errors import UsageError
from ..language.sizes import Sizes
from ..language.statements import (
    Approached,
    AtMost,
    Determines,
    Differs,
    Equal,
    Statement,
    Undetermined,
)
from ..reading.questions import raised_at
from .any_choice import why_not, why_not_collision
from .beyond import NO_VALUE, beyond, from_some_size_on, smallest
from .counterexample import Counterexample, agreement, collision, difference, violation
from .engines import KERNEL, Engine, sides, truth
from .instance import assumed, constants
from .near_miss import near_misses
from .points import candidates, difference_index, find, inputs_as_text, statements_at

if TYPE_CHECKING:
    from .all_sizes import Proof

    Lifted = Proof | str | None
    Prover = Callable[[Claim], Proof | str]

UNSCOPED = (
    "the equation holds for parameters that the body itself makes, which may depend on the inputs; let "
    "parameters= make them, from sizes and the symbols in fixed="
)
NOT_RUN = "it needs exp, log or a norm, which no engine that ran has"
NEVER_CHECKED = ("empirical", "complexity")
QUICK_TRIES = 3
"""Draws from each palette before the kernel is asked for a bound; no others are made of what it proves."""
BOUND_TRIES = 60
"""Draws from each palette in search of a bound's counterexample: a false bound, too, holds at most points."""
TRIED_WELL = 4
"""At how many sizes many points are tried where conditions are bounds."""


@dataclass
class Result:
    """What was found out about one claim."""

    verdict: str
    scope: str | None = None
    reason: str | None = None
    """Why it is not proved, or not for all sizes."""
    definitions: list[str] = field(default_factory=list)
    evidence: list[dict[str, Any]] = field(default_factory=list)
    counterexample: Counterexample | None = None
    near_misses: list[str] = field(default_factory=list)
    stale: bool = False
    """Whether its recorded proof is one of other definitions."""
    broken: bool = False
    """Whether its recorded proof is refused, or could not be written."""
    recorded: str = ""
    """What is to be said of its recorded proof."""


@dataclass(frozen=True)
class Run:
    """One engine's findings at one size: every statement with its truth, None where it cannot tell."""

    engine: str
    sizes: dict[str, int]
    found: list[tuple[Statement, bool | None]]


def decide(claim: Claim, engines: Sequence[Engine], prove: Prover | None = None) -> Result:
    """The verdict on one claim, as stated or amended.

    Args:
        claim: the claim.
        engines: each runs at its own sizes; where two ran they must agree.
        prove: gives the kernel's proof, or tells why there is none; it is searched for unless something else is given.
    """
    if claim.body is None:
        verdict = "not-checkable" if claim.kind in NEVER_CHECKED else "unknown"
        return Result(verdict, reason=claim.missing)
    with recording() as ran:
        try:
            result = _decide(claim, engines, prove or _searched)
        except (UsageError, DivisionByZero) as error:
            result = Result("error", reason=str(error))
        except RecursionError:
            result = Result("error", reason="the claim's body recurses without end")
        except (Exception, SystemExit) as error:
            # A claim's body is foreign code: its mistake is this row's alone.
            result = Result(
                "error",
                reason=f"the claim raised {type(error).__name__}{raised_at(error)}: {error}",
            )
    result.definitions = sorted({place(function) for function in ran})
    # The kernel may stop before it runs the body.
    unread = tuple(engines) == (KERNEL,) and result.verdict == "unknown"
    if not ran and result.verdict != "error" and not unread:
        reason = "no definition ran: call a layer or learner of scanproof.constructs, or mark yours @definition"
        return Result("error", reason=reason)
    return result


def _searched(claim: Claim) -> Proof | str:
    from .all_sizes import prove

    return prove(claim)


def _decide(claim: Claim, engines: Sequence[Engine], prove: Prover) -> Result:
    result = _settled(claim, engines, prove)
    return _tried(claim, result) if result.verdict == "proved" and claim.ranges else result


def _tried(claim: Claim, result: Result) -> Result:
    """What holds by its evidence, run at numbers far beyond it; see `beyond`."""
    unscoped = claim.kind == "existence" and not (claim.parameters or claim.over_all_parameters)
    if unscoped and any(entry["method"] != "witness" for entry in result.evidence):
        return Result("unknown", reason=UNSCOPED)
    tried = beyond(claim)
    if tried.fails is not None and tried.unequal:
        return Result("unknown", reason=f"at {_sizes_text(tried.fails)} {tried.unequal}")
    if tried.fails is not None:
        return _fails_beyond(claim, tried.fails)
    empty = from_some_size_on(tried.undefined, tried.held)
    if empty is not None:
        name, value = empty
        reason = (
            f"it says nothing at larger sizes: {NO_VALUE}, whatever the inputs are, from {name} = {value} on, at all "
            "choices that were tried"
        )
        return Result("unknown", reason=reason)
    if tried.raised and result.scope == "all-sizes":
        sizes, why = tried.raised[0]
        return Result("unknown", reason=f"at {_sizes_text(sizes)} the claim raised {why}")
    alone = {entry["engine"] for entry in result.evidence} == {KERNEL.name}
    if tried.unread and result.scope == "all-sizes" and (tried.held or alone):
        sizes, why = tried.unread[0]
        return Result("unknown", reason=f"at {_sizes_text(sizes)} it could not be run: {why}")
    if (
        tried.held
        or tried.undefined
        or tried.raised
        or tried.unread
        or tried.unmet
        or tried.outside
    ):
        result.evidence = [*result.evidence, tried.evidence()]
    return result


def _fails_beyond(claim: Claim, fails: Sizes) -> Result:
    """A claim that holds at the sizes of its evidence, and fails at others."""
    there = smallest(claim, fails)
    found = violation(claim, [there], BOUND_TRIES)
    if found is None:
        for part, statement in enumerate(next(iter(_some_statements(claim, there)), [])):
            if isinstance(statement, Differs):
                found = found or agreement(claim, there, part)
    if found is None:
        return Result(
            "unknown",
            reason=f"at {_sizes_text(there)} it fails at a random point; no small numbers were found that show it",
        )
    return _fairly(claim, _refutation(found), [])


def _settled(claim: Claim, engines: Sequence[Engine], prove: Prover) -> Result:
    if claim.assuming and not _can_be_met(claim):
        return Result(
            "error", reason=f"no inputs were found that meet: {'; '.join(claim.assuming)}"
        )
    if tuple(engines) == (KERNEL,):
        return _by_kernel_alone(prove(claim))
    runs: list[Run] = []
    lifted: Lifted = None
    for engine in engines:  # what the first engine cannot read, the next one runs at every size
        if KERNEL in engines and _holds(runs):
            lifted = lifted or prove(claim)
            if not isinstance(lifted, str):
                continue  # the kernel, of another make, agrees with the first engine
        if engine is not KERNEL:
            runs += _runs(claim, engine, everywhere=not runs)
    if not runs and KERNEL in engines:  # only the kernel may have a law for its functions
        lifted = prove(claim)
        if not isinstance(lifted, str):
            return Result("proved", "all-sizes", evidence=lifted.entries())
    statements = [[s for s, _ in run.found] for run in runs] or _at_points(claim)
    bounds = _undecided_bounds(runs, statements)
    problem = _disagreement(runs) or _says_nothing(statements)
    if problem is not None:
        return Result("error", reason=problem)
    asked = bounds and KERNEL in engines
    if asked and violation(claim, claim.every_size, QUICK_TRIES) is None:
        lifted = prove(claim)
        if not isinstance(lifted, str):
            return Result("proved", "all-sizes", evidence=lifted.entries())
    result = _refuted(claim, runs)
    if result is not None:
        return _fairly(claim, result, runs)
    if not runs and not bounds:
        return Result("unknown", reason=NOT_RUN)
    undecided = _undecided(runs)
    if undecided is not None:
        return Result("unknown", reason=undecided)
    if bounds:
        return _unbounded(claim, engines, lifted or "")
    result = _proved(claim, runs)
    if KERNEL in engines and result.verdict == "proved":
        return _lifted(result, lifted or prove(claim))
    return result


def _holds(runs: list[Run]) -> bool:
    return bool(runs) and all(shown is True for run in runs for _, shown in run.found)


def _by_kernel_alone(proof: Proof | str) -> Result:
    if isinstance(proof, str):
        return Result("unknown", reason=proof)
    return Result("proved", "all-sizes", evidence=proof.entries())


def _lifted(result: Result, proof: Lifted) -> Result:
    """A proof for all sizes widens the scope; why there is none is said."""
    from .all_sizes import Unsafe

    if isinstance(proof, Unsafe):
        return Result("unknown", reason=str(proof))
    if isinstance(proof, str):
        result.reason = proof
    elif proof is not None:
        result.scope = "all-sizes"
        result.evidence = [*result.evidence, *proof.entries()]
    return result


def _runs(claim: Claim, engine: Engine, everywhere: bool) -> list[Run]:
    """The engine at each of its sizes, up to the first that refutes; nothing if the claim is not for it."""
    runs = []
    for sizes in engine.sizes(claim, everywhere):
        try:
            statements = engine.statements(claim, sizes)
        except NotPolynomial:
            return []
        runs.append(Run(engine.name, dict(sizes), [(s, truth(s)) for s in statements]))
        if any(shown is False for _, shown in runs[-1].found):
            break
    return runs


def _refuted(claim: Claim, runs: list[Run]) -> Result | None:
    """The first failure: where an engine found one, else where points can show one."""
    found = None
    for run in runs:
        for part, (statement, shown) in enumerate(run.found):
            if shown is False and found is None:
                if isinstance(statement, Differs):
                    found = agreement(claim, run.sizes, part)
                else:
                    found = violation(claim, [run.sizes]) or violation(claim, claim.every_size)
    if found is None and (not runs or _has(runs, AtMost)):
        found = _bound_violation(claim)
    if found is None:
        for part in _parts(runs, Determines):
            found = found or collision(claim, claim.every_size, part)
    return _not_approached(claim, runs) if found is None else _refutation(found)


def _refutation(found: Counterexample) -> Result:
    entry = {
        "method": "counterexample",
        "scope": None,
        "sizes": [found.sizes],
        "engine": "rational",
    }
    where = f" ({found.label})" if found.label else ""
    return Result(
        "refuted",
        reason=f"false at {_sizes_text(found.sizes)}{where}",
        evidence=[{**entry, "axioms": []}],
        counterexample=found,
    )


def _not_approached(claim: Claim, runs: list[Run]) -> Result | None:
    """The first `Approached` statement that an argument about limits refutes."""
    from .limits import refute

    reason = None
    for run in runs if claim.kind == "existence" else ():
        for part, (statement, _) in enumerate(run.found):
            if not isinstance(statement, Approached):
                continue
            found = refute(claim, run.sizes, part)
            if isinstance(found, str):
                reason = reason or found
                continue
            shown, steps = found
            entry = {"method": "limit", "scope": None, "sizes": [shown.sizes], "engine": "flint"}
            return Result(
                "refuted",
                reason=f"no choice of parameters comes near at {_sizes_text(shown.sizes)}",
                evidence=[{**entry, "axioms": [], "steps": steps}],
                counterexample=shown,
            )
    return None if reason is None else Result("unknown", reason=reason)


def _bound_violation(claim: Claim) -> Counterexample | None:
    """Where conditions are met with equality half the draws do, and fewer where smaller sizes show nothing."""
    if not _hypotheses(claim):
        return violation(claim, claim.every_size, BOUND_TRIES)
    first, later = claim.every_size[:TRIED_WELL], claim.every_size[TRIED_WELL:]
    return violation(claim, first, BOUND_TRIES // 2) or violation(claim, later)


def _fairly(claim: Claim, result: Result, runs: list[Run]) -> Result:
    """An existence claim is refuted for all parameters at once only; for the rest, what small change would help?"""
    found = result.counterexample
    if found is None or found.lines:
        return result
    if claim.kind == "existence":
        there = [run for run in runs if run.sizes == found.sizes]
        statement = there[0].found[found.part][0] if there else None
        asked = why_not_collision if found.collision else why_not
        others_might = asked(claim, found.sizes, statement)
        if others_might is not None:
            return Result("unknown", reason=others_might)
    result.near_misses = near_misses(claim)
    return result


def _undecided_bounds(runs: list[Run], statements: list[list[Statement]]) -> bool:
    """Whether there are bounds that symbols alone do not decide; where no engine ran, they decide none."""
    if not runs:
        return any(isinstance(s, AtMost) for found in statements for s in found)
    return any(shown is None and isinstance(s, AtMost) for run in runs for s, shown in run.found)


def _unbounded(claim: Claim, engines: Sequence[Engine], why: Lifted) -> Result:
    """A claim with bounds that neither a counterexample nor the kernel decides."""
    if KERNEL not in engines:
        text = "a bound is proved for all sizes, by the kernel, which was not asked"
    else:
        text = f"{why}{_unused(claim)}"
    return Result("unknown", reason=f"no counterexample was found; {text}")


def _hypotheses(claim: Claim) -> set[str]:
    """The conditions that are bounds, which a proof can use, and near which points are looked for."""
    for sizes in claim.every_size if claim.assuming else ():
        for point in candidates(claim, sizes, 1):
            with suppress(DivisionByZero, ZeroDivisionError, NotPolynomial):
                return set(assumed(claim, sizes, constants(claim, FlintRootsField(), point)))
    return set()


def _unused(claim: Claim) -> str:
    """Which conditions no proof can use."""
    texts = [text for text in claim.assuming if text not in _hypotheses(claim)]
    if not texts:
        return ""
    return (
        f"; no hypothesis, since it answers True or False instead of at_most(…): {'; '.join(texts)}"
    )


def _undecided(runs: list[Run]) -> str | None:
    """Why the statements other than bounds are not all shown, or None if they are."""
    if any(shown is False for run in runs for _, shown in run.found):
        return "equality could not be shown, and no counterexample was found"
    if _has(runs, Determines):
        return "no two inputs with equal statistics and different values were found"
    if _has(runs, Approached):
        return "nothing shows that no parameters come near"
    return None


def _proved(claim: Claim, runs: list[Run]) -> Result:
    """Everything symbolic holds; the statements that need a witness still have to show theirs."""
    evidence = []
    for engine in dict.fromkeys(run.engine for run in runs):
        if _has(runs, Equal) or _has(runs, AtMost):
            sizes = [run.sizes for run in runs if run.engine == engine]
            evidence.append(_entry("identity", sizes, engine))
    for run in (r for r in runs if r.engine == runs[0].engine):
        for part, (statement, _) in enumerate(run.found):
            if isinstance(statement, Differs):
                point = difference(claim, run.sizes, part)
                if point is None:
                    return Result(
                        "unknown", reason="no inputs were found for which the two sides differ"
                    )
                evidence.append({**_entry("witness", [run.sizes]), "inputs": inputs_as_text(point)})
    for part in _parts(runs, Undetermined):
        for sizes in claim.every_size:  # it is said of each of them
            found = collision(claim, [sizes], part)
            if found is None:
                return Result(
                    "unknown",
                    reason="no two inputs with equal statistics and different values were found at "
                    f"{_sizes_text(sizes)}",
                )
            evidence.append({**_entry("witness", [sizes]), "inputs": found.inputs})
    largest = runs[-1].sizes
    if _contradicted(claim, largest):
        return Result(
            "error",
            reason=f"the engines find the claim true, plain numbers find it false at {largest}",
        )
    return Result("proved", "fixed-size", evidence=evidence)


def _entry(method: str, sizes: list[dict[str, int]], engine: str = "rational") -> dict[str, Any]:
    return {"method": method, "scope": "fixed-size", "sizes": sizes, "engine": engine, "axioms": []}


def _contradicted(claim: Claim, sizes: Sizes) -> bool:
    """Whether an independent evaluation in plain numbers contradicts an equation that the engines proved."""
    points = list(candidates(claim, sizes, 1))
    for point in (points[0], points[-1]):  # all ones, and a draw from the richest palette
        found = statements_at(claim, sizes, point) or []
        if any(isinstance(s, Equal) and difference_index(s) is not None for s in found):
            return True
    return False


def _at_points(claim: Claim) -> list[list[Statement]]:
    """The claim's statements at one point of each size, where no engine runs it."""
    return [found for sizes in claim.every_size for found in _some_statements(claim, sizes)]


def _some_statements(claim: Claim, sizes: Sizes) -> list[list[Statement]]:
    kept: list[list[Statement]] = []

    def keep(found: list[Statement]) -> bool:
        kept.append(found)
        return True

    find(claim, sizes, keep)
    return kept


def _has(runs: list[Run], kind: type) -> bool:
    return any(isinstance(s, kind) for run in runs for s, _ in run.found)


def _parts(runs: list[Run], kind: type) -> list[int]:
    return sorted({i for run in runs for i, (s, _) in enumerate(run.found) if isinstance(s, kind)})


def _can_be_met(claim: Claim) -> bool:
    return any(_some_statements(claim, sizes) for sizes in claim.every_size)


def _disagreement(runs: list[Run]) -> str | None:
    """Two engines that ran at one size must give every statement the same truth."""
    for one in runs:
        for other in runs:
            if one.sizes == other.sizes and [t for _, t in one.found] != [
                t for _, t in other.found
            ]:
                return (
                    f"engines {one.engine} and {other.engine} disagree at {_sizes_text(one.sizes)}"
                )
    return None


def _says_nothing(statements: list[list[Statement]]) -> str | None:
    """A comparison whose sides are empty at every size would be true of anything."""
    entries: dict[int, int] = {}
    for found in statements:
        for part, statement in enumerate(found):
            if isinstance(statement, Equal | Differs | AtMost):
                size = sides(statement)[0].entries.size
                entries[part] = max(entries.get(part, 0), size)
    empty = [part for part, size in entries.items() if size == 0]
    if not empty:
        return None
    return f"statement number {empty[0] + 1} compares arrays without entries at every size"


def _sizes_text(sizes: Sizes) -> str:
    return ", ".join(f"{k}={v}" for k, v in sizes.items()) or "the printed numbers"


def place(function: Any) -> str:
    """File and line of a definition, within the package or by its file's name."""
    code = function.__code__
    path = Path(code.co_filename)
    module = function.__module__ or ""
    if module.startswith("scanproof."):
        return f"{'/'.join(path.parts[-module.count('.') :])}:{code.co_firstlineno}"
    return f"{path.name}:{code.co_firstlineno}"
