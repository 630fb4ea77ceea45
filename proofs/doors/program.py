"""`program(function)`: a function of JAX arrays as something that claims can speak of.

    forward = program(my_model.forward)

    @paper.claim("mine.forward", says="…", given={"X": "T f", "Y": "T k", "q": "f"})
    def forward_is_descent(X, Y, q):
        return equal(forward(X, Y, q), specification(X, Y, q))

Where a claim is recorded, JAX traces it and its jaxpr becomes nodes, with symbols for sizes or at numbers; on NumPy
arrays JAX runs it. Nothing is transcribed.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from scanproof.constructs.arrays.definition import note
from scanproof.constructs.arrays.protocols import speaking_among

from ..interpret.programs.outputs import opening
from ..language.libraries import jax as jax_for
from ..statement.nodes import Node


def program(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of JAX arrays, for claims.

    Args:
        function: takes arrays as positional arguments and returns an array, or nested tuples, lists or dicts of arrays.
            It is what runs: it is traced by JAX each time it meets arrays of other sizes.

    Returns:
        A function of recorded or NumPy arrays, with real numbers for JAX's floating-point numbers.
    """

    def lowered(nodes: Sequence[Node]) -> Any:
        from .jaxpr.programs import lowered as of_jax  # which needs JAX

        return of_jax(function, nodes)

    compiled = functools.cache(lambda: jax_for("a program").jit(opening(function)))

    @functools.wraps(function)
    def run(*arrays: Any) -> Any:
        note(_written(function))
        speaker = speaking_among(arrays)
        if speaker is not None and hasattr(speaker.__array_namespace__(), "program"):
            return speaker.__array_namespace__().program(lowered, arrays)
        return _floats(function, compiled, arrays)

    return run


RUN = next(one for one in program.__code__.co_consts if getattr(one, "co_name", "") == "run")
"""The code of every function that `program` returns: what it calls is a program, and not a claim's body."""


def _written(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function that somebody wrote, behind `jax.jit`, `functools.partial` and objects that are called."""
    while not hasattr(function, "__code__"):
        inner = getattr(function, "__wrapped__", None) or getattr(function, "func", None)
        if inner is None:
            own = vars(type(function)).get("__call__")
            return own if callable(own) and hasattr(own, "__code__") else program
        function = inner
    return function


def _floats(function: Callable[..., Any], compiled: Any, arrays: Sequence[Any]) -> Any:
    from .jaxpr.tracing import format_of  # which needs JAX

    jax, form = jax_for("a program"), format_of(function)
    with jax.enable_x64(form.wide):
        given = [jax.numpy.asarray(one, dtype=form.name) for one in arrays]
        return jax.tree.map(_number_parts, compiled()(*given))


def _number_parts(value: Any) -> Any:
    """An array of NumPy's; of a complex one the two parts, as its nodes are."""
    from .jaxpr.programs import Pair

    array = np.asarray(value)
    return Pair(np.real(array), np.imag(array)) if array.dtype.kind == "c" else array
