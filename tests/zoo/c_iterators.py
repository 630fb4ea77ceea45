"""A claim takes one value from an iterator in each turn."""

import itertools

from scanproof import build, definition, each, equal, scan

from .case import claim


@definition
def twice(x):
    """Twice x."""
    return x + x


@claim({"x": "N"}, fails={"N": 4})
def a_table_zipped_with_the_turns(x, N):
    for t, factor in zip(each(1, N), (2, 2, 2, 3, 3), strict=False):
        yield equal(twice(x[t - 1]), factor * x[t - 1])


@claim({"x": "N"}, sizes={"N": (1,)}, fails={"N": 2})
def turns_that_are_numbered(x, N):
    for place, t in enumerate(each(1, N)):
        yield equal(twice(x[t - 1]), 2 * x[t - 1] + place)


@claim({"x": "N"}, fails={"N": 4})
def a_next_value_of_a_table(x, N):
    factors = iter((2, 2, 2))
    for t in each(1, N):
        yield equal(twice(x[t - 1]), next(factors, 3) * x[t - 1])


@claim({"x": "N"}, sizes={"N": (1,)}, fails={"N": 2})
def a_count_that_goes_on(x, N):
    numbers = itertools.count()
    for t in each(1, N):
        yield equal(twice(x[t - 1]), (2 + next(numbers)) * x[t - 1])


@claim({"x": "N"}, sizes={"N": (1,)}, fails={"N": 2})
def a_cycle_of_two_signs(x, N):
    signs = itertools.cycle((1, -1))
    for t in each(1, N):
        yield equal(twice(x[t - 1]), 2 * next(signs) * x[t - 1])


@claim({"x": "N"}, fails={"N": 5})
def a_list_that_is_emptied(x, N):
    factors = [3, 2, 2, 2, 2]
    for t in each(1, N):
        yield equal(twice(x[t - 1]), factors.pop() * x[t - 1])


@claim({"x": "N"}, fails={"N": 4})
def a_function_that_is_called_until_it_gives_an_end(x, N):
    left = [3, 2, 2, 2]
    factors = iter(left.pop, 3)
    for t in each(1, N):
        yield equal(twice(x[t - 1]), next(factors, 5) * x[t - 1])


@claim({"x": "N"}, fails={"N": 4})
def an_iterator_in_build(x, N, xp):
    factors = itertools.chain((1, 1, 1), itertools.repeat(2))
    return equal(twice(build(xp, N, lambda i: x[i] * next(factors))), 2 * x)


@claim({"x": "N", "w": ""}, fails={"N": 4})
def an_iterator_in_scan(x, w):
    factors = itertools.chain((1, 1, 1), itertools.repeat(0))

    def step(parameters, state, token):
        state = state + token * next(parameters)
        return state, state

    return equal(scan(step, factors, w, x).final_state, w + x.sum())


@claim({"x": "N"}, sizes={"N": (1,)}, fails={"N": 2})
def sums_of_the_turns_so_far(x, N):
    for t, total in zip(each(1, N), itertools.accumulate(each(1, N)), strict=True):
        yield equal(twice(x[t - 1]) * t, 2 * x[t - 1] * total)


@claim({"x": "N"}, sizes={"N": (1,)}, fails={"N": 2})
def a_number_of_turns(x, N):
    return equal(twice(x), 2 * x * len(list(each(1, N))))


@claim({"x": "N"}, sizes={"N": (1,)}, fails={"N": 2})
def a_loop_inside_a_loop_of_the_same_range(x, N):
    for s in each(1, N):
        for t in each(1, N):
            yield equal(twice(x[s - 1]), 2 * x[t - 1])


@claim({"x": "N"}, sizes={"N": (1,)}, fails={"N": 2})
def a_second_look_at_an_iterator_of_turns(x, N):
    turns = iter(each(1, N))
    next(turns)
    more = next(turns, None)
    return equal(twice(x), 2 * x if more is None else 3 * x)


@claim({"x": "N"}, sizes={"N": (1,)}, fails={"N": 2})
def pairs_of_turns(x, N):
    yield equal(twice(x), 2 * x)
    for s, t in itertools.combinations(each(1, N), 2):
        yield equal(twice(x[s - 1]), 2 * x[t - 1])


@claim({"x": "N"}, sizes={"N": (1,)}, fails={"N": 2})
def pairs_of_neighbouring_turns(x, N):
    yield equal(twice(x), 2 * x)
    for s, t in itertools.pairwise(each(1, N)):
        yield equal(twice(x[s - 1]), 2 * x[t - 1])


@claim({"x": "N"}, fails={"N": 4})
def turns_after_the_third(x, N):
    yield equal(twice(x), 2 * x)
    for t in itertools.islice(each(1, N), 3, None):
        yield equal(twice(x[t - 1]), x[t - 1])


@claim({"x": "N"}, sizes={"N": (1,)}, fails={"N": 2})
def the_greatest_of_the_turns(x, N):
    for t in each(1, N):
        yield equal(twice(x[max(each(1, N)) - 1]), 2 * x[t - 1])
