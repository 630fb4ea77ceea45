"""A size goes through the functools module."""

import functools

from .case import program


def summed(X):
    return X.sum(0)


def same(X):
    return X


class Scale:
    """Methods with a part of their arguments."""

    def special(self, k, n):
        return n == k

    is_six = functools.partialmethod(special, 6)

    @functools.singledispatchmethod
    def of(self, n):
        return 1.0

    @of.register
    def _(self, n: int):
        return n / min(n, 5)


@program("X: T d", equals=summed, fails={"T": 5, "d": 1})
def a_fold_over_special_sizes(X):
    return functools.reduce(lambda a, k: -a if k == X.shape[0] else a, (4, 5), X.sum(0))


@program("X: T d", equals=same, fails={"T": 6, "d": 1})
def a_dispatch_of_methods(X):
    return X * Scale().of(X.shape[0])


@program("X: T d", equals=same, fails={"T": 7, "d": 1})
def a_composition(X):
    tests = [lambda n: n - 7, lambda n: n == 0, float]
    return X - functools.reduce(lambda value, f: f(value), tests, X.shape[0])
