"""What the doors make of entries that are no numbers, and of comparisons of 0 and 1."""

import itertools
import math
import operator
from fractions import Fraction

import numpy as np
import pytest

from scanproof.proofs.doors.infinities import (
    Value,
    compared,
    greater_of,
    nothing_but,
    product,
    smaller_of,
)
from scanproof.proofs.doors.refused import Refused
from scanproof.proofs.readings.floats import Floats
from scanproof.proofs.statement import choices, making
from scanproof.proofs.statement.masks import is_mask

NUMBERS = [-math.inf, -1.0, 0.0, 2.0, math.inf, math.nan]


def value(number: float) -> Value:
    if math.isfinite(number):
        return Value(making.number(int(number)), "float")
    return nothing_but(number, (), "float")


def said(one: Value) -> float:
    return one.odd.number if one.odd else float(Floats({}, {})(one.node))


@pytest.mark.parametrize("name", choices.COMPARED)
def test_comparisons_of_infinities_are_those_of_floats(name):
    for a, b in itertools.product(NUMBERS, NUMBERS):
        found = Floats({}, {})(compared(name, value(a), value(b)))
        assert bool(found) == getattr(operator, name)(a, b), (a, b)


@pytest.mark.parametrize(
    "ours, theirs",
    [(greater_of, np.maximum), (smaller_of, np.minimum), (product, np.multiply)],
)
def test_what_is_not_refused_of_infinities_is_what_floats_give(ours, theirs):
    kept = 0
    for a, b in itertools.product(NUMBERS[:-1], NUMBERS[:-1]):
        try:
            found = said(ours("float", value(a), value(b)))
        except Refused:
            continue
        with np.errstate(invalid="ignore"):
            assert found == theirs(a, b), (a, b)
        kept += not (math.isfinite(a) and math.isfinite(b))
    assert kept >= 8


@pytest.mark.parametrize("name", choices.COMPARED)
def test_zeros_and_ones_are_compared_with_numbers(name):
    mask = making.identity(2)
    for number in map(Fraction, (-1, 0, "1/2", 1, 2)):
        other = making.number(number)
        for one, two in ((mask, other), (other, mask)):
            sides = [np.eye(2) if side is mask else float(number) for side in (one, two)]
            found = choices.COMPARED[name](one, two)
            wanted = getattr(operator, name)(*sides)
            np.testing.assert_array_equal(Floats({}, {})(found), wanted)
            assert is_mask(found) or making.constant(found) is not None
