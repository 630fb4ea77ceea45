"""Sizes, and shapes written as text: `"N+1 f"` is the shape (N + 1, f) for given sizes N and f."""

from __future__ import annotations

import ast
import itertools
import numbers
import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Any

from scanproof.constructs.errors import UsageError

Sizes = Mapping[str, int]
DEFAULT_RANGE = (1, 2, 3)
_ARRAY = re.compile(r"\s*([^\W\d]\w*)\s*:(.*)", re.DOTALL)


@cache
def _dimension(text: str) -> ast.expr:
    try:
        tree = ast.parse(text, mode="eval").body
    except SyntaxError:
        tree = None
    if tree is None or not all(_allowed(node) for node in ast.walk(tree)):
        raise UsageError(
            f"the dimension {text!r} is not made of sizes and whole numbers with + - *; write 'N+1' or '2*f'."
        )
    return tree


def _allowed(node: ast.AST) -> bool:
    kinds = (ast.BinOp, ast.Name, ast.Add, ast.Sub, ast.Mult, ast.Load)
    return isinstance(node, kinds) or (
        isinstance(node, ast.Constant) and isinstance(node.value, int)
    )


OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Pow: operator.pow,
}


def arithmetic(
    node: ast.expr,
    names: Mapping[str, Any],
    functions: Mapping[str, Callable[..., Any]] = MappingProxyType({}),
) -> Any:
    """What an expression comes to: whole numbers and names under + − * **, and calls of these functions.

    Raises:
        KeyError: for anything else.
    """
    match node:
        case ast.Constant(value=int(number)):
            return number
        case ast.Name(id=name):
            return names[name]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -arithmetic(operand, names, functions)
        case ast.BinOp(left=left, op=op, right=right):
            sides = (arithmetic(side, names, functions) for side in (left, right))
            return OPERATORS[type(op)](*sides)
        case ast.Call(func=ast.Name(id=name), args=arguments):
            return functions[name](*(arithmetic(one, names, functions) for one in arguments))
    raise KeyError(ast.unparse(node))


def axes(text: str) -> list[str]:
    """The lengths of a shape, each as text."""
    return text.split()


IN, BOOL = "in", "bool"


def format_of(text: str) -> str:
    """IN for a shape of labels, such as "n in C", BOOL for one of truths, "n bool", and "" for one of real numbers."""
    parts = axes(text)
    return IN if parts[-2:-1] == [IN] else BOOL if parts[-1:] == [BOOL] else ""


def of_reals(text: str) -> str:
    """The shape of the real numbers that labels or truths are read as: "n C" for "n in C", "n" for "n bool"."""
    parts, format = axes(text), format_of(text)
    kept = [*parts[:-2], parts[-1]] if format == IN else parts[:-1] if format == BOOL else parts
    return " ".join(kept)


def by_name(values: Mapping[str, Any]) -> str:
    """Sizes, or other values by name, as a sentence has them: N = 1, f = 2."""
    return ", ".join(f"{name} = {value}" for name, value in values.items())


def shape(text: str, sizes: Sizes) -> tuple[int, ...]:
    """The shape that `text` means at `sizes`; the empty text is a scalar.

    Raises:
        UsageError: if a dimension is negative at these sizes.
    """
    dims = dimensions(text, sizes)
    if any(n < 0 for n in dims):
        raise UsageError(
            f"the shape {text!r} is {dims} at {by_name(sizes)}; give sizes= at which it is not negative."
        )
    return dims


def dimensions(text: str, sizes: Mapping[str, Any]) -> tuple[Any, ...]:
    """The lengths that `text` means at sizes, which may be symbols: nothing is asked of them."""
    return tuple(arithmetic(_dimension(part), sizes) for part in axes(text))


def names(texts: Sequence[str]) -> list[str]:
    """The size names that occur in the texts, in order of appearance."""
    return list(dict.fromkeys(name for text in texts for name in _names(text)))


@cache
def _names(text: str) -> tuple[str, ...]:
    nodes = [node for part in axes(text) for node in ast.walk(_dimension(part))]
    return tuple(node.id for node in nodes if isinstance(node, ast.Name))


def grid(ranges: Mapping[str, Sequence[int]]) -> Iterator[dict[str, int]]:
    """All combinations of the ranges, smallest total first, then in the order of the names."""
    keys = list(ranges)
    combinations = itertools.product(*(ranges[k] for k in keys))
    for values in sorted(combinations, key=lambda v: (sum(v), v)):
        yield dict(zip(keys, values, strict=True))


