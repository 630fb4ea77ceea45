"""`program(function)`: a function of JAX arrays as something that claims can speak of.

    forward = program(my_model.forward)

    @paper.claim("mine.forward", says="…", given={"X": "T f", "Y": "T k", "q": "f"})
    def forward_is_descent(X, Y, q):
        return equal(forward(X, Y, q), specification(X, Y, q))

On kernel arrays it is traced with symbols for sizes and read; on exact numbers it is traced at these very sizes and
its jaxpr is computed exactly; on NumPy arrays JAX runs it in float64. Nothing is transcribed.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from scanproof.constructs.arrays.definition import note
from scanproof.constructs.arrays.protocols import speaking_among

from ...doors.frameworks import framework_of
from ...doors.refused import Refused
from ...exact.array import ExactArray
from ...exact.scalar import NotPolynomial
from ...kernel.index import Index
from ...language.libraries import jax as jax_for
from ...readings.exact import Exact
from ...statement.nodes import Input, Node
from ..array import KernelArray
from ..namespace import array
from ..questions import Unreadable
from ..session import current
from . import exact, symbolic
from .arithmetic import literal
from .complex_numbers import (
    with_complex_constants,
    with_complex_inputs,
    with_complex_numbers,
)
from .outputs import opening
from .reader import Reader, equations
from .tracing import Traced, format_of, traced
from .values import Complex, reals

TRACE = 40
"""What tracing an equation costs, in operations on scalars."""


def program(function: Callable[..., Any], framework: str | None = None) -> Callable[..., Any]:
    """A function of JAX arrays or of PyTorch's tensors, for claims.

    Args:
        function: takes arrays as positional arguments and returns an array, or nested tuples, lists or dicts of arrays.
            It is what runs: it is traced by its framework each time it meets arrays of other sizes.
        framework: "jax" or "torch"; if not given, torch where the function's module imports it and not JAX.

    Returns:
        A function of kernel arrays, exact arrays or NumPy arrays, with real numbers for the framework's floats.
    """
    if framework == "torch" or framework_of(function, framework) == "torch":
        return _of_torch(function)

    at = functools.cache(lambda shapes: traced(function, [tuple(map(Index, s)) for s in shapes]))
    compiled = functools.cache(lambda: jax_for("a program").jit(opening(function)))

    def lowered(nodes: Sequence[Node]) -> Any:
        from ...doors.jaxpr.programs import lowered as of_jax  # which needs JAX

        return of_jax(function, nodes)

    @functools.wraps(function)
    def run(*arrays: Any) -> Any:
        note(_written(function))
        if any(isinstance(one, KernelArray) for one in arrays):
            return _symbolic(function, arrays)
        if any(isinstance(one, ExactArray) for one in arrays):
            return _exact(at, arrays)
        speaker = speaking_among(arrays)
        if speaker is not None and hasattr(speaker.__array_namespace__(), "program"):
            return speaker.__array_namespace__().program(lowered, arrays)
        return _floats(function, compiled(), arrays)

    return run


def _of_torch(function: Callable[..., Any]) -> Callable[..., Any]:
    from ...doors.aten.programs import Program  # which needs torch

    known = function if isinstance(function, Program) else Program(function)
    function = known.function

    @functools.wraps(function, updated=())
    def run(*arrays: Any) -> Any:
        note(_written(function))
        speaker = speaking_among(arrays)
        if isinstance(speaker, ExactArray):
            return _at_numbers(known.lowered, arrays, speaker)
        if speaker is not None and hasattr(speaker.__array_namespace__(), "program"):
            return speaker.__array_namespace__().program(known.lowered, arrays)
        return known.floats(arrays)

    return run


def _at_numbers(
    lowered: Callable[[Sequence[Node]], Any], arrays: Sequence[Any], speaker: ExactArray
) -> Any:
    """What a program returns of exact numbers, by its nodes at these very sizes."""
    xp = speaker.__array_namespace__()
    given = [xp.asarray(one) for one in arrays]
    inputs = [Input(f"x{k}", one.shape) for k, one in enumerate(given)]
    entries = {one.name: array.entries for one, array in zip(inputs, given, strict=True)}
    try:
        found = lowered(inputs)
    except Refused as error:  # what is not read says nothing about the claim
        raise NotPolynomial(str(error)) from error
    reading = Exact(speaker.field, {}, entries)
    return found.each(lambda node: ExactArray(reading(node), speaker.field))


def _written(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function that somebody wrote, behind `jax.jit`, `functools.partial` and objects that are called."""
    while not hasattr(function, "__code__"):
        inner = getattr(function, "__wrapped__", None) or getattr(function, "func", None)
        if inner is None:
            own = vars(type(function)).get("__call__")
            return own if callable(own) and hasattr(own, "__code__") else program
        function = inner
    return function


def _symbolic(function: Callable[..., Any], arrays: tuple[Any, ...]) -> Any:
    given = [array(one) for one in arrays]
    shapes = [one.dims for one in given]
    found = traced(function, shapes)
    if not getattr(function, "unrolls", False):  # such a program has other operations at numbers
        current().programs.append((function, shapes))
    reader = Reader(
        with_complex_numbers(symbolic.RULES),
        with_complex_constants(literal),
        found.dimensions,
        with_complex_inputs(symbolic.prepared),
        symbolic.made,
    )
    outputs = [_by_parts(reals, one) for one in reader.run(found.jaxpr, given)]
    return _nested(found.tree, outputs)


def _by_parts(make: Callable[[Any], Any], value: Any) -> Any:
    """A result; a complex one is two real ones."""
    return Complex(*map(make, value)) if isinstance(value, Complex) else make(value)


def _exact(at: Callable[[Any], Traced], arrays: tuple[Any, ...]) -> Any:
    field = next(one.field for one in arrays if isinstance(one, ExactArray))
    xp = next(one for one in arrays if isinstance(one, ExactArray)).__array_namespace__()
    given = [xp.asarray(one) for one in arrays]
    computer = exact.Computer(field)
    found = at(tuple(one.shape for one in given))
    computer.spend(TRACE * (10 + equations(found.jaxpr.jaxpr)))
    reader = Reader(
        with_complex_numbers(exact.RULES),
        with_complex_constants(computer.constant),
        found.dimensions,
        with_complex_inputs(computer.prepared),
    )
    reader.computer = computer  # type: ignore[attr-defined]
    try:
        outputs = reader.run(found.jaxpr, [one.entries for one in given])
    except Unreadable as error:  # what this computer cannot do says nothing about the claim
        raise NotPolynomial(str(error)) from error
    return _nested(found.tree, [_by_parts(computer.array, one) for one in outputs])


def _floats(function: Callable[..., Any], compiled: Any, arrays: tuple[Any, ...]) -> Any:
    jax = jax_for("a program")
    form = format_of(function)
    with jax.enable_x64(form.wide):
        given = [jax.numpy.asarray(one, dtype=form.name) for one in arrays]
        return jax.tree.map(_number_parts, compiled(*given))


def _number_parts(value: Any) -> Any:
    array = np.asarray(value)
    return Complex(np.real(array), np.imag(array)) if array.dtype.kind == "c" else array


def _nested(tree: Any, outputs: list[Any]) -> Any:
    jax = jax_for("a program")
    return jax.tree.unflatten(tree, outputs)
