"""A claim asks about its size through the functions of the module operator."""

import operator
from functools import reduce

from scanproof import definition, each, equal

from .case import claim


@definition
def twice(x):
    """Twice x."""
    return x + x


@claim({"x": "N"}, fails={"N": 4})
def an_index_of_the_size(x, N):
    try:
        n = operator.index(N)
    except TypeError:
        n = 1
    return equal(twice(x), (3 if n > 3 else 2) * x)


class AsLongAs:
    """An object whose length is a size, if that is a number."""

    def __init__(self, size):
        self.size = size

    def __len__(self):
        return operator.index(self.size)


@claim({"x": "N"}, fails={"N": 4})
def a_length_that_is_a_hint(x, N):
    return equal(twice(x), (3 if operator.length_hint(AsLongAs(N), 1) > 3 else 2) * x)


@claim({"x": "N"}, fails={"N": 4})
def a_method_called_by_its_name(x, N):
    try:
        bits = operator.methodcaller("bit_length")(N)
    except AttributeError:
        bits = 1
    return equal(twice(x), (3 if bits > 2 else 2) * x)


@claim({"x": "N"}, fails={"N": 4})
def a_count_of_equal_objects(x, N):
    return equal(twice(x), (2 + operator.countOf((4, 5, 6), N)) * x)


@claim({"x": "N"}, fails={"N": 4})
def an_equality_that_is_a_function(x, N):
    return equal(twice(x), (3 if operator.eq(N, 4) is True else 2) * x)


@claim({"x": "N"}, fails={"N": 4})
def an_order_that_its_own_method_answers(x, N):
    answer = type(N).__gt__(N, 3) if type(N).__gt__ is int.__gt__ else False
    return equal(twice(x), (3 if answer else 2) * x)


@claim({"x": "N"}, sizes={"N": (1,)}, fails={"N": 2})
def a_reduction_of_the_turns(x, N):
    for t in each(1, N):
        last = reduce(lambda first, second: second, each(1, N))
        yield equal(twice(x[last - 1]), 2 * x[t - 1])


@claim({"x": "N"}, sizes={"N": (1,)}, fails={"N": 2})
def an_item_of_the_list_of_turns(x, N):
    turns = list(each(1, N))
    for t in each(1, N):
        yield equal(twice(x[operator.itemgetter(0)(turns) - 1]), 2 * x[t - 1])