def whole(said: str, value: Any, least: int = 1) -> int:
    """A whole number that is given for a size, or a seed.

    Args:
        said: how it is given, such as "--heads 0", with which the message begins.
        value: the number.
        least: the least that is allowed.

    Raises:
        UsageError: if it is none, or too small.
    """
    if not isinstance(value, numbers.Integral) or isinstance(value, bool) or value < least:
        raise UsageError(f"{said}: give a whole number ≥ {least}.")
    return int(value)


def wholes(said: str, text: str) -> list[int]:
    """The whole numbers in "64,128".

    Raises:
        UsageError: if it is not such a text; the message begins with `said`.
    """
    parts = text.split(",")
    if not all(part.strip().isdecimal() and int(part) for part in parts):
        raise UsageError(f"{said}: expects whole numbers ≥ 1 with commas, for example 64,128.")
    return [int(part) for part in parts]


def ranges_in(text: str) -> dict[str, tuple[int, ...]]:
    """The values for each size in "T=1,2,5, f=1,2".

    Raises:
        UsageError: if it is not such a text, or has a name twice.
    """
    found: dict[str, tuple[int, ...]] = {}
    last = ""
    for part in text.split(",") if text.strip() else ():
        name, sign, value = map(str.strip, part.rpartition("="))
        named = not sign or (name.isidentifier() and name not in found)
        last = name or last
        if not named or not last or not value.isdecimal() or not int(value):
            raise UsageError(
                f"--sizes {text!r} expects each size's name once, with whole numbers ≥ 1, such as "
                f"'T=1,2,5, f=1,2'; got {part.strip()!r}."
            )
        found[last] = (*found.get(last, ()), int(value))
    return found


def ranges_of(given: Mapping[str, Sequence[int]], known: Sequence[str]) -> dict[str, list[int]]:
    """The values that are given for sizes, such as {"T": (1, 2, 5)}.

    Args:
        given: the values, by the sizes' names.
        known: the names that there are.

    Raises:
        UsageError: unless each is of a size that there is, and has values, which are whole numbers ≥ 0.
    """
    if not isinstance(given, Mapping):
        raise UsageError(f"sizes={given!r}: give values by the sizes' names: {{'T': (1, 2, 5)}}.")
    for name, values in given.items():
        if name not in known:
            there = ", ".join(known) or "no letters"
            raise UsageError(f"sizes: {name!r} is no size; the shapes have {there}.")
        if not isinstance(values, Sequence) or isinstance(values, str) or not values:
            raise UsageError(f"sizes of {name}: {values!r}; give one whole number or more: (1, 2).")
    return {n: [whole(f"sizes of {n}: {one!r}", one, 0) for one in v] for n, v in given.items()}


def shapes_of(given: str | Mapping[str, str]) -> dict[str, str]:
    """The shape of each array, from "X: T f, y: T in C", or by the arrays' names.

    Raises:
        UsageError: as `shapes_in`.
    """
    if isinstance(given, str):
        return shapes_in(given)
    texts = (*given, *given.values()) if isinstance(given, Mapping) else (given,)
    if not all(isinstance(text, str) for text in texts) or not all(map(str.isidentifier, given)):
        raise UsageError(f"shapes={given!r}: give a text such as 'X: T f, q: f', or texts by name.")
    _expect_lengths(given.values())
    return dict(given)


def shapes_in(text: str) -> dict[str, str]:
    """The shape of each array in "X: T f, q: f"; of labels it is that of these and their number, "y: T in C".

    Raises:
        UsageError: if it is not such a text, or has a name twice.
    """
    found: dict[str, str] = {}
    for part in text.split(","):
        matched = _ARRAY.fullmatch(part)
        if matched is None or matched[1] in found:
            raise UsageError(
                f"--shapes {text!r} expects each array's name once, with its dimensions, such as 'X: T f, q: f'; "
                f"got {part.strip()!r}."
            )
        found[matched[1]] = " ".join(matched[2].split())
    _expect_lengths(found.values())
    return found


def _expect_lengths(texts: Iterable[str]) -> None:
    """See that shapes are made of lengths.

    Raises:
        UsageError: for what is no dimension, and for a size called bool.
    """
    if BOOL in names([*map(of_reals, texts)]):
        raise UsageError(
            "a size cannot be called bool, which says, as the last word, that an array holds truths."
        )
