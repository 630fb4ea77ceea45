"""A window, or the greater or smaller of two sizes, that is the whole at the sizes looked at."""

from scanproof import build, equal, scan

from .case import claim, total, twice


@claim({"x": "N"}, fails={"N": 4})
def a_window_of_the_first_three(x):
    return equal(total(x[:3]), total(x))


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
def the_smaller_of_the_size_and_three(x, N):
    return equal(min(N, 3) * twice(x), 2 * N * x)


@claim({"x": "N"}, fails={"N": 4})
def the_smallest_by_a_key(x, N):
    least = min((N, 3), key=lambda one: one if isinstance(one, int) else 0)
    return equal(least * twice(x), 2 * N * x)
