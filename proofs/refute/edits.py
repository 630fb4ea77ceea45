"""Small edits of a Python text, one at a time: a sign, a transpose, an index, a constant, two operands.

Each is an edit of characters where the syntax tree says that something stands, so that all else stays as it was typed.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

PRODUCTS = (ast.Mult, ast.MatMult, ast.Div)
ATOMS = (ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.Constant, ast.Tuple, ast.List)
COUNTS = ("range", "each", "build", "arange")
"""Functions whose arguments are counts or positions."""
SWAPPED = ("outer", "kron", "matmul", "dot", "subtract", "divide")
"""Functions of two arguments whose order matters."""


@dataclass(frozen=True)
class Edit:
    """Characters of a text that are replaced."""

    start: int
    end: int
    by: str

    def of(self, text: str) -> str:
        """The text after the edit."""
        return text[: self.start] + self.by + text[self.end :]


def edits(text: str, within: ast.AST) -> list[Edit]:
    """The small edits of what stands in a part of a text's tree, what people get wrong most often first."""
    at = _Places(text)
    nodes = [node for node in ast.walk(within) if hasattr(node, "lineno")]
    parents = {child: node for node in ast.walk(within) for child in ast.iter_child_nodes(node)}
    every = chain(
        (e for n in nodes for e in _operators(at, n)),
        (e for n in nodes for e in _transposes(at, n)),
        (e for n in nodes for e in _positions(at, n)),
        (e for n in nodes for e in _constants(at, n, parents)),
        (e for n in nodes for e in _factors(at, n, parents)),
    )
    return [edit for edit in dict.fromkeys(every) if edit.of(text) != text]


class _Places:
    """Where nodes stand in a text, in characters; the tree counts bytes of lines."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._lines = [f"{line}\n" for line in text.split("\n")]
        self._begins = [0]
        for line in self._lines:
            self._begins.append(self._begins[-1] + len(line))

    def _at(self, line: int, column: int) -> int:
        before = self._lines[line - 1].encode()[:column].decode()
        return self._begins[line - 1] + len(before)

    def start(self, node: ast.expr) -> int:
        return self._at(node.lineno, node.col_offset)

    def end(self, node: ast.expr) -> int:
        return self._at(node.end_lineno or node.lineno, node.end_col_offset or 0)

    def words(self, node: ast.expr) -> str:
        return self.text[self.start(node) : self.end(node)]

    def inside(self, node: ast.expr) -> str:
        """The words of an operand that is put elsewhere."""
        return self.words(node) if isinstance(node, ATOMS) else f"({self.words(node)})"


def _operators(at: _Places, node: ast.AST) -> Iterator[Edit]:
    """+ for − and the reverse, and a minus left out."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        old, new = "+-" if isinstance(node.op, ast.Add) else "-+"
        yield from _operator(at, at.end(node.left), at.start(node.right), old, new)
    elif isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add | ast.Sub):
        old, new = ("+=", "-=") if isinstance(node.op, ast.Add) else ("-=", "+=")
        yield from _operator(at, at.end(node.target), at.start(node.value), old, new)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield Edit(at.start(node), at.start(node) + 1, "")


def _operator(at: _Places, start: int, end: int, old: str, new: str) -> Iterator[Edit]:
    between = re.sub(r"#[^\n]*", lambda found: " " * len(found[0]), at.text[start:end])
    if between.count(old) == 1:
        place = start + between.index(old)
        yield Edit(place, place + len(old), new)


def _transposes(at: _Places, node: ast.AST) -> Iterator[Edit]:
    """A transpose left out or put in, and two operands in the other order."""
    if isinstance(node, ast.Attribute) and _is_transpose(node):
        between = at.text[at.end(node.value) : at.end(node)]
        yield Edit(at.end(node.value) + between.rindex("."), at.end(node), "")
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        for operand in (node.left, node.right):
            if _is_transpose(operand):
                continue
            if isinstance(operand, ATOMS):
                yield Edit(at.end(operand), at.end(operand), ".T")
            elif at.text[at.end(operand) : at.end(operand) + 1] == ")":
                yield Edit(at.end(operand) + 1, at.end(operand) + 1, ".T")
        if isinstance(node.left, ATOMS) and isinstance(node.right, ATOMS):
            yield _other_way_round(at, node, node.left, node.right)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub | ast.Div):
        yield _other_way_round(at, node, node.left, node.right)
    if isinstance(node, ast.Call) and len(node.args) == 2 and _name(node.func) in SWAPPED:
        first, second = node.args
        words = f"{at.words(second)}, {at.words(first)}"
        yield Edit(at.start(first), at.end(second), words)


