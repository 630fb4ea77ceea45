"""A claim keeps an answer in a cache and uses it again."""

from functools import cache, cached_property, lru_cache, partial, singledispatch

from scanproof import build, definition, each, equal

from .case import claim


@definition
def twice(x):
    """Twice x."""
    return x + x


@claim({"x": "N"}, sizes={"N": (1,)}, fails={"N": 2})
def a_cached_function_without_arguments(x, N):
    @cache
    def turn():
        return t

    for t in each(1, N):
        yield equal(twice(x[turn() - 1]), 2 * x[t - 1])


@claim({"x": "N"}, sizes={"N": (1,)}, fails={"N": 2})
def a_cached_property_of_the_first_turn(x, N):
    class Reader:
        @cached_property
        def entry(self):
            return x[t - 1]

    reader = Reader()
    for t in each(1, N):
        yield equal(twice(reader.entry), 2 * x[t - 1])


@claim({"x": "N"}, sizes={"N": (1,)}, fails={"N": 2})
def a_cache_in_a_function_for_build(x, N, xp):
    @cache
    def entry():
        return x[place[-1]]

    place = []

    def row(i):
        place.append(i)
        return entry()

    return equal(twice(build(xp, N, row)), 2 * x)


@claim({"x": "N"}, fails={"N": 4})
def a_number_of_misses_of_a_cache(x, N):
    @lru_cache(maxsize=2)
    def same(t):
        return t

    for t in each(1, N):
        same(t)
        yield equal(twice(x[t - 1]), (2 if same.cache_info().misses <= 3 else 3) * x[t - 1])


@claim({"x": "N"}, fails={"N": 4})
def a_function_that_dispatches_on_the_type(x, N):
    @singledispatch
    def factor(size):
        return 2

    @factor.register
    def _(size: int):
        return 2 if size <= 3 else 3

    return equal(twice(x), factor(N) * x)


@claim({"x": "N"}, fails={"N": 4})
def a_partial_function_whose_list_grows(x, N):
    def factor(seen, t):
        seen.append(t)
        return 3 if len(seen) > 3 else 2

    bound = partial(factor, [])
    for t in each(1, N):
        yield equal(twice(x[t - 1]), bound(t) * x[t - 1])


@claim({"x": "N", "z": "N"}, sizes={"N": (1,)}, fails={"N": 2})
def a_dictionary_that_knows_only_the_first_entry(x, z, N):
    known = {}
    for t in each(1, N):
        if "entry" not in known:
            known["entry"] = x[t - 1] * z[t - 1]
        yield equal(twice(known["entry"]), 2 * x[t - 1] * z[t - 1])
