"""Pages made from the ledger: written to a folder, or compared with those that are there."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import typer

from scanproof.constructs.errors import UsageError
from scanproof.proofs.decide.files import replace
from scanproof.proofs.report.progress import progress

from ._output import say, write
from ._targets import core

Made = Callable[[Any, Mapping[str, Any]], Mapping[str, str]]
"""From the rows and their report to the pages, each by the name of its source."""


def pages(command: str, output: Path, source: str | None, check: bool, made: Made) -> None:
    """Check the claims of the source, or of all, and write their pages.

    Args:
        command: what writes them, for the message that one is not current.
        output: the folder.
        source: None for every source.
        check: write nothing, and exit with 1 if a page is missing or not current.
        made: makes the pages.

    Raises:
        UsageError: if the folder cannot be written to, or a claim is an error.
    """
    from scanproof.proofs.decide.row_verdicts import check as checked
    from scanproof.proofs.report.standing import statements

    if not check:
        _make_folder(output)
    chosen = core(source)
    with progress("checking") as advance:
        report = checked(chosen.ledger, chosen.rows, progress=advance)
    every = [s for claim in report["claims"] for s, _ in statements(claim)]
    errors = [s for s in every if s["verdict"] == "error"]
    if errors:
        raise UsageError(
            f"no page was written, since {errors[0]['id']} is an error: {errors[0]['reason']}"
        )
    found = {output / f"{name}.md": text for name, text in made(chosen.rows, report).items()}
    if check:
        old = [path for path, text in found.items() if not _is_current(path, text)]
        for path in old:
            say(f"{path} is not current; `scanproof {command} --output {output}` writes it.")
        raise typer.Exit(1 if old else 0)
    for path, text in found.items():
        try:
            replace(path, text)
        except OSError as error:
            raise UsageError(f"{path}: cannot write there: {error.strerror}.") from error
        write(f"{path}\n")


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        why = "it is a file" if isinstance(error, FileExistsError) else error.strerror
        raise UsageError(
            f"--output {folder}: cannot make this folder: {why}; name another one."
        ) from error
    if not os.access(folder, os.W_OK):
        raise UsageError(f"--output {folder}: cannot write there; name another folder.")


def _is_current(path: Path, text: str) -> bool:
    """Whether the page says this; line numbers of definitions, which move with every edit, do not count."""
    try:
        return _without_numbers(path.read_text(encoding="utf-8")) == _without_numbers(text)
    except (OSError, UnicodeDecodeError):
        return False


def _without_numbers(text: str) -> str:
    return re.sub(r"\.py(:|#L)\d+", ".py", text)
