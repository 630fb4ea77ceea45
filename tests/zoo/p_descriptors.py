"""A size goes through the attributes and special methods of a class."""

import dataclasses
import enum
from fractions import Fraction

from .case import program


def summed(X):
    return X.sum(0)


def same(X):
    return X


class Four:
    """It equals 4, and leaves the question to itself."""

    def __eq__(self, other):
        return other == 4

    def __hash__(self):
        return hash(4)


class Weight:
    """Weight * n is 1, mostly."""

    def __mul__(self, n):
        return 2.0 if n == 5 else 1.0


@dataclasses.dataclass(frozen=True)
class Box:
    rows: object
    name: str = "X"


class Sizes(enum.IntEnum):
    SMALL = 3
    SPECIAL = 9


@program("X: T d", equals=summed, fails={"T": 4, "d": 1})
def an_equality_that_is_reflected(X):
    return X.sum(0) * (2.0 if Four() == X.shape[0] else 1.0)


@program("X: T d", equals=same, fails={"T": 5, "d": 1})
def a_product_of_its_own(X):
    return X * (Weight() * X.shape[0])


@program("X: T d", equals=summed, fails={"T": 5, "d": 1})
def two_dataclasses_that_are_equal(X):
    return X.sum(0) * (5.0 if Box(X.shape[0]) == Box(5) else 1.0)


@program("X: T d", equals=same, fails={"T": 9, "d": 1})
def a_member_of_an_enumeration(X):
    try:
        return X * (1.0 if Sizes(X.shape[0]) is Sizes.SMALL else 2.0)
    except ValueError:
        return X


@program("X: T d", equals=same, fails={"T": 4, "d": 1})
def a_fraction(X):
    return X * (2.0 if Fraction(8, 2) == X.shape[0] else 1.0)
