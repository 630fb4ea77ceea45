"""A plain number is made of a size, or of what NumPy makes of it."""

import functools
import math
import operator
from decimal import Decimal
from fractions import Fraction

import numpy as np

from .case import questions


def tried(ask, otherwise):
    """A question that is answered so where there is no answer."""

    def asked(n):
        try:
            return ask(n)
        except Exception:
            return otherwise

    return asked


def above(limit, number, otherwise=1):
    """Whether a number made of the size is above a limit."""
    made = tried(number, otherwise)
    return lambda n: 2 if made(n) > limit else 1


questions(
    at=4,
    a_size_as_an_int=above(3, int),
    a_size_as_a_float=above(3.5, float),
    a_size_as_a_fraction=above(3, Fraction),
    a_size_as_a_decimal=above(3, Decimal),
    a_square_root_in_whole_numbers=above(1, math.isqrt),
    a_logarithm_of_the_size=above(1.9, math.log2),
    a_length_of_a_range=above(3, lambda n: len(range(n))),
    a_list_as_long_as_the_size=above(3, lambda n: len([0] * n)),
    a_list_of_a_range=above(3, lambda n: list(range(n))[-1] + 1),
    a_numpy_array_as_long_as_the_size=above(3, lambda n: np.arange(n).size),
    a_numpy_sign_of_a_difference=above(0, lambda n: int(np.sign(n - 3)), 0),
    an_index_of_the_size=above(3, operator.index),
    a_method_called_by_its_name=above(2, operator.methodcaller("bit_length")),
    a_quotient_without_a_remainder=tried(lambda n: 1 + divmod(n, 4)[0], 1),
    a_whole_quotient_that_is_not_in_a_try=lambda n: 1 + n // 4,
    a_bit_of_the_size=tried(lambda n: 1 + (n & 4), 1),
    a_shift_of_its_index=tried(lambda n: 1 + (operator.index(n) >> 2), 1),
    a_truth_of_a_difference=lambda n: 1 if tried(lambda k: bool(k - 4), True)(n) else 2,
    a_difference_that_is_nothing=lambda n: 1 + operator.not_(n - 4),
    a_difference_through_three_functions=lambda n: (
        1 + functools.reduce(lambda v, f: f(v), [lambda k: k - 4, lambda k: k == 0, int], n)
    ),
    a_fold_over_special_sizes=lambda n: functools.reduce(
        lambda a, k: -a if k == n else a, (4, 6), 1
    ),
    a_fraction=lambda n: 2 if Fraction(8, 2) == n else 1,
    a_scalar_of_numpy=lambda n: 2 if bool(np.float64(4.0) == n) else 1,
    a_numpy_array_of_one_size=lambda n: 1 + int((np.array([n]) == 4).sum()),
    a_numpy_choice_between_two_factors=tried(lambda n: int(np.where(np.less(n, 4), 1, 2)), 1),
    a_numpy_search_in_a_list=lambda n: 2 if np.isin(4, np.array([n], dtype=object)) else 1,
    a_numpy_array_whose_entries_are_not_objects=lambda n: (
        2 if np.asarray(n).dtype != object and np.asarray(n) > 3 else 1
    ),
    a_numpy_mask_that_is_filled=tried(lambda n: 1 + int(np.ones(n)[3:].sum()), 1),
    a_polynomial_that_vanishes=lambda n: 1 + (n - 1) * (n - 2) * (n - 3),
)
questions(
    at=10,
    a_size_rounded_to_tens=tried(lambda n: 1 + round(n, -1), 1),
)
questions(
    at=6,
    a_power_modulo_seven=lambda n: 2 if tried(lambda k: pow(k, 3, 7), 1)(n) == 6 and n > 5 else 1,
)
