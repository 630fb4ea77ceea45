"""From a row's id to the statement that runs: its strongest proved parameters, or those as printed."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from scanproof.constructs.errors import UsageError
from scanproof.constructs.layers.sequence import Network
from scanproof.proofs.decide.construction import construct, quick_verdict
from scanproof.proofs.decide.ledger import built_in
from scanproof.proofs.language.claim import Claim
from scanproof.proofs.language.source import Row

from .layer_runners import runner

WHY_NOT = {
    "identity": "it is an identity between expressions, without a layer to run",
    "bound": "it is a bound on error terms, without a layer of its own to run",
    "remark": "it is a remark on layers, not one of them",
    "complexity": "it is a statement of complexity theory",
    "empirical": "its parameters were trained, not constructed",
    "definition": "it defines a layer, but no parameters for it",
    "existence": "no parameters are known that do it",
    "construction": "it is not about what a layer with known parameters predicts",
}


def runnable() -> list[str]:
    """The ids of the rows that have a construction, in the ledger's order."""
    return [row.claim.id for row in built_in().rows if _constructed(row)]


@functools.cache
def constructed() -> dict[str, Claim]:
    """The statements that have a construction, as stated or amended, by id."""
    return {claim.id: claim for row in built_in().rows for claim in _constructed(row)}


def find(id: str, as_stated: bool = False) -> tuple[Claim, str]:
    """The statement to run, and its verdict.

    Args:
        id: a row's id, with or without "-construction", or an amendment's id. An amendment is taken as it is; of a row
            the first statement that is proved, the row's own before its amendments.
        as_stated: take the parameters as printed, whatever the verdict.

    Raises:
        UsageError: for an unknown id, or a row or statement that does not run; those that do are listed.
    """
    row = _row(id)
    for amendment in row.amendments:
        if amendment.id == id:
            if not _runs(amendment):
                raise _does_not_run(row, id)
            return amendment, quick_verdict(amendment)
    if not _constructed(row):
        raise _does_not_run(row, id)
    if as_stated:
        if not _runs(row.claim):
            raise UsageError(
                f"run {id} --as-stated: the statement as printed has no parameters that run; leave --as-stated out, "
                f"and {', '.join(c.id for c in _constructed(row))} is run."
            )
        return row.claim, quick_verdict(row.claim)
    for claim in _constructed(row):
        if (verdict := quick_verdict(claim)) == "proved":
            return claim, verdict
    raise UsageError(
        f"run {id}: none of its statements is proved; --as-stated runs the parameters as printed."
    )


def parameters(claim: Claim, values: Mapping[str, Any]) -> Any:
    """The layer's parameters at these sizes, step size and extra values; None if it has none."""

    def made(**values: Any) -> Any:
        needed = {name: value for name, value in values.items() if name in claim.needed}
        return construct(claim.id, as_stated=True, **needed).parameters

    assert claim.construction is not None
    return runner(claim.construction).made(claim, values, made)


def _row(id: str) -> Row:
    """The row of an id.

    Raises:
        UsageError: if there is none, or `id` is a pattern.
    """
    ledger = built_in()
    for wanted in (id, f"{id}-construction"):
        for row in ledger.rows:
            if any(c.id == wanted for c in (row.claim, *row.amendments)):
                return row
    matched = ledger.select([id])  # an unknown id is answered with the nearest ones
    known = [row.claim.id for row in matched if _constructed(row)] or ["none that runs"]
    raise UsageError(f"run {id}: give one id, not a pattern; it matches {', '.join(known)}.")


def _constructed(row: Row) -> list[Claim]:
    return [claim for claim in (row.claim, *row.amendments) if _runs(claim)]


def _runs(claim: Claim) -> bool:
    return claim.construction is not None and not isinstance(claim.construction.layer, Network)


def _does_not_run(row: Row, id: str) -> UsageError:
    why = WHY_NOT.get(row.claim.kind, "it has no layer to run")
    if row.claim.construction is not None and not _runs(row.claim):
        why = f"it is a whole network, which runs as weights of its own: scanproof export {row.claim.id}"
    return UsageError(
        f"run {id}: there is nothing to run, {why}; rows that run: {', '.join(runnable())}."
    )
