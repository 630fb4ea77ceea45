"""A recording: what was refused in it, wherever the error went, how much was recorded, and the loops over `each`.

What a body asks that has no one answer at all sizes, and what arrays of nodes do not have, is noted when it happens,
with the line that did it. So no `except` of a body takes it back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, TypeVar

from scanproof.constructs.errors import UsageError

from ...interpret.questions import ARRAYS, place, raised_at
from ...statement import binding
from ...statement.nodes import Recursion
from ...statement.whole import Position
from ..refused import Depends, Refused

MOST = 30_000
"""The most arrays that one recording may make."""
ASKED = 500_000
"""How often its arrays may be asked for anything."""
LIBRARIES = ("jax", "torch")
"""Those whose functions and arrays have no place in a recorded body."""
T = TypeVar("T", bound=type)


class Limits(Refused):
    """A claim about limits, which statements do not speak of."""


class TooMuch(BaseException):
    """More than `MOST` arrays or `ASKED` questions; no `except Exception` of a body stands in its way."""


@dataclass
class Turns:
    """A loop over `each`: its body is recorded twice, for two positions that each stand for all."""

    positions: tuple[Position, ...]
    where: str
    """The line of the loop, as messages have it."""
    ended: bool = False


@dataclass
class Recording:
    """What is known of one run of a body."""

    numbers: bool = False
    """Whether sizes are numbers, and not symbols."""
    refusals: list[str] = field(default_factory=list)
    arrays: int = 0
    asked: int = 0
    loops: list[Turns] = field(default_factory=list)
    programs: list[Any] = field(default_factory=list)
    """What programs of JAX became (`doors.jaxpr`), for what is taken for granted and to be shown of them."""
    steps: dict[Recursion, Callable[..., Any]] = field(default_factory=dict)
    """The function that each recursion repeats."""

    before: Sequence[Any] = ()
    """Programs of an earlier run of the same body, where it is only looked at which way the body goes."""

    depends: Depends | None = None
    """What a program's refusal hinges on, where that is known."""

    @property
    def refused(self) -> Refused:
        """The error for what was refused first."""
        return Refused(self.refusals[0], self.depends)

    def as_before(self, function: Callable[..., Any], shapes: Sequence[Any]) -> Any | None:
        """What the earlier run made of the program that is called next; None where it called another."""
        rest = self.before[len(self.programs) :]
        if not rest or rest[0].function is not function:
            return None
        return rest[0] if [given.shape for given in rest[0].inputs] == list(shapes) else None

    def count(self) -> None:
        """Note that one more array was made.

        Raises:
            TooMuch: if there are too many.
        """
        self.arrays += 1
        if self.arrays > MOST:
            self._stop(f"it makes more than {MOST} arrays")

    def ask(self) -> None:
        """Note that an array was asked for something.

        Raises:
            TooMuch: if that was too often.
        """
        self.asked += 1
        if self.asked > ASKED:
            self._stop(f"it asks its arrays for more than {ASKED} things")

    def _stop(self, what: str) -> None:
        if not self.refusals:
            self.refusals.append(f"{what}{here()}; {IN_A_LOOP}")
        raise TooMuch


IN_A_LOOP = "write a loop with scan, iterate, build or each, which record one turn"
_current: Recording | None = None
"""The recording under way, whichever thread of the body records."""


ENDED = (
    "an array or size of one run of the claim's body is used in a later run; let the body keep nothing "
    "from run to run"
)


def current() -> Recording:
    """The recording that is under way."""
    if _current is None:
        raise Refused(ENDED)
    return _current


@contextmanager
def recording(new: Recording) -> Iterator[Recording]:
    """Record in the block; what was refused in it comes out at its end, whatever became of the error.

    Raises:
        Refused: for what was refused first, or if too much was recorded.
    """
    global _current
    around, _current = _current, new
    try:
        with binding.following(new.steps):
            yield new
    except TooMuch:
        raise new.refused from None
    except Exception as error:
        if new.refusals:
            raise new.refused from error
        if isinstance(error, UsageError | Refused):
            raise
        raise Refused(_in_words(error)) from error
    finally:
        _current = around
    if new.refusals:
        raise new.refused


def _in_words(error: Exception) -> str:
    """An error of a body in one line, with the body's line."""
    where = raised_at(error, ARRAYS)
    if isinstance(error, RecursionError):
        return f"its body calls itself, or makes too long a chain of arrays{where}; {IN_A_LOOP}"
    library = type(error).__module__.partition(".")[0]
    if library.startswith(LIBRARIES) or "jax" in str(error) or "torch" in str(error):
        return f"a function of another library is called on an array of the claim{where}; {INSTEAD}"
    said = (str(error).splitlines() or [""])[0]
    return f"its body fails on recorded arrays: {type(error).__name__}: {said}{where}"


INSTEAD = (
    "write it with NumPy's functions (from scanproof import numpy as np), or read it by program(f)"
)
"""What to write in the stead of other libraries' arrays and functions."""


def here() -> str:
    """The line of the body that runs: " at file:line"."""
    return place(ARRAYS)


def refusal(why: str, instead: str = "", where: str | None = None) -> Refused:
    """Note what is refused, with the line of the body that does it, and hand back the error to raise."""
    if _current is None:
        return Refused(ENDED)
    message = why + (here() if where is None else where) + (f"; {instead}" if instead else "")
    _current.refusals.append(message)
    return Refused(message)


QUIET = ("__init__", "__getattr__", "__array_namespace__", "__init_subclass__")
"""Methods by which one asks whether there is something, and that answer with an AttributeError."""


def noting(cls: T) -> T:
    """Decorates a class of arrays, or their namespace: an error that leaves a method is noted, whoever catches it."""
    methods = {n: f for base in reversed(cls.__mro__[:-1]) for n, f in vars(base).items()}
    for name, method in methods.items():
        if isinstance(method, property) and method.fget is not None:
            setattr(cls, name, property(_noted(method.fget)))
        elif callable(method) and hasattr(method, "__code__") and name not in QUIET:
            setattr(cls, name, _noted(method))
    return cls


def _noted(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def noted(*args: Any, **options: Any) -> Any:
        if _current is not None:
            _current.ask()
        try:
            return method(*args, **options)
        except Refused:
            raise
        except Exception as error:
            if _current is None:
                raise Refused(ENDED) from error
            if not _current.refusals:
                _current.refusals.append(f"{error}{here()}")
            raise

    return noted
