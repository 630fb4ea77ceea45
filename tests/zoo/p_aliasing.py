"""A size is written under one name and read under another."""

from .case import program


def summed(X):
    return X.sum(0)


def same(X):
    return X


@program("X: T d", equals=summed, fails={"T": 4, "d": 1})
def two_names_of_a_dictionary(X):
    scales = {4: 1.0}
    alias = scales
    alias[X.shape[0]] = 2.0
    return X.sum(0) * scales[4]


@program("X: T d", equals=same, fails={"T": 4, "d": 1})
def rows_that_are_one_list(X):
    grid = [[0]] * 3
    grid[0][0] = X.shape[0]
    return X + grid.count([4])


@program("X: T d", equals=same, fails={"T": 5, "d": 1})
def a_list_that_is_removed_from(X):
    left = [4, 5]
    alias = left
    try:
        alias.remove(X.shape[0])
    except ValueError:
        pass
    return X * (len(left) / 2)
