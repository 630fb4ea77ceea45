"""Which framework a function is written for, and so which door it goes through."""

from __future__ import annotations

import ast
import functools
import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

FRAMEWORKS = ("jax", "torch", "triton")
"""A function for Triton is one of PyTorch's tensors that launches kernels."""


def framework_of(function: Callable[..., Any], framework: str | None = None) -> str:
    """The framework of a function: as was said, or torch where its module imports torch and not JAX.

    Args:
        function: a function, a method, a partial one, a class or an object that is called.
        framework: one of `FRAMEWORKS`, if that is said.
    """
    if framework is not None:
        return "torch" if framework == "triton" else framework
    written = _written(function)
    if _is_module(written):
        return "torch"
    try:
        file = inspect.getsourcefile(written)
    except TypeError:
        file = None
    if file is not None and Path(file).is_file():
        return of_file(Path(file))
    known = getattr(written, "__globals__", {}).values()
    names = {one.__name__.partition(".")[0] for one in known if isinstance(one, ModuleType)}
    return "torch" if "torch" in names and "jax" not in names else "jax"


def of_file(file: Path) -> str:
    """The framework that a file's functions are for."""
    try:
        return _of_text(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        return "jax"


@functools.lru_cache(64)
def _of_text(text: str) -> str:
    """The framework that a file with this text is for: programs are run, and asked for theirs, at many sizes."""
    try:
        tree: ast.Module | None = ast.parse(text)
    except (SyntaxError, ValueError):
        tree = None
    found = set()
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.partition(".")[0])
    return "torch" if "torch" in found and "jax" not in found else "jax"


def _written(function: Any) -> Any:
    """What somebody wrote, behind partial functions, wrappers and methods."""
    while True:
        if isinstance(function, functools.partial):
            function = function.func
        elif inspect.ismethod(function):
            function = function.__func__
        elif _is_module(function):
            return function
        elif hasattr(function, "__wrapped__"):
            function = function.__wrapped__
        else:
            break
    if inspect.isfunction(function) or inspect.isclass(function):
        return function
    return type(function)


def _is_module(value: Any) -> bool:
    """Whether it is a module of PyTorch's, or the class of one."""
    torch = sys.modules.get("torch")
    kind = value if inspect.isclass(value) else type(value)
    return torch is not None and issubclass(kind, torch.nn.Module)
