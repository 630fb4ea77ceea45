"""Where a statement is written down: the line of the user's, or of a source's, that made it."""

from __future__ import annotations

import sys
from typing import NamedTuple


class Place(NamedTuple):
    """Where a statement is written down: the module, its file and the line."""

    module: str
    file: str
    line: int


def calling_place() -> Place | None:
    """Where this folder was called from; a body may be one of the package's, which other claims share."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__package__") == __package__:
        frame = frame.f_back
    if frame is None:
        return None
    name = frame.f_globals.get("__name__")
    return Place(str(name), frame.f_code.co_filename, frame.f_lineno)
