"""Writing a file in one step: the old one stays until the new one is whole."""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path
from typing import BinaryIO


def replace(path: Path, content: str | bytes) -> None:
    """Write the file; its mode stays as it was.

    Raises:
        OSError: if that cannot be done; then nothing has changed.
    """
    mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else 0o666
    temporary = unfinished(path)
    try:
        with create(temporary, mode) as file:
            file.write(as_bytes(content))
        temporary.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise


def unfinished(path: Path) -> Path:
    """Where this process keeps what is to become the file."""
    return path.with_name(f".scanproof-{os.getpid()}.part")


def create(path: Path, mode: int = 0o666) -> BinaryIO:
    """A new file, open for bytes, in the place of one that a process of this number left behind.

    Raises:
        OSError: if that cannot be done; nobody else's file or link is followed or written to.
    """
    path.unlink(missing_ok=True)
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb")


def as_bytes(text: str | bytes) -> bytes:
    """The text as it is written to files; halves of surrogate pairs, which no file may hold, as their numbers."""
    return text.encode("utf-8", "backslashreplace") if isinstance(text, str) else text
