"""From a function of JAX arrays to its jaxpr, with symbols for sizes."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any, NamedTuple

from scanproof.constructs.errors import UsageError

from ...interpret.programs.outputs import opened
from ...interpret.programs.paths import in_order
from ...interpret.programs.stand_ins import AsksMachine, machine_unseen, standing_in
from ...interpret.questions import Unreadable, aside, listening, raised_at
from ...language.libraries import jax as jax_for
from ...statement.formats import Format as NodeFormat
from ...statement.nodes import Shape
from ...statement.whole import Position, Whole
from ..refused import Refused
from . import associative
from .asked import INSTEAD, Decided, dimension_type, folders, numbers_unseen, refused
from .sizes import Dimensions


class Format(NamedTuple):
    """A format of a program's real inputs, and whether JAX has formats of 64 bits beside it."""

    name: str
    wide: bool = False


FORMATS = (Format("float64", True), Format("float32"), Format("bfloat16"), Format("float16"))
"""In turn: a state that a program makes in one format may not take inputs of another."""
OF_FORMATS = re.compile(r"float\d+|dtype")
"""What JAX says where formats do not fit."""
NUMBERS = (bool, int, float, complex)


class Given(NamedTuple):
    """What is known of an input before a program is traced."""

    shape: Shape
    format: NodeFormat


class Traced(NamedTuple):
    """A program with symbols for sizes."""

    jaxpr: Any
    """JAX's closed jaxpr."""
    tree: Any
    """How its outputs are nested."""
    dimensions: Dimensions
    format: Format
    """That of its real inputs."""


def traced(function: Callable[..., Any], inputs: Sequence[Given]) -> Traced:
    """The program on such arrays, their real numbers of the first format that it takes.

    Raises:
        Refused: if it does not trace with symbols for sizes, or decides one.
        UsageError: if it does more than compute.
    """
    first: Refused | None = None
    for form in FORMATS:
        try:
            return _in_format(function, inputs, form)
        except Refused as error:
            first = first or error
            if not OF_FORMATS.search(f"{error} {_causes(error)}"):
                break
    assert first is not None
    raise first


def _causes(error: BaseException) -> str:
    """What the errors say that an error came from."""
    found = []
    while error.__cause__ is not None:
        error = error.__cause__
        found.append(str(error))
    return " ".join(found)


def _in_format(function: Callable[..., Any], inputs: Sequence[Given], form: Format) -> Traced:
    try:
        try:
            with aside():
                return _traced(function, inputs, form, "s")
        except Decided:
            # A cache of JAX's may have queried it, on the line that called it: not again for other names.
            return _traced(function, inputs, form, "n")
    except Unreadable as error:
        raise Refused(str(error), error.split) from error


def _traced(
    function: Callable[..., Any], inputs: Sequence[Given], form: Format, letter: str
) -> Traced:
    jax = jax_for("a program")
    dimensions = Dimensions([n for one in inputs for n in one.shape], letter)
    scope = jax.export.SymbolicScope(dimensions.constraints())
    trees: list[Any] = []

    def flat(*arrays: Any) -> Any:
        leaves, tree = jax.tree.flatten(opened(function(*arrays)))
        trees.append(tree)
        if not leaves:
            raise TypeError("it returns nothing; expected an array, or several")
        for one in leaves:
            if not isinstance(one, NUMBERS) and not hasattr(one, "dtype"):
                raise TypeError(f"it returns a value of type {type(one).__name__}; expected arrays")
        return leaves

    def any_length(length: Any) -> Any:
        name = dimensions.another(_any_position(len(dimensions.names)))
        return jax.export.symbolic_shape(name, scope=length.scope)[0]

    with jax.enable_x64(form.wide):
        given = [_array(jax, dimensions, scope, one, form) for one in inputs]
        symbolic = any(not isinstance(d, int) for one in given for d in one.shape)
        answers: Any = None
        try:
            with listening(Decided), in_order(), machine_unseen(function), ExitStack() as watched:
                if symbolic:  # numbers have nothing to hide
                    watched.enter_context(associative.one_equation(function, any_length))
                    answers = watched.enter_context(refused(dimensions))
                    watched.enter_context(standing_in(function, dimension_type()))
                watched.enter_context(numbers_unseen())
                jaxpr = jax.make_jaxpr(flat)(*given)
        except (Decided, AsksMachine) as error:
            error.split = answers.asked if answers is not None else None
            raise
        except Exception as error:
            advice = f"; {INSTEAD}" if re.search(r"_DimExpr|ymbolic dimension", str(error)) else ""
            unread = Unreadable(
                f"it does not trace with symbols for sizes ({type(error).__name__}{raised_at(error, folders())}: "
                f"{_first_line(error, dimensions)}){advice}"
            )
            unread.split = answers.asked if answers is not None else None
            raise unread from error
    if jaxpr.effects:
        raise UsageError(
            f"the program does more than compute while it runs ({', '.join(sorted(map(str, jaxpr.effects)))}); "
            "take callbacks and prints out of it, or pass a function without them."
        )
    return Traced(jaxpr, trees[-1], dimensions, form)


def _any_position(count: int) -> Position:
    """A symbol that nothing else is: one for each length that stands for any."""
    return Position(-(10**9) - count, 1, 2**31)


def _array(jax: Any, dimensions: Dimensions, scope: Any, one: Given, form: Format) -> Any:
    texts = ", ".join(map(dimensions.text, one.shape))
    symbolic = any(isinstance(n, Whole) for n in one.shape)
    dims = jax.export.symbolic_shape(texts, scope=scope) if symbolic else one.shape
    kinds = {"bool": "bool", "int": "int32", "uint": "uint32"}
    name = kinds.get(one.format.kind, form.name)
    return jax.ShapeDtypeStruct(tuple(dims), getattr(jax.numpy, name.replace("bool", "bool_")))


def _first_line(error: Exception, dimensions: Dimensions) -> str:
    line = dimensions.named(str(error).strip().split("\n", 1)[0])
    return re.sub(r"'?_DimExpr'?( object)?", "a size", line)
