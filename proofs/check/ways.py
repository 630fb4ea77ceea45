"""The instructions that a body runs: at numbers none that it did not run when it was recorded.

A symbol answers no question whose answer depends on sizes. Python lets a body tell it from a number without asking it
anything: `type(n)`, `id(n)`. A body that does so goes another way at numbers than where it was recorded, at every size,
so that one small choice of sizes shows it, though the results may differ at large ones alone.
"""

from __future__ import annotations

import dis
import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from types import CodeType, FrameType
from typing import Any

from ..doors.program import RUNNING
from ..doors.record.claims import record
from ..doors.refused import Refused
from ..interpret.questions import ARRAYS, PACKAGE, is_told, shown
from ..language.claim import Claim
from ..statement.statement import Statement

Ran = set[tuple[CodeType, int]]
"""Instructions of bodies, and of the functions of theirs that are no library's: their code and place in it."""
DEFINITIONS = str(PACKAGE / "constructs") + os.sep
"""Where the package's definitions lie, which are the same Python for all arrays."""
BY_KIND = frozenset(("type", "__class__", "id"))
"""Names by which functions are chosen without a branch."""


def another_way(
    claim: Claim, statement: Statement, at_numbers: Ran, programs: Sequence[Any]
) -> str | None:
    """What the body ran at numbers and did not run when it was recorded, in words; None if there is nothing.

    A body that cannot go several ways is not recorded again.
    """
    if not any(map(_chooses, {code for code, _ in at_numbers})):
        return None
    recorded: Ran = set()
    with noting(recorded), suppress(Refused):
        record(claim, dict(statement.at) or None, before=programs)
    places = sorted(_line(code, offset) for code, offset in at_numbers - recorded)
    if not places:
        return None
    file, line = places[0]
    return (
        f"at plain numbers the body runs {shown(file)}:{line}, which it does not run where it is recorded: it tells a "
        "symbol from a number, or an array of symbols from NumPy's; write it without a question for a type"
    )


class Unseen(Exception):
    """A body that sets a trace function of its own, so that what it runs is not seen."""


@contextmanager
def noting(ran: Ran) -> Iterator[None]:
    """Note each instruction that runs inside the block, also in threads that begin there.

    Raises:
        Unseen: if the block does not leave it in place.
    """

    def inside(frame: FrameType, event: str, argument: Any) -> Callable[..., Any]:
        if event == "opcode":
            ran.add((frame.f_code, frame.f_lasti))
        return inside

    def called(frame: FrameType, event: str, argument: Any) -> Callable[..., Any] | None:
        if not _is_bodys(frame.f_code.co_filename) or _in_program(frame):
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        return inside

    around, in_threads = sys.gettrace(), threading.gettrace()
    sys.settrace(called)
    threading.settrace(called)
    try:
        yield
        if sys.gettrace() is not called or threading.gettrace() is not called:
            raise Unseen("the body sets a trace function of Python; take it out")
    finally:
        sys.settrace(around)
        threading.settrace(in_threads)


def _in_program(frame: FrameType | None) -> bool:
    """Whether it is a JAX program that runs, which is compared by its values: JAX traces others at numbers."""
    while frame is not None:
        if frame.f_code in RUNNING:
            return True
        frame = frame.f_back
    return False


@lru_cache(maxsize=10_000)
def _is_bodys(file: str) -> bool:
    return is_told(file, ARRAYS)


@lru_cache(maxsize=10_000)
def _chooses(code: CodeType) -> bool:
    """Whether a function's code has a branch, or an `except`, or looks at types; the package's definitions do not."""
    if code.co_filename.startswith(DEFINITIONS):
        return False
    if code.co_exceptiontable or not BY_KIND.isdisjoint(code.co_names):
        return True
    return any("JUMP_IF" in one.opname for one in dis.get_instructions(code))


def _line(code: CodeType, offset: int) -> tuple[str, int]:
    lines = (line for start, end, line in code.co_lines() if start <= offset < end and line)
    return code.co_filename, next(lines, code.co_firstlineno)
