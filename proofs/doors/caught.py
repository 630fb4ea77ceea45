"""Errors that a program catches while it is traced, and need not meet as it runs: the trace is another program then.

A tracer raises where a program asks for what only running tells, such as the numbers of an array; a program that
catches the error goes on another way. Errors are seen by Python's trace function. Those that the program's lines alone
make (a key that is missing, a `raise` of its own) are as they are when it runs.
"""

from __future__ import annotations

import dis
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from types import FrameType
from typing import Any

from ..interpret.questions import asks, in_library, raised_at, shown
from ..statement.conditions import RAISES_NOTHING
from .refused import Refused

OF_PYTHON = (
    *(KeyError, IndexError, AttributeError, NameError, ImportError),
    *(StopIteration, StopAsyncIteration, GeneratorExit),
)
"""What names, keys and iterators raise, which are the same whether a program is traced or runs."""
RAISE = dis.opmap["RAISE_VARARGS"]
Trace = Callable[[FrameType, str, Any], Any]


@contextmanager
def errors_seen(frameworks: tuple[str, ...]) -> Iterator[None]:
    """Refuse, at the end of the block, a program that went on after an error of the framework, of ours, or of C code.

    An error that leaves the block keeps whether the program went on after another one, as `after_another`.

    Args:
        frameworks: folders of the framework, whose own frames may catch what they like.

    Raises:
        Refused: with the line that caught the error.
    """
    met: dict[FrameType, BaseException] = {}
    caught: dict[int, tuple[BaseException, str]] = {}

    def inside(frame: FrameType, event: str, argument: Any) -> Trace:
        if event == "exception":
            _, error, trace = argument
            caught.pop(id(error), None)  # it came here from where it seemed to be caught
            if _is_of_tracing(error, trace, frameworks):
                met[frame] = error
        elif event == "line" and frame in met:
            error = met.pop(frame)
            place = f"{shown(frame.f_code.co_filename)}:{frame.f_lineno}"
            caught[id(error)] = error, place
        elif event == "return":
            met.pop(frame, None)
        return inside

    listening: dict[str, Trace | None] = {}

    def called(frame: FrameType, event: str, argument: Any) -> Trace | None:
        file = frame.f_code.co_filename
        if file not in listening:
            listening[file] = inside if _is_programs(file, frameworks) else None
        return listening[file]

    def both(frame: FrameType, event: str, argument: Any) -> Trace | None:
        return _both(called(frame, event, argument), around(frame, event, argument))  # type: ignore[misc]

    around = sys.gettrace()
    sys.settrace(called if around is None else both)
    try:
        yield
    except Exception as error:
        error.after_another = bool(caught)  # type: ignore[attr-defined]
        raise
    finally:
        sys.settrace(around)
    for error, place in caught.values():
        raise Refused(
            f"the program catches {type(error).__name__} at {place}, which is raised where it is traced; as it runs "
            "it may go another way: ask for nothing that arrays hold, and leave out the try"
        )


@contextmanager
def unheard() -> Iterator[Any]:
    """Run the block without Python's trace function, which it yields: for what calls none of the program's code.

    An error that leaves the block is seen where it comes to the program. With a trace function Python takes twice as
    long, also in code that it does not look at.
    """
    around = sys.gettrace()
    sys.settrace(None)
    try:
        yield around
    finally:
        sys.settrace(around)


@contextmanager
def heard(around: Any) -> Iterator[None]:
    """Run the block with the trace function that `unheard` took away: for the program's code that is called there."""
    sys.settrace(around)
    try:
        yield
    finally:
        sys.settrace(None)


def _is_of_tracing(error: BaseException, trace: Any, frameworks: tuple[str, ...]) -> bool:
    """Whether an error need not come where a program runs, as that of its own `raise` does, or of a missing key."""
    if not _is_programs(_last(trace).tb_frame.f_code.co_filename, frameworks):
        return not isinstance(error, StopIteration | GeneratorExit)
    return not raises_itself(error, trace, frameworks) and not isinstance(error, OF_PYTHON)


def raises_itself(error: BaseException, trace: Any, frameworks: tuple[str, ...]) -> bool:
    """Whether an error comes of a program's own `raise` or `assert`."""
    last = _last(trace)
    code = last.tb_frame.f_code
    return _is_programs(code.co_filename, frameworks) and code.co_code[last.tb_lasti] == RAISE


def not_raised(error: BaseException, frameworks: tuple[str, ...] = ()) -> str:
    """What is taken for granted of a program that is read as if it did not raise this, in words."""
    return f"{RAISES_NOTHING} {type(error).__name__}{raised_at(error, frameworks)}"


def _last(trace: Any) -> Any:
    while trace.tb_next is not None:
        trace = trace.tb_next
    return trace


@lru_cache(maxsize=10_000)
def _is_programs(file: str, frameworks: tuple[str, ...]) -> bool:
    """Whether code in this file is the program's, and no library's."""
    return asks(file, frameworks) and not in_library(file)


def _both(own: Trace | None, other: Trace | None) -> Trace | None:
    """A trace function for two that listen."""
    if own is None or other is None:
        return own or other

    def trace(frame: FrameType, event: str, argument: Any) -> Trace | None:
        return _both(own(frame, event, argument), other(frame, event, argument))

    return trace
