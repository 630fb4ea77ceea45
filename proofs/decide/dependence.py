"""Rows that rest on others: what they need, that there is no cycle among them, and which of them are unsupported."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter

from scanproof.constructs.errors import UsageError, nearest

from ..check.result import Result
from ..language.claim import Claim

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
    rests: dict[str, tuple[str, ...]] = {}
    waiting = [claim.id for claim in claims]
    while waiting:
        claim = known[waiting.pop()]
        rests[claim.id] = claim.depends_on
        for id in claim.depends_on:
            if id not in known:
                raise UsageError(
                    f"claim {claim.id} depends on {id!r}, which is not a claim{nearest(id, known)}; "
                    "correct depends_on=."
                )
        waiting += [id for id in claim.depends_on if id not in rests]
    try:
        ordered = list(TopologicalSorter(rests).static_order())
    except CycleError as error:
        cycle = error.args[1][:0:-1]
        first = cycle.index(min(cycle))
        text = " → ".join([*cycle[first:], *cycle[: first + 1]])
        raise UsageError(
            f"claims depend on each other in a cycle: {text}; correct depends_on=."
        ) from None
    own = {claim.id for claim in claims}
    return [known[id] for id in ordered if id not in own]


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
