"""A size goes through the attributes and special methods of a class."""

import dataclasses
import enum
from functools import partialmethod

from .case import question, questions


class Lenient:
    """A size with a property; what the property cannot answer, __getattr__ does."""

    def __init__(self, size):
        self.size = size

    @property
    def long(self):
        return self.size.bit_length() > 2

    def __getattr__(self, name):
        return False


class Limit:
    """A limit to which a size is compared; for what is no int it has an answer of its own."""

    def __init__(self, limit):
        self.limit = limit

    def __lt__(self, size):
        return isinstance(size, int) and size > self.limit

    def __rsub__(self, size):
        return isinstance(size, int) and size > self.limit


class Few:
    """What holds 1, 2 and 3, and everything that it cannot compare."""

    def __contains__(self, size):
        try:
            return not size > 3
        except Exception:
            return True


class Long(type):
    """The type of a class whose instances are the long sizes."""

    def __instancecheck__(cls, size):
        return type(size) is int and size > 3


class LongSize(metaclass=Long):
    pass


class Four:
    """It equals 4, and leaves the question to itself."""

    def __eq__(self, other):
        return other == 4

    def __hash__(self):
        return hash(4)


class Weight:
    """Weight * n is 1, mostly."""

    def __mul__(self, n):
        return 2 if n == 4 else 1


@dataclasses.dataclass(frozen=True)
class Box:
    rows: object
    name: str = "X"


class Special:
    """A method with a part of its arguments."""

    def equals(self, k, n):
        return n == k

    is_four = partialmethod(equals, 4)


questions(
    at=4,
    a_property_behind_which_stands_another_answer=lambda n: 2 if Lenient(n).long else 1,
    a_limit_that_compares_itself=lambda n: 2 if Limit(3) < n else 1,
    a_limit_on_the_other_side=lambda n: 2 if n > Limit(3) else 1,
    a_limit_that_is_subtracted=lambda n: 1 + (n - Limit(3)),
    a_container_of_few_sizes=lambda n: 1 if n in Few() else 2,
    a_class_whose_instances_are_long=lambda n: 2 if isinstance(n, LongSize) else 1,
    an_equality_that_is_reflected=lambda n: 2 if Four() == n else 1,
    a_product_of_its_own=lambda n: Weight() * n,
    two_dataclasses_that_are_equal=lambda n: 2 if Box(n) == Box(4) else 1,
    a_method_with_a_part_of_its_arguments=lambda n: 1 + Special().is_four(n),
)


class Sizes(enum.IntEnum):
    SMALL = 3
    SPECIAL = 9


@question(at=9)
def a_member_of_an_enumeration(n):
    try:
        return 1 if Sizes(n) is Sizes.SMALL else 2
    except ValueError:
        return 1
