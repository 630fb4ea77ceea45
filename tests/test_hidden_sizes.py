"""Questions about a size whose number no text names: reading alone notices each, so none is proved for all sizes."""

# ruff: noqa: SIM202  a question is asked as it is written
import itertools
import operator

import jax
import numpy as np
import pytest

from scanproof import UsageError
from scanproof.proofs.decide.proving import prove


def hidden() -> int:
    """A number that is drawn."""
    return int(np.random.default_rng(0).integers(30, 60))


class Switch:
    """Is 1 at one number."""

    def __init__(self, table):
        self.table = table

    def __contains__(self, number):
        return any(number == one for one in self.table)


QUESTIONS = {
    "==": lambda n: n == hidden(),
    "== from the right": lambda n: hidden() == n,
    "!=": lambda n: not n != hidden(),
    "!= from the right": lambda n: not hidden() != n,
    "<": lambda n: not n < hidden(),
    "<= from the right": lambda n: hidden() <= n,
    ">": lambda n: n > hidden() - 1,
    ">=": lambda n: n >= hidden(),
    "operator.eq": lambda n: operator.eq(n, hidden()),
    "operator.ne": lambda n: not operator.ne(n, hidden()),
    "a difference's truth": lambda n: not (n - hidden()),
    "a difference's truth by bool": lambda n: not bool(hidden() - n),
    "in a list": lambda n: n in [hidden()],
    "not in a list": lambda n: not n not in [hidden()],
    "in a range": lambda n: n in range(hidden(), hidden() + 1),
    "in a set": lambda n: n in {hidden()},
    "a key": lambda n: {hidden(): True}.get(n, False),
    "in a container": lambda n: n in Switch([hidden()]),
    "a list's index": lambda n: bool([hidden()].count(n)),
    "a tuple's equality": lambda n: (n, 1) == (hidden(), 1),
    "a tuple's inequality": lambda n: not (n, 1) != (hidden(), 1),
    "a tuple's order": lambda n: (hidden(), 0) <= (n, 0),
    "min": lambda n: min(n, hidden()) - hidden() == 0,
    "max": lambda n: max(n, hidden() - 1) != hidden() - 1,
    "a remainder": lambda n: n % hidden() == 0,
    "a quotient": lambda n: n // hidden() != 0,
    "a quotient's truth": lambda n: bool(n // hidden()),
    "a power": lambda n: (n - hidden()) ** 2 == 0,
    "a real number": lambda n: n == float(hidden()),
    "a real number that differs": lambda n: not n != float(hidden()),
    "a real quotient": lambda n: not n / hidden() < 1,
    "divmod": lambda n: divmod(n, hidden())[0] != 0,
    "a sorted list": lambda n: sorted([n, hidden()])[0] == hidden(),
    "a slice's length": lambda n: len(range(n)[hidden() - 1 :]) > 0,
    "NumPy's equal": lambda n: bool(np.equal(n, hidden())),
    "NumPy's unequal": lambda n: not np.not_equal(n, hidden()),
    "JAX's description of an array": lambda n: _described(n) == _described(hidden()),
    "a text": lambda n: str(n) == str(hidden()),
    "a format": lambda n: f"{n}" == f"{hidden()}",
    "a match": lambda n: _matched(n),
    "an exception": lambda n: _raises(lambda: [0] * 1 if n != hidden() else [][0]),
    "an index": lambda n: _raises(lambda: ([0] * (hidden() - 1))[n - 1]),
}


def _described(n):
    return jax.ShapeDtypeStruct((n,), np.float32)


def _matched(n):
    match n:
        case Numbers.hidden:
            return True
    return False


class Numbers:
    hidden = hidden()


def _raises(run):
    try:
        run()
    except IndexError:
        return True
    return False


def summed(x):
    return x.sum(0)


@pytest.mark.sample(2)
@pytest.mark.short("[==-jax")
@pytest.mark.usefixtures("only_read")
@pytest.mark.parametrize(
    ("name", "framework"), list(zip(QUESTIONS, itertools.cycle(["jax", "torch"]), strict=False))
)
def test_no_program_is_proved_that_asks_for_a_number_no_text_names(name, framework):
    if framework == "torch":
        pytest.importorskip("torch")
    asked = QUESTIONS[name]

    def program(x):
        return x.sum(0) * 2 if asked(x.shape[0]) else x.sum(0)

    try:
        found = prove(program, shapes="x: T d", equals=summed, framework=framework).result
    except UsageError:
        return
    assert found.scope != "all-sizes" or found.verdict == "refuted", found
