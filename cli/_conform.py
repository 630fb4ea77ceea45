"""`scanproof conform`: exported weights in the installed library, run every way it offers, against their bound."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ._options import choice, flag

if TYPE_CHECKING:
    from scanproof.numeric.conform.conforming import Conformance, Row

FORMATS = ("table", "json")


def conform(
    path: Annotated[Path, typer.Argument(metavar="DIR", hidden=True)],
    compiled: Annotated[bool, flag("--compile", "Run under torch.compile too: minutes.")] = False,
    format: Annotated[str, choice("--format", FORMATS)] = "table",
) -> None:
    """Try a library with weights whose answers are known.

    DIR is a folder that `scanproof export` wrote for transformers, flash-linear-attention or
    state-spaces/mamba. The installed library loads it and runs prompts whose answers the statement
    says: in one batch, one at a time, padded left and right, through a cache in two parts and token
    by token, in several chunk sizes and modes, by `generate`. Each answer is compared with the
    learner's, and their difference with the certified bound.

    \b
    Exit codes:
      0  every way that the library offers stays within the bound
      1  one of them does not, or raises an error
      3  a usage or tool error
    """
    from scanproof.numeric.conform.conforming import conform as conformed
    from scanproof.proofs.report.progress import lasting

    from ._interrupts import heard
    from ._output import as_json, quiet_stdout, write

    with heard(), quiet_stdout(), lasting("loading") as tell:
        found = conformed(path, compiled=compiled, tell=tell)
    write(as_json(found.as_dict()) if format == "json" else _table(found))
    raise typer.Exit(0 if found.holds else 1)


def _table(found: Conformance) -> str:
    from tabulate import tabulate

    from ._output import as_table

    versions = ", ".join(f"{name} {version}" for name, version in found.versions.items())
    head = as_table(
        [
            ("weights", f"{found.folder}, {found.target}, {found.dtype}"),
            ("statement", f"{found.statement}: {found.verdict}"),
            ("ran with", versions),
            ("bound", f"|prediction − learner| ≤ {found.bound:.4g}"),
            *(("not as said", f"{one} of the manifest") for one in found.contradicted),
        ]
    )
    rows = [(row.way, *_said(row)) for row in found.rows]
    body = tabulate(rows, ("way", "worst", ""), tablefmt="plain", disable_numparse=True)
    return head + "\n" + "\n".join(line.rstrip() for line in body.splitlines()) + "\n"


def _said(row: Row) -> tuple[str, str]:
    worst = "" if row.worst is None else f"{row.worst:.1e}"
    return worst, f"{row.status}: {row.why}" if row.why else row.status
