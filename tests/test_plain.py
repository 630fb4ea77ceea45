"""Counterexamples are plain where plain ones show it, and say what is special about them where none do."""

from fractions import Fraction

import numpy as np
import pytest

from scanproof.proofs.exact.counterexample import special
from scanproof.proofs.exact.plain import near, plain, plainest, tied

DIMS = {"ids": (4,), "x": (4, 2), "eta": ()}


def entries(values):
    return [entry for array in values.values() for entry in array.flat]


def test_plain_inputs_have_no_zero_and_no_two_equal_entries():
    for values in plain(DIMS):
        assert 0 not in entries(values)
        assert len(set(entries(values))) == len(entries(values)) == 13
        assert {name: array.shape for name, array in values.items()} == DIMS


def test_ties_are_of_neighbours_of_every_second_entry_and_of_all():
    patterns = {tuple(values["ids"] == values["ids"][0]) for values in tied(next(plain(DIMS)))}
    assert patterns == {
        (True, True, False, False),
        (True, False, True, False),
        (True, True, True, True),
    }


def test_inputs_near_a_literal_lie_at_it_and_on_both_sides():
    seen = {entry for values in near(DIMS, [Fraction(10**6)]) for entry in entries(values)}
    assert {10**6 - 1, 10**6, 10**6 + 1} <= seen


SHOWING = {
    "anything": (lambda x: True, [1, 2, 3], ""),
    "a 0": (lambda x: 0 in x, [1, 2, 0], "x[2] = 0"),
    "a tie": (lambda x: x[0] == x[2], [1, 2, 1], "x[0] = x[2]"),
    "no order": (lambda x: list(x) != sorted(x), [3, 1, 2], ""),
    "a large entry": (lambda x: max(x) > 99, [1, 2, 100], ""),
    "a negative entry": (lambda x: min(x) < 0, [1, 2, -1], ""),
}
"""What is to be shown of three numbers, the plainest that show it, and what is said of them."""


@pytest.mark.parametrize("name", SHOWING)
def test_the_plainest_inputs_are_special_only_where_they_have_to_be(name):
    shows, numbers, said = SHOWING[name]
    starts = ([0, 0, 0], [1, 0, 1], [3, 1, 2], [1, 2, 100], [-1, -1, -1])
    for start in (one for one in starts if shows(one)):
        x = np.array([Fraction(n) for n in start], dtype=object)
        (found,) = plainest({"x": x}, lambda values: shows(values["x"])).values()
        assert shows(found)
        assert special({"x": list(map(str, found))}).count("=") == said.count("=")
        assert sum(map(abs, found)) <= sum(map(abs, numbers)) + 3


def test_arrays_on_which_nothing_hinges_are_zero():
    x, idle = (np.array([Fraction(7)], dtype=object) for _ in range(2))
    found = plainest({"x": x, "W": idle}, lambda values: True, idle=["W"])
    assert (found["x"][0], found["W"][0]) == (1, 0)


def test_nothing_is_said_to_be_special_of_many_entries():
    assert special({"x": ["1", "1"]}) == "x[0] = x[1]"
    assert special({"x": ["1"] * 25}) == ""
    assert special({"x": ["0"] * 6}) == "x[0] = 0, x[1] = 0, x[2] = 0 and 3 more"
