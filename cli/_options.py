"""Options that several commands take, and options that allow only some values."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Annotated, Any

import typer


def choice(option: str, allowed: Collection[str], help: str = "How it is written.") -> Any:
    """An option that allows only these values.

    Raises:
        UsageError: for another value, when the command line is read; the message names those allowed.
    """

    def one_of(value: str | None) -> str | None:
        from scanproof.constructs.errors import UsageError, nearest

        if value is not None and value not in allowed:
            known = f"{nearest(value, allowed)}; allowed: {', '.join(allowed)}"
            raise UsageError(f"{option} {value}: no such value{known}.")
        return value

    return typer.Option(option, metavar="|".join(allowed), help=help, callback=one_of)


def option(metavar: str, help: str) -> Any:
    """An option with a value, named as its parameter."""
    return typer.Option(metavar=metavar, help=help)


def count(option: str, metavar: str, help: str) -> Any:
    """An option for how many: a whole number, at least 1.

    Raises:
        UsageError: for another one, when the command line is read.
    """

    def whole(value: int | None) -> int | None:
        from scanproof.proofs.language.sizes import whole

        return None if value is None else whole(f"{option} {value}", value)

    return typer.Option(option, metavar=metavar, help=help, callback=whole)


def flag(name: str, help: str) -> Any:
    """An option without a value, which is off where it is not given."""
    return typer.Option(name, help=help)


def given(context: typer.Context) -> dict[str, Any]:
    """A command's arguments and options by name, without the format of its output."""
    return {name: value for name, value in context.params.items() if name != "format"}


# Hidden, because the text of a command's help says more about them than a table of arguments can.
Targets = Annotated[
    list[str] | None, typer.Argument(metavar="TARGET", hidden=True, show_default=False)
]
OneClaim = Annotated[list[str], typer.Argument(metavar="[FILE.py] ID", hidden=True)]
SourceName = Annotated[
    str | None, typer.Option("--source", metavar="NAME", help="Only claims of this source.")
]
TimeLimit = Annotated[
    float,
    option("SECONDS", "Seconds that one claim, or program, may take; then it is unknown."),
]
"""300 by default, as `budget.TIME_LIMIT` says, which commands do not import to print their help."""
MemoryLimit = Annotated[
    str | None,
    typer.Option(
        metavar="4G",
        show_default=False,
        help="Memory that one claim, or program, may hold; then it is unknown. [default: half of the "
        "machine's, divided by how many are decided side by side]",
    ),
]
PagesFolder = Annotated[
    Path, typer.Option("--output", metavar="DIR", help="The folder of the pages.")
]
PagesCheck = Annotated[
    bool,
    typer.Option("--check", help="Write nothing; exit 1 if a page is missing or not current."),
]
