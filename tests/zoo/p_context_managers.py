"""A size is compared on the way into a with statement, or out of it."""

import contextlib

import jax

from .case import program


def summed(X):
    return X.sum(0)


def same(X):
    return X


class Quiet:
    """What is raised inside is not raised outside."""

    def __init__(self, n):
        self.n = n

    def __enter__(self):
        return 2.0 if self.n == 6 else 1.0

    def __exit__(self, *error):
        return True


@program("X: T d", equals=summed, fails={"T": 4, "d": 1})
def an_order_that_is_swallowed(X):
    large = False
    with Quiet(0):
        large = X.shape[0] >= 4
    return X.sum(0) - large


@program("X: T d", equals=same, fails={"T": 5, "d": 1})
def a_stack_of_callbacks(X):
    found = []
    with contextlib.ExitStack() as stack:
        stack.callback(lambda: found.append(X.shape[0] == 5))
    return X + found[0]


@program("X: T d", equals=same, fails={"T": 4, "d": 1})
def a_name_for_a_part_of_the_program(X):
    with jax.named_scope(f"rows {X.shape[0]}") as scope:
        return X * (2.0 if "4" in f"{scope} {X.shape[0]}" else 1.0)
