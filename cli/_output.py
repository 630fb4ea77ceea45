"""Where results go: standard output, or a file that is written completely or not at all."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from scanproof.constructs.errors import UsageError
from scanproof.proofs.decide.files import as_bytes, replace, try_beside
from scanproof.proofs.report.words import one_line


def say(message: str) -> None:
    """One line on standard error."""
    print(f"scanproof: {one_line(message)}", file=sys.stderr)


def write(text: str) -> None:
    """Write to standard output; a reader that stops early (`| head`) is not an error.

    Raises:
        UsageError: if standard output cannot be written to (a full disk).
    """
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        # Python flushes once more when it exits, and would complain then.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            raise UsageError(f"cannot write to standard output: {error.strerror}.") from error


def as_json(value: Any, *, finite: bool = True) -> str:
    """The value as it is printed with --format json.

    Raises:
        ValueError: if a number in it is infinite or NaN, unless `finite` is false.
    """
    import json

    return json.dumps(value, indent=1, ensure_ascii=False, allow_nan=not finite) + "\n"


def as_table(rows: Iterable[Sequence[str]]) -> str:
    """Rows of a word and a text about it; rows without a text are left out."""
    from tabulate import tabulate

    said = [row for row in rows if row[1]]
    text = tabulate(said, tablefmt="plain", disable_numparse=True)
    return "\n".join(line.rstrip() for line in text.splitlines()) + "\n"


def colour_wanted() -> bool:
    """Whether standard output is a terminal that shows colours, and the user has not switched them off."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return sys.stdout.isatty() and not plain


def terminal_columns() -> int | None:
    """The width of the terminal, or None where there is none."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def columns() -> int:
    """The width for a table: the terminal's, but at least 60; 100 where there is none."""
    return max(terminal_columns() or 100, 60)


@contextlib.contextmanager
def quiet_stdout() -> Iterator[None]:
    """Send what foreign code prints to standard error, so that a report can be piped; its processes' words too."""
    with contextlib.redirect_stdout(sys.stderr), _descriptor_of_stderr():
        yield


@contextlib.contextmanager
def _descriptor_of_stderr() -> Iterator[None]:
    """Standard output's file descriptor is standard error's in this block."""
    own = sys.__stdout__
    try:
        if own is not None:
            own.flush()
        kept = os.dup(1)
        os.dup2(2, 1)
    except (OSError, ValueError):  # one of them is closed, or full
        yield
        return
    try:
        yield
    finally:
        with contextlib.suppress(OSError, ValueError):
            if own is not None:
                own.flush()
        os.dup2(kept, 1)
        os.close(kept)


class Destination:
    """Standard output, or a file that is replaced in one step when everything is done.

    Raises:
        UsageError: on creation, if the file could not be written later.
    """

    def __init__(self, path: Path | None, option: str = "--output") -> None:
        self.option = option
        self.path = None if path is None else path.resolve()
        self.colour = path is None and colour_wanted()
        self._named = path
        if self.path is not None:
            with self._clear_errors():
                self._try()

    def write(self, text: str | bytes) -> None:
        """Write the whole text, or the bytes of a picture, which only a file takes."""
        if self.path is None:
            write(text if isinstance(text, str) else text.decode())
            return
        with self._clear_errors():
            if self._is_device():
                self.path.write_bytes(as_bytes(text))
            else:
                replace(self.path, text)

    def _try(self) -> None:
        assert self.path is not None
        if self.path.is_dir():
            raise IsADirectoryError(None, "it is a directory")
        if self.path.exists() and not os.access(self.path, os.W_OK):
            raise PermissionError(None, "it is write-protected")
        if not self._is_device():
            try_beside(self.path)

    def _is_device(self) -> bool:
        """Whether the path is a pipe or a device, which must not be replaced by a file."""
        assert self.path is not None
        return self.path.exists() and not stat.S_ISREG(self.path.stat().st_mode)

    @contextlib.contextmanager
    def _clear_errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            why = error.strerror or error
            raise UsageError(
                f"{self.option} {self._named}: cannot write there: {why}; name another file."
            ) from error
