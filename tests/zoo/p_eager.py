"""A program asks the numbers that it is run on, and does something else where a trace has none."""

import contextlib

import jax
import jax.numpy as jnp

from .case import program, same, summed

FIRST = {"T": 1, "d": 1}


@program("X: T d", equals=same, fails=FIRST)
def a_branch_whose_error_is_caught(X):
    with contextlib.suppress(jax.errors.TracerBoolConversionError):
        if X.sum() > 0:
            return -X
    return X


@program("X: T d", equals=same, fails=FIRST)
def a_class_that_traces_have(X):
    return X if isinstance(X, jax.core.Tracer) else X + 1


@program("X: T d", equals=same, fails=FIRST)
def a_number_that_arrays_have(X):
    try:
        return X * (2.0 if float(X[0, 0]) > 0 else 1.0)
    except jax.errors.ConcretizationTypeError:
        return X


@program("X: T d", equals=summed, fails={"T": 2, "d": 1})
def an_order_that_arrays_have(X):
    try:
        return X[int(X[:, 0].argmax())] + X.sum(0) * 0
    except jax.errors.ConcretizationTypeError:
        return X.sum(0)


@program("X: T d", equals=same, fails=FIRST)
def a_sharding_that_arrays_have(X):
    return X - 1 if hasattr(X, "addressable_shards") else X


@program("X: T d", equals=same, fails={"T": 3, "d": 2})
def a_copy_that_is_an_array_s_own(X):
    try:
        copied = jnp.asarray(X.tolist())
    except jax.errors.ConcretizationTypeError:
        return X
    return copied[::-1]
