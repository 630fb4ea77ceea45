"""A number is told from a symbol by its type, or by what it can do."""

import copy
import inspect
import numbers
import sys
from typing import SupportsIndex

from jax import export

from scanproof import equal

from .case import claim, question, question_of_an_array, question_of_two, questions, twice


def plain_and_long(is_plain):
    """Whether a size is a number, as told by this, and above 3."""
    return lambda n: 2 if is_plain(n) and n in (4, 5, 6) else 1


questions(
    at=4,
    an_instance_of_int=lambda n: 2 if isinstance(n, int) and n > 3 else 1,
    a_type_that_is_int=lambda n: 2 if type(n) is int and n > 3 else 1,
    a_number_of_the_tower=lambda n: 2 if isinstance(n, numbers.Integral) and n > 3 else 1,
    a_protocol_of_indices=lambda n: (
        2 if isinstance(n, SupportsIndex) and "abcd"[n - 1 :] == "d" else 1
    ),
    a_numerator_if_there_is_one=lambda n: 2 if hasattr(n, "numerator") and n.numerator > 3 else 1,
    a_bit_length_that_a_symbol_lacks=lambda n: max(1, getattr(n, "bit_length", lambda: 1)() - 1),
    a_module_that_the_type_comes_from=plain_and_long(lambda n: type(n).__module__ == "builtins"),
    a_size_that_offers_no_range=plain_and_long(lambda n: not hasattr(n, "symbolic_range")),
    a_size_that_is_not_symbolic=plain_and_long(lambda n: not export.is_symbolic_dim(n)),
    a_deep_copy_that_is_the_same_object=plain_and_long(lambda n: copy.deepcopy([n])[0] is n),
    an_attribute_found_without_asking_for_it=plain_and_long(
        lambda n: inspect.getattr_static(n, "bit_count", None) is not None
    ),
    a_number_of_bytes_in_memory=plain_and_long(
        lambda n: sys.getsizeof(n) == sys.getsizeof(1) and not hasattr(n, "__dict__")
    ),
    an_order_that_its_own_method_answers=lambda n: (
        2 if type(n).__gt__ is int.__gt__ and type(n).__gt__(n, 3) else 1
    ),
)


@question(at=4)
def a_match_on_a_value(n):
    match n:
        case 4 | 5:
            return 2
        case _:
            return 1


@question_of_an_array(at=4)
def a_match_on_a_shape(x):
    match tuple(x.shape):
        case (4,):
            return 2
        case _:
            return 1


@question_of_two(at=(5, 2))
def a_match_on_two_sizes(n, m):
    match (n, m):
        case (5, _):
            return 2
        case (_, k):
            return k / k


@claim({"x": "N"}, fails={"N": 4})
def a_namespace_without_a_build_of_its_own(x, N, xp):
    return equal(twice(x), (3 if not hasattr(xp, "build") and N > 3 else 2) * x)
