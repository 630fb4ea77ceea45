"""What a user's claim is about: which of the user's functions it calls, and whether it says anything at all.

A claim may be true of anything: one that compares an expression with itself, or two sides in which no input stands. No
verdict is changed by that; it is told beside the verdict.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from contextlib import suppress
from dataclasses import replace
from math import prod
from pathlib import Path
from types import CodeType
from typing import Any, NamedTuple

import numpy as np

from ..check.instances.recorded import Node, in_order, recorded
from ..check.result import Result
from ..exact.instance import MOST_SYMBOLS, shapes
from ..language import statements
from ..language.claim import Claim
from ..language.statements import Statement
from ..refute.own_text import own_functions
from .budget import Stopped

COMPARISONS = (
    statements.equal,
    statements.differs,
    statements.at_most,
    statements.determines,
    statements.undetermined,
)
SETTLED = ("proved", "refuted")
LONGEST = 60
"""Characters of an expression that are told."""


def told(claim: Claim, result: Result) -> Result:
    """The result with what is called, and with what is to be said of a claim that says nothing, where it is settled."""
    if result.verdict not in SETTLED:
        return result
    try:
        seen = substance(claim)
    except Stopped:  # the claim is decided
        return result
    ran = sorted({*result.definitions, *seen.called}) or list(seen.body)
    return replace(result, definitions=ran, vacuous=seen.vacuous)


class Substance(NamedTuple):
    """What a claim's body calls, and what is to be said of it."""

    called: tuple[str, ...] = ()
    """Where the user's functions are that its text leads to, by file and line; lambdas are not told.

    It is read from the code and not watched: with a trace function set, Python 3.11 was seen to hang."""
    body: tuple[str, ...] = ()
    """Where the body itself is."""
    vacuous: str = ""
    """Why it says nothing, in words, where that is seen."""


def substance(claim: Claim) -> Substance:
    """Read the body, and run it on recorded numbers."""
    itself = _compared_with_itself(claim.body)
    told = [f"it compares an expression with itself, {itself}"] if itself else []
    if claim.given and _is_without_inputs(claim):
        told.append(f"neither side depends on {', '.join(claim.given)}")
    body = _code(claim.body)
    codes = [function.__code__ for function in own_functions(claim)[0]]
    called = [code for code in codes if code is not body and not code.co_name.startswith("<")]
    return Substance(_places(called), _places([body] if body else []), "; ".join(told))


def _is_without_inputs(claim: Claim) -> bool:
    """Whether in nothing that is compared an input stands, at any size; not told where a size is not recorded."""
    is_recorded = False
    for sizes in claim.every_size:
        if sum(map(prod, shapes(claim, sizes).values())) > MOST_SYMBOLS:
            return False
        try:
            compared = recorded(claim, sizes)
        except (Stopped, KeyboardInterrupt):
            raise
        except ArithmeticError:  # there is no value at these sizes
            continue
        except BaseException:  # recorded numbers have no eigenvalues, say
            return False
        if any(map(_has_inputs, compared)):
            return False
        is_recorded = True
    return is_recorded


def _code(body: Any) -> CodeType | None:
    """The code of a function, of what a partial is of, or of an object that is called."""
    every = (body, getattr(body, "func", None), vars(type(body)).get("__call__"))
    return next((code for one in every if (code := getattr(one, "__code__", None))), None)


def _places(codes: list[CodeType]) -> tuple[str, ...]:
    return tuple(f"{Path(code.co_filename).name}:{code.co_firstlineno}" for code in codes)


def _has_inputs(statement: Statement) -> bool:
    """Whether an input stands in a comparison; what is no comparison of arrays is not judged."""
    if isinstance(statement, statements.Approached):
        return True
    sides = [value for value in vars(statement).values() if isinstance(value, np.ndarray)]
    entries = [e for side in sides for e in side.flat if isinstance(e, Node)]
    return any(node.operation == "input" for node in in_order(entries))


def _compared_with_itself(body: Any) -> str:
    """The text of an expression that the body compares with itself; "" if its text shows none."""
    with suppress(OSError, TypeError, SyntaxError, ValueError, RecursionError):
        known = inspect.getclosurevars(body)
        scope = _scope(ast.parse(textwrap.dedent(inspect.getsource(body))))
        if scope is None:
            return ""
        meaning = _Meaning(scope)
        for one in ast.walk(scope):
            if isinstance(one, ast.Call) and len(one.args) > 1:
                left, right = one.args[:2]
                called = _named(one.func, {**known.globals, **known.nonlocals})
                compares = any(called is comparison for comparison in COMPARISONS)
                if compares and meaning.of(left) == meaning.of(right):
                    text = max(map(ast.unparse, (left, right)), key=len)  # rather than a name
                    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
    return ""


def _scope(tree: ast.AST) -> ast.FunctionDef | ast.Lambda | None:
    """The function that a text has; of several lambdas it may be any."""
    every = [one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef | ast.Lambda)]
    defined = [one for one in every if isinstance(one, ast.FunctionDef)]
    return defined[0] if defined else every[0] if len(every) == 1 else None


def _named(called: ast.expr, names: dict[str, Any]) -> Any:
    """What `equal` or `scanproof.equal` stands for."""
    if isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name):
        return getattr(names.get(called.value.id), called.attr, None)
    return names.get(called.id) if isinstance(called, ast.Name) else None


def _may_change(node: ast.AST) -> bool:
    """Whether it may change a value that is there, as `rows.append(row)` and `state[0] = row` do."""
    if isinstance(node, ast.Expr):
        return not isinstance(node.value, ast.Constant)
    stored = isinstance(node, ast.Subscript | ast.Attribute) and not isinstance(node.ctx, ast.Load)
    return stored or isinstance(node, ast.AugAssign)


class _Meaning:
    """Expressions numbered, so that those that say the same have one number; a local name has that of its expression.

    Where a body binds a name twice, or may change what a name stands for, no name stands for an expression.
    """

    def __init__(self, scope: ast.FunctionDef | ast.Lambda) -> None:
        self.numbers: dict[Any, int] = {}
        self.names: dict[str, int] = {}
        inside = list(ast.walk(scope))
        bound = [one.arg for one in inside if isinstance(one, ast.arg)]
        names = [one for one in inside if isinstance(one, ast.Name)]
        bound += [one.id for one in names if not isinstance(one.ctx, ast.Load)]
        changes = any(map(_may_change, inside))
        if isinstance(scope, ast.Lambda) or changes or len(bound) != len(set(bound)):
            return
        for one in scope.body:
            if isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Name):
                self.names[one.targets[0].id] = self.of(one.value)

    def of(self, part: Any) -> int:
        """The number of an expression, or of a part of one."""
        if isinstance(part, ast.Name) and part.id in self.names:
            return self.names[part.id]
        key: Any = repr(part)
        if isinstance(part, list):
            key = tuple(map(self.of, part))
        elif isinstance(part, ast.AST):
            inside = [value for name, value in ast.iter_fields(part) if name != "ctx"]
            key = (type(part), *map(self.of, inside))
        return self.numbers.setdefault(key, len(self.numbers))
