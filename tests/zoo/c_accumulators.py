"""A claim carries sums, flags and arrays from one turn of its loop to the next."""

from scanproof import each, equal
from scanproof.constructs.learners.descent import (
    gradient_descent,
    loss_gradient,
)
from scanproof.constructs.learners.losses import HALF_SUM

from .case import claim, twice

GIVEN = {"x": "N f", "y": "N", "w": "f", "eta": ""}


@claim({"x": "N"}, sizes={"N": (1,)}, fails={"N": 2})
def a_sum_that_is_said_to_be_its_last_term(x, N):
    total = 0
    for t in each(1, N):
        total = total + twice(x[t - 1])
        yield equal(total, 2 * x[t - 1])


@claim({"x": "N", "z": "N"}, sizes={"N": (1,)}, fails={"N": 2})
def two_accumulators_that_change_places(x, z, N):
    first, second = z, x
    for t in each(1, N):
        first, second = second, first
        yield equal(twice(first[t - 1]), 2 * x[t - 1])


@claim({"x": "N"}, fails={"N": 4})
def two_accumulators_of_which_one_is_square(x, N):
    a, b = 1, 1
    for t in each(1, N):
        yield equal(twice(x[t - 1]) * ((a - 1) * (a - 2) * (a - 3) + b), 2 * b * x[t - 1])
        a, b = a + 1, b * 2


@claim({"x": "N"}, sizes={"N": (1,)}, fails={"N": 2})
def a_flag_that_is_up_after_the_first_turn(x, N):
    later = False
    for t in each(1, N):
        yield equal(twice(x[t - 1]), x[t - 1] if later else 2 * x[t - 1])
        later = True


@claim({"x": "N"}, sizes={"N": (1,)}, fails={"N": 2})
def a_statement_about_the_turn_before(x, N):
    before = None
    for t in each(1, N):
        yield equal(twice(x[t - 1]), 2 * x[t - 1])
        if before is not None:
            yield equal(twice(x[before - 1]), 2 * x[t - 1])
        before = t


@claim({"x": "N"}, fails={"N": 4})
def a_delay_of_three_turns(x, N):
    a = b = c = 1
    for t in each(1, N):
        yield equal(twice(x[t - 1]), 2 * a * x[t - 1])
        a, b, c = b, c, 2


@claim(GIVEN, sizes={"N": (1,), "f": (1, 2)}, fails={"N": 2, "f": 1})
def weights_that_are_carried_and_said_to_be_one_step(x, y, w, eta, N):
    v = w
    for t in each(1, N):
        v = v - eta * loss_gradient(HALF_SUM, v, x[t - 1 : t], y[t - 1 : t])
        yield equal(v, gradient_descent(HALF_SUM, w, x[t - 1 : t], y[t - 1 : t], eta))
