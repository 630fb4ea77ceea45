"""From a Python function of JAX arrays to its jaxpr, with symbols or numbers for sizes."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from scanproof.constructs.errors import UsageError

from ...kernel.index import Index
from ...language.libraries import jax as jax_for
from ..questions import Unreadable, aside, listening, raised_at
from . import associative
from .decisions import INSTEAD, NAME, Decided, dimension_type, folders, refused
from .outputs import opened
from .paths import in_order
from .sizes import Dimensions
from .stand_ins import AsksMachine, machine_unseen, standing_in


class Traced(NamedTuple):
    """A program at some sizes."""

    jaxpr: Any
    """JAX's closed jaxpr."""
    tree: Any
    """How its outputs are nested."""
    dimensions: Dimensions


class NoArrays(TypeError):
    """What a program returns."""


class Format(NamedTuple):
    """A floating-point format of a program's inputs, and whether JAX has formats of 64 bits beside it."""

    name: str
    wide: bool = False


FORMATS = (Format("float64", True), Format("float32"), Format("bfloat16"), Format("float16"))
"""In turn: a state that a program makes in one format may not take inputs of another."""
ASKED_FOR = Format("float32", True)
"""That in which a program for torch is traced that asks for the format: torch's default, beside those of 64 bits."""
NUMBERS = (bool, int, float, complex)
FORMAT = re.compile(r"float\d+|dtype")
"""What JAX says where formats do not fit."""
_formats: WeakKeyDictionary[Any, Format] = WeakKeyDictionary()
_asked: list[bool] = []
"""Not empty where the program that was traced last has asked for a format."""


def asks_for_a_format() -> None:
    """Note that a program asks which format a tensor of real numbers has."""
    _asked.append(True)


def format_of(function: Callable[..., Any]) -> Format:
    """The format of inputs in which a program was traced; float64 if it was not."""
    try:
        return _formats.get(function, FORMATS[0])
    except TypeError:  # that no weak references are made to
        return FORMATS[0]


def traced(
    function: Callable[..., Any], shapes: Sequence[Sequence[Index]], folded: bool = False
) -> Traced:
    """The program on arrays of these shapes, of the first format that it takes: float64, else a narrower one.

    Rounding is not looked at, so that formats make no difference to what is read.

    Args:
        function: of JAX arrays.
        shapes: lengths in symbols, or numbers.
        folded: whether an associative scan over a number of elements is to be one equation, as it is with symbols.

    Raises:
        Unreadable: if it does not trace with symbols for sizes, or decides one.
    """
    known = format_of(function)
    if is_for_torch(function):
        return _of_torch(function, shapes, known, folded)
    try:
        return in_format(function, shapes, known, folded)
    except Exception as error:
        if not FORMAT.search(str(error)):
            raise
        for other in FORMATS:
            if other != known:
                with suppress(Exception), aside():
                    found = in_format(function, shapes, other, folded)
                    _formats[function] = other
                    return found
        raise


def _of_torch(
    function: Callable[..., Any], shapes: Sequence[Sequence[Index]], known: Format, folded: bool
) -> Traced:
    """A program for torch whose inputs are of any format, or if it asks for that, of torch's default."""
    _asked.clear()
    try:
        return in_format(function, shapes, known, folded)
    except Exception:
        if not _asked:
            raise
    _formats[function] = ASKED_FOR
    return in_format(function, shapes, ASKED_FOR, folded)


def is_for_torch(function: Callable[..., Any]) -> bool:
    """Whether it is a function for torch, read as one of JAX arrays, also where its axes are joined."""
    inner = getattr(function, "__wrapped__", None)
    return hasattr(function, "for_torch") or (inner is not None and is_for_torch(inner))


def in_format(
    function: Callable[..., Any],
    shapes: Sequence[Sequence[Index]],
    form: Format,
    folded: bool,
) -> Traced:
    """The program with inputs of this format."""
    try:
        with aside():
            return _traced(function, shapes, "s", form, folded)
    except Decided:
        # A cache of JAX's may have queried it, on the line that called it: not again for other names.
        return _traced(function, shapes, "n", form, folded)


def _traced(
    function: Callable[..., Any],
    shapes: Sequence[Sequence[Index]],
    letter: str,
    form: Format,
    folded: bool,
) -> Traced:
    jax = jax_for("a program")
    dimensions = Dimensions([d for shape in shapes for d in shape], letter)
    constraints = dimensions.constraints()
    scope = jax.export.SymbolicScope(constraints) if constraints else None
    outputs: list[Any] = []

    def flat(*arrays: Any) -> Any:
        leaves, tree = jax.tree.flatten(opened(function(*arrays)))
        outputs.append(tree)
        if not leaves:
            raise NoArrays("it returns nothing; expected an array, or several")
        for one in leaves:
            if not isinstance(one, NUMBERS) and not hasattr(one, "dtype"):
                raise NoArrays(f"it returns {_a(type(one).__name__)}; expected arrays")
        return leaves

    def any_length(length: Any) -> Any:
        if type(length) is int:
            return length if folded else None
        return dimensions.another(length.scope)

    with jax.enable_x64(form.wide):
        given = [_given(jax, dimensions, scope, shape, form) for shape in shapes]
        symbolic = any(not isinstance(d, int) for one in given for d in one.shape)
        answers = None
        try:
            with listening(Decided), in_order(), machine_unseen(function), ExitStack() as watched:
                if symbolic or folded:
                    watched.enter_context(associative.one_equation(any_length))
                if symbolic:  # numbers have nothing to hide, and are traced a hundred times
                    answers = watched.enter_context(refused(dimensions))
                    watched.enter_context(standing_in(function, dimension_type()))
                jaxpr = jax.make_jaxpr(flat)(*given)
        except (Decided, AsksMachine):
            raise
        except jax.errors.JAXTypeError as error:
            where = raised_at(error, folders())
            raise Unreadable(f"{_first_line(error, dimensions)}{where}") from error
        except Exception as error:
            if not symbolic:
                raise
            advice = f"; {INSTEAD}" if re.search(rf"{NAME}|ymbolic dimension", str(error)) else ""
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
    return Traced(jaxpr, outputs[-1], dimensions)


def _a(kind: str) -> str:
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"


def _given(
    jax: Any, dimensions: Dimensions, scope: Any, shape: Sequence[Index], form: Format
) -> Any:
    texts = ", ".join(dimensions.text(d) for d in shape)
    dims = jax.export.symbolic_shape(texts, scope=scope) if any(d.terms for d in shape) else ()
    dims = dims or tuple(d.const for d in shape)
    return jax.ShapeDtypeStruct(tuple(dims), getattr(jax.numpy, form.name))


def _first_line(error: Exception, dimensions: Dimensions) -> str:
    line = dimensions.named(str(error).strip().split("\n", 1)[0])
    return re.sub(rf"'?{NAME}'?( object)?", "a size", line)
