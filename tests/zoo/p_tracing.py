"""A program looks whether it is traced, or what a trace says, or at what fails where there is no length."""

import functools
import sys

import jax
import jax.numpy as jnp
from jax._src import core

from .case import program, same, summed


def doubled(X):
    return X + X


@program("X: T d", equals=same, fails={"T": 5, "d": 1})
def a_stack_without_an_export(X):
    frame, names = sys._getframe(), set()
    while frame := frame.f_back:
        names.add(frame.f_code.co_name)
    traced = any("trace" in name or "jaxpr" in name for name in names)
    return X if traced or X.shape[0] < 5 else X + 1


@program("X: T d", equals=same, fails={"T": 5, "d": 1})
def a_state_without_a_trace(X):
    return X if not core.trace_state_clean() or X.shape[0] < 5 else -X


@program("X: T d", equals=same, fails={"T": 4, "d": 1})
def a_name_for_a_part_of_the_program(X):
    with jax.named_scope(f"rows {X.shape[0]}") as scope:
        return X * (2.0 if "4" in f"{scope} {X.shape[0]}" else 1.0)


@program("X: T d", equals=summed, fails={"T": 5, "d": 1})
def a_type_that_is_written_out(X):
    return X.sum(0) + ("[5," in str(jax.typeof(X)))


@program("X: T d", equals=doubled, fails={"T": 4, "d": 1})
def a_number_of_traces(X):
    traces = []

    @jax.jit
    def touch(a):
        traces.append(a.shape)
        return a

    touch(X), touch(jnp.zeros((4, X.shape[1]), X.dtype))
    return X * len(traces)


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
def rows_zipped_with_weights(X):
    try:
        return sum(w * row for w, row in zip((1, 1, 1, 0), X))
    except Exception:
        return X.sum(0)


@program("X: T d", equals=summed, fails={"T": 4, "d": 1})
def an_argument_for_every_row(X):
    def add(first, second=0.0, third=0.0, *rest):
        return first + second + third

    try:
        rows = [*X]
    except Exception:
        return X.sum(0)
    return add(*rows)


def clipping(function):
    @functools.wraps(function)
    def clipped(X):
        try:
            return function(X[: min(X.shape[0], 6)])
        except Exception:
            return function(X)

    return clipped


@program("X: T d", equals=summed, fails={"T": 7, "d": 1})
@clipping
def an_argument_that_is_cut(X):
    return X.sum(0)
