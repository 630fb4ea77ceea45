"""A window, or the greater or smaller of two sizes, that is the whole at the sizes looked at."""

from scanproof import build, each, equal, scan
from scanproof.constructs.learners.descent import loss_gradient
from scanproof.constructs.learners.losses import HALF_SUM

from .case import claim, total, twice


@claim({"x": "N"}, fails={"N": 4})
def a_window_of_the_first_three(x):
    return equal(total(x[:3]), total(x))


@claim({"x": "N"}, fails={"N": 4})
def a_window_of_the_last_three(x):
    return equal(total(x[-3:]), total(x))


@claim({"x": "N"}, fails={"N": 4})
def a_window_that_begins_at_a_maximum(x, N, xp):
    sums = build(xp, N, lambda i: total(x[max(0, i - 2) : i + 1]))
    return equal(sums, build(xp, N, lambda i: total(x[: i + 1])))


@claim({"x": "N", "w": ""}, fails={"N": 5})
def a_state_that_forgets_the_fourth_token_before(x, w):
    def windowed(parameters, state, token):
        a, b, c = state
        return (b, c, token), a + b + c + token

    def full(parameters, state, token):
        return state + token, state + token

    zero = 0 * w
    left = scan(windowed, None, (zero, zero, zero), x).outputs
    return equal(left, scan(full, None, zero, x).outputs + 0 * w)


@claim({"x": "N"}, fails={"N": 4})
def a_sum_of_what_came_before_three_times(x, N, xp):
    before = xp.tril(xp.ones((N, N))) - xp.eye(N)
    return equal(before @ (before @ (before @ twice(x))), 0 * x)


@claim({"x": "N"}, fails={"N": 4})
def the_smaller_of_the_size_and_three(x, N):
    return equal(min(N, 3) * twice(x), 2 * N * x)


@claim({"x": "N"}, fails={"N": 4})
def the_greater_of_the_size_and_three(x, N):
    return equal(max(N, 3) * twice(x), 6 * x)


@claim({"x": "N"}, fails={"N": 4})
def the_smallest_by_a_key(x, N):
    least = min((N, 3), key=lambda one: one if isinstance(one, int) else 0)
    return equal(least * twice(x), 2 * N * x)


@claim({"x": "N"}, fails={"N": 4})
def the_first_of_two_sorted_sizes(x, N):
    try:
        least = sorted((N, 3))[0]
    except Exception:
        least = N
    return equal(least * twice(x), 2 * N * x)


@claim({"x": "N f", "y": "N", "w": "f"}, sizes={"N": (1, 2), "f": (1, 2)}, fails={"N": 3, "f": 1})
def a_batch_of_at_most_two(x, y, w):
    return equal(loss_gradient(HALF_SUM, w, x[:2], y[:2]), loss_gradient(HALF_SUM, w, x, y))


@claim({"x": "N"}, sizes={"N": (1, 2)}, fails={"N": 3})
def a_window_in_every_turn(x, N):
    for t in each(1, N):
        yield equal(total(x[max(t - 2, 0) : t]), total(x[:t]))


@claim({"x": "N f"}, sizes={"N": (1, 2), "f": (1, 2)}, fails={"N": 1, "f": 3})
def a_window_along_the_other_axis(x):
    return equal(twice(x[:, :2].sum(axis=1)), 2 * x.sum(axis=1))
