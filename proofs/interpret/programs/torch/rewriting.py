"""A user's module loaded from its own source, with the facade in place of torch and loops that may run over sizes."""

from __future__ import annotations

import ast
import builtins
import functools
import importlib.util
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from scanproof.constructs.errors import UsageError

from . import formats, loops, sequences, turns
from .standins import modules
from .tensors import LOOPS, refuse

NAMES = {
    "_scanproof_loop": loops.loop,
    "_scanproof_unbound": loops.unbound,
    "_scanproof_number": sequences.as_number,
    "_scanproof_each": loops.comprehension,
    "_scanproof_list": sequences.Appended,
    "_scanproof_store": loops.store,
    "_scanproof_augment": loops.augment,
    "_scanproof_slice": slice,
    "_scanproof_alone": sequences.alone,
    "_scanproof_table": sequences.Table,
    "_scanproof_same": formats.is_same,
    "_scanproof_turn": turns.Turn,
    "_scanproof_turned": turns.turned,
    "_scanproof_within": turns.within,
    "_scanproof_partial": functools.partial,
}
LEAVING = (
    ast.Return,
    ast.Break,
    ast.Yield,
    ast.YieldFrom,
    ast.Await,
    ast.Global,
    ast.Nonlocal,
)


class Loops(ast.NodeTransformer):
    """For statements in functions become calls of `loops.loop`; lists become such that these loops may append to."""

    def __init__(self, items: bool = False) -> None:
        self.items, self.depth, self.count = items, 0, 0
        self.reads: list[Counter[str]] = []
        """How often the functions around read each name."""
        self.made: list[list[tuple[tuple[int, int], set[str]]]] = []
        """Where the functions around make functions of their own, and which of their names these read."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """Loops are followed in functions alone."""
        self.depth += 1
        self.reads.append(_reads(node))
        self.made.append(turns.made_in(node))
        own = [one for part in node.body for one in _own(part)]
        self.generic_visit(node)
        self.reads.pop()
        self.made.pop()
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
        if any(isinstance(one, ast.NamedExpr) for one in ast.walk(node)):
            return node
        if not self.depth or len(node.generators) > 1 or first.ifs or first.is_async:
            return node
        self.count += 1
        item = f"_scanproof_item{self.count}"
        if isinstance(first.target, ast.Name):
            make = self._made([first.target.id], node.elt)
        elif isinstance(first.target, ast.Tuple) and all(
            isinstance(e, ast.Name) for e in first.target.elts
        ):
            names = [e.id for e in first.target.elts]  # type: ignore[attr-defined]
            inner = self._made(names, node.elt)
            given = ast.Call(inner, [ast.Starred(ast.Name(item, ast.Load()), ast.Load())], [])
            make = turns.at_once(_arguments([item]), given)
        else:
            return node
        return ast.copy_location(_call("_scanproof_each", [first.iter, make]), node)

    def _made(self, names: list[str], item: ast.expr) -> ast.expr:
        """A function of an item's parts; what it makes of functions is of its turn."""
        turn = f"_scanproof_turn{self.count}"
        found, is_guarded = turns.guarded_item(item, set(names), turn)
        if not is_guarded:
            return turns.at_once(_arguments(names), found)
        return _call("_scanproof_turned", [turns.at_once(_arguments([turn, *names]), found)])

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """`x[k]`, where it is read."""
        self.generic_visit(node)
        if not (self.items and self.depth and isinstance(node.ctx, ast.Load)):
            return node
        return ast.copy_location(_call("_scanproof_item", [node.value, _key(node.slice)]), node)

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

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """`sum(f(x) for x in xs)` is `sum([f(x) for x in xs])`, and so others that take all items; `float(size)`."""
        of = node.func.id if isinstance(node.func, ast.Name) else ""
        if of in TAKING_ALL and node.args and isinstance(node.args[0], ast.GeneratorExp):
            one = node.args[0]
            node.args[0] = ast.copy_location(ast.ListComp(one.elt, one.generators), one)
        self.generic_visit(node)
        if of in ("float", "int") and self.depth and len(node.args) == 1 and not node.keywords:
            return ast.copy_location(_call("_scanproof_number", [node.func, *node.args]), node)
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        """`x.dtype is torch.float32`, which asks as == does."""
        self.generic_visit(node)
        given = [node.left, *node.comparators]
        if len(given) > 2 or not isinstance(node.ops[0], ast.Is | ast.IsNot):
            return node
        if any(isinstance(one, ast.Constant) for one in given):
            return node
        same: ast.expr = _call("_scanproof_same", given)
        if isinstance(node.ops[0], ast.IsNot):
            same = ast.UnaryOp(ast.Not(), same)
        return ast.copy_location(same, node)

    def visit_For(self, node: ast.For) -> Any:
        """A loop whose body leaves it in no other way than by its end."""
        inside = _reads(node.target, node.iter, *node.body)
        assigned, here = set(_assigned(node)), (node.lineno, node.col_offset)
        seen = any(at < here and names & assigned for at, names in (self.made or [[]])[-1])
        self.generic_visit(node)
        own = [one for part in node.body for one in _own(part)]
        leaves = any(isinstance(one, LEAVING) for one in own)
        changes = any(
            isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Store | ast.Del)
            for one in own
        )
        loops = any(isinstance(one, ast.For | ast.While | ast.AsyncFor) for one in own)
        if not self.depth or leaves or changes or seen or (loops and _continues(own)):
            return node  # if seen, a function from before the loop would not see what turns assign
        self.count += 1
        item, name = f"_scanproof_item{self.count}", f"_scanproof_body{self.count}"
        targets = sorted(set(_assigned(node)))
        result = ast.Tuple([ast.Name(t, ast.Load()) for t in targets], ast.Load())
        first = ast.Assign([node.target], ast.Name(item, ast.Load()))
        turn = _Turn(result)
        steps = [first, *turn.body(node.body), ast.Return(result)]
        body = ast.FunctionDef(
            name,
            _arguments([item, *targets]),
            turns.guarded(steps, set(targets), f"_scanproof_turn{self.count}"),
            [],
            type_params=[],  # pyright: ignore[reportCallIssue]  a field since Python 3.12
        )
        values: list[ast.expr] = [
            turns.at_once(_arguments([]), ast.Name(t, ast.Load())) for t in targets
        ]
        later = [t for t in targets if self.reads[-1][t] > inside[t]]
        called = _call(
            "_scanproof_loop",
            [
                node.iter,
                ast.Name(name, ast.Load()),
                _texts(targets),
                ast.Tuple(values, ast.Load()),
                _texts(later),
            ],
        )
        done: ast.stmt = ast.Expr(called)
        if targets:
            done = ast.Assign(
                [ast.Tuple([ast.Name(t, ast.Store()) for t in targets], ast.Store())], called
            )
        return [*(ast.copy_location(one, node) for one in (body, done)), *node.orelse]


