"""Functions that are called with those of some named values that they ask for."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import lru_cache
from types import FunctionType, MappingProxyType
from typing import Any

from scanproof.constructs.errors import UsageError


def call(function: Callable[..., Any], values: Mapping[str, Any]) -> Any:
    """Call `function` with those of `values` that its signature names."""
    wanted = _remembered if type(function) is FunctionType else _wanted
    return function(**{name: values[name] for name in wanted(function) if name in values})


def _wanted(function: Callable[..., Any]) -> tuple[str, ...]:
    return tuple(inspect.signature(function).parameters)


_remembered = lru_cache(maxsize=1000)(_wanted)
"""For plain functions, which are called at thousands of points, and are the same only if they are one object."""


def arguments(called: str, function: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    """A function's arguments by name; *args and **keywords are given nothing, and ask for nothing.

    Raises:
        UsageError: if it is not a function, or one whose arguments Python does not know.
    """
    found = _remembered_arguments if type(function) is FunctionType else _arguments
    try:
        return found(function)
    except (TypeError, ValueError):
        raise UsageError(
            f"{called} is {function!r}, whose arguments Python does not know; write a def or a lambda."
        ) from None


def _arguments(function: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    every = inspect.signature(function).parameters
    several = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return MappingProxyType({name: p for name, p in every.items() if p.kind not in several})


_remembered_arguments = lru_cache(maxsize=1000)(_arguments)
"""A claim, its amendments and their checks ask for those of one function several times."""
