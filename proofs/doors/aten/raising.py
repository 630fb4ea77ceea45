"""Questions of an array's numbers that only decide whether a program raises: `assert x.min() > 0`, `if …: raise`.

Where it raises it has no value, so it is read as it goes on, and what is taken for granted is said. Each question is
answered both ways: one of the two has to raise by the program's own `raise` or `assert`, whatever the sizes are, and
where it runs with these answers as well as where it is traced.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, TypeVar

from ...interpret.questions import place
from ..caught import not_raised, raises_itself
from .refusal import Refused, beside, torch

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


def going_on(
    run: Callable[[], T], reals: Sequence[Callable[[], Any]], refused: Asked
) -> tuple[T, list[str]]:
    """What comes of a run in which no question is answered so that it raises, and what is taken for granted.

    Args:
        run: traces the program.
        reals: each runs it on numbers, at other sizes.
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
            found = _with_answers(run, now)
            cause = found.__cause__ if isinstance(found, Refused) else None
            clean = _raises_itself(cause) and not now.of_sizes and not now.left
            if clean and all(_as_it_runs(real, [*answers, answer], cause) for real in reals):
                raised.append(cause)
            else:
                goes_on.append((answer, found))
        if len(raised) != 1:
            raise refused
        ((answer, found),) = goes_on
        taken.append(not_raised(raised[0], beside()))
        answers.append(answer)
        if not isinstance(found, Refused):
            return found, taken
        if not isinstance(found, Asked):
            raise found
    raise refused


def _raises_itself(error: BaseException | None) -> bool:
    """Whether an error is the program's own, and was raised where it had caught no other."""
    return (
        isinstance(error, Exception)
        and error.__context__ is None
        and not getattr(error, "after_another", False)
        and raises_itself(error, error.__traceback__, beside())
    )


def _with_answers(run: Callable[[], T], now: _Answers) -> T | Refused:
    """What comes of a run with these answers."""
    token = _answers.set(now)
    try:
        return run()
    except Refused as error:
        return error
    finally:
        _answers.reset(token)


class _Unanswered(BaseException):
    """A program that runs asks for more than it did where it was traced."""


def _as_it_runs(real: Callable[[], Any], answers: list[bool], error: BaseException | None) -> bool:
    """Whether the program raises the same on numbers, its questions having these answers."""
    from torch.overrides import TorchFunctionMode

    t, left = torch(), list(answers)

    class Answering(TorchFunctionMode):
        def __torch_function__(
            self, function: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            if function is not t.Tensor.__bool__ or args[0].numel() != 1:
                return function(*args, **(kwargs or {}))
            if not left:
                raise _Unanswered
            return left.pop(0)

    try:
        with Answering():
            real()
    except _Unanswered:
        return False
    except Exception as found:
        said = None if error is None else not_raised(error, beside())
        return not left and not_raised(found, beside()) == said and _raises_itself(found)
    return False
