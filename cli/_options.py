"""Options that several commands take, and the check that a value is among those allowed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

# Hidden, because the help of a command says more of them than a table of arguments can.
Targets = Annotated[
    list[str] | None, typer.Argument(metavar="TARGET", hidden=True, show_default=False)
]
SourceName = Annotated[
    str | None, typer.Option("--source", metavar="NAME", help="Only claims of this source.")
]
PagesFolder = Annotated[
    Path, typer.Option("--output", metavar="DIR", help="The folder of the pages.")
]
PagesCheck = Annotated[
    bool,
    typer.Option("--check", help="Write nothing; exit 1 if a page is missing or not current."),
]


def one_of(option: str, value: str, allowed: Sequence[str]) -> str:
    """The value, if it is among those allowed.

    Raises:
        UsageError: if it is not; the allowed ones are named.
    """
    from scanproof.constructs.errors import UsageError

    if value not in allowed:
        raise UsageError(f"{option} {value}: no such value; allowed: {', '.join(allowed)}.")
    return value
