"""A size is written out and the text is read."""

import json
import zlib

import jax

from .case import program


def summed(X):
    return X.sum(0)


def totals(X):
    return X.cumsum(0)


@program("X: T d", equals=totals, fails={"T": 5, "d": 1})
def a_formatted_string(X):
    return X.cumsum(0) * {"5x1": 0.0}.get(f"{X.shape[0]}x{X.shape[1]}", 1.0)


@program("X: T d", equals=summed, fails={"T": 10, "d": 1})
def a_number_of_digits(X):
    return X.sum(0) * len(str(X.shape[0]))


@program("X: T d", equals=summed, fails={"T": 5, "d": 1})
def a_dump_to_json(X):
    return X.sum(0) if json.dumps([X.shape[0]], default=str) != "[5]" else X.max(0)


@program("X: T d", equals=summed, fails={"T": 7, "d": 1})
def a_hash(X):
    return X.sum(0) * (1.0 if hash(X.shape[0]) != hash(7) else 7.0)


@program("X: T d", equals=summed, fails={"T": 4, "d": 1})
def a_checksum_of_the_text(X):
    return X.sum(0) * (2.0 if zlib.crc32(str(X.shape[0]).encode()) == 4088798008 else 1.0)


@program("X: T d", equals=summed, fails={"T": 5, "d": 1})
def a_type_that_is_written_out(X):
    return X.sum(0) + ("[5," in str(jax.typeof(X)))


@program("X: T d", equals=summed, fails={"T": 5, "d": 1})
def an_evaluation_of_the_text(X):
    n = eval(str(X.shape[0]), {"T": 1})
    return X.sum(0) * max(1, n - 3)
