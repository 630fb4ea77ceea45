"""What a program returns: arrays in tuples, lists, dictionaries, data classes, and JAX's other containers.

Outputs come in JAX's order: of positions and of fields, and dictionaries by their sorted keys. An output's path says
where it lies, and is how an answer calls it: `state.h[1]`.
"""

from __future__ import annotations

import dataclasses
import functools
import sys
from collections import namedtuple
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from scanproof.constructs.errors import UsageError

from ..language.libraries import jax as jax_for

Path = tuple[str | int, ...]
"""Names of keys and fields, and positions; a single array has none."""


def opened(value: Any, leaf: Callable[[Any], Any] = lambda one: one) -> Any:
    """The value with data classes that JAX does not know as named tuples of their fields.

    Args:
        value: what a program returns.
        leaf: what becomes of what is no container.
    """
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(opened(one, leaf) for one in value))
    for kind in (dict, tuple, list):  # of whose subclasses JAX knows some
        if type(value) is kind or (isinstance(value, kind) and _is_leaf(value)):
            if isinstance(value, dict):
                return {key: opened(one, leaf) for key, one in value.items()}
            return kind(opened(one, leaf) for one in value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type) and _is_leaf(value):
        names = [one.name for one in dataclasses.fields(value)]
        made = _named_tuple(type(value).__name__, *names)
        return made(*(opened(getattr(value, name), leaf) for name in names))
    return leaf(value)


def opening(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, its results opened; one object for each, by which JAX knows what it has compiled."""
    try:
        return _opening(function)
    except TypeError:  # an object without a hash
        return _opening.__wrapped__(function)


@functools.lru_cache(maxsize=64)
def _opening(function: Callable[..., Any]) -> Callable[..., Any]:
    def run(*arrays: Any) -> Any:
        return opened(function(*arrays))

    return run


@functools.cache
def _named_tuple(name: str, *fields: str) -> type:
    """One type for each data class: JAX compares containers by their types."""
    return namedtuple(name, fields, rename=True)


def _is_leaf(value: Any) -> bool:
    if "jax" not in sys.modules:  # so that no containers are known to it
        return type(value) not in (dict, tuple, list)
    return jax_for("a program").tree_util.all_leaves([value])


def paths(value: Any) -> list[tuple[Path, Any]]:
    """Each output with where it lies."""
    if "jax" not in sys.modules:
        return list(_paths(opened(value), ()))
    found, _ = jax_for("a program").tree_util.tree_flatten_with_path(opened(value))
    return [(tuple(map(key, path)), leaf) for path, leaf in found]


def mapped(make: Callable[[Any], Any], value: Any) -> Any:
    """The outputs with something else for each."""
    if "jax" not in sys.modules:
        return opened(value, lambda one: None if one is None else make(one))
    return jax_for("a program").tree.map(make, opened(value))


def _paths(value: Any, at: Path) -> Iterator[tuple[Path, Any]]:
    """The same of what has no containers but Python's."""
    if isinstance(value, dict):
        for name in sorted(value):
            yield from _paths(value[name], (*at, name if isinstance(name, int) else str(name)))
    elif isinstance(value, tuple | list):
        names = getattr(value, "_fields", range(len(value)))
        for name, one in zip(names, value, strict=True):
            yield from _paths(one, (*at, name))
    elif value is not None:
        yield at, value


def key(one: Any) -> str | int:
    """A key of JAX's as a name or a position."""
    inner = next(getattr(one, n) for n in ("key", "name", "idx") if hasattr(one, n))
    return inner if isinstance(inner, int) else str(inner)


def said(path: Path) -> str:
    """An output's name in a sentence; nothing for a single array."""
    text = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path)
    return text.removeprefix(".")


def matched(called: str, own: Sequence[Path], others: Sequence[Path]) -> list[int]:
    """For each output of a program which of as many of its specification it is compared with.

    It is the one of the same name where both have the same names, else the one at the same place.

    Args:
        called: with what an error begins.
        own: where the program's outputs lie.
        others: where the specification's do.

    Raises:
        UsageError: if outputs at one place have different names.
    """
    if set(own) == set(others):
        return [others.index(path) for path in own]
    for one, other in zip(own, others, strict=True):
        pairs = zip(one, other, strict=False)
        if any(isinstance(a, str) and isinstance(b, str) and a != b for a, b in pairs):
            raise UsageError(
                f"{called}: the program returns {said(one)} where the specification returns {said(other)}. Outputs "
                "with names are compared by these: give both the same, or return tuples, which are compared in order."
            )
    return list(range(len(own)))
