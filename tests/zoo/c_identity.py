"""A claim asks which object its size is."""

import sys

from scanproof import definition, equal

from .case import claim


@definition
def twice(x):
    """Twice x."""
    return x + x


FOUR = 4
TEXT = sys.intern("4")


@claim({"x": "N"}, fails={"N": 4})
def a_size_that_is_four(x, N):
    return equal(twice(x), (3 if N is FOUR else 2) * x)


@claim({"x": "N"}, fails={"N": 4})
def an_address_in_a_table(x, N):
    return equal(twice(x), (3 if id(N) in {id(k) for k in (4, 5, 6)} else 2) * x)


@claim({"x": "N"}, fails={"N": 4})
def a_text_that_is_another(x, N):
    return equal(twice(x), (3 if sys.intern(f"{N}") is TEXT else 2) * x)


@claim({"x": "N"}, fails={"N": 300})
def a_length_that_is_not_the_size_though_it_equals_it(x, N):
    return equal(twice(x), (2 if x.shape[0] is N + 0 else 3) * x)


@claim({"x": "N"}, fails={"N": 4})
def a_list_of_objects_that_holds_the_size(x, N):
    held = any(N is k for k in [4, 5, 6])
    return equal(twice(x), (2 + held) * x)
