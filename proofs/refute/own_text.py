"""A user's own functions as text: which a claim runs, and the claim as it would be with an edit in them.

To try an edit, the code of the functions is exchanged while the claim runs, and put back. That a function's code is
that of the text, as it lies in the file now, is looked at first.
"""

from __future__ import annotations
import __future__ as future

import ast
import functools
import inspect
import sys
import types
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

from ..language.claim import Claim, about
from ..language.place import is_own
from .edits import Edit, edits

FUTURE = sum(getattr(future, name).compiler_flag for name in future.all_feature_names)
"""The flags of code under `from __future__ import …`, which its compiler is to be given again."""
DEEP = 4
"""How far functions are looked for in what objects hold."""


@dataclass(frozen=True)
class OwnEdit:
    """One edit of a user's file."""

    file: str
    line: int
    before: str
    """The lines that change, as one."""
    after: str
    text: str
    """The whole file after the edit."""
    codes: tuple[tuple[FunctionType, CodeType], ...]
    """The functions that it changes, with their new code."""
    forget: tuple[Callable[[], Any], ...] = ()
    """What empties the memories in which answers of the unchanged functions may lie."""


def own_functions(claim: Claim) -> tuple[list[FunctionType], tuple[Callable[[], Any], ...]]:
    """The user's functions that a claim can reach, and what empties memories.

    In the order in which a slip is looked for: what the body calls first, itself last. A law of a layer says what it is
    about: what is under test first, and with each function what it calls.

    Memories are those of `functools.cache`, around functions or in what holds them, as `program` does.
    """
    found: dict[FunctionType, int] = {}
    """With each, which of the claim's functions reaches it first."""
    memories: list[Callable[[], Any]] = []
    waiting: list[tuple[Any, int, int]] = [(f, DEEP, k) for k, f in enumerate(claim.functions)]
    seen: set[int] = set()
    while waiting:
        one, deep, root = waiting.pop(0)
        if id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, functools._lru_cache_wrapper):
            memories.append(one.cache_clear)
        if isinstance(one, FunctionType):
            inner = getattr(one, "__wrapped__", None)
            waiting += [(inner, deep, root)] if inner is not None else []
            cells = _held_by(one)
            memories += [
                c.cache_clear for c in cells if isinstance(c, functools._lru_cache_wrapper)
            ]
            if not is_own(one.__globals__.get("__name__"), one.__code__.co_filename):
                continue
            found[one] = root
            waiting += [(called, DEEP, root) for called in _named_in(one)]
        elif deep:
            waiting += [(part, deep - 1, root) for part in _parts(one)]
    if about(claim.body):
        return sorted(found, key=found.__getitem__), tuple(memories)
    bodies = {id(f) for f in claim.functions}
    return sorted(found, key=lambda function: id(function) in bodies), tuple(memories)


def _named_in(function: FunctionType) -> Iterator[Any]:
    """What a function's code can name: globals, attributes of the user's modules, cells of its closure."""
    names = [n for code in _nested(function.__code__) for n in code.co_names]
    for name in names:
        value = function.__globals__.get(name)
        if isinstance(value, types.ModuleType) and is_own_module(value):
            yield from (vars(value)[n] for n in names if n in vars(value))
        elif value is not None:
            yield value
    yield from _held_by(function)


def _held_by(function: FunctionType) -> list[Any]:
    found = []
    for cell in function.__closure__ or ():
        with suppress(ValueError):  # an empty one
            found.append(cell.cell_contents)
    return found


def _parts(one: Any) -> Iterator[Any]:
    """What an object is made of, where functions may lie."""
    if isinstance(one, type):
        own = is_own_module(sys.modules.get(one.__module__))
        yield from vars(one).values() if own else ()
    elif isinstance(one, functools.partial):
        yield from (one.func, *one.args)
    elif isinstance(one, staticmethod | classmethod | types.MethodType):
        yield one.__func__
    elif isinstance(one, property):
        yield one.fget
    elif isinstance(one, tuple | list):
        yield from one
    elif isinstance(one, dict):
        yield from one.values()
    elif not isinstance(one, types.ModuleType) and isinstance(getattr(one, "__dict__", None), dict):
        yield from vars(one).values()
        yield type(one)


