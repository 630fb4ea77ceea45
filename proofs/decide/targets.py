"""The functions that `prove` is given by name: which framework they are written for, and as functions of JAX arrays."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import inspect
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from scanproof.constructs.errors import UsageError

from ..interpret.questions import Unreadable
from ..language.pinned import Definitions, Redefined

FRAMEWORKS = ("jax", "torch")


def name(target: str | Callable[..., Any]) -> str:
    if isinstance(target, str):
        return target
    return f"{target.__module__}:{getattr(target, '__qualname__', repr(target))}"


def function(target: str | Callable[..., Any], framework: str | None = None) -> Callable[..., Any]:
    """The function that "module:name" names, of JAX arrays; one for torch is read anew from its source.

    Args:
        target: the name, or the function itself.
        framework: "jax" or "torch"; if not given, torch where the function's module imports it and not JAX.

    Raises:
        UsageError: if there is none, or if its module replaces definitions of the package.
    """
    if callable(target):
        return _of_callable(target, framework)
    module, colon, attribute = target.partition(":")
    if not colon or not module or not attribute:
        raise UsageError(f"prove {target!r} expects module:function, such as mymodule:forward.")
    path = module.removesuffix(".py").replace("/", ".")
    with from_here():
        file = _source(path)
        if file is not None and _for_torch(file, framework):
            return _of_torch(target, file, path, attribute)
        try:
            kept = (
                nullcontext()
                if path in sys.modules
                else Definitions().kept(f"prove {target}: {module}")
            )
            with kept:
                found: Any = importlib.import_module(path)
        except Redefined:
            raise
        except (Exception, SystemExit) as error:
            raise UsageError(
                f"prove {target}: {module} cannot be imported: {type(error).__name__}: {error}"
            ) from error
    for part in attribute.split("."):
        if not hasattr(found, part):
            known = sorted(n for n in vars(found) if callable(vars(found)[n]) and n[0] != "_")
            raise UsageError(
                f"prove {target}: {module} has no {attribute!r}; it has {', '.join(known) or 'no functions'}."
            )
        found = getattr(found, part)
    if not callable(found):
        raise UsageError(f"prove {target}: that is not a function but {type(found).__name__}.")
    return _with_loops(found, file, path, attribute)


def _with_loops(
    found: Callable[..., Any], file: Path | None, module: str, path: str
) -> Callable[..., Any]:
    """A function of JAX; with its loops over sizes as scans, and `float` of these as real numbers, where it has any."""
    if (
        file is None
        or module.startswith("scanproof.")
        or "<" in path
        or not _may_be_rewritten(file)
    ):
        return found
    from ..interpret.programs.torch.arrays import WithLoops

    return WithLoops(found, file, module, path)


def _may_be_rewritten(file: Path) -> bool:
    tree = _parsed(file)
    return tree is not None and any(map(_may_ask_a_number, ast.walk(tree)))


def _may_ask_a_number(node: ast.AST) -> bool:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id in ("float", "int")
    return isinstance(node, ast.For | ast.ListComp | ast.GeneratorExp)


def _parsed(file: Path) -> ast.Module | None:
    try:
        return ast.parse(file.read_text(encoding="utf-8"))
    except (OSError, SyntaxError, UnicodeDecodeError, ValueError):
        return None


def itself(target: str | Callable[..., Any]) -> Any:
    """What "module:name" names, as its own framework has it.

    Raises:
        Exception: what importing the module raises.
    """
    if callable(target):
        return target
    module, _, attribute = target.partition(":")
    with from_here():
        found: Any = importlib.import_module(module.removesuffix(".py").replace("/", "."))
    for part in attribute.split("."):
        found = getattr(found, part)
    return found


def framework_of(target: str | Callable[..., Any], framework: str | None = None) -> str:
    """The framework that it is for: as was said, or torch where its module imports torch and not JAX."""
    if framework is not None:
        return framework
    if callable(target):
        if is_for_torch(target) or not inspect.isfunction(target):
            return "torch" if is_for_torch(target) else "jax"
        file = inspect.getsourcefile(target)
        return "torch" if file and _for_torch(Path(file), None) else "jax"
    with from_here():
        place = _source(target.partition(":")[0].removesuffix(".py").replace("/", "."))
    return "torch" if place is not None and _for_torch(place, None) else "jax"


def is_for_torch(function: Callable[..., Any]) -> bool:
    """Whether it is a function for torch, read as one of JAX arrays."""
    return getattr(function, "for_torch", False)


def _of_callable(target: Callable[..., Any], framework: str | None) -> Callable[..., Any]:
    file = None
    if not is_for_torch(target) and inspect.isfunction(target) and framework != "jax":
        file = inspect.getsourcefile(target)
    if file is None or not _for_torch(Path(file), framework):
        if file is None or not Path(file).is_file():
            return target
        return _with_loops(target, Path(file), target.__module__, target.__qualname__)
    if "<" in target.__qualname__:
        raise UsageError(
            f"prove {name(target)}: a function for torch is read from its module's source; define it at the top of one."
        )
    return _of_torch(name(target), Path(file), target.__module__, target.__qualname__)


def _of_torch(target: str, file: Path, module: str, path: str) -> Callable[..., Any]:
    if importlib.util.find_spec("torch") is None:
        raise UsageError(
            f"prove {target}: {file.name} is written for torch, which is not installed. A program for torch is read "
            "by torch's own signatures of its functions: pip install torch."
        )
    from ..interpret.programs.torch.targets import as_jax

    try:
        return as_jax(file, module, path)
    except (UsageError, Unreadable):
        raise
    except (Exception, SystemExit) as error:
        raise UsageError(
            f"prove {target}: {module} cannot be loaded from its source: {type(error).__name__}: {error}."
        ) from error


def _source(module: str) -> Path | None:
    """The file of a module, which is not imported for it."""
    try:
        spec = importlib.util.find_spec(module)
    except (ImportError, AttributeError, ValueError):
        return None
    return Path(spec.origin) if spec and spec.origin and spec.origin.endswith(".py") else None


def _for_torch(file: Path, framework: str | None) -> bool:
    """Whether the functions of a file are for torch: as was said, or because it imports torch and not JAX."""
    if framework is not None:
        return framework == "torch"
    tree = _parsed(file)
    if tree is None:
        return False
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.partition(".")[0])
    return "torch" in found and "jax" not in found


@contextmanager
def from_here() -> Iterator[None]:
    """Modules are found in the folder where one stands."""
    here = str(Path.cwd())
    sys.path.insert(0, here)
    try:
        yield
    finally:
        sys.path.remove(here)
