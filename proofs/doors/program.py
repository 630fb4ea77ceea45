"""`program(function)`: a function of JAX arrays or of PyTorch's tensors as something that claims can speak of.

    forward = program(my_model.forward)

    @paper.claim("mine.forward", says="…", given={"X": "T f", "Y": "T k", "q": "f"})
    def forward_is_descent(X, Y, q):
        return equal(forward(X, Y, q), specification(X, Y, q))

Where a claim is recorded, its framework traces it and the trace becomes nodes, with symbols for sizes or at numbers; on
NumPy arrays its framework runs it. Nothing is transcribed.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from scanproof.constructs.arrays.definition import note
from scanproof.constructs.arrays.protocols import speaking_among

from ..language.libraries import expect_threads, jax_arrays
from ..language.libraries import jax as jax_for
from ..statement.nodes import Node
from .frameworks import framework_of
from .outputs import opening

if TYPE_CHECKING:
    from .jaxpr.tracing import Format


def program(
    function: Callable[..., Any] | Door, framework: str | None = None
) -> Callable[..., Any]:
    """A function of JAX arrays or of PyTorch's tensors, for claims.

    Args:
        function: takes arrays as positional arguments and returns an array, or nested tuples, lists or dicts of arrays.
            It is what runs: it is traced by its framework each time it meets arrays of other sizes.
        framework: "jax" or "torch"; if not given, torch where the function's module imports it and not JAX.

    Returns:
        A function of recorded or NumPy arrays, with real numbers for the framework's floats.
    """
    door = _door(function, framework)

    @functools.wraps(door.function, updated=())
    def run(*arrays: Any) -> Any:
        note(_written(door.function))
        speaker = speaking_among(arrays)
        if speaker is not None and hasattr(speaker.__array_namespace__(), "program"):
            return speaker.__array_namespace__().program(door, arrays)
        return door.floats(arrays)

    run.door = door  # type: ignore[attr-defined]
    return run


def together(*programs: Callable[..., Any]) -> Callable[..., list[Any]]:
    """What such functions of the same arrays return; JAX runs its own as a single program, which takes half the time.

    Args:
        programs: what `program` returned.
    """

    def run_all(*arrays: Any) -> list[Any]:
        doors = [one.door for one in programs]  # type: ignore[attr-defined]
        alike = all(isinstance(one, _OfJax) for one in doors)
        if not alike or len({one.form for one in doors}) > 1 or speaking_among(arrays) is not None:
            return [one(*arrays) for one in programs]
        for door in doors:
            note(_written(door.function))
        return _of_jax_alone(doors, arrays)

    return run_all


class Door(Protocol):
    """A function through the door of its framework."""

    function: Callable[..., Any]

    def lowered(self, arguments: Sequence[Node], /) -> Any:
        """Its results as nodes."""

    def floats(self, arrays: Sequence[Any], /) -> Any:
        """What its framework computes of NumPy's arrays."""


def _door(function: Any, framework: str | None) -> Door:
    if hasattr(function, "lowered") and hasattr(function, "floats"):
        return function
    if framework_of(function, framework) == "torch":
        from .aten.programs import Program  # which needs torch

        return Program(function)
    return _OfJax(function)


class _OfJax:
    """A function of JAX arrays."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self._coarsest: dict[str, str] = {}
        """By the format of its inputs that with the fewest digits in which it computes."""
        self.was_compiled = False
        """Whether it was not interpreted some time."""

    def lowered(self, nodes: Sequence[Node]) -> Any:
        """Its results as nodes."""
        from .jaxpr.programs import lowered  # which needs JAX

        return lowered(self.function, nodes)

    @property
    def form(self) -> Format:
        """The format in which it takes real numbers."""
        from .jaxpr.tracing import format_of

        return format_of(self.function)

    @functools.cached_property
    def opened(self) -> Callable[..., Any]:
        """The function with its results in containers that JAX knows."""
        return opening(self.function)

    @functools.cached_property
    def _compiled(self) -> Any:
        return jax_for("a program").jit(self.opened)

    def computed(self, given: Sequence[Any]) -> Any:
        """What it returns, compiled."""
        self.was_compiled = True
        if all(map(np.size, given)):
            return self._compiled(*given)
        return self.opened(*given)  # XLA may end the process over empty arrays

    def coarsest(self, given: Sequence[Any]) -> str:
        """The format with the fewest digits in which it computes."""
        if self.form.name not in self._coarsest:
            self.look(jax_for("a program").make_jaxpr(self.opened)(*given))
        return self._coarsest[self.form.name]

    def look(self, jaxpr: Any) -> None:
        """Learn in which formats it computes."""
        from .jaxpr.equations import formats  # which needs JAX

        known = {self.form.name, *formats(jaxpr)}
        self._coarsest[self.form.name] = next(one for one in COARSE if one in known)

    def floats(self, arrays: Sequence[Any]) -> Any:
        """What JAX computes of NumPy's arrays, in the format that it takes; arrays of the coarsest format in it."""
        return _of_jax_alone([self], arrays)[0]


def _of_jax_alone(doors: Sequence[_OfJax], arrays: Sequence[Any]) -> list[Any]:
    """The results of functions of JAX arrays that take the same format."""
    from .jaxpr.interpreter import interpreted  # which needs JAX

    expect_threads()
    jax, form = jax_for("a program"), doors[0].form
    with jax.enable_x64(form.wide):
        given = jax_arrays(arrays, form.name)
        if len(doors) == 1:
            results = interpreted(lambda *a: [doors[0].opened(*a)], given, doors[0].look)
            if results is None:
                results = [doors[0].computed(given)]
        elif any(one.was_compiled for one in doors):
            results = None
        else:
            results = interpreted(lambda *a: [one.opened(*a) for one in doors], given)
        if results is None:  # which may be for one of them
            return [one.floats(arrays) for one in doors]
        return [
            jax.tree.map(functools.partial(_number_parts, form=door.coarsest(given)), one)
            for door, one in zip(doors, results, strict=True)
        ]


RUNNING = frozenset(
    one
    for function in (program, together)
    for one in function.__code__.co_consts
    if getattr(one, "co_name", "") in ("run", "run_all")
)
"""The code that runs what `program` and `together` return: what it calls is a program, and not a claim's body."""


def _written(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function that somebody wrote, behind `jax.jit`, `functools.partial` and objects that are called."""
    while not hasattr(function, "__code__"):
        inner = getattr(function, "__wrapped__", None) or getattr(function, "func", None)
        if inner is None:
            own = vars(type(function)).get("__call__")
            return own if callable(own) and hasattr(own, "__code__") else program
        function = inner
    return function


COARSE = ("bfloat16", "float16", "float32", "float64")
"""JAX's formats of real numbers, that with the fewest digits first."""


def _number_parts(value: Any, form: str) -> Any:
    """An array of NumPy's, in this format; of a complex one the two parts, as its nodes are."""
    from .jaxpr.programs import Pair

    array = np.asarray(value)
    narrow = np.dtype("float16" if form == "bfloat16" else form)
    if array.dtype.kind == "c":
        return Pair(np.real(array).astype(narrow), np.imag(array).astype(narrow))
    return array.astype(narrow) if array.dtype.kind not in "biu" else array
