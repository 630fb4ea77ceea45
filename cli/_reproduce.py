"""`scanproof reproduce`: the sources' tables and figures beside exact expected losses, and beside trained models."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ._options import choice, flag

if TYPE_CHECKING:
    from scanproof.numeric.studies.reproduce.report import Report

FORMATS = ("table", "json")

Rows = Annotated[list[str] | None, typer.Argument(metavar="ROW", hidden=True)]
Quick = Annotated[bool, flag("--quick", "Train first: short runs, in minutes (with --output).")]
Full = Annotated[
    bool, flag("--full", "Train first: the sources' settings, often for a GPU (with --output).")
]
Output = Annotated[
    Path | None,
    typer.Option("--output", metavar="DIR", help="Where training writes results, and reads them."),
]
Format = Annotated[str, choice("--format", FORMATS, "How it is written.")]


def reproduce(
    rows: Rows = None,
    quick: Quick = False,
    full: Full = False,
    output: Output = None,
    format: Format = "table",
) -> None:
    """Print a table's numbers beside the exact expected ones.

    ROW is a table or a figure such as gril.table6; all of them if none is given. Each printed loss
    stands beside the exact expected loss of its learner, a rational number, and beside models
    trained here, where results are recorded. Without --quick or --full nothing is trained.
    """
    from scanproof.constructs.errors import UsageError
    from scanproof.numeric.studies.reproduce.report import SCHEMA, report
    from scanproof.numeric.studies.reproduce.rows import ROWS, row_of
    from scanproof.proofs.expected.recorded import PRESETS

    from ._output import as_json, write

    if quick and full:
        raise UsageError("--quick and --full: give one of them; each is a preset of its own.")
    asked, presets = [row_of(id) for id in rows or ROWS], PRESETS
    if quick or full:
        if not rows:
            raise UsageError("--quick, --full: name the rows to train for, such as gril.table6.")
        if output is None:
            raise UsageError("--quick, --full: give --output DIR, the folder for results.")
        presets = ("quick" if quick else "full",)
        _train([row.id for row in asked], presets[0], output)
    if output is not None and not output.is_dir():
        raise UsageError(
            f"--output {output}: no such folder; train into it with --quick or --full."
        )
    found = [report(row, output, presets=presets) for row in asked]
    if format == "json":
        write(as_json({"schema": SCHEMA, "rows": [one.as_dict() for one in found]}))
    else:
        write("\n".join(_table(one) for one in found))


def _train(rows: list[str], preset: str, output: Path) -> None:
    """Train what the rows need, an experiment of several rows once; each row's record is left in the folder."""
    from scanproof.constructs.errors import UsageError
    from scanproof.proofs.report.progress import progress

    from ._interrupts import heard
    from ._output import quiet_stdout

    try:
        from scanproof.numeric.studies.training.experiments import find
        from scanproof.numeric.studies.training.rows import train_row
    except ImportError as error:
        raise UsageError(f"--{preset}: training is not there: {error}.") from error
    with heard(), quiet_stdout(), progress("training") as advance:
        for experiment in dict.fromkeys(find(row).id for row in rows):
            train_row(experiment, preset, output, on_progress=advance)


def _table(found: Report) -> str:
    from tabulate import tabulate

    from ._output import columns

    row = found.row
    head = [f"{row.id} ({row.where}): {found.verdict}", f"  {row.setting}"]
    if found.recorded is not None:
        head.append(f"  trained here: preset {found.recorded.preset}, {found.recorded.device}")
    lines = list(_lines(found))
    names = ("figure", "printed", "exact expected", "of", "agrees", "trained here", "agrees")
    body = tabulate(lines, names, tablefmt="plain", disable_numparse=True) if lines else ""
    relations = [f"  {word}: {says}" for word, says in found.said()]
    why = textwrap.wrap(found.reason, columns() - 4, initial_indent="  ", subsequent_indent="    ")
    shown = [f"  {line.rstrip()}" for line in body.splitlines()]
    return "\n".join([*head, "", *shown, *relations, "", *why]) + "\n"


def _lines(found: Report) -> Iterator[tuple[str, ...]]:
    for one, said in zip(found.row.figures(), found.as_dict()["figures"], strict=True):
        here, (printed, trained) = said["trained"], found.words(one)
        decimal = f"{float(one.expected):.4f}" if one.expected else "0"
        yield (
            one.says,
            str(one.printed or "—"),
            f"{one.expected} = {decimal}" if 1 < len(str(one.expected)) < 12 else decimal,
            one.of,
            printed,
            "—" if here is None else f"{here['mean']:.4f} ± {here['spread']:.2g}",
            trained,
        )
