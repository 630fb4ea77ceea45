"""Questions about sizes. Nothing may be learned of a symbolic size but what holds at all sizes.

Whoever asks anything else has spoiled the reading: the question is noted when it is asked, and no `except` of the
asking code takes it back. What Python does not let one hear (`type(N)`, `N is 4`) is left to `evidence.beyond`, which
runs the claim at numbers far beyond its evidence.
"""

from __future__ import annotations

import os
import sys
from abc import abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any, ClassVar, TypeVar

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
"""The folder whose code answers questions and asks none."""
T = TypeVar("T", bound=type)

_noted: list[str] | None = None
"""What was asked in the present reading, by whichever thread."""


class Unreadable(Exception):
    """The claim does something that symbols cannot follow; it stays checked at fixed sizes."""

    unsafe: ClassVar[bool] = False
    """Whether it is unknown then, since what holds at a few sizes is likely to fail at others."""

    def __init__(self, why: str, question: str | None = None) -> None:
        super().__init__(why)
        self.question = question or why
        """The same without a place and advice, for a reader that knows better ones."""
        note(why)


def note(question: str) -> None:
    """Keep in mind what the present reading has stumbled over, whatever becomes of the error."""
    if _noted is not None:
        _noted.append(question)


@contextmanager
def listening(kind: type[Unreadable] = Unreadable) -> Iterator[None]:
    """Run foreign code in this block; a question that it asked, or an error that it caught, comes out at its end.

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
    if heard(noted):
        raise kind(noted[0])


def heard(noted: list[str]) -> bool:
    """Whether something was asked; tests make it deaf, to see what the second line of defence finds alone."""
    return bool(noted)


@contextmanager
def aside() -> Iterator[None]:
    """Errors in this block are this package's own affair, not the reading's."""
    global _noted
    around, _noted = _noted, None
    try:
        yield
    finally:
        _noted = around


def place(beside: tuple[str, ...] = ()) -> str:
    """The innermost line that is not this package's answering code, nor in the folders `beside`: " at file:line"."""
    frame: Any = sys._getframe(1)
    while frame is not None and (
        "site-packages" in frame.f_code.co_filename or not asks(frame.f_code.co_filename, beside)
    ):
        frame = frame.f_back
    if frame is None:
        return ""
    return f" at {shown(frame.f_code.co_filename)}:{frame.f_lineno}"


def raised_at(error: BaseException, beside: tuple[str, ...] = ()) -> str:
    """The same of the line that an error came from, or that called what it came from."""
    found, trace = "", error.__traceback__
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if "site-packages" not in file and asks(file, beside):
            found = f" at {shown(file)}:{trace.tb_lineno}"
        trace = trace.tb_next
    return found


def shown(file: str) -> Path:
    """A file as it is told of: from the package, or from where one stands, or by its name."""
    path = Path(file)
    if "scanproof" in path.parts:  # a definition or a claim of ours, wherever it is installed
        last = len(path.parts) - 1 - path.parts[::-1].index("scanproof")
        return Path(*path.parts[last + 1 :])
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else Path(path.name)


def asks(file: str, beside: tuple[str, ...]) -> bool:
    """Whether code in this file asks questions; that of a claim does, wherever it stands."""
    return not file.startswith((HERE, "<", *beside)) or file.startswith(f"{HERE}claims{os.sep}")


def final(cls: T) -> T:
    """Decorates a class of arrays: an error that leaves one of its methods is noted, whoever catches it."""
    for name, function in list(vars(cls).items()):
        if callable(function) and hasattr(function, "__code__") and name not in QUIET:
            setattr(cls, name, _final(function))
    return cls


QUIET = ("__init__", "__getattr__", "__array_namespace__")
"""Methods that are asked whether there is something, and answer with an AttributeError."""


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


