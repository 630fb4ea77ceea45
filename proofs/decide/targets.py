"""The functions that `prove` is given, or their names: imported, and which framework they are written for."""

from __future__ import annotations

import functools
import hashlib
import importlib
import importlib.util
import inspect
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from scanproof.constructs.errors import UsageError

from ..doors import frameworks
from ..language.pinned import Definitions, Redefined


def name(target: Any) -> str:
    """A function as an answer calls it: module:function, with (…) where it is made of what has that name."""
    if isinstance(target, str):
        return target
    if isinstance(target, functools.partial):
        return f"{name(target.func)}(…)"
    if inspect.ismethod(target):
        return f"{name(target.__self__)}.{target.__name__}"
    if hasattr(target, "__qualname__"):
        return f"{target.__module__}:{target.__qualname__}"
    return f"{name(type(target))}(…)"


class Place(NamedTuple):
    """Where a function is that was named "module:name", "file.py:name" or "folder/file.py:name"."""

    module: str
    attribute: str
    folder: Path | None = None
    """Where the module is found besides the folder in which one stands; None for a module's name."""
    file: Path | None = None


def place(target: str) -> Place:
    """Where the function is that is named so.

    A file below the folder where one stands is the module of its path from there, as Python has it; another file is one
    of its package, or else of its own folder.

    Raises:
        UsageError: if it is no such name, or the file is not there.
    """
    module, colon, attribute = target.rpartition(":")
    if not colon or not module or not attribute:
        raise UsageError(
            f"prove {target!r} expects module:function or file.py:function, such as mymodule:forward."
        )
    if not (module.endswith(".py") or "/" in module or os.sep in module):
        return Place(module, attribute)
    file = Path(module if module.endswith(".py") else f"{module}.py").resolve()
    if not file.is_file():
        raise UsageError(
            f"prove {target}: there is no file {module}; give the path to a Python file."
        )
    here = Path.cwd().resolve()
    folder = here if file.is_relative_to(here) else _root(file)
    parts = file.relative_to(folder).with_suffix("").parts
    if not all(part.isidentifier() for part in parts):
        folder, parts = file.parent, (file.stem,)
    return Place(".".join(parts), attribute, folder, file)


def _root(file: Path) -> Path:
    """The folder from which a file is imported: that of the package around it, or its own."""
    folder = file.parent
    while (folder / "__init__.py").exists() and folder.parent != folder:
        folder = folder.parent
    return folder


def function(target: str | Callable[..., Any], framework: str | None = None) -> Callable[..., Any]:
    """The function that "module:name" or "file.py:name" names, of its framework's arrays; `forward` of a module.

    Args:
        target: the name, or the function itself.
        framework: "jax" or "torch"; if not given, torch where the function's module imports it and not JAX.

    Raises:
        UsageError: if there is none, or if its module replaces definitions of the package.
    """
    if callable(target):
        if framework_of(target, framework) == "torch":
            return with_kernels(_of_torch(target, target))
        return _with_loops(target)
    at = place(target)
    with from_here(at.folder):
        file = at.file or _source(at.module)
        is_for_torch = framework_of(target, framework) == "torch"
        if is_for_torch and importlib.util.find_spec("torch") is None:
            raise UsageError(
                f"prove {target}: {file.name if file else at.module} is written for torch, which is not installed. "
                "A program for torch is read by torch's own trace of it: pip install torch."
            )
        try:
            with (
                Definitions().kept(f"prove {target}: {at.module}") if _is_new(at) else nullcontext()
            ):
                found: Any = _imported(at)
        except Redefined:
            raise
        except (Exception, SystemExit) as error:
            from .complaints import (
                nearest_name,  # which imports more than a program that runs needs
            )

            raise UsageError(
                f"prove {target}: {at.module} cannot be imported: {type(error).__name__}: {error}"
                f"{nearest_name(error, at.folder)}"
            ) from error
    for part in at.attribute.split("."):
        if not hasattr(found, part):
            known = sorted(n for n in vars(found) if callable(vars(found)[n]) and n[0] != "_")
            raise UsageError(
                f"prove {target}: {at.module} has no {at.attribute!r}; it has {', '.join(known) or 'no functions'}."
            )
        found = getattr(found, part)
    if not callable(found):
        raise UsageError(f"prove {target}: that is not a function but {type(found).__name__}.")
    return with_kernels(_of_torch(target, found)) if is_for_torch else _with_loops(found)


