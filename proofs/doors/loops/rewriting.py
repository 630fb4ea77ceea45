"""Loops of a function's source become calls, so that a loop over a size can be one node; other code runs as it is.

What stands in a function's code for the time of a trace is its source with `for` statements and list comprehensions as
calls, and with functions of Python that would ask for a number (`range`, `len`, `zip`, …) replaced. A door says what
is called: `loop` and `each` (see `aten.loops`), `listed` for a list and `last` for its last item, `unbound` for a name
without a value, the names of Python's functions, and if it has them, `root` for `math.sqrt` and its like and `item`
for what brackets take.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import CodeType, FunctionType
from typing import Any

PREFIX = "_scanproof_"
Names = Mapping[str, Any]
"""What rewritten code calls, by names without the prefix."""
OWN = ("loop", "each", "unbound", "listed", "last", "root", "item")
"""Names that are none of Python's functions."""
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

    def __init__(self, names: Names) -> None:
        self.names = names
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
            "root" in self.names
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "sqrt"
            and len(node.args) == 1
        ):
            self.generic_visit(node)
            return ast.copy_location(self._call("root", [node.func, *node.args]), node)
        if of in _builtins(self.names) and not any(of in names for names in self.locals):
            node.func = ast.copy_location(ast.Name(PREFIX + of, ast.Load()), node.func)
        return self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """`x[k]`, where a door says what that is."""
        self.generic_visit(node)
        if "item" not in self.names or not isinstance(node.ctx, ast.Load) or not self.locals:
            return node
        return ast.copy_location(self._call("item", [node.value, _key(node.slice)]), node)

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
        if not self.locals or leaves or sets or (inner and goes_on):
            return self.generic_visit(node)
        before = [self._last_of(name, node) for name in _read_at_their_end(node.body)]
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
        # None of its turns leaves it, so that what is to be done otherwise is done.
        return [ast.copy_location(one, node) for one in (*before, made, done)] + node.orelse

    def _last_of(self, name: str, node: ast.For) -> ast.stmt:
        """A name for `xs[-1]` in each turn, and what it stands for before the first one."""
        last = f"{PREFIX}last_{name}"
        node.body = _WithLast(name, last).visit(ast.Module(node.body, [])).body
        found = self._call("last", [ast.Name(name, ast.Load())])
        return ast.Assign([ast.Name(last, ast.Store())], found)

    def _of_function(self, nodes: Sequence[ast.AST], bound: set[str]) -> list[str]:
        """The names of the functions around that are read."""
        known = set[str]().union(*self.locals)
        return [n for n in dict.fromkeys(_read(nodes)) if n in known and n not in bound]

    def _call(self, name: str, given: Sequence[ast.expr]) -> ast.Call:
        return ast.Call(ast.Name(PREFIX + name, ast.Load()), list(given), [])


def _read_at_their_end(body: Sequence[ast.stmt]) -> list[str]:
    """The lists of which a turn reads `xs[-1]` and calls `xs.append(…)`, and does nothing else with them."""
    nodes = [one for part in body for one in ast.walk(part)]
    if any(isinstance(one, (*FUNCTIONS, ast.For, ast.While)) for one in nodes):
        return []
    named = [one.id for one in nodes if isinstance(one, ast.Name)]
    read = [n for one in nodes if (n := _at_its_end(one))]
    added = [n for one in nodes if (n := _appended_to(one))]
    known = sorted({*read} & {*added})
    return [n for n in known if named.count(n) == read.count(n) + added.count(n)]


def _at_its_end(node: ast.AST) -> str:
    """The name in `xs[-1]`; "" for all else."""
    match node:
        case ast.Subscript(ast.Name(name), ast.UnaryOp(ast.USub(), ast.Constant(1)), ast.Load()):
            return name
    return ""