def is_own_module(module: types.ModuleType | None) -> bool:
    """Whether a module is the user's own."""
    return is_own(getattr(module, "__name__", None), getattr(module, "__file__", None))


def _nested(code: CodeType) -> Iterator[CodeType]:
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _nested(inner)


def own_edits(claim: Claim) -> Iterator[OwnEdit]:
    """Every small edit of the user's functions that a claim runs."""
    functions, forget = own_functions(claim)
    for file in dict.fromkeys(f.__code__.co_filename for f in functions):
        try:
            text = Path(file).read_bytes().decode("utf-8")
            tree = ast.parse(text)
        except (OSError, ValueError, SyntaxError):
            continue
        here = [f for f in functions if f.__code__.co_filename == file]
        parts = [(s, here.index(f)) for f in here for s in tree.body if _holds(s, f)]
        statements = dict.fromkeys(s for s, _ in sorted(parts, key=lambda part: part[1]))
        for statement in statements:
            for edit in _of_statement(file, text, statement, here):
                yield replace(edit, forget=forget)


def _holds(statement: ast.stmt, function: FunctionType) -> bool:
    first = min([statement.lineno, *(d.lineno for d in getattr(statement, "decorator_list", ()))])
    return first <= function.__code__.co_firstlineno <= (statement.end_lineno or first)


def _of_statement(
    file: str, text: str, statement: ast.stmt, functions: list[FunctionType]
) -> Iterator[OwnEdit]:
    flags = functions[0].__code__.co_flags & FUTURE
    old = _codes(file, text, flags)
    own = [(f, old.index(f.__code__)) for f in functions if f.__code__ in old]
    for edit in edits(text, statement) if own else ():
        after = edit.of(text)
        try:
            new = _codes(file, after, flags)
        except (SyntaxError, ValueError):
            continue
        same = len(new) == len(old)
        codes = tuple((f, new[i]) for f, i in own if same and new[i] != old[i])
        if codes:
            line, before, changed = _lines(text, after, edit)
            yield OwnEdit(file, line, before, changed, after, codes)


def _codes(file: str, text: str, flags: int) -> list[CodeType]:
    """The code of every function of a file, which depends on what is imported anywhere in it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        return list(_nested(compile(text, file, "exec", flags, dont_inherit=True)))[1:]


def _lines(text: str, after: str, edit: Edit) -> tuple[int, str, str]:
    """The number of the first line that changes, and the lines before and after, each as one."""
    begin = text.rfind("\n", 0, edit.start) + 1
    ends = []
    for one, end in ((text, edit.end), (after, edit.start + len(edit.by))):
        ends.append(one.find("\n", end) if "\n" in one[end:] else len(one))
    before, changed = text[begin : ends[0]], after[begin : ends[1]]
    return text.count("\n", 0, begin) + 1, " ".join(before.split()), " ".join(changed.split())


def edited(claim: Claim, edit: OwnEdit) -> Claim:
    """The claim with an edit in its functions, while its body or its parameters run."""
    changed: dict[str, Any] = {"body": _while_edited(claim.body, edit)}
    if claim.parameters is not None:
        changed["parameters"] = _while_edited(claim.parameters, edit)
    return replace(claim, **changed)


def _while_edited(function: Any, edit: OwnEdit) -> Callable[..., Any]:
    @functools.wraps(function)
    def run(*args: Any, **named: Any) -> Any:
        with _exchanged(edit):
            result = function(*args, **named)
            return list(result) if inspect.isgenerator(result) else result

    return run


@contextmanager
def _exchanged(edit: OwnEdit) -> Iterator[None]:
    old = [(function, function.__code__) for function, _ in edit.codes]
    try:
        _exchange(edit.codes, edit.forget)
        yield
    finally:
        _exchange(old, edit.forget)


def _exchange(
    codes: Iterable[tuple[FunctionType, CodeType]], forget: Iterable[Callable[[], Any]]
) -> None:
    for function, code in codes:
        function.__code__ = code
    for empty in forget:
        empty()
    if "jax" in sys.modules:  # which remembers what it traced by the function that it was
        sys.modules["jax"].clear_caches()
