"""The kernel without one of its checks: every `if …: raise` is found in its source, and taken out while it runs."""

from __future__ import annotations

import ast
import importlib
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

from scanproof.proofs import kernel

MODULES = ("index", "inequalities", "term", "rules", "theorem")


@dataclass(frozen=True)
class Check:
    """One condition of an `if …: raise`; those of an `or` are one each."""

    module: str
    function: str
    condition: str
    """As the source has it."""
    message: str
    line: int

    @property
    def name(self) -> str:
        return f"{self.function}: {self.condition}"


class _Finder(ast.NodeTransformer):
    """Walks a module's checks; leaves one of them out, if told which."""

    def __init__(self, module: str, without: str | None = None) -> None:
        self.module, self.without = module, without
        self.path: list[str] = []
        self.found: list[Check] = []

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return self._inside(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return self._inside(node)

    def _inside(self, node: ast.ClassDef | ast.FunctionDef) -> ast.AST:
        self.path.append(node.name)
        self.generic_visit(node)
        self.path.pop()
        return node

    def visit_If(self, node: ast.If) -> ast.AST:
        if isinstance(node.body[-1], ast.Raise):
            parts = [node.test]
            if isinstance(node.test, ast.BoolOp) and isinstance(node.test.op, ast.Or):
                parts = node.test.values
            kept = [part for part in parts if not self._left_out(part, node.body[-1])]
            if not kept:
                node.test = ast.Constant(False)
            else:
                node.test = kept[0] if len(kept) == 1 else ast.BoolOp(ast.Or(), kept)
        self.generic_visit(node)
        return node

    def _left_out(self, condition: ast.expr, end: ast.Raise) -> bool:
        text = " ".join(ast.unparse(condition).split())
        check = Check(self.module, ".".join(self.path), text, _message(end), condition.lineno)
        self.found.append(check)
        return check.name == self.without


def _message(end: ast.Raise) -> str:
    raised = end.exc
    if isinstance(raised, ast.Call) and raised.args:
        return f"{ast.unparse(raised.func)}: {ast.unparse(raised.args[0])}"
    return ast.unparse(end)


def _source(module: str) -> Path:
    return Path(kernel.__path__[0]) / f"{module}.py"


def checks() -> list[Check]:
    """All that the kernel checks, in the order of its source."""
    found = []
    for module in MODULES:
        finder = _Finder(module)
        finder.visit(ast.parse(_source(module).read_text(encoding="utf-8")))
        found += finder.found
    return found


@contextmanager
def without(check: Check) -> Iterator[None]:
    """The kernel without a check: the function that makes it has other code for a while."""
    tree = ast.parse(_source(check.module).read_text(encoding="utf-8"))
    tree = ast.fix_missing_locations(_Finder(check.module, check.name).visit(tree))
    code = _code(compile(tree, f"<{check.module} without {check.name}>", "exec"), check.function)
    with replaced(_function(check.module, check.function), code):
        yield


@contextmanager
def altered(module: str, function: str, old: str, new: str) -> Iterator[None]:
    """The kernel with another text at one place of a function.

    Raises:
        LookupError: if the function's source does not have the old text once.
    """
    source = _source(module).read_text(encoding="utf-8")
    own = inspect.getsource(_function(module, function))
    if own.count(old) != 1 or source.count(own) != 1:
        raise LookupError(f"{function} does not have {old!r} once")
    text = source.replace(own, own.replace(old, new))
    with replaced(_function(module, function), _code(compile(text, f"<{new}>", "exec"), function)):
        yield


@contextmanager
def replaced(function: FunctionType, code: CodeType) -> Iterator[None]:
    """A function with other code; whoever imported it has the other code too."""
    own = function.__code__
    function.__code__ = code
    _forget()
    try:
        yield
    finally:
        function.__code__ = own
        _forget()


@contextmanager
def disabled(rule: Callable[..., Any]) -> Iterator[None]:
    """The kernel without a rule: whoever asks for it is refused."""

    def refuse(*_: Any) -> None:
        from scanproof.proofs.kernel.errors import NotProved  # it runs with that module's globals

        raise NotProved("the rule is taken out")

    with replaced(_unwrapped(rule), refuse.__code__):
        yield


def _code(module: CodeType, function: str) -> CodeType:
    found = module
    for part in function.split("."):
        (found,) = [c for c in found.co_consts if isinstance(c, CodeType) and c.co_name == part][:1]
    return found


def _function(module: str, name: str) -> FunctionType:
    found: Any = importlib.import_module(f"{kernel.__name__}.{module}")
    for part in name.split("."):
        found = getattr(found, part)
    return _unwrapped(found)


def _unwrapped(function: Any) -> FunctionType:
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    return function


def _forget() -> None:
    """What was found by other code is not remembered."""
    from scanproof.proofs.kernel import inequalities

    for found in vars(inequalities).values():
        if hasattr(found, "cache_clear"):
            found.cache_clear()
