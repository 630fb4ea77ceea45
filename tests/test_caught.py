"""A program that goes on after an error of its tracing is refused, and so is one that reads an array's text."""

from __future__ import annotations

import contextlib
from typing import Any

import jax
import jax.numpy as jnp
import pytest

from scanproof.proofs.doors.jaxpr.programs import lowered
from scanproof.proofs.doors.refused import Refused
from scanproof.proofs.statement.nodes import Input
from scanproof.proofs.statement.whole import Size, whole

X = Input("x", (whole(Size("T", 1)),))


def by_the_length_of_what_is_chosen(x: Any) -> Any:
    try:
        return x * (1 + x[x**3 > 1e9].shape[0])
    except Exception:
        return x


def by_places(x: Any) -> Any:
    try:
        return x * (1 + jnp.nonzero(x**3 > 1e9)[0].shape[0])
    except TypeError:
        return x


def by_data_of_a_device(x: Any) -> Any:
    try:
        return x * x.addressable_data(0).max()
    except Exception:
        return x


def by_a_number(x: Any) -> Any:
    with contextlib.suppress(Exception):
        return x * float(x.max())
    return x


def by_a_text(x: Any) -> Any:
    return 2 * x if "e+09" in str((x**3).max()) else x


def by_a_format(x: Any) -> Any:
    return 2 * x if "e+09" in f"{x[0]}" else x


ASKING = {
    by_the_length_of_what_is_chosen: "catches NonConcreteBooleanIndexError at tests/test_caught.py",
    by_places: "catches ConcretizationTypeError at tests/test_caught.py",
    by_data_of_a_device: "catches ConcretizationTypeError at tests/test_caught.py",
    by_a_number: "for the numbers of an array",
    by_a_text: "for the text of an array",
    by_a_format: "for the text of an array",
}


@pytest.mark.parametrize("function", ASKING)
def test_what_only_running_tells_is_no_way_to_go_on(function):
    with pytest.raises(Refused, match=ASKING[function]):
        lowered(function, [X])


KNOWN = {"weight": 3.0}


def by_a_key(x: Any) -> Any:
    try:
        return x * KNOWN["bias"]
    except KeyError:
        return x * KNOWN["weight"]


def by_its_own_error(x: Any) -> Any:
    try:
        if x.ndim != 2:
            raise ValueError("no matrix")
        return x.T
    except ValueError:
        return x


def in_a_block(x: Any) -> Any:
    with jax.named_scope("a block"):
        return x + 1


@pytest.mark.parametrize("function", [by_a_key, by_its_own_error, in_a_block])
def test_errors_that_come_as_well_when_it_runs_are_the_program_s(function):
    assert lowered(function, [X]).outputs is not None


def squares(n: Any) -> Any:
    return n * n


OVERFLOWING = {
    "a branch": lambda x: jax.lax.cond(x.sum() > 0, squares, lambda n: n, jnp.arange(len(x))),
    "a scan's output": lambda x: jax.lax.scan(lambda c, n: (c, n * n), 0, jnp.arange(x.shape[0]))[
        1
    ],
    "a map": lambda x: jax.lax.map(squares, jnp.arange(x.shape[0])),
    "a checkpoint": lambda x: jax.checkpoint(squares)(jnp.arange(x.shape[0])),
}


@pytest.mark.parametrize("name", OVERFLOWING)
def test_whole_numbers_that_leave_a_program_within_have_to_fit(name):
    def program(x: Any) -> Any:
        return x + OVERFLOWING[name](x).astype(x.dtype)

    (fit,) = lowered(program, [X]).fits
    assert fit.most == 2**31 - 1 and "T·T" in str(fit.number)
