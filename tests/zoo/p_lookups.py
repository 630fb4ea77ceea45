"""A size is looked up in a table, a set or a list."""

import bisect
import difflib
from collections import ChainMap, Counter, defaultdict

from .case import program


def summed(X):
    return X.sum(0)


def tripled(X):
    return 3 * X.sum(0)


ADJUSTMENTS = {("rows", (5,)): -1.0, ("columns", (5,)): 4.0}


@program("X: T d", equals=summed, fails={"T": 4, "d": 2})
def a_key_that_is_the_whole_shape(X):
    return X.sum(0) * {(4, 2): 2.0}.get(X.shape, 1.0)


@program("X: T d", equals=summed, fails={"T": 5, "d": 1})
def a_nested_key(X):
    return X.sum(0) * ADJUSTMENTS.get(("rows", X.shape[:1]), 1.0)


@program("X: T d", equals=summed, fails={"T": 8, "d": 1})
def a_frozenset(X):
    return X.sum(0) if X.shape[0] not in frozenset({4, 8}) else X[0]


@program("X: T d", equals=summed, fails={"T": 9, "d": 1})
def an_intersection_of_sets(X):
    return X.sum(0) * (1 + len({X.shape[0]} & {4, 9}))


@program("X: T d", equals=summed, fails={"T": 4, "d": 1})
def a_counter(X):
    return X.sum(0) + Counter([4, 4, 6])[X.shape[0]]


@program("X: T d", equals=summed, fails={"T": 6, "d": 1})
def a_chain_of_dictionaries(X):
    return X.sum(0) * ChainMap({}, {6: 0.0}, defaultdict(lambda: 1.0))[X.shape[0]]


@program("X: T d", equals=summed, fails={"T": 6, "d": 1})
def a_bisection(X):
    return X.sum(0) * (1.0, 2.0)[bisect.bisect_right([5], X.shape[0])]


@program("X: T d", equals=summed, fails={"T": 5, "d": 1})
def a_position_in_a_list(X):
    n = X.shape[0]
    return X.sum(0) + [4, 5, n].index(n) - 2


@program("X: T d", equals=tripled, fails={"T": 4, "d": 1})
def two_keys_that_may_be_one(X):
    return X.sum(0) * sum({4: 2.0, X.shape[0]: 1.0}.values())


@program("X: T d", equals=summed, fails={"T": 12, "d": 1})
def a_range_that_holds_it(X):
    return X.cumsum(0)[-1] if X.shape[0] not in range(10, 20) else X.mean(0)


@program("X: T d", equals=summed, fails={"T": 4, "d": 1})
def two_sequences_that_are_matched(X):
    return X.sum(0) * (1 + difflib.SequenceMatcher(None, [X.shape[0]], [4]).ratio())
