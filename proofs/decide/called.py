"""A program and its specification as they are called: which of their arguments get which arrays, and under which axes.

An argument that is not listed keeps its default. One without a default may be left out only if the function never reads
it: then what it is given makes no difference, and it is given None.
"""

from __future__ import annotations

import dis
import functools
import inspect
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import CodeType, FunctionType
from typing import Any

from scanproof.constructs.errors import UsageError

from ..language.libraries import jax as jax_for
from ..language.place import is_own
from ..language.sizes import format_of, names, of_reals
from . import joined_axes, targets
from .labels import made_of
from .reading import Side

BY_NAME = ("locals", "vars", "eval", "exec")
"""A function that calls one of these may read its arguments by names that its code does not show."""


@dataclass
class Both:
    """A program and its specification: as they were written, and of arrays none of whose lengths is a product."""

    name: str
    other: str
    asked: dict[str, str]
    """The shapes as they were written."""
    written: tuple[Callable[..., Any], Callable[..., Any]]
    given: dict[str, str]
    forward: Callable[..., Any]
    specification: Callable[..., Any]
    frameworks: tuple[str, str] = ("jax", "jax")
    """ "jax" or "torch", of the program and of the specification; a definition of scanproof has the program's."""
    groups: Any = None
    """How the lengths of the arguments are products, if any are."""
    outputs: Any = None
    """The same of the results."""

    @cached_property
    def sides(self) -> list[Side]:
        """Those that their frameworks trace: all but definitions of scanproof."""
        every = [
            Side(self.name, "program", self.forward, self.frameworks[0]),
            Side(self.other, "specification", self.specification, self.frameworks[1]),
        ]
        return [one for one in every if not targets.is_definition(one.function)]

    @property
    def calls(self) -> tuple[str, str]:
        """The arguments of each as Python has them."""
        first, second = (
            one.arguments(list(self.asked)) if isinstance(one, Called) else ", ".join(self.asked)
            for one in self.written
        )
        return first, second


def readings(
    function: str | Callable[..., Any],
    equals: str | Callable[..., Any],
    given: dict[str, str],
    framework: str | None,
) -> Iterator[Both]:
    """The programs with an axis of length 4*n as n chunks of 4, where there is one, and as they are written.

    Raises:
        UsageError: if one is not found, or takes other arguments than the shapes speak of.
        Unreadable: if one for torch is not read.
    """
    name, other = (targets.name(one) for one in (function, equals))
    pairs = list(zip((function, equals), targets.of_each(framework), strict=True))
    forward, specification = (targets.function(*pair) for pair in pairs)
    given = listed(name, forward, given)
    asked = list(listed(other, specification, given, strict=False))
    if asked != list(given):
        raise UsageError(
            f"prove: {name} takes {', '.join(given)}, and {other} {', '.join(asked)}. Both are called with the arrays "
            "in one order; give one of them the other's."
        )
    reals = {name: of_reals(text) for name, text in given.items()}
    clash = sorted(set(given) & set(names(list(reals.values()))))
    if clash:
        raise UsageError(
            f"prove {name}: in --shapes {clash[0]} is an array and a size; give the size another letter."
        )
    formats = [*map(format_of, given.values())]
    written = (
        with_arguments(forward, asked, formats),
        with_arguments(specification, asked, formats),
    )
    first, second = (targets.framework_of(*pair) for pair in pairs)
    of_any_arrays = targets.is_definition(specification)
    of = first, first if of_any_arrays else second
    if "jax" in of:
        jax_for("prove")
    if joined_axes.is_joined(reals) and of_any_arrays:
        raise UsageError(
            f"prove {name}: a specification of scanproof's own takes no lengths that are products, such as n*C; "
            f"got {', '.join(given.values())}. Give their axes apart (n C d)."
        )
    ways = (True, False) if joined_axes.has_chunks(reals) and not of_any_arrays else (False,)
    for chunks in ways:
        both = Both(name, other, given, written, reals, *written, of)
        yield _joined(both, chunks) if joined_axes.is_joined(reals, chunks) else both


def _joined(both: Both, chunks: bool) -> Both:
    """The programs of arrays with more axes; with `chunks` where a length is a number of chunks, too."""
    groups = {n: joined_axes.groups_of(text, chunks) for n, text in both.given.items()}
    axes = list(groups.values())
    pairs = zip(both.written, both.frameworks, strict=True)
    found = [joined_axes.outputs_of(*pair, axes) for pair in pairs]
    known = [one for one in found if one is not None]
    outputs = known[0] if known and known[0] == known[-1] else None
    forward, specification = (joined_axes.Joined(one, axes, outputs) for one in both.written)
    apart = {n: joined_axes.apart(text, chunks) for n, text in both.given.items()}
    return replace(
        both,
        given=apart,
        forward=forward,
        specification=specification,
        groups=groups,
        outputs=outputs,
    )


