"""Rows that rest on others: what they need, that they do not run in a circle, and which of them rest on sand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from scanproof.constructs.errors import UsageError

from ..check.result import Result
from ..language.claim import Claim
from ..language.fields import nearest

SETTLED = ("refuted", "not-checkable", "error")
"""Verdicts that rest on nothing: a counterexample speaks for itself. An argument about limits does not."""


def needed(claims: Sequence[Claim], known: Mapping[str, Claim]) -> list[Claim]:
    """The claims, besides these, that these depend on, directly or not.

    Args:
        claims: those that are checked.
        known: every claim by its id.

    Raises:
        UsageError: if a claim depends on one that there is not, or on itself by way of others.
    """
    known = {**known, **{claim.id: claim for claim in claims}}
    done: dict[str, Claim] = {}
    for claim in claims:
        path, waiting = [claim], [iter(claim.depends_on)]
        while waiting:
            id = next(waiting[-1], None)
            if id is None:
                waiting.pop()
                last = path.pop()
                done[last.id] = last
            elif id not in known:
                raise UsageError(
                    f"claim {path[-1].id} depends on {id!r}, which is no claim{nearest(id, known)}; "
                    "correct depends_on=."
                )
            elif id in (on_path := [one.id for one in path]):
                circle = " → ".join([*on_path[on_path.index(id) :], id])
                raise UsageError(
                    f"claims depend on each other in a circle: {circle}; correct depends_on=."
                )
            elif id not in done:
                path.append(known[id])
                waiting.append(iter(known[id].depends_on))
    own = {claim.id for claim in claims}
    return [claim for id, claim in done.items() if id not in own]


def tainted(claims: Iterable[Claim], results: Mapping[str, Result]) -> set[str]:
    """The ids of those that rest on an axiom that nothing discharges, or on a row that is not proved or is tainted."""
    claims = list(claims)
    found = {claim.id for claim in claims if results[claim.id].unfounded}
    shown = {claim.id for claim in claims if results[claim.id].verdict == "proved"}
    settled = {claim.id for claim in claims if _is_settled(results[claim.id])}
    while True:
        sound = shown - found
        new = {c.id for c in claims if not sound.issuperset(c.depends_on)} - settled - found
        if not new:
            return found
        found |= new


def _is_settled(result: Result) -> bool:
    return result.verdict in SETTLED and not any(e["method"] == "limit" for e in result.evidence)
