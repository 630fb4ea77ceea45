"""Running error bounds: they hold, they are narrow, and they grow where an answer is lost."""

import math

import numpy as np
import pytest
from agreement import Draw, assert_agrees, wide
from hypothesis import given
from hypothesis import strategies as st
from loops import WIDE
from running_error import EPSILON, Bounded, bounded

from scanproof.numeric.rounding.arithmetic import settled


@pytest.mark.long
@given(fixed=st.floats(0, 1e6), again=st.floats(0, 2))
def test_an_error_that_comes_back_settles_where_it_makes_itself(fixed: float, again: float):
    found = settled(fixed, again)
    assert found == math.inf if again >= 1 else found == pytest.approx(fixed + again * found)


@pytest.mark.long
@given(seed=st.integers(0, 2**32 - 1), length=st.integers(1, 200))
def test_bound_covers_a_sum_in_any_order(seed: int, length: int):
    numbers = Draw(seed)(length)
    exact = sum(wide(numbers), WIDE.mpf(0))
    limit = bounded(numbers).sum()
    for order in (numbers, numbers[::-1], np.sort(numbers)):
        running = 0.0
        for number in order:
            running += number
        assert_agrees(running, exact, limit)


@pytest.mark.long
@given(seed=st.integers(0, 2**32 - 1))
def test_bound_covers_what_the_inputs_errors_do(seed: int):
    """Inputs moved within their errors leave the exact result within the bound of the result."""
    d = Draw(seed)
    x, y, moved = d.positive(3), d.positive(3), 1e-10 * d.small(2, 3)
    inputs = Bounded(x, np.abs(moved[0])), Bounded(y, np.abs(moved[1]))
    a, b = wide(x) + wide(moved[0]), wide(y) + wide(moved[1])

    def compute(u, v, exp, log):
        return (u * v - v / u, u @ v, exp(u) * log(u + v))

    exact = compute(
        a, b, np.vectorize(WIDE.exp, otypes=[object]), np.vectorize(WIDE.log, otypes=[object])
    )
    namespace = inputs[0].__array_namespace__()
    limit = compute(*inputs, namespace.exp, namespace.log)
    assert_agrees(compute(x, y, np.exp, np.log), exact, limit)


def test_one_operation_is_bounded_by_epsilon_times_its_result():
    third = bounded(1.0) / 3
    assert third.value == 1 / 3
    assert third.error == EPSILON / 3


def test_cancellation_keeps_the_absolute_error():
    """(1/3 + 1) − 1 is a third, with the error of a number as large as 4/3."""
    lost = (bounded(1.0) / 3 + 1) - 1
    assert 4 / 3 * EPSILON < lost.error < 3 * EPSILON


def test_a_divisor_that_may_be_zero_leaves_no_bound():
    assert (1 / Bounded(1e-9, 1e-8)).error == np.inf


def test_the_logarithm_of_what_may_be_zero_has_no_bound():
    maybe = Bounded(1e-9, 1e-8)
    assert maybe.__array_namespace__().log(maybe).error == np.inf


def test_a_plain_array_on_the_left_is_taken_as_exact():
    plain = np.array([1.0, 2.0])
    for found in (plain + bounded(plain), plain * bounded(plain), plain @ bounded(np.eye(2))):
        assert isinstance(found, Bounded)


def test_an_array_of_another_kind_is_refused():
    class Other:
        def __array_namespace__(self):
            return None

    with pytest.raises(TypeError):
        _ = bounded(1.0) + Other()
