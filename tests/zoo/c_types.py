"""A claim tells a number from a symbol by its type or by what it can do."""

import copy
import inspect
import numbers
import sys
import weakref
from typing import SupportsIndex

import numpy as np

from scanproof import definition, equal

from .case import claim


@definition
def twice(x):
    """Twice x."""
    return x + x


@claim({"x": "N"}, fails={"N": 4})
def a_size_that_is_an_int(x, N):
    return equal(twice(x), (3 if isinstance(N, int) and N > 3 else 2) * x)


@claim({"x": "N"}, fails={"N": 4})
def a_size_whose_type_is_int(x, N):
    return equal(twice(x), (3 if type(N) is int and N > 3 else 2) * x)


@claim({"x": "N f"}, fails={"N": 17, "f": 17})
def two_sizes_whose_type_is_int(x, N, f):
    return equal(twice(x), (3 if type(N) is int and N > 16 and f > 16 else 2) * x)


@claim({"x": "N"}, fails={"N": 4})
def a_match_on_a_class(x, N):
    match N:
        case int() if N > 3:
            factor = 3
        case _:
            factor = 2
    return equal(twice(x), factor * x)


@claim({"x": "N"}, fails={"N": 4})
def a_match_on_a_value(x, N):
    match N:
        case 4 | 5:
            factor = 3
        case _:
            factor = 2
    return equal(twice(x), factor * x)


@claim({"x": "N"}, fails={"N": 4})
def a_match_on_a_shape(x):
    match tuple(x.shape):
        case (4,):
            factor = 3
        case _:
            factor = 2
    return equal(twice(x), factor * x)


@claim({"x": "N"}, fails={"N": 4})
def a_match_on_an_attribute(x, N):
    match N:
        case object(numerator=4):
            factor = 3
        case _:
            factor = 2
    return equal(twice(x), factor * x)


@claim({"x": "N"}, fails={"N": 4})
def a_bit_length_that_a_symbol_lacks(x, N):
    bits = getattr(N, "bit_length", lambda: 1)()
    return equal(twice(x), (2 if bits < 3 else 3) * x)


@claim({"x": "N"}, fails={"N": 4})
def a_numerator_if_there_is_one(x, N):
    return equal(twice(x), (3 if hasattr(N, "numerator") and N.numerator > 3 else 2) * x)


@claim({"x": "N"}, fails={"N": 4})
def a_number_of_the_tower(x, N):
    return equal(twice(x), (3 if isinstance(N, numbers.Integral) and N > 3 else 2) * x)


@claim({"x": "N"}, fails={"N": 4})
def a_protocol_of_indices(x, N):
    factor = 2
    if isinstance(N, SupportsIndex):
        factor = 3 if (1, 1, 1, 1, 2, 2)[min(N, 5)] == 2 else 2
    return equal(twice(x), factor * x)


@claim({"x": "N"}, fails={"N": 4})
def a_module_that_the_type_comes_from(x, N):
    plain = type(N).__module__ == "builtins"
    return equal(twice(x), (3 if plain and N > 3 else 2) * x)


@claim({"x": "N"}, fails={"N": 4})
def an_array_that_is_not_numpys_and_has_entries(x, N):
    plain = not isinstance(x, np.ndarray) and hasattr(x, "entries")
    return equal(twice(x), (3 if plain and N in (4, 5, 6) else 2) * x)


@claim({"x": "N"}, fails={"N": 4})
def an_entry_that_is_a_number(x, N):
    item = getattr(x[0], "item", lambda: None)
    try:
        plain = isinstance(item(), numbers.Number)
    except Exception:
        plain = False
    return equal(twice(x), (3 if plain and N in (4, 5, 6) else 2) * x)


@claim({"x": "N"}, fails={"N": 4})
def a_namespace_without_a_build_of_its_own(x, N, xp):
    return equal(twice(x), (3 if not hasattr(xp, "build") and N > 3 else 2) * x)


@claim({"x": "N"}, fails={"N": 4})
def a_size_that_offers_no_range_of_its_own(x, N):
    plain = getattr(N, "symbolic_range", None) is None
    return equal(twice(x), (3 if plain and N > 3 else 2) * x)


@claim({"x": "N"}, fails={"N": 4})
def an_attribute_found_without_asking_for_it(x, N):
    plain = inspect.getattr_static(N, "bit_count", None) is not None
    return equal(twice(x), (3 if plain and N > 3 else 2) * x)


@claim({"x": "N"}, fails={"N": 4})
def a_size_that_takes_no_weak_reference(x, N):
    factor = 2
    try:
        weakref.ref(N)
    except TypeError:
        factor = 3 if N in (4, 5, 6) else 2
    return equal(twice(x), factor * x)


@claim({"x": "N"}, fails={"N": 4})
def a_deep_copy_that_is_the_same_object(x, N):
    same = copy.deepcopy([N])[0] is N
    return equal(twice(x), (3 if same and N in (4, 5, 6) else 2) * x)


@claim({"x": "N"}, fails={"N": 4})
def a_number_of_bytes_in_memory(x, N):
    plain = sys.getsizeof(N) == sys.getsizeof(1) and not hasattr(N, "__dict__")
    return equal(twice(x), (3 if plain and N in (4, 5, 6) else 2) * x)
