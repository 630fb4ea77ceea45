"""Why something is not proved is said about the claim, with its line, and not about terms of the kernel."""

from pathlib import Path
from typing import Any

import pytest

from scanproof.proofs.check.kernel_errors import NO_STEP, placed, refusal
from scanproof.proofs.decide import mistakes
from scanproof.proofs.decide.complaints import complaint
from scanproof.proofs.decide.ledger import from_file
from scanproof.proofs.interpret import areas
from scanproof.proofs.interpret.array import axes_as_one, symbol
from scanproof.proofs.interpret.questions import Unreadable, aside
from scanproof.proofs.interpret.session import session
from scanproof.proofs.interpret.terms import number
from scanproof.proofs.kernel.errors import KernelError, NotProved, TooHard
from scanproof.proofs.kernel.index import Index, size
from scanproof.proofs.kernel.term import Term
from scanproof.proofs.search.all_sizes import find

FACADE = "`from scanproof import numpy as np`"
MINE = """
def asks(i):
    return 1 if i else 0

def orders(order, a, b):
    return order(a, b)
"""


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Functions of a user's file."""
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "mine.py"
    file.write_text(MINE)
    names: dict[str, Any] = {"__name__": "mine"}
    exec(compile(MINE, str(file), "exec"), names)
    return names


def raised(function: Any, *arguments: Any) -> KernelError:
    with pytest.raises(KernelError) as error:
        function(*arguments)
    return error.value


def test_what_the_kernel_refuses_is_said_with_the_line_that_asked_it(mine: dict[str, Any]):
    error = raised(mine["asks"], Index(1))
    assert str(error) == "an index has no truth value"
    said = "it makes a formula that scanproof does not follow at mine.py:3"
    assert refusal(error) == complaint(error) == mistakes.said(error) == said


def test_a_step_of_the_search_that_the_kernel_refuses_is_no_word_of_the_kernel_s():
    with session():
        outside = size("T", 1)
        error = raised(Term, number(outside).parts, ())
    trace = error.__traceback__
    while trace is not None and not trace.tb_frame.f_globals["__name__"].startswith("scanproof"):
        trace = trace.tb_next  # as in a search, which no line of a claim's calls
    assert str(error) == "a monomial speaks of a variable outside the scope"
    assert refusal(error.with_traceback(trace)) == NO_STEP


def test_limits_and_reasons_of_readers_keep_their_words():
    for error in (TooHard("more than 3 steps"), NotProved("division by T, which may be 0")):
        assert refusal(error) == str(error)


def test_a_reason_without_a_line_gets_that_of_the_claim(mine: dict[str, Any]):
    with session(), aside(), pytest.raises(Unreadable) as error:
        mine["orders"](axes_as_one, symbol("x", [size("T", 1), size("m", 1)]), 0)
    why = "a reshape that merges an axis of symbolic length into another"
    assert placed(error.value) == f"{why} at mine.py:6"
    error.value.args = ("what mine.py:3 asks for",)
    assert placed(error.value) == "what mine.py:3 asks for"


def test_lengths_are_written_as_formulas():
    with session():
        T, m = size("T", 1), size("m", 1)
        said = [areas.spelled(one) for one in (T - 1, T * -1 + m * 2 + 3, Index(0), T * 0 - 4)]
        assert said == ["T − 1", "−T + 2·m + 3", "0", "-4"]
        assert areas.spelled(areas.times(T, m) + 1) == "T·m + 1"
        assert areas.shape([T, m * 2]) == "(T, 2·m)"


CLAIM = """
import numpy as np
from scanproof import Source, equal

paper = Source("mine", title="A layer of mine")


@paper.claim("mine.zeros", says="the state", given={"k": "T m", "v": "T d"})
def zeros(k, v, d, m, T):
    return equal(CALL + v.T @ k, v.T @ k)
"""


@pytest.mark.long
@pytest.mark.parametrize(
    ("call", "said", "instead"),
    [
        (
            "np.zeros((d, m))",
            "np.zeros((d, m)) asks for the number that d is at mine.py:10",
            FACADE,
        ),
        ("np.full((d, m), 0)", "np.full((d, m), 0) asks for the number that d is at", FACADE),
        (
            "sum(0 for _ in range(T))",
            "the number that T is, which depends on the sizes, was asked at",
            "each",
        ),
    ],
)
def test_what_asks_for_a_number_is_named_with_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, said: str, instead: str
):
    monkeypatch.chdir(tmp_path)
    file = Path("mine.py")
    file.write_text(CLAIM.replace("CALL", call))
    (source,) = from_file(file)
    why = find(source.rows[0].claim)
    assert isinstance(why, str) and said in why and instead in why
    assert call.startswith("np.") == (FACADE in why)
