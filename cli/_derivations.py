"""`scanproof derivations`: a page for each source with its proofs line by line."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ._options import SourceName


def derivations(
    output: Annotated[Path, typer.Option(metavar="DIR", help="The folder of the pages.")],
    source: SourceName = None,
    check: Annotated[
        bool,
        typer.Option("--check", help="Write nothing; exit 1 if a page is missing or not current."),
    ] = False,
) -> None:
    """Write the pages of derivations, one for each source."""
    from scanproof.proofs.decide.rows import check as checked
    from scanproof.proofs.language.errors import UsageError
    from scanproof.proofs.report.derivation.pages import pages
    from scanproof.proofs.report.derivation.told import tell_all
    from scanproof.proofs.report.measured import figures_beside

    from ._errata import _make_folder, _write
    from ._output import say, write
    from ._progress import progress
    from ._targets import core

    if not check:
        _make_folder(output)
    chosen = core(source)
    with progress("checking") as tell:
        report = checked(chosen.ledger, chosen.rows, progress=tell)
    wrong = [c["as_stated"] for c in report["claims"] if c["as_stated"]["verdict"] == "error"]
    if wrong:
        raise UsageError(f"no page was written, since {wrong[0]['id']} is an error.")
    found = {
        output / f"{name}.md": text
        for name, text in pages(
            tell_all(chosen.rows, report), report, figures_beside(output)
        ).items()
    }
    if check:
        old = [path for path, text in found.items() if not _is_current(path, text)]
        for path in old:
            say(f"{path} is not current; `scanproof derivations --output {output}` writes it.")
        raise typer.Exit(1 if old else 0)
    for path, text in found.items():
        _write(path, text)
        write(f"{path}\n")


def _is_current(path: Path, text: str) -> bool:
    """Whether the page says this; line numbers of definitions, which move with every edit, do not count."""
    try:
        return _without_numbers(path.read_text(encoding="utf-8")) == _without_numbers(text)
    except (OSError, UnicodeDecodeError):
        return False


def _without_numbers(text: str) -> str:
    import re

    return re.sub(r"\.py(:|#L)\d+", ".py", text)
