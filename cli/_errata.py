"""`scanproof errata`: a page for each source with the lines that fail and what mends them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ._options import SourceName


def errata(
    output: Annotated[Path, typer.Option(metavar="DIR", help="The folder of the pages.")],
    source: SourceName = None,
    check: Annotated[
        bool,
        typer.Option("--check", help="Write nothing; exit 1 if a page is missing or not current."),
    ] = False,
) -> None:
    """Write the errata pages, one for each source with something that fails."""
    from scanproof.proofs.decide.rows import check as checked
    from scanproof.proofs.language.errors import UsageError
    from scanproof.proofs.report.errata import errata as page
    from scanproof.proofs.report.measured import figures_beside

    from ._output import say, write
    from ._progress import progress
    from ._targets import core

    if not check:
        _make_folder(output)
    chosen = core(source)
    with progress("checking") as tell:
        report = checked(chosen.ledger, chosen.rows, progress=tell)
    errors = [
        s
        for c in report["claims"]
        for s in (c["as_stated"], *c["amended"])
        if s["verdict"] == "error"
    ]
    if errors:
        raise UsageError(
            f"no page was written, since {errors[0]['id']} is an error: {errors[0]['reason']}"
        )
    failing = {c["source"] for c in report["claims"] if c["as_stated"]["verdict"] == "refuted"}
    figures = figures_beside(output)
    pages = {
        output / f"{name}.md": page(report, name, figures)
        for name in report["sources"]
        if name in failing
    }
    if check:
        old = [path for path, text in pages.items() if not _is_current(path, text)]
        for path in old:
            say(f"{path} is not current; `scanproof errata --output {output}` writes it.")
        raise typer.Exit(1 if old else 0)
    for path, text in pages.items():
        _write(path, text)
        write(f"{path}\n")


def _make_folder(folder: Path) -> None:
    import os

    from scanproof.proofs.language.errors import UsageError

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        why = "it is a file" if isinstance(error, FileExistsError) else error.strerror
        raise UsageError(
            f"--output {folder}: cannot make this folder: {why}; name another one."
        ) from error
    if not os.access(folder, os.W_OK):
        raise UsageError(f"--output {folder}: cannot write there; name another folder.")


def _write(path: Path, text: str) -> None:
    from scanproof.proofs.decide.files import replace
    from scanproof.proofs.language.errors import UsageError

    try:
        replace(path, text)
    except OSError as error:
        raise UsageError(f"{path}: cannot write there: {error.strerror}.") from error


def _is_current(path: Path, text: str) -> bool:
    try:
        return path.read_text(encoding="utf-8") == text
    except (OSError, UnicodeDecodeError):
        return False
