"""Where a statement is written down: the line of the user's, or of a source's, that made it."""

from __future__ import annotations

import dis
import functools
import os
import sys
import sysconfig
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any, NamedTuple


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


def short(place: Place | None) -> str:
    """At which file's line a message is about something, or nothing."""
    return "" if place is None else f" at {Path(place.file).name}:{place.line}"


def returned_at(body: Any) -> Place | None:
    """Where a function's one `return` is, or else the function; None of what is no function."""
    code = getattr(body, "__code__", None)
    if code is None:
        return None
    every = [p for p in dis.get_instructions(code) if p.opname.startswith("RETURN_")]
    lines = {p.positions.lineno for p in every if p.positions}
    line = lines.pop() if len(lines) == 1 else None
    return Place(str(body.__module__), code.co_filename, line or code.co_firstlineno)


def yielded_at(result: Any) -> Place | None:
    """Where a generator is that has yielded something; None of what is none."""
    frame = getattr(result, "gi_frame", None)
    if frame is None:
        return None
    return Place(str(frame.f_globals.get("__name__")), frame.f_code.co_filename, frame.f_lineno)


def own_line(trace: TracebackType | None) -> tuple[str, int] | None:
    """The last line of the user's own that an error came through, as file and line; None if there is none."""
    found = None
    while trace is not None:
        if _is_own_frame(trace.tb_frame):
            found = trace.tb_frame.f_code.co_filename, trace.tb_lineno
        trace = trace.tb_next
    return found


def _is_own_frame(frame: FrameType) -> bool:
    return is_own(frame.f_globals.get("__name__"), frame.f_code.co_filename)


def is_own(module: str | None, file: str | None) -> bool:
    """Whether a module, and the file it is from, are neither the package's nor a library's."""
    if not module or module.partition(".")[0] == "scanproof" or not file:
        return False
    return os.path.isfile(file) and _is_no_librarys(os.path.abspath(file))


@functools.cache
def _is_no_librarys(file: str) -> bool:
    return _libraries().isdisjoint(Path(file).resolve().parents)


@functools.cache
def _libraries() -> set[Path]:
    return {Path(p).resolve() for p in sysconfig.get_paths().values()} - {Path(sys.prefix)}
