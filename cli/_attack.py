"""`scanproof attack`: mutants of what is proved, each refuted or shown to be equivalent."""

from __future__ import annotations

import textwrap

import typer

from ._options import SourceName, Targets

LAST = 44
"""Columns for the names of mutants."""


def attack(targets: Targets = None, source: SourceName = None) -> None:
    """Attack what is proved with mutants of it.

    Each construction (or claimed side) is changed a little, and the proof must notice.

    Exits with 1 if a mutant could neither be refuted nor be shown to be equivalent.
    """
    from ._output import quiet_stdout, say, write
    from ._progress import progress
    from ._targets import resolve
    from .proofs.evidence.attack import attack as attacked

    with quiet_stdout():
        chosen = resolve(targets or [], source)
        total = sum(1 + len(row.amendments) for row in chosen.rows)
        done = 0
        with progress("attacking") as tell:

            def begin(id: str) -> None:
                nonlocal done
                if tell is not None:
                    tell(id, done, total)
                done += 1

            records = attacked(chosen.rows, begin)
    write(_table(records))
    for problem in chosen.problems:
        say(problem)
    undecided = any(record["undecided"] for record in records)
    raise typer.Exit(3 if chosen.problems else int(undecided))


def _table(records: list[dict]) -> str:
    from tabulate import tabulate

    rows = [
        [
            r["id"],
            str(r["mutants"]),
            str(r["refuted"]),
            _names(r["equivalent"]),
            _names(r["undecided"], all_of_them=True),
        ]
        for r in records
    ]
    headers = ["id", "mutants", "refuted", "equivalent", "undecided"]
    align = ("left", "right", "right", "left", "left")
    text = (
        tabulate(rows, headers=headers, tablefmt="simple", disable_numparse=True, colalign=align)
        if rows
        else ""
    )
    counts = {key: sum(map(_size, (r[key] for r in records))) for key in headers[1:]}
    totals = (
        f"{len(records)} statements: {counts['mutants']} mutants, {counts['refuted']} refuted, "
        f"{counts['equivalent']} equivalent, {counts['undecided']} undecided."
    )
    return "\n".join([*(line.rstrip() for line in text.splitlines()), "", totals]) + "\n"


def _size(value: int | list[str]) -> int:
    return value if isinstance(value, int) else len(value)


def _names(names: list[str], *, all_of_them: bool = False) -> str:
    """The names, or their number and the first few where they are many."""
    few = names if all_of_them or len(names) <= 6 else [*names[:5], f"… ({len(names)} in all)"]
    return "\n".join(textwrap.wrap("; ".join(few), LAST, break_on_hyphens=False))
