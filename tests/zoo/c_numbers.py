"""A claim makes a plain number of its size."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np

from scanproof import definition, equal

from .case import claim


@definition
def twice(x):
    """Twice x."""
    return x + x


def asked(question, N, otherwise):
    """question(N), or `otherwise` where it has no answer."""
    try:
        return question(N)
    except Exception:
        return otherwise


@claim({"x": "N"}, fails={"N": 4})
def a_size_as_an_int(x, N):
    return equal(twice(x), (3 if asked(int, N, 1) > 3 else 2) * x)


@claim({"x": "N"}, fails={"N": 4})
def a_size_as_a_float(x, N):
    return equal(twice(x), (3 if asked(float, N, 1.0) > 3.5 else 2) * x)


@claim({"x": "N"}, fails={"N": 4})
def a_size_as_a_fraction(x, N):
    return equal(twice(x), (3 if asked(Fraction, N, 1) > 3 else 2) * x)


@claim({"x": "N"}, fails={"N": 4})
def a_size_as_a_decimal(x, N):
    return equal(twice(x), (3 if asked(Decimal, N, 1) > 3 else 2) * x)


@claim({"x": "N"}, fails={"N": 10})
def a_size_rounded_to_tens(x, N):
    return equal(twice(x), (2 + asked(lambda n: round(n, -1), N, 0)) * x)


@claim({"x": "N"}, fails={"N": 4})
def a_quotient_without_a_remainder(x, N):
    return equal(twice(x), (2 + asked(lambda n: divmod(n, 4)[0], N, 0)) * x)


@claim({"x": "N"}, fails={"N": 4})
def a_whole_quotient_that_is_not_in_a_try(x, N):
    return equal(twice(x), (2 + N // 4) * x)


@claim({"x": "N"}, fails={"N": 4})
def a_bit_of_the_size(x, N):
    return equal(twice(x), (2 + asked(lambda n: n & 4, N, 0)) * x)


@claim({"x": "N"}, fails={"N": 6})
def a_power_modulo_seven(x, N):
    return equal(twice(x), (3 if asked(lambda n: pow(n, 3, 7), N, 1) == 6 and N > 5 else 2) * x)


@claim({"x": "N"}, fails={"N": 4})
def a_square_root_in_whole_numbers(x, N):
    return equal(twice(x), (3 if asked(math.isqrt, N, 1) > 1 else 2) * x)


@claim({"x": "N"}, fails={"N": 5})
def a_logarithm_of_the_size(x, N):
    return equal(twice(x), (3 if asked(math.log2, N, 0) > 2 else 2) * x)


@claim({"x": "N"}, fails={"N": 4})
def a_length_of_a_range(x, N):
    return equal(twice(x), (3 if asked(lambda n: len(range(n)), N, 1) > 3 else 2) * x)


@claim({"x": "N"}, fails={"N": 4})
def a_list_as_long_as_the_size(x, N):
    return equal(twice(x), (3 if len(asked(lambda n: [0] * n, N, [0])) > 3 else 2) * x)


@claim({"x": "N"}, fails={"N": 4})
def a_truth_of_a_difference(x, N):
    return equal(twice(x), (2 if asked(lambda n: bool(n - 4), N, True) else 3) * x)


@claim({"x": "N"}, fails={"N": 4})
def a_numpy_sign_of_a_difference(x, N):
    sign = asked(lambda n: int(np.sign(n - 3)), N, 0)
    return equal(twice(x), (3 if sign > 0 else 2) * x)


@claim({"x": "N"}, fails={"N": 4})
def a_numpy_array_as_long_as_the_size(x, N):
    return equal(twice(x), (3 if asked(lambda n: np.arange(n).size, N, 1) > 3 else 2) * x)


@claim({"x": "N"}, fails={"N": 4})
def a_numpy_array_whose_entries_are_not_objects(x, N):
    size = np.asarray(N)
    return equal(twice(x), (3 if size.dtype != object and size > 3 else 2) * x)


@claim({"x": "N"}, fails={"N": 4})
def a_numpy_choice_between_two_factors(x, N):
    factor = asked(lambda n: int(np.where(np.less(n, 4), 2, 3)), N, 2)
    return equal(twice(x), factor * x)


@claim({"x": "N"}, fails={"N": 4})
def a_numpy_search_in_a_list(x, N):
    factor = 3 if bool(np.isin(4, np.array([N], dtype=object))) else 2
    return equal(twice(x), factor * x)
