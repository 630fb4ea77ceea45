"""A size is known by which object it is."""

from .case import program

FIVE = 5
SCALES = {id(n): 2.0 for n in range(6, 10)}


def summed(X):
    return X.sum(0)


@program("X: T d", equals=summed, fails={"T": 5, "d": 1})
def a_size_that_is_a_constant(X):
    return X.sum(0) * (2.0 if X.shape[0] is FIVE else 1.0)


@program("X: T d", equals=summed, fails={"T": 7, "d": 1})
def an_address_that_is_a_key(X):
    return X.sum(0) * SCALES.get(id(X.shape[0]), 1.0)


@program("X: T d", equals=summed, fails={"T": 300, "d": 1})
def a_number_too_large_to_be_shared(X):
    n = X.shape[0]
    return X.sum(0) if n + 0 is n else X.mean(0)
