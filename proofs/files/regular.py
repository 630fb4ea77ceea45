"""Opening files safely: folders, pipes, devices and files that are too large are refused."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import BinaryIO

from scanproof.constructs.errors import UsageError


def opened(path: Path, largest: int) -> tuple[BinaryIO, int]:
    """The file, to be closed by the caller, and its size.

    Args:
        path: a regular file, or a link to one.
        largest: bytes of the largest file that is read.

    Raises:
        UsageError: if it is not a regular file, cannot be opened, or is larger.
    """
    try:  # opening a pipe could wait for ever
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise UsageError(f"{path}: cannot be read: {why}.") from None
    found = os.fstat(descriptor)
    if stat.S_ISREG(found.st_mode) and found.st_size <= largest:
        return os.fdopen(descriptor, "rb"), found.st_size
    os.close(descriptor)
    if not stat.S_ISREG(found.st_mode):
        raise UsageError(f"{path}: a file is expected, and this is none.")
    raise UsageError(
        f"{path}: {found.st_size:,} bytes are more than the {largest:,} that are read."
    )


def contents(path: Path, largest: int) -> bytes:
    """The bytes of a file; errors as for `opened`."""
    file, _ = opened(path, largest)
    with file:
        return file.read(largest)
