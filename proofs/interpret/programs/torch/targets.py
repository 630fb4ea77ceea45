"""From a function or module written for torch to a function of JAX arrays."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import jax

from scanproof.constructs.errors import UsageError

from ..outputs import opened
from . import formats, modes
from .rewriting import Loader, no_loops
from .standins import Module
from .tensors import Tensor


def as_jax(file: Path, module: str, attribute: str) -> Callable[..., Any]:
    """A function of a torch file as a function of JAX arrays, read anew from its source.

    Args:
        file: where the module lies.
        module: its name.
        attribute: the function's name in it, or that of a `nn.Module` that is made without arguments; then --shapes
            names the forward's arguments and, by their paths with _ for ., its parameters.

    Raises:
        UsageError: if there is no such function.
    """
    found: Any = Loader(file.parent).load(module, file)
    for part in attribute.split("."):
        if not hasattr(found, part):
            raise UsageError(f"prove {module}:{attribute}: {module} has no {attribute!r}.")
        found = getattr(found, part)
    if isinstance(found, type) and issubclass(found, Module):
        return _of_module(found)

    @functools.wraps(found)
    def run(*arrays: Any, **named: Any) -> Any:
        given = {n: one if one is None else Tensor(one) for n, one in named.items()}
        with _read([*arrays, *(one for one in named.values() if one is not None)]):
            return _arrays(found(*map(Tensor, arrays), **given))

    return _marked(run)


def _of_module(kind: type[Module]) -> Callable[..., Any]:
    """`forward` as a function of its arguments and of the module's parameters."""
    names = [*inspect.signature(kind.forward).parameters][1:]  # type: ignore[attr-defined]
    with jax.enable_x64(True):  # JAX warns of a format that it does not have
        paths = list(kind().parameters_by_name())
    keys = [path.replace(".", "_") for path in paths]

    def run(*arrays: Any) -> Any:
        with _read(arrays):
            made = kind()
            slots = made.parameters_by_name()
            for path, array in zip(paths, arrays[len(names) :], strict=True):
                module, name = slots[path]
                setattr(module, name, Tensor(array))
            return _arrays(made(*map(Tensor, arrays[: len(names)])))

    parameters = [
        inspect.Parameter(n, inspect.Parameter.POSITIONAL_OR_KEYWORD) for n in (*names, *keys)
    ]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return _marked(run)


@contextmanager
def _read(arrays: Sequence[Any]) -> Iterator[None]:
    """A program is run on symbols: outside of loops and derivatives, with formats where the inputs have them."""
    with no_loops(), modes.outside(), formats.following(arrays):
        yield


def _marked(run: Any) -> Any:
    run.for_torch = True
    run.unrolls = True  # loops are loops of Python's where sizes are numbers
    return run


def _arrays(value: Any) -> Any:
    return opened(value, lambda one: one.array if isinstance(one, Tensor) else one)
