"""Sizes told apart: finitely many cases that together are all sizes, such as d = 1 and d ≥ 2, or T = 2n and T = 2n + 1.

A case writes each size as a sum of new ones, each a whole number from some least one on. The three ways to split a case
are below; each is right by one line of arithmetic, and a case is split in no other way, so that the cases are all sizes
and none is met twice.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from .sizes import arithmetic


@dataclass(frozen=True)
class Number:
    """Sizes up to a number, each by itself, and all that are greater."""

    size: str
    last: int


@dataclass(frozen=True)
class Remainder:
    """Sizes by what they leave when they are divided by a number."""

    size: str
    by: int


@dataclass(frozen=True)
class Order:
    """Two sizes, equal or one of them greater."""

    one: str
    other: str


Split = Number | Remainder | Order


@dataclass(frozen=True)
class Case:
    """Some of all sizes."""

    sizes: Mapping[str, str]
    """Each of the claim's sizes in new ones, such as {"T": "2*n + 1", "d": "1"}."""
    least: Mapping[str, int]
    """The new ones, with the least number of each."""

    def at(self, new: Mapping[str, int]) -> dict[str, int]:
        """The claim's sizes at numbers for the new ones."""
        trees = {name: ast.parse(text, mode="eval").body for name, text in self.sizes.items()}
        return {name: arithmetic(tree, new) for name, tree in trees.items()}

    def within(self, dimension: str) -> str:
        """A dimension in the claim's sizes as one in the new ones, without blanks."""
        tree = ast.parse(dimension, mode="eval")
        return ast.unparse(_Written(self.sizes).visit(tree)).replace(" ", "")

    def __str__(self) -> str:
        return ", ".join(self._words()) or "all sizes"

    def _words(self) -> Iterator[str]:
        for name, text in self.sizes.items():
            if text != name:
                shown = text.replace("*", "·").replace(" - ", " − ")
                new = [n for n in self.least if n in _names(text)]
                ends = ", ".join(f"{n} ≥ {self.least[n]}" for n in new if n not in self.sizes)
                yield f"{name} = {shown}" + (f" with {ends}" if ends else "")
            elif self.least[name] > 1:
                yield f"{name} ≥ {self.least[name]}"


class _Written(ast.NodeTransformer):
    def __init__(self, sizes: Mapping[str, str]) -> None:
        self.sizes = sizes

    def visit_Name(self, node: ast.Name) -> ast.expr:
        text = self.sizes.get(node.id)
        return node if text is None else ast.parse(text, mode="eval").body


def _names(text: str) -> set[str]:
    return {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}


def split(case: Case, how: Split) -> list[Case] | None:
    """The cases that a case falls into; None if this way is not one for it.

    Args:
        case: the case.
        how: names its new sizes.
    """
    if isinstance(how, Number):
        # Every n ≥ least is one of least, …, last or ≥ last + 1.
        if how.size not in case.least or how.last < case.least[how.size]:
            return None
        numbers = range(case.least[how.size], how.last + 1)
        return [
            *(_with(case, {how.size: str(n)}, {}) for n in numbers),
            _with(case, {}, {how.size: how.last + 1}),
        ]
    if isinstance(how, Remainder):
        # Every n ≥ least is by · q + r for one r < by and one q, and by · q + r ≥ least says q ≥ (least − r) / by.
        if how.size not in case.least or how.by < 2:
            return None
        new, least = _fresh("n", case), case.least[how.size]
        return [
            _with(
                case,
                {how.size: f"{how.by}*{new} + {r}" if r else f"{how.by}*{new}"},
                {new: max(0, -((r - least) // how.by))},
            )
            for r in range(how.by)
        ]
    # Of two numbers from the same least one on, they are equal, or the second or the first is greater by m ≥ 1.
    one, other = how.one, how.other
    if one == other or not {one, other} <= set(case.least) or case.least[one] != case.least[other]:
        return None
    new = _fresh("m", case)
    return [
        _with(case, {other: one}, {}),
        _with(case, {other: f"{one} + {new}"}, {new: 1}),
        _with(case, {one: f"{other} + {new}"}, {new: 1}),
    ]


def _with(case: Case, images: Mapping[str, str], least: Mapping[str, int]) -> Case:
    """The case with these sums in place of some of its new sizes, and least numbers of others."""
    trees = {name: ast.parse(text, mode="eval") for name, text in case.sizes.items()}
    texts = {name: ast.unparse(_Written(images).visit(tree)) for name, tree in trees.items()}
    kept = {name: value for name, value in case.least.items() if name not in images}
    return Case({name: _plain(text) for name, text in texts.items()}, {**kept, **least})


def _plain(text: str) -> str:
    """A sum without products of sums: 2*(2*n + 1) + 1 is 4*n + 3."""
    found = arithmetic(ast.parse(text, mode="eval").body, _Sums(text))
    return str(found)


class _Sums(dict):
    """For a name the sum that it is."""

    def __init__(self, text: str) -> None:
        super().__init__({name: _Sum({name: 1}) for name in sorted(_names(text))})


class _Sum:
    """Whole numbers times names, and one number: {"n": 2, "": 1} is 2*n + 1."""

    def __init__(self, parts: Mapping[str, int]) -> None:
        self.parts = {name: c for name, c in parts.items() if c}

    def __add__(self, other: _Sum | int) -> _Sum:
        added = dict(self.parts)
        for name, c in _sum(other).parts.items():
            added[name] = added.get(name, 0) + c
        return _Sum(added)

    __radd__ = __add__

    def __mul__(self, other: int) -> _Sum:
        return _Sum({name: c * other for name, c in self.parts.items()})

    __rmul__ = __mul__

    def __neg__(self) -> _Sum:
        return self * -1

    def __sub__(self, other: _Sum | int) -> _Sum:
        return self + _sum(other) * -1

    def __rsub__(self, other: int) -> _Sum:
        return _sum(other) + -self

    def __str__(self) -> str:
        texts = [n if c == 1 else f"{c}*{n}" for n, c in self.parts.items() if n]
        rest = self.parts.get("", 0)
        if rest or not texts:
            texts.append(str(rest))
        return " + ".join(texts).replace("+ -", "- ")


def _sum(value: _Sum | int) -> _Sum:
    return value if isinstance(value, _Sum) else _Sum({"": value})


def _fresh(letter: str, case: Case) -> str:
    taken = {*case.sizes, *case.least}
    found = letter
    count = 1
    while found in taken:
        count += 1
        found = f"{letter}{count}"
    return found
