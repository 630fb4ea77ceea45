"""`scanproof list`: every id with what its claim says, in a line; nothing is checked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ._options import SourceName, Targets, choice

if TYPE_CHECKING:
    from scanproof.proofs.language.claim import Claim
    from scanproof.proofs.language.source import Row

FORMATS = ("text", "json")
SCHEMA = "scanproof.list/1"
WIDEST = 38
"""The widest column of ids; what a longer one names begins further right."""
GAP = "  "
LEAST = 16
"""Where fewer columns are left, what a claim says has a line of its own."""


def list_claims(
    targets: Targets = None,
    source: SourceName = None,
    format: Annotated[str, choice("--format", FORMATS)] = "text",
) -> None:
    """List claims and what they say, without checking them.

    On a terminal each claim has a line, which is cut where it does not fit; in a pipe all of it is written.
    """
    from ._output import as_json, quiet_stdout, say, terminal_columns, write
    from ._targets import resolve

    with quiet_stdout():
        chosen = resolve(targets or [], source)
    claims = [(row, claim) for row in chosen.rows for claim in (row.claim, *row.amendments)]
    if format == "json":
        write(as_json({"schema": SCHEMA, "claims": [_record(*one) for one in claims]}))
    else:
        write(_listed([(claim.id, _said(claim)) for _, claim in claims], terminal_columns()))
    for problem in chosen.problems:
        say(problem)
    raise typer.Exit(3 if chosen.problems else 0)


def _record(row: Row, claim: Claim) -> dict[str, Any]:
    from scanproof.proofs.decide.places import written

    return {
        "id": claim.id,
        "amends": claim.amends,
        "source": claim.source,
        "where": claim.where,
        "kind": claim.kind,
        "says": claim.says,
        "given": dict(claim.given),
        "written": written(row.places.get(claim.id)),
    }


def _said(claim: Claim) -> str:
    """Where the source says it, and what; an amendment is at the place of its claim."""
    from scanproof.proofs.report.words import one_line

    where = "" if claim.amends else claim.where
    return one_line(f"{where}: {claim.says}" if where else claim.says)


def _listed(rows: Sequence[tuple[str, str]], width: int | None) -> str:
    from rich.cells import cell_len

    from scanproof.proofs.report.words import cut

    ids = min(max((cell_len(id) for id, _ in rows), default=0), WIDEST)
    lines = []
    for id, said in rows:
        begin = id + " " * max(ids - cell_len(id), 0) + GAP
        room = None if width is None else width - cell_len(begin)
        if room is not None and room < LEAST:
            lines += [id, GAP * 2 + cut(said, max(width or 0, LEAST) - len(GAP * 2))]
        else:
            lines.append(begin + (said if room is None else cut(said, room)))
    return "".join(f"{line.rstrip()}\n" for line in lines)
