"""`scanproof list`: every id, with its kind and where it stands; nothing is checked."""

from __future__ import annotations

import textwrap

from ._options import SourceName, Targets

HEADERS = ["id", "kind", "where"]
GAP = "  "
"""What tabulate puts between columns."""
MARGIN = "    "
LEAST = 16
"""The narrowest that the last column may be; with less room an id gets a line of its own."""


def list_claims(targets: Targets = None, source: SourceName = None) -> None:
    """List claims without checking them."""
    import typer

    from ._output import quiet_stdout, say, terminal_columns, write
    from ._targets import resolve

    with quiet_stdout():
        chosen = resolve(targets or [], source)
    rows = [
        [claim.id, claim.kind, claim.where]
        for row in chosen.rows
        for claim in (row.claim, *row.amendments)
    ]
    if rows:
        write(_listed(rows, terminal_columns()))
    for problem in chosen.problems:
        say(problem)
    raise typer.Exit(3 if chosen.problems else 0)


def _listed(rows: list[list[str]], width: int | None) -> str:
    """A table; on a terminal too narrow for it the last column is wrapped, or stands under the id."""
    room = width and width - sum(max(map(len, column)) + len(GAP) for column in _first_two(rows))
    if room is not None and room < LEAST:
        return "".join(f"{id}\n{_under(kind, where, width or 0)}\n" for id, kind, where in rows)
    if room is not None:
        rows = [[id, kind, "\n".join(textwrap.wrap(where, room))] for id, kind, where in rows]
    from tabulate import tabulate

    text = tabulate(rows, headers=HEADERS, tablefmt="simple", disable_numparse=True)
    return "\n".join(line.rstrip() for line in text.splitlines()) + "\n"


def _first_two(rows: list[list[str]]) -> list[list[str]]:
    return [[header, *(row[i] for row in rows)] for i, header in enumerate(HEADERS[:2])]


def _under(kind: str, where: str, width: int) -> str:
    text = f"{kind}, {where}" if where else kind
    room = max(width, 2 * LEAST)
    return textwrap.fill(text, room, initial_indent=MARGIN, subsequent_indent=MARGIN)
