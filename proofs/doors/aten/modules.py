"""A module of PyTorch as a function of its inputs and its parameters."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from .refusal import torch


def is_module(value: Any) -> bool:
    """Whether a value is a module of PyTorch's, or the class of one."""
    kind = value if inspect.isclass(value) else type(value)
    return issubclass(kind, torch().nn.Module)


def unscripted(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function that one of TorchScript's was made of; any other as it is."""
    is_scripted = isinstance(function, torch().jit.ScriptFunction)
    return getattr(function, "_torchdynamo_inline", function) if is_scripted else function


def of_module(module: Any) -> Callable[..., Any]:
    """`forward` as a function of its arguments and then of the parameters, by their paths with _ for the dots.

    Args:
        module: a module, whose parameters are what they are where they are not given; or the class of one, which is
            made without arguments, and whose parameters have to be given.
    """
    is_class = inspect.isclass(module)
    made: Any = module() if is_class else module
    own = [
        p.replace(annotation=p.empty) for p in inspect.signature(made.forward).parameters.values()
    ]
    taken = {p.name for p in own}
    paths = {path.replace(".", "_"): (path, one) for path, one in made.named_parameters()}
    paths = {name: one for name, one in paths.items() if name not in taken}
    kind = inspect.Parameter.KEYWORD_ONLY
    if all(p.kind is p.POSITIONAL_OR_KEYWORD and p.default is p.empty for p in own):
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    further = [
        inspect.Parameter(n, kind, default=inspect.Parameter.empty if is_class else one)
        for n, (_, one) in paths.items()
    ]
    signature = inspect.Signature([*own, *further])

    def run(*given: Any, **named: Any) -> Any:
        bound = signature.bind(*given, **named)
        held = {}
        for name in list(bound.arguments):
            if name in paths:
                held[paths[name][0]] = bound.arguments.pop(name)
        return torch().func.functional_call(made, held, bound.args, bound.kwargs)

    run.__signature__ = signature  # type: ignore[attr-defined]
    run.__name__ = run.__qualname__ = (module if is_class else type(module)).__name__
    run.__module__ = made.__module__
    run.written = type(made).forward  # type: ignore[attr-defined]
    return run
