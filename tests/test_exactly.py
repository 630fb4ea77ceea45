"""Functions in exact scalars: recorded once, read in any field."""

from fractions import Fraction
from typing import NamedTuple

import numpy as np
import pytest

from scanproof import numpy as ours
from scanproof.constructs.arrays.gradient import gradient
from scanproof.constructs.arrays.scan import scan
from scanproof.proofs.doors.record.exactly import Record, exactly
from scanproof.proofs.exact.enclosures import ArbField
from scanproof.proofs.exact.polynomials import FlintField, RationalField
from scanproof.proofs.exact.scalar import NotPolynomial


class Both(NamedTuple):
    states: object
    slope: object
    name: str


def step(rate, state, token):
    state = rate * state + token
    return state, state.sum()


def both(xp, rate, tokens, name):
    run = scan(step, rate, xp.zeros((2,)), tokens)
    return Both(run.states, gradient(lambda v: (v @ v) ** 2 / rate, tokens[0]), name)


TOKENS = np.array([[1, 2], [3, -4], [5, 6]])


def test_what_a_function_returns_has_the_numbers_of_a_run_and_keeps_the_rest():
    third = np.array(Fraction(1, 3), dtype=object)
    found = exactly(RationalField(), both, third, TOKENS, "any")
    assert isinstance(found, Both) and found.name == "any"
    state, states = [0, 0], []
    for token in TOKENS.tolist():
        state = [Fraction(1, 3) * s + t for s, t in zip(state, token, strict=True)]
        states.append(state)
    assert found.states.tolist() == states
    assert found.slope.tolist() == [4 * 5 * 3 * 1, 4 * 5 * 3 * 2]


def test_one_record_is_read_at_other_numbers_and_in_other_fields():
    record = Record(lambda xp, a, b: a @ b, np.ones((2, 3)), np.ones(3))
    numbers = np.arange(6).reshape(2, 3), np.array([1, 0, 2])
    for field in (RationalField(), ArbField()):
        assert [float(one) for one in record(field, *numbers)] == (numbers[0] @ numbers[1]).tolist()
    field = FlintField(["a"])
    symbols = np.array([field.generators["a"]] * 3, dtype=object)
    assert [str(one) for one in record(field, numbers[0], symbols)] == ["3*a", "12*a"]


def test_what_a_function_raises_is_raised_and_what_a_field_lacks_is_said():
    def refuses(xp, a):
        raise KeyError("no such layer")

    with pytest.raises(KeyError, match="no such layer"):
        exactly(RationalField(), refuses, TOKENS)
    with pytest.raises(NotPolynomial, match="exp"):
        exactly(RationalField(), lambda xp, a: xp.exp(a), TOKENS)


def test_a_function_may_be_written_with_numpy_s_functions_of_scanproof():
    found = exactly(RationalField(), lambda xp, a: ours.zeros(2) + ours.cumsum(a[:, 0]), TOKENS[:2])
    assert found.tolist() == [1, 4]
