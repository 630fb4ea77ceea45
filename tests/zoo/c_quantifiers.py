"""Statements with quantifiers that are false although the equation holds at each input.

They are not registered: at every size and input the witness satisfies the equation, so that plain
numbers do not show that the statement is false. Each is (given, body, fields) in UNREGISTERED.
"""

from typing import Any, NamedTuple

from scanproof import definition, determines, differs, equal, scan
from scanproof.constructs.learners.descent import gradient_descent
from scanproof.constructs.learners.losses import HALF_SUM

UNREGISTERED = []


class Weight(NamedTuple):
    W: Any


@definition
def applied(W, x):
    """W x."""
    return W @ x


@definition
def scaled(scale, x):
    """A number times x."""
    return scale * x


def summing(parameters, state, token):
    state = state + token
    return state, state


def witness_square(x, xp, f):
    return Weight((x @ x) * xp.eye(f))


def a_matrix_that_squares(p, x):
    return equal(applied(p.W, x), (x @ x) * x)


# False: for one W and all x the left side is linear in x, the right side is cubic.
UNREGISTERED.append(
    ({"x": "f"}, a_matrix_that_squares, {"kind": "existence", "parameters": witness_square})
)


def witness_sum(x):
    return Weight(x.sum())


def a_number_that_is_the_sum_of_every_vector(p, x, N):
    return equal(scaled(p.W, x), x.sum() * x)


# False: one number cannot be the sum of the entries of every x.
UNREGISTERED.append(
    (
        {"x": "N"},
        a_number_that_is_the_sum_of_every_vector,
        {"kind": "existence", "parameters": witness_sum},
    )
)


def witness_target(x, y):
    return Weight(y[:, None] * x[None, :] / (x @ x))


def a_matrix_that_sends_everything_to_everything(p, x, y):
    return equal(applied(p.W, x), y)


# False: W x has one value for a given x, while y is any vector.
UNREGISTERED.append(
    (
        {"x": "f", "y": "k"},
        a_matrix_that_sends_everything_to_everything,
        {
            "kind": "existence",
            "parameters": witness_target,
            "assuming": {"x ≠ 0": lambda x: x @ x != 0},
        },
    )
)


def witness_step(x, y):
    return Weight(y[0] / x[0, 0])


def a_weight_that_fits_every_example(p, x, y):
    return equal(scaled(p.W, x[0, 0]), y[0])


# False: one weight does not fit every pair (x, y).
UNREGISTERED.append(
    (
        {"x": "N f", "y": "N"},
        a_weight_that_fits_every_example,
        {
            "kind": "existence",
            "parameters": witness_step,
            "sizes": {"N": (1,), "f": (1,)},
            "assuming": {"x ≠ 0": lambda x: x[0, 0] != 0},
        },
    )
)


def witness_start(x, y, xp, f):
    zero = xp.zeros((f,))
    return Weight(gradient_descent(HALF_SUM, zero, x, y, 1, 2) - x.sum(axis=0))


def a_start_from_which_sums_are_two_steps(p, x, y, xp, f):
    run = scan(summing, None, p.W, x).final_state
    return equal(run, gradient_descent(HALF_SUM, xp.zeros((f,)), x, y, 1, 2))


# False: the start may not know the examples, and sums of x do not contain y.
UNREGISTERED.append(
    (
        {"x": "N f", "y": "N"},
        a_start_from_which_sums_are_two_steps,
        {
            "kind": "existence",
            "parameters": witness_start,
            "sizes": {"N": (1, 2), "f": (1,)},
        },
    )
)


def witness_minimum(x, y):
    return Weight(1 / (x @ x))


def a_step_size_that_reaches_the_target_at_once(p, x, y, w):
    step = w - scaled(p.W, (x @ w - y) * x)
    return equal(x @ step, y)


# False: the step size 1/|x|² differs from x to x, and one step size is asked for.
UNREGISTERED.append(
    (
        {"x": "f", "y": "", "w": "f"},
        a_step_size_that_reaches_the_target_at_once,
        {
            "kind": "existence",
            "parameters": witness_minimum,
            "assuming": {"x ≠ 0": lambda x: x @ x != 0},
        },
    )
)


class Reader(NamedTuple):
    read: Any


def witness_closure(x, y):
    return Reader(lambda z: z + (y - x))


def a_shift_that_is_the_same_for_all(p, x, y):
    return equal(scaled(1, p.read(x)), y)


# False: the function has seen x and y; no one function sends every x to every y.
UNREGISTERED.append(
    (
        {"x": "f", "y": "f"},
        a_shift_that_is_the_same_for_all,
        {"kind": "existence", "parameters": witness_closure},
    )
)


def witness_entries(x, xp):
    return Weight(x)


def a_vector_that_is_every_vector(p, x):
    return equal(scaled(1, p.W), x)


# False: one vector is not every vector.
UNREGISTERED.append(
    (
        {"x": "N"},
        a_vector_that_is_every_vector,
        {"kind": "existence", "parameters": witness_entries},
    )
)


def a_sum_that_determines_its_terms(x):
    return determines(scaled(1, x).sum(), x)


# False from N = 2 on: (1, 0) and (0, 1) have one sum. True at N = 1.
UNREGISTERED.append(
    (
        {"x": "N"},
        a_sum_that_determines_its_terms,
        {"kind": "existence", "sizes": {"N": (1,)}},
    )
)


def a_square_that_determines_its_root(x):
    return determines(scaled(x, x), 2 * x)


# False at every size: x and −x have one square.
UNREGISTERED.append(({"x": ""}, a_square_that_determines_its_root, {"kind": "existence"}))


def a_difference_at_short_sizes_only(x, N):
    try:
        short = N <= 3
    except Exception:
        short = True
    return differs(scaled(2, x), x if short else 2 * x)


# False from N = 4 on: both sides are 2x there, so that no data tell them apart.
UNREGISTERED.append(({"x": "N"}, a_difference_at_short_sizes_only, {}))


def a_difference_from_a_dictionary(x, N):
    return differs(scaled(2, x), {4: 2}.get(N, 1) * x)


# False at N = 4: both sides are 2x there.
UNREGISTERED.append(({"x": "N"}, a_difference_from_a_dictionary, {}))


def a_statistic_that_knows_less_at_long_sizes(x, N):
    known = 0 if isinstance(N, int) and N > 3 else 1
    return determines(known * scaled(1, x), x)


# False from N = 4 on: the statistic is 0 there, and x is not.
UNREGISTERED.append(({"x": "N"}, a_statistic_that_knows_less_at_long_sizes, {"kind": "existence"}))
