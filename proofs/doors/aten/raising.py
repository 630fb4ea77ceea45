"""Questions of an array's numbers that only decide whether a program raises: `assert x.min() > 0`, `if …: raise`.

Where it raises it has no value, so it is read as it goes on, and what is taken for granted is said. Each question is
answered both ways: one of the two has to raise by the program's own `raise` or `assert`, whatever the sizes are.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TypeVar

from ...interpret.questions import place, shown
from ...statement.conditions import RAISES_NOTHING
from ..caught import raises_itself
from .refusal import Refused, beside

MOST = 8
"""So many questions are answered."""
T = TypeVar("T")


class Asked(Refused):
    """A number of an array is asked for."""

    def __init__(self, where: str) -> None:
        super().__init__(f"a number of an array is asked{where}; compute with the array itself")


@dataclass
class _Answers:
    """The answers that are left, and whether something was asked of sizes since the last of them."""

    left: list[bool]
    of_sizes: bool = False


_answers: ContextVar[_Answers | None] = ContextVar("answers", default=None)


def asked_of_sizes() -> None:
    """Note a question of sizes: a program that raises after it may go on at others."""
    now = _answers.get()
    if now is not None:
        now.of_sizes = True


def answered() -> bool | None:
    """The answer to a question of a number; None where none is to be given.

    Raises:
        Asked: if there are no answers left.
    """
    now = _answers.get()
    if now is None:
        return None
    if not now.left:
        raise Asked(place(beside()))
    now.of_sizes = False
    return now.left.pop(0)


def going_on(run: Callable[[], T], refused: Asked) -> tuple[T, list[str]]:
    """What comes of a run in which no question is answered so that it raises, and what is taken for granted.

    Args:
        run: traces the program.
        refused: why it is not read without answers.

    Raises:
        Refused: `refused`, unless one answer to each question raises; and what is not read after all of them.
    """
    answers: list[bool] = []
    taken: list[str] = []
    while len(answers) < MOST:
        goes_on, raised = [], []
        for answer in (True, False):
            now = _Answers([*answers, answer])
            token = _answers.set(now)
            try:
                goes_on.append((answer, run()))
            except Refused as error:
                if _raises_itself(error) and not now.of_sizes:
                    raised.append(error.__cause__)
                else:
                    goes_on.append((answer, error))
            finally:
                _answers.reset(token)
        if len(raised) != 1:
            raise refused
        ((answer, found),) = goes_on
        where = _line(raised[0])
        taken.append(f"{RAISES_NOTHING} {type(raised[0]).__name__} at {where}")
        answers.append(answer)
        if not isinstance(found, Refused):
            return found, taken
        if not isinstance(found, Asked):
            raise found
    raise refused


def _raises_itself(error: Refused) -> bool:
    cause = error.__cause__
    return isinstance(cause, Exception) and raises_itself(cause, cause.__traceback__, beside())


def _line(error: BaseException) -> str:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return "" if trace is None else f"{shown(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}"
