"""From a Python function of JAX arrays to its jaxpr, with symbols or numbers for sizes."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any, NamedTuple

from scanproof.constructs.errors import UsageError

from ...kernel.index import Index
from ...language.libraries import jax as jax_for
from ..questions import Unreadable, aside, listening, raised_at
from . import associative
from .decisions import INSTEAD, NAME, Decided, folders, refused
from .sizes import Dimensions


class Traced(NamedTuple):
    """A program at some sizes."""

    jaxpr: Any
    """JAX's closed jaxpr."""
    tree: Any
    """How its outputs are nested."""
    dimensions: Dimensions


def traced(
    function: Callable[..., Any], shapes: Sequence[Sequence[Index]], folded: bool = False
) -> Traced:
    """The program on float64 arrays of these shapes.

    Args:
        function: of JAX arrays.
        shapes: lengths in symbols, or numbers.
        folded: whether an associative scan over a number of elements is to be one equation, as it is with symbols.

    Raises:
        Unreadable: if it does not trace with symbols for sizes, or decides one.
    """
    try:
        with aside():
            return _traced(function, shapes, "s", folded)
    except Decided:
        # A cache of JAX's may have queried it, on the line that called it: not again for other names.
        return _traced(function, shapes, "n", folded)


def _traced(
    function: Callable[..., Any],
    shapes: Sequence[Sequence[Index]],
    letter: str,
    folded: bool,
) -> Traced:
    jax = jax_for("a program")
    dimensions = Dimensions([d for shape in shapes for d in shape], letter)
    scope = jax.export.SymbolicScope(dimensions.constraints())
    outputs: list[Any] = []

    def flat(*arrays: Any) -> Any:
        leaves, tree = jax.tree.flatten(function(*arrays))
        outputs.append(tree)
        return leaves

    def any_length(length: Any) -> Any:
        if type(length) is int:
            return length if folded else None
        return dimensions.another(length.scope)

    with jax.enable_x64(True):
        given = [_given(jax, dimensions, scope, shape) for shape in shapes]
        try:
            symbolic = any(d.terms for shape in shapes for d in shape)
            folding = associative.one_equation(any_length) if symbolic or folded else nullcontext()
            with listening(Decided), refused(dimensions), folding:
                jaxpr = jax.make_jaxpr(flat)(*given)
        except Decided:
            raise
        except jax.errors.JAXTypeError as error:
            raise Unreadable(_first_line(error, dimensions)) from error
        except Exception as error:
            if not any(not isinstance(d, int) for one in given for d in one.shape):
                raise
            advice = f"; {INSTEAD}" if re.search(rf"{NAME}|ymbolic dimension", str(error)) else ""
            raise Unreadable(
                f"it does not trace with symbols for sizes ({type(error).__name__}{raised_at(error, folders())}: "
                f"{_first_line(error, dimensions)}){advice}"
            ) from error
    if jaxpr.effects:
        raise UsageError(
            f"the program does more than compute while it runs ({', '.join(sorted(map(str, jaxpr.effects)))}); "
            "take callbacks and prints out of it, or pass a function without them."
        )
    return Traced(jaxpr, outputs[-1], dimensions)


def _given(jax: Any, dimensions: Dimensions, scope: Any, shape: Sequence[Index]) -> Any:
    texts = ", ".join(dimensions.text(d) for d in shape)
    dims = jax.export.symbolic_shape(texts, scope=scope) if any(d.terms for d in shape) else ()
    dims = dims or tuple(d.const for d in shape)
    return jax.ShapeDtypeStruct(tuple(dims), jax.numpy.float64)


def _first_line(error: Exception, dimensions: Dimensions) -> str:
    return dimensions.named(str(error).strip().split("\n", 1)[0])
