"""A size goes through the operator module."""

import operator
from collections import defaultdict

from .case import program


def summed(X):
    return X.sum(0)


def same(X):
    return X


@program("X: T d", equals=summed, fails={"T": 4, "d": 1})
def a_count_of_equals(X):
    return X.sum(0) * (1 + operator.countOf((4, 6), X.shape[0]))


@program("X: T d", equals=summed, fails={"T": 5, "d": 1})
def an_item(X):
    table = defaultdict(lambda: 1.0, {5: 2.0})
    return X.sum(0) * operator.itemgetter(X.shape[0])(table)


@program("X: T d", equals=same, fails={"T": 4, "d": 1})
def a_difference_that_is_nothing(X):
    return X + operator.not_(X.shape[0] - 4)


@program("X: T d", equals=same, fails={"T": 5, "d": 2})
def an_order_of_tuples(X):
    try:
        return X * (1.0 if operator.lt((*X.shape, 0), (5, 2, 0)) else 2.0)
    except Exception:
        return X
