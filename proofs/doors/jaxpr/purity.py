"""A program that is to be proved must be a function of its arguments: it does the same whenever it is traced."""

from __future__ import annotations

import contextlib
import functools
import io
import re
import sys
import traceback
from collections.abc import Iterator
from typing import Any

from scanproof.constructs.errors import UsageError

WATCHED = {
    "open": "opens a file",
    "socket.connect": "connects to a network",
    "subprocess.Popen": "starts a process",
    "os.system": "starts a process",
    "os.remove": "removes a file",
    "builtins.input": "reads from the terminal",
}
CODE = (".py", ".pyc", ".so", ".pyd", ".pth", ".json", ".toml", ".cfg")
"""Files that an import may open."""
_watching: list[list[str]] = []


@functools.cache
def _listen() -> None:
    """Hear Python's audit events from now on: Python takes no hook back, so there is one."""
    sys.addaudithook(_note)


def _note(event: str, arguments: tuple[Any, ...]) -> None:
    if not _watching or event not in WATCHED:
        return
    if event == "open" and (isinstance(arguments[0], int) or str(arguments[0]).endswith(CODE)):
        return
    if not _own(sys._getframe(1)):
        return
    _watching[-1].append(WATCHED[event])


def _own(frame: Any) -> bool:
    """Whether neither an import is under way nor a traceback, for which JAX reads the lines of its frames."""
    while frame is not None:
        file = frame.f_code.co_filename
        if "importlib" in file or file == traceback.__file__:
            return False
        frame = frame.f_back
    return True


@contextlib.contextmanager
def pure(name: str, how: str = "as JAX traces it") -> Iterator[None]:
    """What the program does besides computing while it is run in this block is an error.

    Raises:
        UsageError: if it prints, opens a file, connects, starts a process or reads from the terminal.
    """
    _listen()
    deeds: list[str] = []
    _watching.append(deeds)
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            yield
    finally:
        _watching.pop()
    if printed.getvalue():
        deeds.append("prints")
    if deeds:
        raise UsageError(
            f"{name} {deeds[0]} {how.replace('as', 'while', 1)}; a program that is proved must only compute: move that "
            "outside."
        )


def same(name: str, one: str, other: str) -> None:
    """Two runs of a program as texts, which must agree.

    Raises:
        UsageError: if they differ.
    """
    if one != other:
        raise UsageError(
            f"{name} is not the same program when it is run again: it reads something that changes besides its "
            "arguments (a global, a clock, a random number); pass that as an argument."
        )


def text(jaxpr: Any) -> str:
    """A trace of JAX's, by which two are compared."""
    numbers = [repr(c) for c in jaxpr.consts]
    return re.sub(r"0x[0-9a-f]+", "0x", str(jaxpr)) + "".join(numbers)
