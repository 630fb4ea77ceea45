"""A claim asks about its size where an answer that does not come is caught."""

from scanproof import definition, equal, gradient, scan

from .case import claim

GIVEN = {"x": "N f", "y": "N", "w": "f", "eta": ""}
SMALL = {"N": 2, "f": 1}


@definition
def twice(x):
    """Twice x."""
    return x + x


def delta(eta, w, token):
    x, y = token
    w = w - eta * (x @ w - y) * x
    return w, x @ w


@claim({"x": "N"}, fails={"N": 5})
def an_order_in_a_try(x, N):
    try:
        short = N <= 4
    except Exception:
        short = True
    return equal(twice(x), 2 * x if short else 3 * x)


@claim({"x": "N"}, fails={"N": 5})
def an_equality_in_a_try(x, N):
    try:
        five = bool(N == 5)
    except Exception:
        five = False
    return equal(twice(x), (2 + five) * x)


@claim({"x": "N"}, fails={"N": 4})
def a_remainder_in_a_try(x, N):
    factor = 2
    try:
        if N % 4 == 0:
            factor = 3
    except Exception as reason:
        del reason
    return equal(twice(x), factor * x)


@claim({"x": "N"}, fails={"N": 4})
def every_exception_is_caught(x, N):
    try:
        factor = 3 if N > 3 else 2
    except BaseException:
        factor = 2
    return equal(twice(x), factor * x)


@claim({"x": "N"}, fails={"N": 4})
def a_finally_that_returns(x, N):
    factor = 2
    try:
        if N > 3:
            factor = 3
    finally:
        return equal(twice(x), factor * x)  # noqa: B012


@claim({"x": "N"}, fails={"N": 4})
def a_finally_that_ends_the_loop(x, N):
    factor = 2
    while True:
        try:
            if N > 3:
                factor = 3
        finally:
            break  # noqa: B012
    return equal(twice(x), factor * x)


@claim({"x": "N"}, fails={"N": 4})
def a_group_of_exceptions(x, N):
    factor = 2
    try:
        factor = 2 + (N > 3) * 1
    except* Exception:
        factor = 2
    return equal(twice(x), factor * x)


@claim({"x": "N"}, fails={"N": 4})
def a_division_by_zero_at_one_size(x, N):
    try:
        1 // (N - 4)
        factor = 2
    except ZeroDivisionError:
        factor = 3
    except Exception:
        factor = 2
    return equal(twice(x), factor * x)


@claim({"x": "N"}, fails={"N": 4})
def a_fourth_entry_in_a_try(x):
    try:
        more = x[3]
    except Exception:
        more = 0
    return equal(twice(x), 2 * x + more)


@claim({"x": "N"}, fails={"N": 4})
def a_square_of_four_entries_in_a_try(x, xp):
    try:
        more = xp.reshape(x, (2, 2))[0, 0]
    except Exception:
        more = 0
    return equal(twice(x), 2 * x + more)


@claim({"x": "N"}, sizes={"N": (2, 3)}, fails={"N": 4})
def a_sum_with_four_ones_in_a_try(x, xp):
    try:
        more = x + xp.ones((4,))
    except Exception:
        more = 0 * x
    return equal(twice(x), 2 * x + more)


@claim({"x": "N"}, fails={"N": 4})
def an_assertion_about_the_size(x, N):
    factor = 2
    try:
        assert not N > 3
    except AssertionError:
        factor = 3
    except Exception:
        factor = 2
    return equal(twice(x), factor * x)


@claim(GIVEN, sizes={"N": (1,), "f": (1, 2)}, fails=SMALL)
def a_layer_that_is_compared_only_where_there_is_one_example(x, y, w, eta, N):
    loss = lambda v: ((x @ v - y) * (x @ v - y)).sum() / 2  # noqa: E731
    run = scan(delta, eta, w, (x, y)).final_state
    step = w - eta * gradient(loss, w)
    try:
        return equal(run, step) if N == 1 else equal(step, run)
    except Exception:
        return equal(run, run)


@claim({"x": "N"}, fails={"N": 4})
def a_statement_only_where_the_size_is_long(x, N):
    yield equal(twice(x), 2 * x)
    try:
        long = N > 3
    except Exception:
        return
    if long:
        yield equal(twice(x), x)
