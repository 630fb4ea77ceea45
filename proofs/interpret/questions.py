"""Questions about sizes. Nothing may be learned of a symbolic size but what holds at all sizes.

A query of anything else spoils the interpretation: it is noted when it is made, and no `except` of the code that made
it takes it back. What Python does not let one notice (`type(N)`, `N is 4`) is left to `check.beyond`, which runs the
claim at numbers far beyond its evidence.
"""

from __future__ import annotations

import linecache
import os
import sys
import sysconfig
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache, wraps
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar, TypeVar

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
"""The folder whose code answers queries and makes none."""
PACKAGE = Path(HERE).parent
LIBRARY = sysconfig.get_path("stdlib") + os.sep
T = TypeVar("T", bound=type)

_noted: list[str] | None = None
"""What was queried in the present interpretation, by whichever thread."""


class Unreadable(Exception):
    """The claim does something that symbols cannot follow; it stays checked at fixed sizes."""

    unsafe: ClassVar[bool] = False
    """Whether it is unknown then, since what holds at a few sizes is likely to fail at others."""
    split: Any = None
    """The sizes that would have to be told apart (`language.partition`), where it is known which."""

    def __init__(self, why: str, question: str | None = None) -> None:
        super().__init__(why)
        self.question = question or why
        """The same without a place and advice, for a reader that knows better ones."""
        note(why)


def note(question: str) -> None:
    """Keep in mind what the present interpretation has stumbled over, whatever becomes of the error."""
    if _noted is not None:
        _noted.append(question)


@contextmanager
def listening(kind: type[Unreadable] = Unreadable) -> Iterator[None]:
    """Run foreign code in this block; a query that it made, or an error that it caught, comes out at its end.

    Raises:
        Unreadable: of this kind, for the first of them.
    """
    global _noted
    around, noted = _noted, []
    _noted = noted
    try:
        yield
    finally:
        _noted = around
    if noticed(noted):
        raise kind(noted[0])


def noticed(noted: list[str]) -> bool:
    """Whether something was queried; tests switch it off, to see what evaluation beyond the evidence finds alone."""
    return bool(noted)


@contextmanager
def aside() -> Iterator[None]:
    """Errors in this block are this package's own affair, not the interpretation's."""
    global _noted
    around, _noted = _noted, None
    try:
        yield
    finally:
        _noted = around


def asking(beside: tuple[str, ...] = ()) -> Any:
    """The innermost frame that is not this package's answering code, nor in the folders `beside`; None if all are."""
    frame: Any = sys._getframe(1)
    while frame is not None and not is_told(frame.f_code.co_filename, beside):
        frame = frame.f_back
    return frame


def numpy_call(beside: tuple[str, ...] = ()) -> str:
    """The call of one of NumPy's own functions that asks for a number: "np.zeros((d, m))"; "" if another asks."""
    frame = asking(beside)
    if frame is None:
        return ""
    line, last, begin, end = next(islice(frame.f_code.co_positions(), frame.f_lasti // 2, None))
    if line != last or begin is None or end is None:
        return ""
    linecache.checkcache(frame.f_code.co_filename)  # another file of this name may have been read
    text = linecache.getline(frame.f_code.co_filename, line).encode()[begin:end].decode()
    module = frame.f_globals.get(text.partition(".")[0])
    is_numpy = isinstance(module, ModuleType) and module.__name__ == "numpy"
    return text if is_numpy else ""


@lru_cache(maxsize=4096)
def is_told(file: str, beside: tuple[str, ...]) -> bool:
    """Whether a line of this file may be named: a library's and the command line's may not."""
    ours = os.path.dirname(file) == str(PACKAGE)
    return not ours and not in_library(file) and asks(file, beside)


def in_library(file: str) -> bool:
    """Whether it is a file of an installed package or of Python's own library."""
    return "site-packages" in file or file.startswith(LIBRARY)


def place(beside: tuple[str, ...] = ()) -> str:
    """The line of that frame: " at file:line"."""
    frame = asking(beside)
    if frame is None:
        return ""
    return f" at {shown(frame.f_code.co_filename)}:{frame.f_lineno}"


def raised_at(error: BaseException, beside: tuple[str, ...] = ()) -> str:
    """The same of the line that an error came from, or that called what it came from."""
    found, trace = "", error.__traceback__
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if is_told(file, beside):
            found = f" at {shown(file)}:{trace.tb_lineno}"
        trace = trace.tb_next
    return found


def shown(file: str) -> Path:
    """A file as messages name it: from the package, or from where one stands, or by its name."""
    return _shown(file, os.getcwd())


@lru_cache(maxsize=4096)
def _shown(file: str, here: str) -> Path:
    path = Path(file)
    if path.is_relative_to(PACKAGE):  # a definition or a claim of ours, wherever it is installed
        return path.relative_to(PACKAGE)
    return path.relative_to(here) if path.is_relative_to(here) else Path(path.name)


def asks(file: str, beside: tuple[str, ...]) -> bool:
    """Whether the queries of code in this file count; those of a claim do, wherever it stands."""
    return not file.startswith((HERE, "<", *beside)) or file.startswith(f"{HERE}claims{os.sep}")


def final(cls: T) -> T:
    """Decorates a class of arrays: an error that leaves a method or property of it is noted, whoever catches it."""
    methods = {n: f for base in reversed(cls.__mro__[:-1]) for n, f in vars(base).items()}
    for name, function in methods.items():
        if isinstance(function, property) and function.fget is not None:
            setattr(cls, name, property(_final(function.fget)))
        elif callable(function) and hasattr(function, "__code__") and name not in QUIET:
            setattr(cls, name, _final(function))
    return cls


QUIET = ("__init__", "__getattr__", "__getattribute__", "__setattr__", "__array_namespace__")
"""Methods by which one queries whether there is something, and answer with an AttributeError."""


def is_own(name: str) -> bool:
    """Whether the code that gets an attribute of this name is scanproof's own, and spells the name.

    It is that of the caller's caller. What our code runs through (an iterator of C functions, say) may get attributes
    in its stead, but not those that it spells.
    """
    code = sys._getframe(2).f_code
    return is_ours(code.co_filename) and (name in code.co_names or name in code.co_consts)


@lru_cache(maxsize=1_000)
def is_ours(file: str) -> bool:
    """Whether a file may look for what arrays and their namespaces have: scanproof's own may."""
    return file.startswith(ARRAYS) or not asks(file, ())


_CONSTRUCTS = os.path.join(os.path.dirname(os.path.dirname(HERE)), "constructs")
ARRAYS = (
    os.path.join(_CONSTRUCTS, "arrays") + os.sep,
    os.path.join(_CONSTRUCTS, "forms", "merged.py"),
)
"""Where functions look for what some arrays' namespaces have and others lack."""
OBJECTS_OWN = frozenset([*dir(object), "__module__", "__slots__"]) - {"__class__"}
"""Attributes that every object has, with an answer of its own."""


def _final(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except Exception as error:
            note(f"{error}")
            raise

    return run


NUMBERS_OWN = frozenset(dir(int)) - frozenset(dir(object))
"""Attributes that whole numbers have and other objects have not."""