def _of_torch(target: str | Callable[..., Any], found: Callable[..., Any]) -> Callable[..., Any]:
    """The function; of a module, or the class of one, `forward` with its parameters as arguments.

    Raises:
        UsageError: if the class cannot be made without arguments.
    """
    from ..doors.aten.modules import is_module, of_module, unscripted  # which need torch
    from . import mistakes

    if not is_module(found):
        return unscripted(found)
    try:
        return of_module(found)
    except mistakes.Errors as error:
        raise UsageError(
            f"prove {name(target)}: a module of this class cannot be made without arguments: {mistakes.said(error)}; "
            "give a module that is made, or a function."
        ) from error


def _is_new(at: Place) -> bool:
    """Whether the module is still to be imported."""
    module = sys.modules.get(at.module)
    file = getattr(module, "__file__", None)
    return module is None or not (at.file is None or _is_same(file, at.file))


def _is_same(found: str | Path | None, file: Path) -> bool:
    return found is not None and Path(found).resolve() == file


def _imported(at: Place) -> ModuleType:
    """The module; that of a file whose name another module has is loaded beside it.

    Raises:
        Exception: what importing it raises.
    """
    if at.file is None or not _is_new(at):
        return importlib.import_module(at.module)
    if at.module not in sys.modules and _is_same(_source(at.module), at.file):
        return importlib.import_module(at.module)
    name = f"{at.file.stem}_{hashlib.sha256(str(at.file).encode()).hexdigest()[:12]}"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, at.file)
        if spec is None or spec.loader is None:
            raise ImportError(f"{at.file} is no Python file")
        sys.modules[name] = importlib.util.module_from_spec(spec)
        try:
            spec.loader.exec_module(sys.modules[name])
        except BaseException:
            del sys.modules[name]
            raise
    return sys.modules[name]


def _with_loops(found: Callable[..., Any]) -> Callable[..., Any]:
    """A function of JAX; with its loops over sizes as scans where it has any."""
    if getattr(found, "__module__", "").startswith("scanproof.") or not inspect.isroutine(found):
        return found
    from ..doors.jaxpr.python_loops import WithLoops, has_loops

    return WithLoops(found) if has_loops(found) else found


def with_kernels(found: Callable[..., Any]) -> Callable[..., Any]:
    """A function for torch; where Triton is imported, kernels that it launches run and are traced without a GPU."""
    if "triton" not in sys.modules:
        return found
    from ..doors.triton.launching import WithKernels

    return WithKernels(found)


def of_each(framework: str | None) -> tuple[str | None, str | None]:
    """The framework that is said of the program and of its specification: Triton is only the program's."""
    return framework, None if framework == "triton" else framework


def itself(target: str | Callable[..., Any]) -> Any:
    """What "module:name" names, as its own framework has it.

    Raises:
        Exception: what importing the module raises.
    """
    if callable(target):
        return target
    at = place(target)
    with from_here(at.folder):
        found: Any = _imported(at)
    for part in at.attribute.split("."):
        found = getattr(found, part)
    return found


def framework_of(target: str | Callable[..., Any], framework: str | None = None) -> str:
    """The framework that it is for: as was said, or torch where its module imports torch and not JAX."""
    if framework is not None or callable(target):
        return frameworks.framework_of(target, framework)  # type: ignore[arg-type]
    file = file_of(place(target))
    return "jax" if file is None else frameworks.of_file(file)


def file_of(at: Place) -> Path | None:
    """The file in which the function is; None for a module that has none."""
    with from_here(at.folder):
        found = at.file or _source(at.module)
    return None if found is None else found.resolve()


def is_definition(function: Callable[..., Any]) -> bool:
    """Whether it is a definition of scanproof, which runs on any arrays."""
    module = getattr(function, "__module__", "") or ""
    return module.startswith("scanproof.constructs") or getattr(function, "any_arrays", False)


def _source(module: str) -> Path | None:
    """The file of a module, which is not imported for it."""
    try:
        spec = importlib.util.find_spec(module)
    except (ImportError, AttributeError, ValueError):
        return None
    return Path(spec.origin) if spec and spec.origin and spec.origin.endswith(".py") else None


@contextmanager
def from_here(folder: Path | None) -> Iterator[None]:
    """Modules are found in the folder where one stands, and before it in another one."""
    places = [str(one) for one in (folder, Path.cwd()) if one is not None]
    sys.path[:0] = places
    try:
        yield
    finally:
        for one in places:
            if one in sys.path:  # what is imported may have taken it out
                sys.path.remove(one)
