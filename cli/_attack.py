"""`scanproof attack`: mutants of what is proved, each refuted or shown to be equivalent."""

from __future__ import annotations

import textwrap

import typer

from ._options import SourceName, Targets

COUNTS = "    mutants    refuted  "
"""What tabulate sets between the first column and the last."""
WIDTH, LEAST = 100, 24
"""Columns of the table, and the least for the names of mutants."""
FEW = 6


def attack(targets: Targets = None, source: SourceName = None) -> None:
    """Attack what is proved with mutants of it.

    Each construction (or claimed side) is changed a little, and the proof must notice. A change
    that is shown not to matter is called equivalent; if you name targets, all of these are listed.

    Exits with 1 if a mutant could neither be refuted nor be shown to be equivalent.
    """
    from scanproof.proofs.decide.attack import attack as attacked
    from scanproof.proofs.report.progress import progress

    from ._output import quiet_stdout, say, write
    from ._targets import resolve

    with quiet_stdout():
        chosen = resolve(targets or [], source)
        total = sum(1 + len(row.amendments) for row in chosen.rows)
        done = 0
        with progress("attacking") as advance:

            def begin(id: str) -> None:
                nonlocal done
                if advance is not None:
                    advance(id, done, total)
                done += 1

            records = attacked(chosen.rows, begin)
    write(_table(records, in_full=bool(targets)))
    for problem in chosen.problems:
        say(problem)
    undecided = any(record["undecided"] for record in records)
    raise typer.Exit(3 if chosen.problems else int(undecided))


def _table(records: list[dict], in_full: bool) -> str:
    from tabulate import tabulate

    taken = max((len(r["id"]) for r in records), default=0) + len(COUNTS)
    room = max(WIDTH - taken, LEAST)
    rows = [
        [r["id"], str(r["mutants"]), str(r["refuted"]), _rest(r, room, in_full)] for r in records
    ]
    headers = ["id", "mutants", "refuted", "the others"]
    align = ("left", "right", "right", "left")
    text = tabulate(rows, headers, "simple", disable_numparse=True, colalign=align) if rows else ""
    refuted = sum(r["refuted"] for r in records)
    equivalent = sum(len(r["equivalent"]) for r in records)
    undecided = sum(len(r["undecided"]) for r in records)
    totals = (
        f"{len(records)} statements: {sum(r['mutants'] for r in records)} mutants, {refuted} refuted, "
        f"{equivalent} equivalent, {undecided} undecided."
    )
    return "\n".join([*(line.rstrip() for line in text.splitlines()), "", totals]) + "\n"


def _rest(record: dict, room: int, in_full: bool) -> str:
    """The mutants that were not refuted, by number and name."""
    undecided, equivalent = record["undecided"], record["equivalent"]
    few = equivalent if in_full or len(equivalent) <= FEW else [*equivalent[: FEW - 1], "…"]
    texts = [f"{len(undecided)} undecided: {'; '.join(undecided)}"] if undecided else []
    texts += [f"{len(equivalent)} equivalent: {'; '.join(few)}"] if equivalent else []
    return "\n".join(
        line for text in texts for line in textwrap.wrap(text, room, break_on_hyphens=False)
    )