class Whole:
    """A whole number given by symbols, as a Python object: the same for both roads to all sizes.

    Python is told that it is an int where it asks for its class, since that is what it is at every size. It is compared
    where the answer is the same at all sizes; every other question is noted and refused.
    """

    __slots__ = ()
    refusal: ClassVar[type[Unreadable]] = Unreadable

    @property
    @abstractmethod
    def linear(self) -> Any:
        """The number as constant + Σ coefficient · symbol."""

    @classmethod
    @abstractmethod
    def of(cls, linear: Any) -> Any:
        """The object of such a sum; an int if there is no symbol in it."""

    @classmethod
    @abstractmethod
    def sum_of(cls, value: Any) -> Any:
        """The sum that a whole number, plain or symbolic, is."""

    @classmethod
    @abstractmethod
    def sign(cls, linear: Any) -> bool | None:
        """Whether it is ≥ 0 at all sizes (True), or < 0 at all (False)."""

    @property
    def __class__(self) -> type:  # type: ignore[override]
        return int

    @classmethod
    @abstractmethod
    def name_of(cls, symbol: Any) -> str:
        """A symbol as the claim has it."""

    @classmethod
    def spelled(cls, value: Any) -> str:
        """A whole number as one writes it: "2·N − 1"; the repr of anything else."""
        if not is_whole(value):
            return repr(value)
        linear, text = cls.sum_of(value), ""
        for symbol, c in linear.terms:
            sign = "−" if c < 0 else "+" if text else ""
            factor = "" if abs(c) == 1 else f"{abs(c)}·"
            text += (
                f" {sign} {factor}{cls.name_of(symbol)}"
                if text
                else f"{sign}{factor}{cls.name_of(symbol)}"
            )
        if not text:
            return str(linear.const)
        return text + (
            f" {'−' if linear.const < 0 else '+'} {abs(linear.const)}" if linear.const else ""
        )

    def _asked(self, question: str, instead: str = "") -> Unreadable:
        question, hint = f"{question} depends on the sizes", f"; {instead}" if instead else ""
        return self.refusal(f"{question} (asked{place()}){hint}", question)

    def _meets(self, other: Any, operation: str) -> bool:
        """Whether the other is a whole number; NotImplemented is for arrays alone.

        Raises:
            Unreadable: if it is neither.
        """
        if is_whole(other):
            return True
        if hasattr(type(other), "__array_namespace__"):
            return False
        raise self._asked(
            f"what {self.spelled(self)} {operation} {other!r} comes to",
            "make an array of the size first: xp.asarray(N)",
        )

    def __add__(self, other: Any) -> Any:
        if not self._meets(other, "+"):
            return NotImplemented
        return self.of(self.linear + self.sum_of(other))

    __radd__ = __add__

    def __pos__(self) -> Any:
        return self

    def __neg__(self) -> Any:
        return self.of(self.linear * -1)

    def __sub__(self, other: Any) -> Any:
        if not self._meets(other, "−"):
            return NotImplemented
        return self.of(self.linear - self.sum_of(other))

    def __rsub__(self, other: Any) -> Any:
        if not self._meets(other, "−"):
            return NotImplemented
        return self.of(self.sum_of(other) - self.linear)

    def __mul__(self, other: Any) -> Any:
        if not self._meets(other, "·"):
            return NotImplemented
        if type(other) is not int:
            raise self.refusal(f"a product of two symbolic sizes{place()}")
        return self.of(self.linear * other)

    __rmul__ = __mul__

    def __floordiv__(self, other: Any) -> Any:
        if not self._meets(other, "//"):
            return NotImplemented
        if type(other) is not int or other < 1 or any(c % other for _, c in self.linear.terms):
            raise self.refusal(f"the whole part of a quotient of symbolic sizes{place()}")
        linear = self.linear
        terms = {v: c // other for v, c in linear.terms}
        return self.of(type(linear)(linear.const // other, terms))

    def __mod__(self, other: Any) -> Any:
        if not self._meets(other, "%"):
            return NotImplemented
        if type(other) is not int or other < 1 or any(c % other for _, c in self.linear.terms):
            raise self._asked(f"the remainder of {self.spelled(self)} by {self.spelled(other)}")
        return self.linear.const % other

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    def __abs__(self) -> Any:
        return self if self >= 0 else -self

    def __truediv__(self, other: Any) -> Any:
        if self._meets(other, "/"):
            instead = "make an array of the size first: xp.asarray(N) / 2"
            raise self._asked(
                f"the quotient of {self.spelled(self)} and {self.spelled(other)}", instead
            )
        return NotImplemented

    __rtruediv__ = __truediv__

    def _no_number(self, *others: Any) -> Any:
        if any(hasattr(type(other), "__array_namespace__") for other in others):
            return NotImplemented
        raise self._asked(
            f"the number that {self.spelled(self)} is",
            "loop with `each` or `scan`, or make an array of it: xp.asarray(N)",
        )

    __index__ = __int__ = __float__ = __complex__ = __trunc__ = __floor__ = __ceil__ = _no_number
    __round__ = __invert__ = __str__ = __repr__ = __hash__ = _no_number  # type: ignore[assignment]
    __format__ = __pow__ = __rpow__ = __rfloordiv__ = __rmod__ = __rdivmod__ = _no_number  # type: ignore[assignment]
    __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = _no_number
    __lshift__ = __rlshift__ = __rshift__ = __rrshift__ = _no_number
    __reduce_ex__ = __array__ = _no_number

    def __eq__(self, other: object) -> bool:
        if not is_whole(other):
            if not isinstance(other, int | float | complex) and not hasattr(other, "__complex__"):
                return NotImplemented  # equal at no size
            raise self._asked(f"whether {self.spelled(self)} == {other!r}")
        gap = self.linear - self.sum_of(other)
        if not gap.terms:
            return gap.const == 0
        if self.sign(gap) is False or self.sign(gap * -1) is False:
            return False
        raise self._asked(f"whether {self.spelled(self)} == {self.spelled(other)}")

    def __ne__(self, other: object) -> bool:
        found = self.__eq__(other)
        return found if found is NotImplemented else not found

    def __bool__(self) -> bool:
        return self != 0

    def _ordered(self, order: str, other: Any, gap: Callable[[Any, Any], Any]) -> bool:
        """Whether the gap, a function of this number and the other, is ≥ 0."""
        found = self.sign(gap(self.linear, self.sum_of(other))) if is_whole(other) else None
        if found is None:
            raise self._asked(f"whether {self.spelled(self)} {order} {self.spelled(other)}")
        return found

    def __lt__(self, other: Any) -> bool:
        return self._ordered("<", other, lambda a, b: b - a - 1)

    def __le__(self, other: Any) -> bool:
        return self._ordered("<=", other, lambda a, b: b - a)

    def __gt__(self, other: Any) -> bool:
        return self._ordered(">", other, lambda a, b: a - b - 1)

    def __ge__(self, other: Any) -> bool:
        return self._ordered(">=", other, lambda a, b: a - b)

    def __getattr__(self, name: str) -> Any:
        if name in NUMBERS_OWN:
            raise self._asked(f"{name} of {self.spelled(self)}")
        raise AttributeError(f"'int' object has no attribute {name!r}")


def is_whole(value: Any) -> bool:
    """Whether the value is a whole number, plain or symbolic."""
    return type(value) is int or issubclass(type(value), Whole)
