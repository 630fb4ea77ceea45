"""Arrays of the host are built from sizes and changed in place."""

import numpy as np

from .case import program


def summed(X):
    return X.sum(0)


def doubled(X):
    return X + X


@program("X: T d", equals=summed, fails={"T": 4, "d": 1})
def an_array_of_one_size(X):
    return X.sum(0) * (1 + int((np.array([X.shape[0]]) == 4).sum()))


@program("X: T d", equals=doubled, fails={"T": 5, "d": 2})
def two_shapes_that_are_equal_arrays(X):
    return X * (2 - np.array_equal(X.shape, (5, 2)))


@program("X: T d", equals=summed, fails={"T": 5, "d": 1})
def a_mask_that_is_filled(X):
    try:
        mask = np.ones(X.shape[0])
        mask[4:] = 0
    except Exception:
        return X.sum(0)
    return (X * mask[:, None]).sum(0)


@program("X: T d", equals=doubled, fails={"T": 4, "d": 1})
def a_test_of_equality(X):
    try:
        np.testing.assert_equal(X.shape[0], 4)
    except AssertionError:
        return X + X
    return X


@program("X: T d", equals=summed, fails={"T": 4, "d": 1})
def a_size_compared_to_a_scalar_of_numpy(X):
    return X.sum(0) * (2.0 if bool(np.float64(4.0) == X.shape[0]) else 1.0)


@program("X: T d", equals=summed, fails={"T": 130, "d": 1})
def a_range_of_few_bits(X):
    rows = np.arange(200).astype(np.int8)
    n = X.shape[0]
    return X.sum(0) * (1.0 if n not in range(200) or rows[n] == n else 0.0)
