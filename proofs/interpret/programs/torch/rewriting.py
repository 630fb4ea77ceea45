"""A user's module loaded from its own source, with the facade in place of torch and loops that may run over sizes."""

from __future__ import annotations

import ast
import builtins
import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from scanproof.constructs.errors import UsageError

from . import loops
from .standins import modules
from .tensors import LOOPS, refuse

NAMES = {
    "_scanproof_loop": loops.loop,
    "_scanproof_each": loops.comprehension,
    "_scanproof_list": loops.Appended,
    "_scanproof_store": loops.store,
    "_scanproof_augment": loops.augment,
    "_scanproof_slice": slice,
    "_scanproof_alone": loops.alone,
    "_scanproof_table": loops.Table,
}
LEAVING = (
    ast.Return,
    ast.Break,
    ast.Continue,
    ast.Yield,
    ast.YieldFrom,
    ast.Await,
    ast.Global,
    ast.Nonlocal,
)


class Loops(ast.NodeTransformer):
    """For statements in functions become calls of `loops.loop`; lists become such that these loops may append to."""

    def __init__(self) -> None:
        self.depth = self.count = 0

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """Loops are followed in functions alone."""
        self.depth += 1
        own = [one for part in node.body for one in _own(part)]
        self.generic_visit(node)
        self.depth -= 1
        if any(isinstance(one, ast.Global | ast.Nonlocal) for one in own):
            what = "a function with global or nonlocal names"
        elif any(
            isinstance(o, ast.Attribute) and isinstance(o.ctx, ast.Store | ast.Del) for o in own
        ):
            what = "a function that sets attributes"
        else:
            return node
        first = ast.Expr(_call("_scanproof_alone", [ast.Constant(what)]))
        where = next((k for k, one in enumerate(node.body) if not _is_text(one)), 0)
        node.body.insert(where, ast.copy_location(first, node.body[where]))
        return node

    def visit_Dict(self, node: ast.Dict) -> ast.AST:
        """`{a: b}`, which a loop over a size must not change."""
        self.generic_visit(node)
        return ast.copy_location(_call("_scanproof_table", [node]), node)

    def visit_List(self, node: ast.List) -> ast.AST:
        """`[a, b]`, where it is not assigned to."""
        self.generic_visit(node)
        if not isinstance(node.ctx, ast.Load):
            return node
        return ast.copy_location(_call("_scanproof_list", [node]), node)

    def visit_ListComp(self, node: ast.ListComp) -> ast.AST:
        """`[f(x) for x in xs]`, with one for and no if."""
        self.generic_visit(node)
        first = node.generators[0]
        if not self.depth or len(node.generators) > 1 or first.ifs or first.is_async:
            return node
        self.count += 1
        item = f"_scanproof_item{self.count}"
        if isinstance(first.target, ast.Name):
            make: ast.expr = ast.Lambda(_arguments([first.target.id]), node.elt)
        elif isinstance(first.target, ast.Tuple) and all(
            isinstance(e, ast.Name) for e in first.target.elts
        ):
            names = [e.id for e in first.target.elts]  # type: ignore[attr-defined]
            inner = ast.Lambda(_arguments(names), node.elt)
            given = ast.Call(inner, [ast.Starred(ast.Name(item, ast.Load()), ast.Load())], [])
            make = ast.Lambda(_arguments([item]), given)
        else:
            return node
        return ast.copy_location(_call("_scanproof_each", [first.iter, make]), node)

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        """`x[k] = y`, which is a tensor's where loops over sizes are followed."""
        self.generic_visit(node)
        (target, *others) = node.targets
        if not self.depth or others or not isinstance(target, ast.Subscript):
            return node
        given = [target.value, _key(target.slice), node.value]
        return ast.copy_location(ast.Expr(_call("_scanproof_store", given)), node)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        """`x[k] += y`: the part is read, changed and written."""
        self.generic_visit(node)
        target = node.target
        if not self.depth or not isinstance(target, ast.Subscript):
            return node
        name = ast.Constant(type(node.op).__name__)
        given = [name, target.value, _key(target.slice), node.value]
        return ast.copy_location(ast.Expr(_call("_scanproof_augment", given)), node)

    def visit_For(self, node: ast.For) -> Any:
        """A loop whose body leaves it in no other way than by its end."""
        self.generic_visit(node)
        leaves = any(isinstance(one, LEAVING) for part in node.body for one in _own(part))
        changes = any(
            isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Store | ast.Del)
            for part in node.body
            for one in _own(part)
        )
        if not self.depth or leaves or changes or node.orelse:
            return node
        self.count += 1
        item, name = f"_scanproof_item{self.count}", f"_scanproof_body{self.count}"
        targets = sorted(set(_assigned(node)))
        result = ast.Tuple([ast.Name(t, ast.Load()) for t in targets], ast.Load())
        first = ast.Assign([node.target], ast.Name(item, ast.Load()))
        body = ast.FunctionDef(
            name,
            _arguments([item, *targets]),
            [first, *node.body, ast.Return(result)],
            [],
            type_params=[],
        )
        values = [ast.Lambda(_arguments([]), ast.Name(t, ast.Load())) for t in targets]
        called = _call(
            "_scanproof_loop",
            [
                node.iter,
                ast.Name(name, ast.Load()),
                ast.Tuple([ast.Constant(t) for t in targets], ast.Load()),
                ast.Tuple(values, ast.Load()),
            ],
        )
        done: ast.stmt = ast.Expr(called)
        if targets:
            done = ast.Assign(
                [ast.Tuple([ast.Name(t, ast.Store()) for t in targets], ast.Store())], called
            )
        return [ast.copy_location(one, node) for one in (body, done)]


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _own(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes below that run with it, without those of functions that are defined there."""
    yield node
    if isinstance(node, ast.FunctionDef | ast.Lambda | ast.ClassDef | ast.AsyncFunctionDef):
        return
    for child in ast.iter_child_nodes(node):
        yield from _own(child)


def _assigned(loop: ast.For) -> Iterator[str]:
    """The names that a loop gives values."""
    for part in (loop.target, *loop.body):
        for one in _own(part):
            if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store | ast.Del):
                yield one.id
            elif isinstance(one, ast.FunctionDef):
                yield one.name


def _key(node: ast.expr) -> ast.expr:
    """An index as an expression of its own."""
    if isinstance(node, ast.Tuple):
        return ast.Tuple([_key(one) for one in node.elts], ast.Load())
    if not isinstance(node, ast.Slice):
        return node
    ends = [
        ast.Constant(None) if end is None else end for end in (node.lower, node.upper, node.step)
    ]
    return _call("_scanproof_slice", ends)


def _call(name: str, given: list[ast.expr]) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), given, [])


def _arguments(names: list[str]) -> ast.arguments:
    return ast.arguments([], [ast.arg(n) for n in names], None, [], [], None, [])


BUILTINS = {
    "range": loops.spread,
    "zip": loops.joined,
    "enumerate": loops.counted,
    "len": loops.length,
    "reversed": loops.backwards,
    "next": loops.following,
    "dict": loops.Table,
    "list": loops.Appended,
}


class Loader:
    """Modules of the user's, loaded from their sources with the facade in place of torch."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.facade, self.loaded = folder.resolve(), modules(), dict[str, ModuleType]()

    def load(self, name: str, file: Path) -> ModuleType:
        """The module of a file.

        Raises:
            UsageError: if the file cannot be read as Python.
        """
        if name in self.loaded:
            return self.loaded[name]
        try:
            tree = ast.parse(file.read_text(encoding="utf-8"), str(file))
        except (OSError, SyntaxError, UnicodeDecodeError, ValueError) as error:
            raise UsageError(f"prove {name}: {file} cannot be read as Python: {error}.") from None
        code = compile(ast.fix_missing_locations(Loops().visit(tree)), str(file), "exec")
        found = self.loaded[name] = ModuleType(name)
        own = {**vars(builtins), **BUILTINS, "__import__": self._import(name)}
        vars(found).update(
            {
                "__builtins__": own,
                "__file__": str(file),
                "__package__": name.rpartition(".")[0],
                **NAMES,
            }
        )
        exec(code, vars(found))
        return found

    def _import(self, importer: str) -> Any:
        def run(
            name: str, names: Any = None, local: Any = None, wanted: Any = (), level: int = 0
        ) -> Any:
            full = name
            if level:
                package = importer.split(".")[:-level]
                full = ".".join([*package, *([name] if name else [])])
            top = full.partition(".")[0]
            if top in self.facade or full in self.facade:
                if full not in self.facade:
                    raise refuse(f"the module {full}")
                return self.facade[full] if wanted else self.facade[top]
            spec = importlib.util.find_spec(full) if full else None
            if spec is None or spec.origin is None or not self._is_users(spec.origin):
                return builtins.__import__(name, names, local, wanted, level)
            found = self.load(full, Path(spec.origin))
            for one in wanted or ():
                below = (
                    importlib.util.find_spec(f"{full}.{one}") if not hasattr(found, one) else None
                )
                if below is not None and below.origin:
                    setattr(found, one, self.load(f"{full}.{one}", Path(below.origin)))
            return found if wanted else self.loaded.get(top, found)

        return run

    def _is_users(self, origin: str) -> bool:
        path = Path(origin)
        return path.suffix == ".py" and path.resolve().is_relative_to(self.folder)


@contextmanager
def no_loops() -> Iterator[None]:
    """Nothing that an error left behind is taken over."""
    LOOPS.clear()
    try:
        yield
    finally:
        LOOPS.clear()