TAKING_ALL = ("sum", "list", "tuple")


class _Turn(ast.NodeTransformer):
    """The statements of a loop's body in a function of their own: `continue` returns, `del` leaves nothing to read."""

    def __init__(self, result: ast.expr) -> None:
        self.result = result

    def body(self, parts: list[ast.stmt]) -> list[ast.stmt]:
        """The statements."""
        module = self.generic_visit(ast.Module(parts, []))
        return module.body  # type: ignore[attr-defined]

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """Another function's own statements stay as they are."""
        return node

    visit_Lambda = visit_ClassDef = visit_AsyncFunctionDef = visit_FunctionDef  # type: ignore[assignment]

    def visit_Continue(self, node: ast.Continue) -> ast.AST:
        """The turn ends."""
        return ast.copy_location(ast.Return(self.result), node)

    def visit_Delete(self, node: ast.Delete) -> Any:
        """`del x` of a name."""
        names = [one for one in node.targets if isinstance(one, ast.Name)]
        rest = [one for one in node.targets if not isinstance(one, ast.Name)]
        done: list[ast.stmt] = [
            ast.Assign(
                [ast.Name(n.id, ast.Store())], _call("_scanproof_unbound", [ast.Constant(n.id)])
            )
            for n in names
        ]
        done += [ast.Delete(rest)] if rest else []
        return [ast.copy_location(one, node) for one in done]


def _continues(own: list[ast.AST]) -> bool:
    return any(isinstance(one, ast.Continue) for one in own)


def _texts(names: list[str]) -> ast.expr:
    return ast.Tuple([ast.Constant(one) for one in names], ast.Load())


def _reads(*nodes: ast.AST) -> Counter[str]:
    """How often names are read below them."""
    found: Counter[str] = Counter()
    for one in (inner for node in nodes for inner in ast.walk(node)):
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load):
            found[one.id] += 1
        elif isinstance(one, ast.AugAssign) and isinstance(one.target, ast.Name):
            found[one.target.id] += 1
    return found


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
    "range": sequences.spread,
    "zip": sequences.joined,
    "enumerate": sequences.counted,
    "len": sequences.length,
    "reversed": sequences.backwards,
    "next": sequences.following,
    "dict": sequences.Table,
    "list": sequences.Appended,
    "sum": sequences.total,
}


class Loader:
    """Modules of the user's, loaded from their sources with other modules in place of some, such as torch.

    Args:
        folder: where the user's modules lie.
        facade: what stands in for modules, by their names; if not given, for torch and its like.
        names: what rewritten code calls, and what stands in for Python's own functions.
        items: whether `x[k]` is one of the former, for arrays that know no numbers of turns.
    """

    def __init__(
        self,
        folder: Path,
        facade: dict[str, ModuleType] | None = None,
        names: tuple[dict[str, Any], dict[str, Any]] | None = None,
        items: bool = False,
    ) -> None:
        self.folder, self.loaded = folder.resolve(), dict[str, ModuleType]()
        self.facade = modules() if facade is None else facade
        self.names, self.builtins = names or (NAMES, BUILTINS)
        self.items = items

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
        code = compile(ast.fix_missing_locations(Loops(self.items).visit(tree)), str(file), "exec")
        found = self.loaded[name] = ModuleType(name)
        own = {**vars(builtins), **self.builtins, "__import__": self._import(name)}
        vars(found).update(
            {
                "__builtins__": own,
                "__file__": str(file),
                "__package__": name.rpartition(".")[0],
                **self.names,
            }
        )
        known = sys.modules.setdefault(name, found)  # where data classes look their annotations up
        try:
            exec(code, vars(found))
        finally:
            if known is found:
                sys.modules.pop(name, None)
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
