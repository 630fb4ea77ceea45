"""A size is found out by what raises and what does not."""

import contextlib

from .case import program


def summed(X):
    return X.sum(0)


def total(x):
    return x.sum()


@program("X: T d", equals=summed, fails={"T": 5, "d": 1})
def an_order_that_is_suppressed(X):
    scale = 1.0
    with contextlib.suppress(Exception):
        scale = 2.0 if X.shape[0] > 4 else 1.0
    return X.sum(0) * scale


@program("x: N", equals=total, fails={"N": 5})
def a_return_in_a_finally(x):
    scale = 1.0
    try:
        scale = 1.0 + max(0, x.shape[0] - 4)
    finally:
        return x.sum() * scale  # noqa: B012


@program("X: T d", equals=summed, fails={"T": 4, "d": 1})
def a_reshape_that_fails(X):
    try:
        return X.reshape(2, 2, X.shape[1])[0].sum(0)
    except TypeError:
        return X.sum(0)


@program("X: T d", equals=summed, fails={"T": 5, "d": 1})
def a_range_that_fails(X):
    try:
        rows = list(range(X.shape[0]))[:4]
    except Exception:
        return X.sum(0)
    return sum(X[i] for i in rows)


@program("X: T d", equals=summed, fails={"T": 4, "d": 1})
def a_division_by_zero(X):
    try:
        1 // (X.shape[0] - 4)
    except ZeroDivisionError:
        return X[0]
    return X.sum(0)


@program("X: T d", equals=summed, fails={"T": 5, "d": 1})
def a_recursion_that_never_ends(X):
    def depth(n):
        return 0 if n == 0 else 1 + depth(n - 1)

    try:
        return X.sum(0) * (1 + depth(X.shape[0]) // 5)
    except RecursionError:
        return X.sum(0)
