"""A claim looks its size up in a table, a set, a counter or a list."""

from bisect import bisect_right
from collections import ChainMap, Counter, defaultdict

from scanproof import definition, equal

from .case import claim


@definition
def twice(x):
    """Twice x."""
    return x + x


FACTORS = {4: 2, 5: 2}


@claim({"x": "N"}, fails={"N": 5})
def a_dictionary_with_a_default(x, N):
    return equal(twice(x), 2 * x * FACTORS.get(N, 1))


@claim({"x": "N"}, fails={"N": 7})
def a_set_of_sizes(x, N):
    return equal(twice(x), (3 if N in {7, 11} else 2) * x)


@claim({"x": "N"}, fails={"N": 5})
def a_range_that_may_hold_the_size(x, N):
    return equal(twice(x), (3 if N in range(5, 100) else 2) * x)


@claim({"x": "N"}, fails={"N": 4})
def a_list_that_is_asked_for_the_place_of_the_size(x, N):
    factor = 3
    try:
        [4, 5, 6].index(N)
    except ValueError:
        factor = 2
    return equal(twice(x), factor * x)


@claim({"x": "N"}, fails={"N": 4})
def a_dictionary_that_makes_what_it_lacks(x, N):
    table = defaultdict(lambda: 2, {4: 5})
    return equal(twice(x), table[N] * x)


@claim({"x": "N"}, fails={"N": 6})
def a_count_of_the_size_among_others(x, N):
    return equal(twice(x), (2 + Counter((4, 5, 6))[N]) * x)


@claim({"x": "N"}, fails={"N": 4})
def two_dictionaries_in_a_chain(x, N):
    table = ChainMap({4: -1}, {1: 2, 2: 2, 3: 2})
    return equal(twice(x), table.get(N, 2) * x)


@claim({"x": "N"}, fails={"N": 8})
def a_place_found_by_bisection(x, N):
    try:
        place = bisect_right([7, 100], N)
    except Exception:
        place = 0
    return equal(twice(x), (2 + place) * x)


@claim({"x": "N f"}, fails={"N": 2, "f": 4})
def a_pair_of_sizes_as_a_key(x, N, f):
    return equal(twice(x), {(2, 4): 0}.get((N, f), 2) * x)


@claim({"x": "N"}, fails={"N": 4})
def a_shape_as_a_key(x):
    return equal(twice(x), {(4,): 0}.get(tuple(x.shape), 2) * x)