def _is_transpose(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr in ("T", "mT")


def _other_way_round(at: _Places, node: ast.expr, left: ast.expr, right: ast.expr) -> Edit:
    between = at.text[at.end(left) : at.start(right)].strip("() \n")
    return Edit(at.start(node), at.end(node), f"{at.inside(right)} {between} {at.inside(left)}")


def _name(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _positions(at: _Places, node: ast.AST) -> Iterator[Edit]:
    """One place further or less far, where a name or its like is a position, a count or an exponent."""
    places: list[ast.expr] = []
    if isinstance(node, ast.Subscript):
        index = node.slice
        places += index.elts if isinstance(index, ast.Tuple) else [index]
    elif isinstance(node, ast.Call) and _name(node.func) in COUNTS:
        places += node.args
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        places.append(node.right)
    ends = [b for p in places if isinstance(p, ast.Slice) for b in (p.lower, p.upper) if b]
    for place in [*places, *ends]:
        is_bare = isinstance(node, ast.BinOp) and isinstance(place, ast.Name)  # as an exponent
        if isinstance(place, ast.Name | ast.BinOp):
            for more in (" + 1", " - 1"):
                words = f"({at.words(place)}{more})" if is_bare else f"{at.words(place)}{more}"
                yield Edit(at.start(place), at.end(place), words)
    for place in places:
        if isinstance(place, ast.Slice) and place.step is None:
            if place.lower is None:
                yield Edit(at.start(place), at.start(place), "1")
            if place.upper is None:
                yield Edit(at.end(place), at.end(place), "-1")


def _constants(at: _Places, node: ast.AST, parents: dict[ast.AST, ast.AST]) -> Iterator[Edit]:
    """Other numbers in place of one: its neighbours, twice and half of it, and its negative."""
    if not isinstance(node, ast.expr) or _is_negative(parents.get(node)):
        return  # a number is taken with its minus
    value = _number(node)
    if value is None:
        return
    others = [value + 1, value - 1, 2 * value]
    if not _is_negative(node):
        others.append(-value)
    if isinstance(value, float) or value % 2 == 0:
        others.append(value / 2 if isinstance(value, float) else value // 2)
    for other in dict.fromkeys(others):
        if other != value:
            words = repr(other)
            is_base = isinstance(parents.get(node), ast.BinOp | ast.UnaryOp | ast.Attribute)
            yield Edit(
                at.start(node), at.end(node), f"({words})" if is_base and other < 0 else words
            )


def _number(node: ast.expr) -> int | float | None:
    """The number that is written there, with its sign."""
    if _is_negative(node):
        return -node.operand.value  # type: ignore[attr-defined]
    value = node.value if isinstance(node, ast.Constant) else None
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _is_negative(node: ast.AST | None) -> bool:
    """Whether it is a number with a minus before it."""
    minus = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub)
    return minus and type(getattr(node.operand, "value", None)) in (int, float)  # type: ignore[union-attr]


def _factors(at: _Places, node: ast.AST, parents: dict[ast.AST, ast.AST]) -> Iterator[Edit]:
    """A minus, a 2 or a ½ that is missing before a whole product, or a term that stands alone."""
    if not isinstance(node, ast.expr) or not _is_term(node, parents.get(node)):
        return
    start, end = at.start(node), at.end(node)
    power = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow)
    if not _is_summand(node, parents.get(node)):
        yield Edit(start, start, "-")
    yield Edit(start, start, "2 * ")
    if not power:
        yield Edit(end, end, " / 2")


def _is_term(node: ast.expr, above: ast.AST | None) -> bool:
    """Whether it is a product, or a name or its like, that is no factor of a product."""
    if isinstance(node, ast.BinOp):
        is_kind = isinstance(node.op, (*PRODUCTS, ast.Pow))
    else:
        is_kind = isinstance(node, ast.Name | ast.Attribute | ast.Subscript | ast.Call)
        is_kind &= isinstance(getattr(node, "ctx", ast.Load()), ast.Load)
    if isinstance(above, ast.BinOp):
        return is_kind and isinstance(above.op, ast.Add | ast.Sub)
    if isinstance(above, ast.Call):
        return is_kind and node in above.args and not _is_bookkeeping(above)
    if isinstance(above, ast.Assign | ast.AugAssign | ast.Return):
        return is_kind and node is above.value
    return is_kind and isinstance(above, ast.Tuple | ast.Lambda)


def _is_bookkeeping(call: ast.Call) -> bool:
    """Whether a function's arguments are no numbers of the layer: shapes, counts, steps that are run."""
    names = (*COUNTS, "zeros", "ones", "eye", "scan", "iterate", "zip", "enumerate", "len", "tuple")
    return _name(call.func) in names


def _is_summand(node: ast.expr, above: ast.AST | None) -> bool:
    return isinstance(above, ast.BinOp) and isinstance(above.op, ast.Add | ast.Sub)
