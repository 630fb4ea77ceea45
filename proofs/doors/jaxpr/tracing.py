"""From a function of JAX arrays to its jaxpr, with symbols for sizes."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from scanproof.constructs.errors import UsageError

from ...interpret.questions import Unreadable, aside, listening, raised_at
from ...language.libraries import jax as jax_for
from ...statement.formats import REAL
from ...statement.formats import Format as NodeFormat
from ...statement.nodes import Shape
from ...statement.whole import Number, Position, Whole
from ..caught import errors_seen
from ..outputs import opened
from ..refused import Refused
from . import associative, integers
from .asked import INSTEAD, Decided, dimension_type, folders, numbers_unseen, refused
from .paths import in_order
from .sizes import Dimensions
from .stand_ins import AsksMachine, machine_unseen, standing_in


class NoArrays(TypeError):
    """What a program returns."""


class Format(NamedTuple):
    """A format of a program's real inputs, and whether JAX has formats of 64 bits beside it."""

    name: str
    wide: bool = False


FORMATS = (Format("float64", True), Format("float32"), Format("bfloat16"), Format("float16"))
"""In turn: a state that a program makes in one format may not take inputs of another."""
OF_FORMATS = re.compile(r"float\d+|dtype")
"""What JAX says where formats do not fit."""
NUMBERS = (bool, int, float, complex)
_formats: WeakKeyDictionary[Any, Format] = WeakKeyDictionary()


def format_of(function: Callable[..., Any]) -> Format:
    """The format of real inputs in which a program was traced; float64 if it was not."""
    try:
        return _formats.get(function, FORMATS[0])
    except TypeError:  # that no weak references are made to
        return FORMATS[0]


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
    apart: tuple[Number, ...] = ()
    """Differences of lengths that JAX took for unequal, and that are 0 at some sizes."""


def traced(
    function: Callable[..., Any],
    inputs: Sequence[Given],
    folded: bool = False,
    lazily: bool = False,
) -> Traced:
    """The program on such arrays, their real numbers of the first format that it takes.

    Args:
        function: of JAX arrays.
        inputs: what they are, their lengths symbols or numbers.
        folded: whether an associative scan over a number of elements is to be one equation, as it is with symbols.
        lazily: whether NumPy's arrays of given lengths are to be JAX's, which are not made while it traces.

    Raises:
        Refused: if it does not trace with symbols for sizes, or decides one.
        UsageError: if it does more than compute.
        Exception: what it raises itself, where all lengths are numbers.
    """
    known = format_of(function)
    try:
        return in_format(function, inputs, known, folded, lazily)
    except Exception as error:
        others = [form for form in FORMATS if form != known]
        if not OF_FORMATS.search(f"{error} {_causes(error)}"):
            raise
        for other in others:
            with suppress(Exception):
                found = in_format(function, inputs, other, folded, lazily)
                with suppress(TypeError):
                    _formats[function] = other
                return found
        raise


def at_numbers(
    function: Callable[..., Any], shapes: Sequence[Sequence[int]], folded: bool = False
) -> Traced:
    """The program on arrays of real numbers of these shapes."""
    return traced(function, [Given(tuple(shape), REAL) for shape in shapes], folded)


def _causes(error: BaseException) -> str:
    """What the errors say that an error came from."""
    found = []
    while error.__cause__ is not None:
        error = error.__cause__
        found.append(str(error))
    return " ".join(found)


def in_format(
    function: Callable[..., Any],
    inputs: Sequence[Given],
    form: Format,
    folded: bool = False,
    lazily: bool = False,
) -> Traced:
    """The program on such arrays, their real numbers of this format."""
    try:
        try:
            with aside():
                return _traced(function, inputs, form, "s", folded, lazily)
        except Decided:
            # A cache of JAX's may have queried it, on the line that called it: not again for other names.
            return _traced(function, inputs, form, "n", folded, lazily)
    except Unreadable as error:
        raise Refused(str(error), error.split) from error


def _traced(
    function: Callable[..., Any],
    inputs: Sequence[Given],
    form: Format,
    letter: str,
    folded: bool,
    lazily: bool,
) -> Traced:
    jax = jax_for("a program")
    dimensions = Dimensions([n for one in inputs for n in one.shape], letter)
    scope = jax.export.SymbolicScope(dimensions.constraints())
    trees: list[Any] = []

    def flat(*arrays: Any) -> Any:
        leaves, tree = jax.tree.flatten(opened(function(*arrays)))
        trees.append(tree)
        if not leaves:
            raise NoArrays("it returns nothing; expected an array, or several")
        for one in leaves:
            if not isinstance(one, NUMBERS) and not hasattr(one, "dtype"):
                kind = type(one).__name__
                article = "an" if kind[0] in "aeiou" else "a"
                raise NoArrays(f"it returns {article} {kind}; expected arrays")
        return leaves

    def any_length(length: Any) -> Any:
        if type(length) is int:
            return length if folded else None
        name = dimensions.another(_any_position(len(dimensions.names)))
        return jax.export.symbolic_shape(name, scope=length.scope)[0]

    with jax.enable_x64(form.wide):
        given = [_array(jax, dimensions, scope, one, form) for one in inputs]
        symbolic = any(not isinstance(d, int) for one in given for d in one.shape)
        answers: Any = None
        try:
            with (
                errors_seen(folders()),
                listening(Decided),
                in_order(),
                machine_unseen(function),
                ExitStack() as watched,
            ):
                if symbolic or folded:
                    watched.enter_context(associative.one_equation(function, any_length))
                if symbolic:  # numbers have nothing to hide
                    answers = watched.enter_context(refused(dimensions))
                    known = answers.quotients
                    watched.enter_context(standing_in(function, dimension_type(), known))
                elif lazily:
                    watched.enter_context(standing_in(function, dimension_type()))
                watched.enter_context(integers.one_equation())
                watched.enter_context(numbers_unseen())
                jaxpr = jax.make_jaxpr(flat)(*given)
        except Refused:
            raise
        except (Decided, AsksMachine) as error:
            error.split = answers.asked if answers is not None else None
            raise
        except Exception as error:
            if not symbolic and not isinstance(error, jax.errors.JAXTypeError):
                raise
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
    apart = () if answers is None else tuple(dict.fromkeys(answers.apart()))
    return Traced(jaxpr, trees[-1], dimensions, form, apart)


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
