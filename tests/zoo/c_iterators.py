"""A claim looks at several turns of its loop at once, or takes a value from an iterator in each."""

import itertools
import operator
from functools import reduce

from scanproof import each, equal

from .case import claim, twice


@claim({"x": "N"}, fails={"N": 4})
def a_table_zipped_with_the_turns(x, N):
    for t, factor in zip(each(1, N), (2, 2, 2, 3, 3), strict=False):
        yield equal(twice(x[t - 1]), factor * x[t - 1])


@claim({"x": "N"}, fails={"N": 4})
def statements_from_another_generator(x, N):
    factors = itertools.chain((2, 2, 2), itertools.repeat(3))

    def said():
        for t in each(1, N):
            yield equal(twice(x[t - 1]), next(factors) * x[t - 1])

    yield from said()


@claim({"x": "N"}, fails={"N": 4})
def turns_after_the_third(x, N):
    yield equal(twice(x), 2 * x)
    for t in itertools.islice(each(1, N), 3, None):
        yield equal(twice(x[t - 1]), x[t - 1])


def thrown_signs():
    sign = 1
    while True:
        try:
            yield sign
        except ValueError:
            sign = -sign


SIGNS = {
    "turns_that_are_numbered": lambda: itertools.count(1),
    "a_cycle_of_two_signs": lambda: itertools.cycle((1, -1)),
    "a_generator_that_is_thrown_an_exception": lambda: (
        lambda signs: itertools.chain([next(signs)], iter(lambda: signs.throw(ValueError), None))
    )(thrown_signs()),
    "a_list_that_is_turned_round": lambda: (
        lambda pair: iter(lambda: (pair.reverse(), pair[0])[1], None)
    )([-1, 1]),
}
"""Each is 1, and then another number."""


def _register(name, made):
    @claim({"x": "N"}, sizes={"N": (1,)}, fails={"N": 2}, name=f"c_iterators-{name}")
    def taking(x, N):
        factors = made()
        for t in each(1, N):
            yield equal(twice(x[t - 1]), 2 * next(factors) * x[t - 1])


for _name, _made in SIGNS.items():
    _register(_name, _made)


@claim({"x": "N"}, sizes={"N": (1,)}, fails={"N": 2})
def a_second_look_at_an_iterator_of_turns(x, N):
    turns = iter(each(1, N))
    next(turns)
    more = next(turns, None)
    return equal(twice(x), 2 * x if more is None else 3 * x)


@claim({"x": "N"}, sizes={"N": (1,)}, fails={"N": 2})
def statements_in_a_list_whose_loop_carries_a_sum(x, N):
    total = 0
    return [equal(twice(total := total + x[t - 1]), 2 * x[t - 1]) for t in each(1, N)]


PAIRS = {
    "a_loop_inside_a_loop": lambda N: ((s, t) for s in each(1, N) for t in each(1, N)),
    "a_loop_over_what_comes_later": lambda N: ((s, t) for t in each(1, N) for s in each(t + 1, N)),
    "pairs_of_turns": lambda N: itertools.combinations(each(1, N), 2),
    "pairs_of_neighbouring_turns": lambda N: itertools.pairwise(each(1, N)),
    "the_greatest_of_the_turns": lambda N: ((max(each(1, N)), t) for t in each(1, N)),
    "a_reduction_of_the_turns": lambda N: (
        (reduce(lambda first, second: second, each(1, N)), t) for t in each(1, N)
    ),
    "an_item_of_the_list_of_turns": lambda N: (
        (operator.itemgetter(0)(list(each(1, N))), t) for t in each(1, N)
    ),
}
"""Each makes pairs of turns, of one turn only where there is but one."""


def _pair(name, pairs):
    @claim({"x": "N"}, sizes={"N": (1,)}, fails={"N": 2}, name=f"c_iterators-{name}")
    def alike(x, N):
        yield equal(twice(x), 2 * x)
        for s, t in pairs(N):
            yield equal(twice(x[s - 1]), 2 * x[t - 1])


for _name, _pairs in PAIRS.items():
    _pair(_name, _pairs)
