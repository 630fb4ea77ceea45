"""One claim in cases of its sizes: what each case claims, and what all of them together come to.

The cases are those of `language.partition`, so that they are all sizes. It holds for all sizes if it is proved in each
case, and is false if it is false in one. For claims whose body is a function of its arrays alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from scanproof.constructs.errors import UsageError

from ..language.claim import Claim
from ..language.partition import Case
from ..language.sizes import axes
from .result import Result, sizes_text

NEAR = (0, 1, 2)
"""A new size is tried at its least number and these beyond."""


def whole(claim: Claim) -> Case:
    """The one case that is all of the claim's sizes."""
    return Case(
        {name: name for name in claim.ranges},
        {name: min(values) for name, values in claim.ranges.items()},
    )


def restricted(claim: Claim, case: Case) -> Claim:
    """What the claim says in one case.

    Raises:
        UsageError: for a claim that speaks of its sizes besides, in its body or conditions.
    """
    if claim.assuming or claim.parameters is not None or claim.options:
        raise UsageError("cases are of claims whose body is a function of its arrays")
    given = {
        name: " ".join(case.within(one) for one in axes(text)) for name, text in claim.given.items()
    }
    own = {
        name: tuple(values) if case.least[name] == min(values) else ()
        for name, values in claim.ranges.items()
        if name in case.least
    }
    sizes = {n: own.get(n) or tuple(least + k for k in NEAR) for n, least in case.least.items()}
    return replace(claim, given=given, sizes=sizes)


def together(claim: Claim, found: Sequence[tuple[Case, Result]]) -> Result:
    """The verdict on the claim from those on all of its cases.

    A case of one choice of sizes at which nothing is compared decides nothing, unless all are such.
    """
    found = [one for one in found if one[0].least or not one[1].empty] or found
    for verdict in ("refuted", "error"):
        for case, result in found:
            if result.verdict == verdict:
                return _as_whole(case, result)
    evidence = [{**e, "case": str(c)} for c, result in found for e in result.evidence]
    definitions = sorted({one for _, result in found for one in result.definitions})
    open_cases = [(c, r) for c, r in found if not _is_proved(c, r)]
    if not open_cases:
        return Result("proved", "all-sizes", definitions=definitions, evidence=evidence)
    case, result = open_cases[0]
    verdict = "proved" if all(r.verdict == "proved" for _, r in found) else "unknown"
    scope = "fixed-size" if verdict == "proved" else None
    if verdict == "proved":
        evidence = [e for e in evidence if e["scope"] != "all-sizes"]
    return Result(
        verdict,
        scope,
        reason=f"in the case {case}: {result.reason}",
        definitions=definitions,
        evidence=evidence if verdict == "proved" else [],
    )


def _is_proved(case: Case, result: Result) -> bool:
    """Whether it holds at all sizes of the case; where that is one choice, an identity there is enough."""
    return result.verdict == "proved" and (not case.least or result.scope == "all-sizes")


def _as_whole(case: Case, result: Result) -> Result:
    shown = result.counterexample
    if shown is None:
        return result
    shown = replace(shown, sizes=case.at(shown.sizes))
    evidence = [{**one, "sizes": [shown.sizes]} for one in result.evidence]
    return replace(
        result,
        reason=f"false at {sizes_text(shown.sizes)}",
        evidence=evidence,
        counterexample=shown,
    )
