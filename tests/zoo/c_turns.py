"""A loop that has no turn, or no term, at the sizes that are looked at."""

from scanproof import each, equal, iterate

from .case import claim, twice


@claim({"x": "N"}, fails={"N": 4})
def turns_from_the_fourth_on(x, N):
    yield equal(twice(x), 2 * x)
    for t in each(4, N):
        yield equal(twice(x[t - 1]), x[t - 1])


@claim({"x": "N"}, fails={"N": 4})
def nothing_but_turns_of_no_number(x, N):
    if False:
        yield
    for t in each(4, N):
        yield equal(twice(x[t - 1]), 3 * x[t - 1])
    yield equal(twice(x[0]), 2 * x[0])


@claim({"x": "N", "z": ""}, fails={"N": 4})
def a_sum_over_what_comes_after_the_third(x, z):
    return equal(twice(z + x[3:].sum()), 2 * z)


@claim({"x": "N"}, sizes={"N": (1,)}, fails={"N": 2})
def a_step_that_is_done_no_times(x, N):
    return equal(iterate(twice, x, N - 1), twice(x) - x)


@claim({"x": "N"}, fails={"N": 4})
def a_loop_that_is_skipped_by_its_else(x, N):
    factor = 3
    for _ in each(4, N):
        break
    else:
        factor = 2
    return equal(twice(x), factor * x)
