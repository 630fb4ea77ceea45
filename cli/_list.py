"""`scanproof list`: every id, with its kind and where it stands; nothing is checked."""

from __future__ import annotations

from ._options import SourceName, Targets


def list_claims(targets: Targets = None, source: SourceName = None) -> None:
    """List claims without checking them."""
    import typer
    from tabulate import tabulate

    from ._output import quiet_stdout, say, write
    from ._targets import resolve

    with quiet_stdout():
        chosen = resolve(targets or [], source)
    rows = [
        [claim.id, claim.kind, claim.where]
        for row in chosen.rows
        for claim in (row.claim, *row.amendments)
    ]
    if rows:
        text = tabulate(
            rows, headers=["id", "kind", "where"], tablefmt="simple", disable_numparse=True
        )
        write("\n".join(line.rstrip() for line in text.splitlines()) + "\n")
    for problem in chosen.problems:
        say(problem)
    raise typer.Exit(3 if chosen.problems else 0)
