"""Writing a file in one step: the old one stays until the new one is whole."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from pathlib import Path
from typing import BinaryIO


def replace(path: Path, content: str | bytes) -> None:
    """Write the file. The mode of one that was there stays; a link is replaced, not followed.

    Raises:
        OSError: if that cannot be done; then nothing has changed.
    """
    temporary = unfinished(path)
    try:
        with create(temporary) as file:
            if path.is_file() and not path.is_symlink():
                os.fchmod(file.fileno(), stat.S_IMODE(path.stat().st_mode))
            file.write(as_bytes(content))
        temporary.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise


def unfinished(path: Path) -> Path:
    """A place beside the file, and no other process's, for what is to become it."""
    return path.with_name(f".scanproof-{os.getpid()}-{secrets.token_hex(4)}.part")


def create(path: Path) -> BinaryIO:
    """A new file, open for bytes.

    Raises:
        OSError: if that cannot be done, or there is one, or a link.
    """
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666), "wb")


def try_beside(path: Path) -> None:
    """Make a file in the same folder, and remove it.

    Raises:
        OSError: if that cannot be done, so that the file could not be replaced.
    """
    temporary = unfinished(path)
    create(temporary).close()
    temporary.unlink()


def as_bytes(text: str | bytes) -> bytes:
    """The text as it is written to files; halves of surrogate pairs, which no file may hold, as their numbers."""
    return text.encode("utf-8", "backslashreplace") if isinstance(text, str) else text