def _appended_to(node: ast.AST) -> str:
    """The name in the statement `xs.append(…)`; "" for all else."""
    match node:
        case ast.Expr(ast.Call(ast.Attribute(ast.Name(name), "append"), [_], [])):
            return name
    return ""


class _WithLast(ast.NodeTransformer):
    """`xs[-1]` by another name, which is given what is appended."""

    def __init__(self, name: str, last: str) -> None:
        self.name, self.last = name, last

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        if _at_its_end(node) == self.name:
            return ast.copy_location(ast.Name(self.last, ast.Load()), node)
        return self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> Any:
        self.generic_visit(node)
        if _appended_to(node) != self.name:
            return node
        (made,) = node.value.args  # type: ignore[attr-defined]
        node.value.args = [ast.Name(self.last, ast.Load())]  # type: ignore[attr-defined]
        given = ast.Assign([ast.Name(self.last, ast.Store())], made)
        return [ast.copy_location(given, node), node]


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


def _key(node: ast.expr) -> ast.expr:
    """What stands in brackets, as a value."""
    if isinstance(node, ast.Slice):
        ends = [one or ast.Constant(None) for one in (node.lower, node.upper, node.step)]
        return ast.Call(ast.Name(f"{PREFIX}slice", ast.Load()), ends, [])
    if isinstance(node, ast.Tuple):
        return ast.Tuple([_key(one) for one in node.elts], ast.Load())
    return node


def _named(names: Sequence[str]) -> list[ast.expr]:
    """Names, and a function for the value of each, which may have none."""
    values: list[ast.expr] = [ast.Lambda(_arguments([]), ast.Name(n, ast.Load())) for n in names]
    return [_texts(names), ast.Tuple(values, ast.Load())]


def _texts(names: Sequence[str]) -> ast.expr:
    return ast.Tuple([ast.Constant(one) for one in names], ast.Load())


def _arguments(names: Sequence[str]) -> ast.arguments:
    return ast.arguments([], [ast.arg(n) for n in names], None, [], [], None, [])


def rewritten(function: FunctionType, names: Names) -> CodeType | None:
    """A function's code with its loops as calls; None where it has none, or no source."""
    try:
        lines, first = inspect.getsourcelines(function)
        tree = ast.parse(textwrap.dedent("".join(lines)))
    except (OSError, TypeError, SyntaxError, IndentationError):
        return None
    (node,) = tree.body[:1]
    if not isinstance(node, ast.FunctionDef) or not _has_loops(node, names):
        return None
    node.decorator_list = []
    free = function.__code__.co_freevars
    held = "__class__" in free
    visitor = Loops(names)
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


def _builtins(names: Names) -> set[str]:
    """Python's functions that are replaced."""
    return set(names) - set(OWN)


def _has_loops(node: ast.AST, names: Names) -> bool:
    def counts(one: ast.AST) -> bool:
        loops_ = isinstance(one, ast.For | ast.ListComp | ast.GeneratorExp)
        named = isinstance(one, ast.Name) and one.id in _builtins(names)
        of_roots = "root" in names and isinstance(one, ast.Attribute) and one.attr == "sqrt"
        return loops_ or named or of_roots

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


@contextmanager
def loops_as_calls(functions: Sequence[FunctionType], names: Names) -> Iterator[list[str]]:
    """Run the block with loops of these functions as calls; gives the names of those that have loops.

    Args:
        functions: in whose code loops are replaced.
        names: what is called in their stead.
    """
    known = {PREFIX + name: one for name, one in names.items()} | {f"{PREFIX}slice": slice}
    before: list[tuple[FunctionType, CodeType]] = []
    for one in functions:
        code = rewritten(one, names)
        if code is not None:
            before.append((one, one.__code__))
            one.__globals__.update(known)
            one.__code__ = code
    try:
        yield [one.__qualname__ for one, _ in before]
    finally:
        for one, code in before:
            one.__code__ = code
            for name in known:
                one.__globals__.pop(name, None)
