"""Functions made in a turn of a loop: in Python they see what names stand for when they are called.

The body of a loop that is followed is a function of its own, whose names are those of one turn. So a function made in
it sees the right values while the turn lasts, and is refused when it is called later.
"""

from __future__ import annotations

import ast
import functools
import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from .tensors import refuse

LATE = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.GeneratorExp)
"""What reads names later than where it stands."""
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class Turn:
    """One turn of a loop, while its body runs."""

    def __init__(self) -> None:
        self.over = False

    def __enter__(self) -> Turn:
        return self

    def __exit__(self, *_: Any) -> None:
        self.over = True

    def expect(self) -> None:
        """Refuse what was made in the turn, after it."""
        if self.over:
            raise refuse(
                "a function made in a turn of a loop, after that turn",
                "give it what it reads as arguments, such as lambda x, k=k: …",
            )


def within(turn: Turn, made: Any) -> Any:
    """A function or generator that reads names of a turn, which it may do until the turn is over."""
    if inspect.isgenerator(made):
        return _items(turn, made)

    @functools.wraps(made)
    def run(*given: Any, **named: Any) -> Any:
        turn.expect()
        return made(*given, **named)

    return run


def turned(make: Callable[..., Any]) -> Callable[..., Any]:
    """A function of an item of a comprehension, each of which is a turn."""

    def run(*parts: Any) -> Any:
        with Turn() as turn:
            return make(turn, *parts)

    return run


def _items(turn: Turn, made: Iterator[Any]) -> Iterator[Any]:
    while True:
        turn.expect()
        try:
            item = next(made)
        except StopIteration:
            return
        yield item


def at_once(arguments: ast.arguments, value: ast.expr) -> ast.Lambda:
    """A function that is called where it stands, which no turn has to outlive."""
    found = ast.Lambda(arguments, value)
    found._at_once = True  # type: ignore[attr-defined]
    return found


def made_in(function: ast.FunctionDef) -> list[tuple[tuple[int, int], set[str]]]:
    """Where a function makes others, and which names from outside of them these read."""
    inner = [one for part in function.body for one in ast.walk(part) if isinstance(one, LATE)]
    return [((one.lineno, one.col_offset), late(one)) for one in inner]


def free(node: ast.AST) -> set[str]:
    """The names that code reads, or changes by nonlocal, and that are not its own."""
    if isinstance(node, ast.Name):
        return {node.id} if isinstance(node.ctx, ast.Load) else set()
    if isinstance(node, ast.Nonlocal):
        return set(node.names)
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        at_once = [*node.args.defaults, *(one for one in node.args.kw_defaults if one)]
        at_once += getattr(node, "decorator_list", [])
        return late(node) | set().union(*map(free, at_once))
    found = set().union(*map(free, ast.iter_child_nodes(node)))
    if isinstance(node, COMPREHENSIONS):
        return found - set().union(*(_stored(one.target) for one in node.generators))
    return found


def late(node: ast.AST) -> set[str]:
    """Those of a function that it reads when it is called, and not where it is made, as its defaults are."""
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        return free(node)
    body = node.body if isinstance(node.body, list) else [node.body]
    inner = [one for part in body for one in ast.walk(part)]
    changed = {n for one in inner if isinstance(one, ast.Nonlocal) for n in one.names}
    own = set().union(*map(_stored, body)) | _parameters(node.args)
    return (set().union(*map(free, body)) - own) | changed


def _parameters(given: ast.arguments) -> set[str]:
    every: Sequence[ast.arg | None] = (
        *given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg
    )  # fmt: skip
    return {one.arg for one in every if one is not None}


def _stored(node: ast.AST) -> set[str]:
    """The names that code gives values, but for those of functions in it."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {node.name}
    if isinstance(node, (ast.Lambda, *COMPREHENSIONS)):
        return set()
    if isinstance(node, ast.Name):
        return set() if isinstance(node.ctx, ast.Load) else {node.id}
    return set().union(*map(_stored, ast.iter_child_nodes(node)))


class _Guards(ast.NodeTransformer):
    """What reads names of a turn is given the turn."""

    def __init__(self, names: set[str], turn: str) -> None:
        self.names, self.turn, self.used = names, turn, False

    def _call(self, *given: ast.expr) -> ast.Call:
        self.used = True
        first = ast.Name(self.turn, ast.Load())
        return ast.Call(ast.Name("_scanproof_within", ast.Load()), [first, *given], [])

    def _reads(self, node: ast.AST) -> bool:
        return bool(late(node) & self.names) and not hasattr(node, "_at_once")

    def visit_Lambda(self, node: ast.Lambda | ast.GeneratorExp) -> ast.AST:
        """A function without a name, or a generator."""
        reads = self._reads(node)
        self.generic_visit(node)
        return ast.copy_location(self._call(node), node) if reads else node

    visit_GeneratorExp = visit_Lambda

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """A function with a name, but for the body of a loop, which is called where it stands."""
        reads = self._reads(node) and not node.name.startswith("_scanproof_")
        self.generic_visit(node)
        if reads:
            call = self._call()
            call.func = ast.Name("_scanproof_partial", ast.Load())
            call.args.insert(0, ast.Name("_scanproof_within", ast.Load()))
            node.decorator_list.insert(0, ast.copy_location(call, node))
        return node


def guarded(body: list[ast.stmt], names: set[str], turn: str) -> list[ast.stmt]:
    """The statements of a turn, whose functions are known to be made in it where they read its names."""
    guards = _Guards(names, turn)
    changed = [guards.visit(one) for one in body]
    if not guards.used:
        return changed
    begun = ast.Call(ast.Name("_scanproof_turn", ast.Load()), [], [])
    block = ast.With([ast.withitem(begun, ast.Name(turn, ast.Store()))], changed)
    return [block]


def guarded_item(item: ast.expr, names: set[str], turn: str) -> tuple[ast.expr, bool]:
    """The same of an item of a comprehension, and whether it makes such functions."""
    guards = _Guards(names, turn)
    return guards.visit(item), guards.used
