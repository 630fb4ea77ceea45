"""Loops of a function's source become calls, so that a loop over a size can be one node; other code runs as it is.

What stands in a function's code for the time of a trace is its source with `for` statements and list comprehensions as
calls of `loops.loop`, and with functions of Python that would ask for a number (`range`, `len`, `zip`, …) replaced.
"""

from __future__ import annotations

import ast
import gc
import importlib.metadata
import inspect
import os
import re
import sys
import sysconfig
import textwrap
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import CodeType, FunctionType
from typing import Any

from . import items, loops
from .observing import UNBOUND
from .refusal import beside

PREFIX = "_scanproof_"
NAMES = {
    f"{PREFIX}loop": loops.loop,
    f"{PREFIX}each": loops.comprehension,
    f"{PREFIX}unbound": UNBOUND,
    f"{PREFIX}listed": items.Listed,
    f"{PREFIX}root": items.root,
    **{PREFIX + name: function for name, function in items.BUILTINS.items()},
}
"""What rewritten code calls."""
LEAVING = (ast.Return, ast.Break, ast.Yield, ast.YieldFrom, ast.Await, ast.Global, ast.Nonlocal)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def _own(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes below that run with it, without those of functions that are defined there."""
    yield node
    if isinstance(node, FUNCTIONS):
        return
    for child in ast.iter_child_nodes(node):
        yield from _own(child)


def _bound(nodes: Sequence[ast.AST]) -> Iterator[str]:
    """The names that statements give values, without those of comprehensions, in order."""
    for node in nodes:
        for one in _own(node):
            if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store | ast.Del):
                yield one.id
            elif isinstance(one, ast.FunctionDef):
                yield one.name


def _inside_comprehensions(nodes: Sequence[ast.AST]) -> set[str]:
    return {
        name.id
        for node in nodes
        for one in ast.walk(node)
        if isinstance(one, COMPREHENSIONS)
        for part in one.generators
        for name in ast.walk(part.target)
        if isinstance(name, ast.Name)
    }


def _read(nodes: Sequence[ast.AST]) -> list[str]:
    """The names that are read below, in functions too."""
    found = [
        one.id
        for node in nodes
        for one in ast.walk(node)
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)
    ]
    changed = [
        one.target.id
        for node in nodes
        for one in ast.walk(node)
        if isinstance(one, ast.AugAssign) and isinstance(one.target, ast.Name)
    ]
    return found + changed


def _written_first(body: Sequence[ast.stmt]) -> set[str]:
    """The names that each turn gives a value before it reads them."""
    found: set[str] = set()
    seen: set[str] = set()
    for part in body:
        reads = set(_read([part]))
        if isinstance(part, ast.Assign | ast.AnnAssign):
            found |= set(_bound([part])) - reads - seen
        elif isinstance(part, ast.FunctionDef):
            found |= {part.name} - seen
        elif isinstance(part, ast.For):
            around = ast.Module(list(body), [])
            inner = (
                {*_bound([part.target]), *_written_first(part.body)}
                - seen
                - set(_read([part.iter]))
            )
            found |= {n for n in inner if n not in _read_outside(around, part, n)}
        seen |= reads | set(_bound([part]))
    return found


def _read_outside(whole: ast.AST, loop: ast.For, name: str) -> set[str]:
    """The names that are read outside of a loop, and of others whose turns give this name a value first."""
    found: set[str] = set()
    for child in ast.iter_child_nodes(whole):
        if child is loop:
            continue
        if isinstance(child, ast.For) and loop not in ast.walk(child):
            anew = _written_first(child.body) | set(_bound([child.target]))
            if name in anew:
                found |= set(_read([child.iter]))
                continue
        found |= _read_outside(child, loop, name)
        if isinstance(child, ast.Name | ast.AugAssign):
            found |= set(_read([child]))
    return found


class Loops(ast.NodeTransformer):
    """Statements and comprehensions of one function, and of those that are defined in it."""

    def __init__(self) -> None:
        self.count = 0
        self.locals: list[set[str]] = []
        """The names that the functions around bind."""
        self.whole: list[ast.AST] = []

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        every = [a.arg for a in ast.walk(node.args) if isinstance(a, ast.arg)]
        self.locals.append({*every, *_bound(node.body)})
        self.whole.append(node)
        self.generic_visit(node)
        self.locals.pop()
        self.whole.pop()
        return node

    def visit_List(self, node: ast.List) -> ast.AST:
        """`[a, b]`, where it is not assigned to."""
        self.generic_visit(node)
        if not isinstance(node.ctx, ast.Load) or not self.locals:
            return node
        return ast.copy_location(self._call("listed", [node]), node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """`sum(f(x) for x in xs)` is `sum([f(x) for x in xs])`, and so others that take all items."""
        of = node.func.id if isinstance(node.func, ast.Name) else ""
        if of in TAKING_ALL and node.args and isinstance(node.args[0], ast.GeneratorExp):
            one = node.args[0]
            node.args[0] = ast.copy_location(ast.ListComp(one.elt, one.generators), one)
        if (
            isinstance(node.func, ast.Attribute)
            and node.func.attr == "sqrt"
            and len(node.args) == 1
        ):
            self.generic_visit(node)
            return ast.copy_location(self._call("root", [node.func, *node.args]), node)
        if of in items.BUILTINS and not any(of in names for names in self.locals):
            node.func = ast.copy_location(ast.Name(PREFIX + of, ast.Load()), node.func)
        return self.generic_visit(node)

    def visit_ListComp(self, node: ast.ListComp) -> ast.AST:
        """`[f(x) for x in xs]`, with one for and no if, of names."""
        first = node.generators[0]
        targets = first.target.elts if isinstance(first.target, ast.Tuple) else [first.target]
        plain = all(isinstance(one, ast.Name) for one in targets)
        if len(node.generators) > 1 or first.ifs or first.is_async or not plain:
            return self.generic_visit(node)
        bound = [one.id for one in targets]  # type: ignore[attr-defined]
        names = self._of_function([node.elt], set(bound))
        self.generic_visit(node)
        made: ast.expr = node.elt
        if isinstance(first.target, ast.Tuple):
            item = ast.Starred(ast.Name(f"{PREFIX}item", ast.Load()), ast.Load())
            made = ast.Call(ast.Lambda(_arguments(bound), made), [item], [])
            bound = [f"{PREFIX}item"]
        made = ast.Lambda(_arguments([*bound, *names]), made)
        called = self._call("each", [first.iter, made, *_named(names)])
        return ast.copy_location(called, node)

    def visit_For(self, node: ast.For) -> Any:
        """A loop whose body leaves it in no other way than by its end, and sets no attributes."""
        own = [one for part in node.body for one in _own(part)]
        leaves = any(isinstance(one, LEAVING) for one in own)
        sets = any(
            isinstance(o, ast.Attribute) and isinstance(o.ctx, ast.Store | ast.Del) for o in own
        )
        inner = any(isinstance(o, ast.For | ast.While) for o in own)
        goes_on = any(isinstance(one, ast.Continue) for one in own)
        if not self.locals or leaves or sets or (inner and goes_on) or node.orelse:
            return self.generic_visit(node)
        hidden = _inside_comprehensions(node.body) - set(_bound(node.body))
        bound = list(dict.fromkeys(_bound([node.target, *node.body])))
        names = [*bound, *self._of_function(node.body, {*bound, *hidden})]
        first = _written_first(node.body) | set(_bound([node.target]))
        later = [n for n in bound if n in _read_outside(self.whole[-1], node, n)]
        self.generic_visit(node)
        self.count += 1
        item, body = f"{PREFIX}item{self.count}", f"{PREFIX}body{self.count}"
        result = ast.Tuple([ast.Name(n, ast.Load()) for n in names], ast.Load())
        steps = [
            ast.Assign([node.target], ast.Name(item, ast.Load())),
            *_Turn(result).generic_visit(ast.Module(node.body, [])).body,  # type: ignore[attr-defined]
            ast.Return(result),
        ]
        made = ast.FunctionDef(body, _arguments([item, *names]), steps, [], type_params=[])  # pyright: ignore
        told = [_texts([n for n in names if n in first]), _texts(later)]
        called = self._call("loop", [node.iter, ast.Name(body, ast.Load()), *_named(names), *told])
        done: ast.stmt = ast.Expr(called)
        if bound:
            targets = ast.Tuple([ast.Name(n, ast.Store()) for n in bound], ast.Store())
            part = ast.Subscript(
                called, ast.Slice(None, ast.Constant(len(bound)), None), ast.Load()
            )
            done = ast.Assign([targets], part)
        return [ast.copy_location(made, node), ast.copy_location(done, node)]

    def _of_function(self, nodes: Sequence[ast.AST], bound: set[str]) -> list[str]:
        """The names of the functions around that are read."""
        known = set[str]().union(*self.locals)
        return [n for n in dict.fromkeys(_read(nodes)) if n in known and n not in bound]

    def _call(self, name: str, given: Sequence[ast.expr]) -> ast.Call:
        return ast.Call(ast.Name(PREFIX + name, ast.Load()), list(given), [])


TAKING_ALL = ("sum", "list", "tuple")


class _Turn(ast.NodeTransformer):
    """A loop's body in a function of its own: `continue` returns, `del` leaves nothing to read."""

    def __init__(self, result: ast.expr) -> None:
        self.result = result

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return node

    visit_Lambda = visit_ClassDef = visit_AsyncFunctionDef = visit_FunctionDef  # type: ignore[assignment]

    def visit_Continue(self, node: ast.Continue) -> ast.AST:
        return ast.copy_location(ast.Return(self.result), node)

    def visit_Delete(self, node: ast.Delete) -> Any:
        names = [one for one in node.targets if isinstance(one, ast.Name)]
        unbound = ast.Name(f"{PREFIX}unbound", ast.Load())
        done = [ast.Assign([ast.Name(n.id, ast.Store())], unbound) for n in names]
        rest = [one for one in node.targets if not isinstance(one, ast.Name)]
        return [
            ast.copy_location(one, node) for one in (*done, *([ast.Delete(rest)] if rest else []))
        ]


def _named(names: Sequence[str]) -> list[ast.expr]:
    """Names, and a function for the value of each, which may have none."""
    values: list[ast.expr] = [ast.Lambda(_arguments([]), ast.Name(n, ast.Load())) for n in names]
    return [_texts(names), ast.Tuple(values, ast.Load())]


def _texts(names: Sequence[str]) -> ast.expr:
    return ast.Tuple([ast.Constant(one) for one in names], ast.Load())


def _arguments(names: Sequence[str]) -> ast.arguments:
    return ast.arguments([], [ast.arg(n) for n in names], None, [], [], None, [])


def rewritten(function: FunctionType) -> CodeType | None:
    """A function's code with its loops as calls; None where it has none, or no source."""
    try:
        lines, first = inspect.getsourcelines(function)
        tree = ast.parse(textwrap.dedent("".join(lines)))
    except (OSError, TypeError, SyntaxError, IndentationError):
        return None
    (node,) = tree.body[:1]
    if not isinstance(node, ast.FunctionDef) or not _has_loops(node):
        return None
    node.decorator_list = []
    free = function.__code__.co_freevars
    held = "__class__" in free
    visitor = Loops()
    visitor.locals.append(set(free))
    ast.increment_lineno(tree, first - 1)
    made = visitor.visit(node)
    around = [n for n in free if n != "__class__"]
    outer: Any = ast.FunctionDef(f"{PREFIX}outer", _arguments(around), [made], [], type_params=[])  # pyright: ignore
    if held:
        outer = ast.ClassDef(f"{PREFIX}class", [], [], [outer], [], type_params=[])  # pyright: ignore
    module = ast.fix_missing_locations(ast.Module([ast.copy_location(outer, node)], []))
    code = compile(module, function.__code__.co_filename, "exec", dont_inherit=True)
    found = _inner(code, function.__name__)
    return found if found is not None and found.co_freevars == free else None


def _has_loops(node: ast.AST) -> bool:
    def counts(one: ast.AST) -> bool:
        loops_ = isinstance(one, ast.For | ast.ListComp | ast.GeneratorExp)
        named = isinstance(one, ast.Name) and one.id in items.BUILTINS
        return loops_ or named or (isinstance(one, ast.Attribute) and one.attr == "sqrt")

    return any(map(counts, ast.walk(node)))


def _inner(code: CodeType, name: str) -> CodeType | None:
    for one in code.co_consts:
        if isinstance(one, CodeType):
            if one.co_name == name:
                return one
            found = _inner(one, name)
            if found is not None:
                return found
    return None


def _below_torch() -> list[str]:
    """The packages that PyTorch is made with, whose code is none of a user's; einops runs as it is."""
    required = importlib.metadata.requires("torch") or []
    names = [re.split(r"[^\w-]", one)[0].replace("-", "_") for one in required]
    return [*names, "numpy", "mpmath", "einops", "torchgen", "markupsafe"]


def codes_run(
    function: Callable[..., Any], arguments: Sequence[Any]
) -> tuple[Any, dict[CodeType, dict[str, Any]]]:
    """What a function returns, and the code that ran, with its globals; not that of libraries below."""
    ours = os.path.dirname(os.path.abspath(__file__))
    folders = (*beside(), sysconfig.get_path("stdlib") + os.sep, ours, "<frozen")
    packages = tuple(os.sep + name + os.sep for name in _below_torch())
    found: dict[CodeType, dict[str, Any]] = {}
    skipped: set[CodeType] = set()
    importing = 0

    def seen(frame: Any, event: str, argument: Any) -> None:
        nonlocal importing
        code = frame.f_code
        if code.co_name == "_find_and_load":
            importing += {"call": 1, "return": -1}.get(event, 0)
        if event != "call" or importing or code in found or code in skipped:
            return
        file = code.co_filename
        library = file.startswith(folders) and "site-packages" not in file.removeprefix(folders[0])
        if library or file.startswith(folders[0]) or any(p in file for p in packages):
            skipped.add(code)
        else:
            found[code] = frame.f_globals

    before = sys.getprofile()
    sys.setprofile(seen)
    try:
        result = function(*arguments)
    finally:
        sys.setprofile(before if callable(before) else None)
    return result, found


def functions_of(
    codes: dict[CodeType, dict[str, Any]], known: Sequence[FunctionType]
) -> list[FunctionType]:
    """The functions with this code, or in which functions with it are defined; `codes` has the code's globals."""
    found = {one.__code__: one for one in known}
    for code, names in codes.items():
        if not any(_holds(own, code) for own in found):
            outer = _named_function(code, names) or _holding(code)
            if outer is not None:
                found.setdefault(outer.__code__, outer)
    return list(found.values())


def _holds(outer: CodeType, code: CodeType) -> bool:
    """Whether code is another's, or that of a function inside it."""
    inner = (one for one in outer.co_consts if isinstance(one, CodeType))
    return outer is code or any(_holds(one, code) for one in inner)


def _named_function(code: CodeType, names: dict[str, Any]) -> FunctionType | None:
    """The function that a module has under the code's name, with what it decorates."""
    one: Any = None
    for k, part in enumerate(code.co_qualname.split(".")):
        if part == "<locals>":
            break
        one = (
            names.get(part) if not k else vars(one).get(part) if hasattr(one, "__dict__") else None
        )
    while one is not None:
        one = getattr(one, "__func__", getattr(one, "fget", one))
        if isinstance(one, FunctionType) and _holds(one.__code__, code):
            return one
        one = getattr(one, "__wrapped__", None)
    return None


def _holding(code: CodeType) -> FunctionType | None:
    """A function with this code that has no such name, as one that a function made."""
    waiting: list[Any] = [code]
    done: set[int] = set()
    while waiting:
        for holder in gc.get_referrers(waiting.pop()):
            if isinstance(holder, FunctionType) and _holds(holder.__code__, code):
                return holder
            if isinstance(holder, tuple | CodeType) and id(holder) not in done:
                done.add(id(holder))
                waiting.append(holder)
    return None


@contextmanager
def loops_as_calls(functions: Sequence[FunctionType]) -> Iterator[list[str]]:
    """Run the block with loops of these functions as calls; gives the names of those that have loops."""
    before: list[tuple[FunctionType, CodeType]] = []
    globals_: list[dict[str, Any]] = []
    for one in functions:
        code = rewritten(one)
        if code is not None:
            before.append((one, one.__code__))
            globals_.append(one.__globals__)
            one.__globals__.update(NAMES)
            one.__code__ = code
    try:
        yield [one.__qualname__ for one, _ in before]
    finally:
        for one, code in before:
            one.__code__ = code
        for names in globals_:
            for name in NAMES:
                names.pop(name, None)
