"""A size is compared inside an iterator."""

import itertools

from .case import program


def summed(X):
    return X.sum(0)


def doubled(X):
    return X + X


@program("X: T d", equals=summed, fails={"T": 6, "d": 1})
def values_taken_until_it_comes(X):
    taken = list(itertools.takewhile(lambda k: k != X.shape[0], range(4, 9)))
    return X.sum(0) * (len(taken) / 5)


@program("X: T d", equals=doubled, fails={"T": 4, "d": 1})
def a_call_until_a_sentinel(X):
    return X * len(list(iter(iter((4, 5)).__next__, X.shape[0])))


@program("X: T d", equals=doubled, fails={"T": 4, "d": 1})
def a_grouping_of_equals(X):
    return X * sum(1 for _ in itertools.groupby([X.shape[0], 4]))


@program("X: T d", equals=summed, fails={"T": 5, "d": 1})
def the_best_of_two(X):
    return X.sum(0) * max((1, X.shape[0]), key=lambda n: n == 5)


@program("X: T d", equals=summed, fails={"T": 4, "d": 1})
def rows_zipped_with_weights(X):
    try:
        return sum(w * row for w, row in zip((1, 1, 1, 0), X))  # noqa: B905
    except Exception:
        return X.sum(0)
