"""Where a user's file imports from: its own folder, while it is read and while the bodies of its claims run."""

from __future__ import annotations

import sys
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from types import ModuleType

_reading: ContextVar[Path | None] = ContextVar("reading", default=None)
_first: ContextVar[Path | None] = ContextVar("first", default=None)
"""The folder that comes first, in the blocks of `importing_from`."""


def folder_being_read() -> Path | None:
    """The folder of the user's file that is being read; None outside of that."""
    return _reading.get()


@contextmanager
def reading_in(folder: Path) -> Iterator[None]:
    """A file of this folder is read in this block, and imports from there."""
    token = _reading.set(folder)
    try:
        with importing_from(folder):
            yield
    finally:
        _reading.reset(token)


@contextmanager
def importing_from(folder: Path | None) -> Iterator[None]:
    """A folder comes first where modules are looked for; what the block adds to the search path stays there."""
    if folder is None or folder == _first.get():
        yield
        return
    hidden, place = _hidden_by(folder), str(folder)
    token = _first.set(folder)
    sys.path.insert(0, place)
    try:
        yield
    finally:
        _first.reset(token)
        if place in sys.path:
            sys.path.remove(place)
        sys.modules.update(hidden)


def _hidden_by(folder: Path) -> dict[str, ModuleType]:
    """Modules that have the name of a file or package of this folder, and are another: taken out of Python's table.

    Without that, `import layers` in b/claims.py is a/layers.py, if a/claims.py was read before.
    """
    libraries = {Path(p).resolve() for p in sysconfig.get_paths().values()}
    found: dict[str, ModuleType] = {}
    for one in (*folder.glob("*.py"), *folder.glob("*/__init__.py")):
        name = one.parent.name if one.name == "__init__.py" else one.stem
        file = getattr(sys.modules.get(name), "__file__", None)
        if file is None or name == "scanproof" or Path(file).resolve() == one.resolve():
            continue
        if libraries.isdisjoint(Path(file).resolve().parents):
            inner = [n for n in sys.modules if n == name or n.startswith(f"{name}.")]
            found.update((n, sys.modules.pop(n)) for n in inner)
    return found
