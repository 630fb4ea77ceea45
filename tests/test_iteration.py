"""A step applied a number of times, and every state on the way."""

import numpy as np
import pytest

from scanproof.constructs.arrays.iteration import iterate, iterates


def fibonacci(pair):
    return pair[1], pair[0] + pair[1]


START = (np.asarray(0), np.asarray([1, 1]))


def test_no_application_leaves_the_state_as_it_is():
    assert iterate(fibonacci, START, 0) is START


def test_iterate_applies_the_step_that_often():
    first, second = iterate(fibonacci, START, 5)
    assert first.tolist() == [5, 5]
    assert second.tolist() == [8, 8]


def test_iterates_are_the_states_before_each_application():
    found = iterates(lambda state: 2 * state + 1, np.asarray([0, 1]), 4)
    assert found.tolist() == [[0, 1], [1, 3], [3, 7], [7, 15]]


def test_iterates_of_a_tuple_are_a_tuple_of_stacks():
    powers, count = iterates(lambda s: (s[0] * 3, s[1] + 1), (np.asarray(1), np.asarray(0)), 3)
    assert powers.tolist() == [1, 3, 9]
    assert count.tolist() == [0, 1, 2]


def test_iterates_of_no_application_are_refused():
    with pytest.raises(ValueError, match=r"iterates\(\) expects count ≥ 1, got 0"):
        iterates(fibonacci, START, 0)


def test_a_symbolic_count_is_left_to_the_arrays_own_namespace():
    class Symbolic:
        """An array whose namespace counts for itself."""

        def __array_namespace__(self):
            return self

        def iterate(self, step, state, count):
            return ("iterate", step, state, count)

        def iterates(self, step, state, count):
            return ("iterates", step, state, count)

    state = (Symbolic(), None)
    assert iterate(fibonacci, state, "L") == ("iterate", fibonacci, state, "L")
    assert iterates(fibonacci, state, "L") == ("iterates", fibonacci, state, "L")
