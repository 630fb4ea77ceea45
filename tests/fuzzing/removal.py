"""The kernel without one of its checks: each is found in its source, and taken out while it runs.

A check is an `if …: raise` or a `require(…, why)`. Each part of an `or`, or of an `and`, is a condition by
itself; where it has a name, it is looked up where the name was given.
"""

import ast
import importlib
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import CodeType, FunctionType, ModuleType
from typing import Any

from scanproof.proofs import kernel
from scanproof.proofs.search import guards, memory

MODULES = (
    "index",
    "inequalities",
    "term",
    "theorem",
    "rules",
    "recursion",
    "reduction",
    "induction",
    "laws",
)


@dataclass(frozen=True)
class Check:
    """One condition that something is refused without."""

    module: str
    function: str
    condition: str
    """As the source has it."""

    @property
    def name(self) -> str:
        return f"{self.function}: {self.condition}"


class _Finder(ast.NodeTransformer):
    """Walks a module's checks; leaves one of them out, if told which."""

    def __init__(self, module: str, without: str | None = None) -> None:
        self.module, self.without = module, without
        self.path: list[str] = []
        self.named: list[dict[str, ast.Assign]] = [{}]
        self.found: list[Check] = []

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return self._inside(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return self._inside(node)

    def _inside(self, node: ast.ClassDef | ast.FunctionDef) -> ast.AST:
        self.path.append(node.name)
        self.named.append({})
        self.generic_visit(node)
        self.named.pop()
        self.path.pop()
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        if isinstance(node.targets[0], ast.Name):
            self.named[-1][node.targets[0].id] = node
        return node

    def visit_If(self, node: ast.If) -> ast.AST:
        if isinstance(node.body[-1], ast.Raise):
            node.test = self._kept(node.test, ast.Or)
        self.generic_visit(node)
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        call = node.value
        if isinstance(call, ast.Call) and getattr(call.func, "id", None) == "require":
            condition = call.args[0]
            if isinstance(condition, ast.Name):
                given = self.named[-1][condition.id]
                given.value = self._kept(given.value, ast.And)
            else:
                call.args[0] = self._kept(condition, ast.And)
        return node

    def _kept(self, test: ast.expr, joint: type[ast.boolop]) -> ast.expr:
        parts = (
            test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, joint) else [test]
        )
        kept = [part for part in parts if not self._left_out(part)]
        if len(kept) == len(parts):
            return test
        if not kept:
            return ast.Constant(joint is ast.And)
        return kept[0] if len(kept) == 1 else ast.BoolOp(joint(), kept)

    def _left_out(self, condition: ast.expr) -> bool:
        text = " ".join(ast.unparse(condition).split())
        check = Check(self.module, ".".join(self.path), text)
        self.found.append(check)
        return check.name == self.without


def _module(name: str) -> ModuleType:
    return importlib.import_module(name if name.startswith(".") else f".{name}", kernel.__name__)


def _source(module: str) -> str:
    return inspect.getsource(_module(module))


def checks() -> list[Check]:
    """All that the kernel checks, in the order of its source."""
    found = []
    for module in MODULES:
        finder = _Finder(module)
        finder.visit(ast.parse(_source(module)))
        found += finder.found
    return found


@contextmanager
def without(check: Check) -> Iterator[None]:
    """The kernel without a check: the function that makes it has other code for a while."""
    tree = ast.parse(_source(check.module))
    tree = ast.fix_missing_locations(_Finder(check.module, check.name).visit(tree))
    code = _code(compile(tree, f"<without {check.name}>", "exec"), check.function)
    with replaced(_function(check.module, check.function), code):
        yield


@contextmanager
def altered(module: str, function: str, old: str, new: str) -> Iterator[None]:
    """The kernel with another text at one place of a function.

    Raises:
        LookupError: if the function's source does not have the old text once.
    """
    source, own = _source(module), inspect.getsource(_function(module, function))
    if own.count(old) != 1 or source.count(own) != 1:
        raise LookupError(f"{function} does not have {old!r} once")
    text = source.replace(own, own.replace(old, new))
    with replaced(_function(module, function), _code(compile(text, f"<{new}>", "exec"), function)):
        yield


@contextmanager
def disabled(rule: Callable[..., Any]) -> Iterator[None]:
    """The kernel without a rule: whoever asks for it is refused."""

    def refuse(*_: Any) -> None:
        from scanproof.proofs.kernel.errors import NotProved  # it runs among that module's names

        raise NotProved("the rule is taken out")

    with replaced(_unwrapped(rule), refuse.__code__):
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


def _code(module: CodeType, function: str) -> CodeType:
    found = module
    for part in function.split("."):
        found = next(c for c in found.co_consts if isinstance(c, CodeType) and c.co_name == part)
    return found


def _function(module: str, name: str) -> FunctionType:
    found: Any = _module(module)
    for part in name.split("."):
        found = getattr(found, part)
    return _unwrapped(found)


def _unwrapped(function: Any) -> FunctionType:
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    return function


def _forget() -> None:
    """What was found by other code is not remembered."""
    for module in (*map(_module, MODULES), guards):
        for found in vars(module).values():
            if hasattr(found, "cache_clear"):
                found.cache_clear()
    memory.known.clear()
