"""The folder of an export: written completely or not at all, and never over anything that is not an export."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path

from scanproof.constructs.errors import UsageError
from scanproof.proofs.decide.files import unfinished

WEIGHTS, SETTINGS, ENCODING, MANIFEST = (
    "model.safetensors",
    "config.json",
    "encoding.safetensors",
    "manifest.json",
)
NAMES = {WEIGHTS, SETTINGS, ENCODING, MANIFEST}
"""The files that are read of an export; settings only if the target has some."""
FORWARD, CARD = "forward.py", "README.md"
BESIDE = {FORWARD, CARD}
"""What lies beside them for readers; older exports, and weights from elsewhere, have none."""


def check(out: Path, *, force: bool) -> None:
    """Refuse, before anything is computed, a folder that could not be written.

    Raises:
        UsageError: if something is there and `force` is not given, or it is not an export that may be replaced; if
            the parent is missing, no folder, or not writable.
    """
    path = _absolute(out)
    with _clear_errors(out):
        if not path.parent.is_dir():
            there = "is not a folder" if path.parent.exists() else "does not exist"
            raise UsageError(f"--output {out}: {path.parent} {there}; make it, or name another.")
        if os.path.lexists(path):
            if not force:
                raise UsageError(
                    f"--output {out}: it exists; --force replaces an export, another name keeps both."
                )
            why = _not_ours(path)
            if why:
                raise UsageError(
                    f"--output {out}: --force replaces exports only, and {why}; name another folder."
                )
        if not os.access(path.parent, os.W_OK | os.X_OK):
            raise UsageError(
                f"--output {out}: {path.parent} is write-protected; name another folder."
            )


def write(out: Path, files: Mapping[str, bytes], *, force: bool = False) -> None:
    """Make the folder with these files in one step; with `force` an existing export stays until then.

    Args:
        out: the folder to make.
        files: contents by name.
        force: replace an export, or an empty folder, of that name.

    Raises:
        UsageError: as `check`; if writing fails, after which everything is as before.
    """
    check(out, force=force)
    path = _absolute(out)
    new, old = unfinished(path), unfinished(path)
    with _clear_errors(out):
        try:
            os.mkdir(new)
            for name, content in files.items():
                (new / name).write_bytes(content)
            if os.path.lexists(path):
                os.rename(path, old)
            os.rename(new, path)
        finally:
            shutil.rmtree(new, ignore_errors=True)
            if os.path.lexists(old) and not os.path.lexists(path):
                os.rename(old, path)
            shutil.rmtree(old, ignore_errors=True)


def _not_ours(path: Path) -> str:
    """Why a path is neither an export nor an empty folder; nothing if it is."""
    if path.is_symlink() or not path.is_dir():
        return "this is a link" if path.is_symlink() else "this is not a folder"
    with os.scandir(path) as entries:
        found = {entry.name: entry.stat(follow_symlinks=False).st_mode for entry in entries}
    foreign = sorted(
        n for n, mode in found.items() if n not in NAMES | BESIDE or not stat.S_ISREG(mode)
    )
    if foreign:
        return f"this one holds {foreign[0]!r}"
    if found and not {WEIGHTS, ENCODING} <= set(found):
        return f"this one has no {WEIGHTS} with {ENCODING}"
    if not os.access(path, os.W_OK | os.X_OK):
        return "this one is write-protected"
    return ""


def _absolute(out: Path) -> Path:
    """The absolute path, without following a link at its end."""
    return Path(os.path.abspath(out))


@contextlib.contextmanager
def _clear_errors(out: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise UsageError(
            f"--output {out}: cannot write there: {why}; nothing was changed."
        ) from error