def listed(
    name: str, function: Callable[..., Any], given: dict[str, str], strict: bool = True
) -> dict[str, str]:
    """The shapes in the order of the function's arguments, where they name these.

    Args:
        name: what the function is called.
        function: takes the arrays.
        given: shapes by name.
        strict: whether names are refused of which the function has some; else they are all taken in order then.

    Raises:
        UsageError: if they name some arguments and something else, or leave out one that has to be given.
    """
    every = parameters(function)
    if every is None:
        return given
    own = [p.name for p in every]
    wrong = [n for n in given if n not in own]
    if strict and wrong and len(wrong) < len(given):
        raise UsageError(
            f"--shapes names {wrong[0]!r}, and {name} takes {', '.join(own)}. Name its arguments, or none of them: "
            "then the shapes are taken in their order."
        )
    taken = _taken(every, list(given))
    left = [p for p in every if p.name not in taken and p.default is p.empty]
    missing = [p.name for p in left if _is_read(function, p.name)]
    if missing or len(taken) < len(given):
        asks = " Both functions are called with all that --shapes names."
        if missing:
            asks = f" {missing[0]} has no default, and is read: give its shape."
        raise UsageError(
            f"{name} takes {', '.join(own) or 'no arguments'}; --shapes names {', '.join(given)}.{asks}"
        )
    return given if wrong else {n: given[n] for n in taken}


def parameters(function: Callable[..., Any]) -> list[inspect.Parameter] | None:
    """The arguments that a function can be given; None where it says nothing, or takes any number."""
    try:
        every = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return None
    if any(p.kind is p.VAR_POSITIONAL for p in every):
        return None
    return [p for p in every if p.kind is not p.VAR_KEYWORD]


def _taken(every: list[inspect.Parameter], names: list[str]) -> list[str]:
    """Which arguments arrays of these names are for: those of the names, or else the first ones."""
    own = [p.name for p in every]
    if set(names) <= set(own):
        return [n for n in own if n in names]
    return [p.name for p in every if p.kind is not p.KEYWORD_ONLY][: len(names)]


def _is_read(function: Callable[..., Any], name: str) -> bool:
    """Whether a function's code may read an argument; that of a wrapper, where the user has written one."""
    code = getattr(inspect.unwrap(function, stop=_is_users), "__code__", None)
    if not isinstance(code, CodeType):
        return True
    if name not in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]:
        return True
    if name in code.co_cellvars or any(one in code.co_names for one in BY_NAME):
        return True
    loads = (one.argval for one in dis.get_instructions(code) if "LOAD" in one.opname)
    return any(name in (read if isinstance(read, tuple) else (read,)) for read in loads)


def _is_users(wrapper: Callable[..., Any]) -> bool:
    """Whether what wraps a function is code of the user's, and not JAX's or scanproof's."""
    if isinstance(wrapper, FunctionType):
        return is_own(wrapper.__globals__.get("__name__"), wrapper.__code__.co_filename)
    kind = type(wrapper)
    return is_own(kind.__module__, getattr(sys.modules.get(kind.__module__), "__file__", None))


def with_arguments(
    function: Callable[..., Any], names: list[str], formats: Sequence[str] = ()
) -> Callable[..., Any]:
    """The function of arrays of these names alone, in their order; itself if it takes them first, and needs no more.

    Args:
        function: takes them.
        names: of the arrays.
        formats: "in" or "bool" for those that are labels or truths, and are given as real numbers (see `labels`).
    """
    every, are_real = parameters(function), not any(formats)
    if every is None:
        return function if are_real else Called(function, names, {}, names, formats)
    taken = _taken(every, names)
    left = [p for p in every if p.name not in taken]
    first = [p.name for p in every[: len(taken)] if p.kind is not p.KEYWORD_ONLY]
    if are_real and first == taken and all(p.default is not p.empty for p in left):
        return function
    fixed = {p.name: None for p in left if p.default is p.empty}
    kept = [p for p in left if p.kind is p.POSITIONAL_ONLY and p.name not in fixed]
    fixed |= {p.name: p.default for p in kept}
    places = [p.name for p in every if p.kind is p.POSITIONAL_ONLY]
    return Called(function, taken, fixed, places, formats)


class Called:
    """A function of some of its arguments: the others keep their defaults, or are never read.

    Args:
        function: takes them all.
        names: of the arguments that it is given here.
        fixed: the values of others.
        places: the arguments that it takes by their places alone.
        formats: of the arrays that it is given, none if all are of real numbers.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        names: list[str],
        fixed: Mapping[str, Any],
        places: list[str],
        formats: Sequence[str] = (),
    ) -> None:
        functools.update_wrapper(self, function)
        self.__wrapped__ = function
        self._names, self._fixed, self._places = names, fixed, places
        self._formats = formats or [""] * len(names)

    @property
    def unrolls(self) -> bool:
        """Whether loops of the function are loops of Python's where sizes are numbers."""
        return getattr(self.__wrapped__, "unrolls", False)

    def arguments(self, names: list[str]) -> str:
        """Its arguments as Python has them, arrays by these names."""
        given = {
            **{n: repr(v) for n, v in self._fixed.items()},
            **dict(zip(self._names, names, strict=True)),
        }
        first = [given.pop(name) for name in self._places]
        return ", ".join([*first, *(f"{name}={value}" for name, value in given.items())])

    def __call__(self, *arrays: Any) -> Any:
        own = map(made_of, arrays, self._formats)
        given = {**self._fixed, **dict(zip(self._names, own, strict=True))}
        first = [given.pop(name) for name in self._places]
        return self.__wrapped__(*first, **given)
