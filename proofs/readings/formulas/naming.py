"""Names of what is written: in which scope each is known, and what needs none."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from ...statement import nodes
from ...statement.nodes import Node
from ...statement.statement import every_node, inside
from ...statement.whole import Axis, Position, Size, Symbol, Whole, parts
from ...statement.whole import Number as WholeNumber
from ..program import DEEP, Writer
from ..shortened import Shortening
from ..slices import Expression
from .alphabets import Alphabet

NAMES = {0: "abcαβγκλμ", 1: "abcdeghuvwz", 2: "ABCDEFGHKLMPQRUVXYZ"}
"""Names of what has none, by the number of axes; that of arrays with more is that of matrices."""
POSITIONS = {"token": "tijsrpq", "repeat": "lkmh", "feature": "ijkabcd"}
TOKENS, REPEATS = ("N", "n", "T", "t", "m"), ("L", "K", "l", "s")
"""Sizes that count tokens, and those that count layers or steps."""
LONG, SHORT, JOINED = 160, 14, 6
"""A formula that is longer gets a name; one that is needed more than once and shorter than this gets none, nor an
array of parts that is as short as that."""


@dataclass
class Line:
    """A formula: a definition, or a relation that is stated, for all values of some positions."""

    left: str
    sign: str
    right: str
    over: list[str] = field(default_factory=list)
    """For which values of positions."""
    words: str = ""
    stated: bool = False
    label: str = ""


@dataclass
class Block:
    """Lines for each value of a position."""

    over: list[str]
    lines: list[Line | Block]

    @property
    def stated(self) -> bool:
        """Whether relations are among them."""
        return any(one.stated for one in self.lines)


class Naming(Writer):
    """Writes in an alphabet; names are letters that nothing else is called by where they are known."""

    longest = LONG

    TRAJECTORY = "{}"

    def __init__(self, alphabet: Alphabet, sides: Sequence[Node], taken: Sequence[str]) -> None:
        super().__init__(sides, [alphabet.letter(name) for name in taken])
        self.a, self.short = alphabet, Shortening()
        self._needs = {0: needs_of(sides)}
        """In each scope that is open how often what is in it is needed."""
        self.unit = "e" if "e" not in taken else alphabet.bold("e")
        self.identity = "I" if "I" not in taken else alphabet.bold("I")
        self._taken |= {"e", "I"}
        self._inlined: Node | None = None
        """What a line says of a name, which gets no other one."""
        self._owned: dict[int, list[str]] = {}
        """The names that are defined in each scope that is open."""
        self._sums: list[tuple[int, str]] = []
        """The scopes of the sums that are open, with the letters of their positions."""

    def pick(self, letters: Sequence[str], depth: int | None = None) -> str:
        """The first letter that nothing is called by, with primes where all are; known in the scope of this depth."""
        primes = ""
        while True:
            for letter in letters:
                name = self.a.letter(letter + primes)
                if name not in self._taken:
                    self._taken.add(name)
                    depth = len(self._scopes) - 1 if depth is None else depth
                    self._owned.setdefault(depth, []).append(name)
                    return name
            primes += "′"

    def free(self, *names: str) -> None:
        """Names that nothing is called by any more."""
        for name in names:
            self._taken -= {name}
            for owned in self._owned.values():
                if name in owned:
                    owned.remove(name)

    @contextmanager
    def scope(self, names: Mapping[Any, str]) -> Iterator[list[str]]:
        depth = len(self._scopes)
        owned, needs = self._owned.pop(depth, []), self._needs.pop(depth, None)
        with super().scope(names) as lines:
            yield lines
        names_inside = self._owned.pop(depth, [])
        if depth in [inside for inside, _ in self._sums]:  # its lines stand outside
            self._owned.setdefault(depth - 1, []).extend(names_inside)
        else:
            self._taken -= set(names_inside)
        self._owned[depth] = owned
        if needs is not None:
            self._needs[depth] = needs

    def needed_by(self, *bodies: Node) -> None:
        """Count what is needed in the scope that is open, which these are written in."""
        self._needs[len(self._scopes) - 1] = needs_of(bodies)

    def uses(self, node: Node) -> int:
        depth = self._depth(node)
        return self._needs[depth if depth in self._needs else 0][node]

    def gets_a_name(self, node: Node, text: str) -> bool:
        if node is self._inlined:
            return False
        deep = self._deep.get(node, 1) % DEEP == 0  # else a sum is as deep as Python's stack
        return super().gets_a_name(node, text) or (deep and not self.is_name(text))

    def name_for(self, node: Node) -> str:
        depth = self._depth(node)
        return self.in_sums(self.pick(NAMES[min(len(node.shape), 2)], depth), depth)

    def size(self, text: str) -> int:
        return self.a.size(text)

    def shortest_of(self, node: Node) -> int:
        return JOINED if isinstance(node, nodes.Join) else SHORT

    def in_sums(self, name: str, depth: int) -> str:
        """A name of what is defined in a scope, with the positions of the sums around it."""
        letters = [letter for inside, letter in self._sums if inside <= depth]
        return self.a.sub(name, *letters) if letters else name

    def letter_for(self, position: Position) -> str:
        """A letter for a position, by what it counts; it is free again after its scope."""
        sizes = {s.name for n in (position.low, position.high) for s in symbols_of(n)}
        kind = "token" if sizes & set(TOKENS) else "repeat" if sizes & set(REPEATS) else "feature"
        return self.pick(POSITIONS[kind])

    def is_name(self, text: str) -> bool:
        plain = re.sub(r"\{[^{}]*\}", "", text)
        return not set(plain) & set(" +−-/([|‖")

    def entry(self, base: str, *places: str) -> str:
        """An entry of what may have a subscript itself."""
        plain = base if "_" not in base or base[-1] in ")]" else self.a.parenthesised(base)
        return self.a.sub(plain, *places)

    def named(self, node: Node) -> Expression | None:
        """A node's name, if it has one, or is needed so often that it gets one."""
        if isinstance(node, nodes.Number):
            return None
        known = self._texts[self._depth(node)].get(node)
        text = self.text(node) if known is None and self.uses(node) > 1 else known
        return text if text is not None and self.is_name(text[0]) else None

    def with_name(self, node: Node) -> str:
        """A name for a node that would have none."""
        depth = self._depth(node)
        text, binds = self._texts[depth][node]
        if binds == 9 and self.is_name(text):
            return text
        name = self.name_for(node)
        lines: list[Any] = self._scopes[depth]
        lines.append(Line(name, "=", text))
        self._texts[depth][node] = name, 9
        return name

    def inline(self, node: Node) -> str:
        """What a line says of a name: without another name for all of it."""
        before, self._inlined = self._inlined, node
        try:
            return self.text(node)[0]
        finally:
            self._inlined = before

    def assignment(self, name: str, text: str) -> Any:
        return Line(name, "=", text)

    def name(self, wanted: str) -> str:
        return self.pick([wanted])

    # Whole numbers.

    def symbol(self, symbol: Symbol) -> str:
        return self.a.letter(symbol.name) if isinstance(symbol, Size) else self._bound[symbol][1]

    def numbered(self, number: WholeNumber, axes: Sequence[str] = (), tight: bool = False) -> str:
        """A whole number, an `Axis` by its letter."""
        text = ""
        gap = "" if tight else " "
        pieces = sorted(parts(number), key=lambda p: (p[1] < 0, 0)) if number else [((), 0)]
        for m, c in pieces:
            counts = Counter(axes[s.number] if isinstance(s, Axis) else self.symbol(s) for s in m)
            factors = [one if n == 1 else self.a.sup(one, str(n)) for one, n in counts.items()]
            product = (str(abs(c)) if abs(c) != 1 or not m else "") + self.a.gap.join(factors)
            if text:
                text += f"{gap}{self.a.minus if c < 0 else '+'}{gap}{product}"
            else:
                text = (self.a.minus if c < 0 else "") + product
        return text

    def whole(self, number: WholeNumber) -> Expression:
        if not isinstance(number, Whole):
            return self.numbered(number), 9 if number >= 0 else 1
        simple = [c == 1 and len(m) == 1 for m, c in number.parts]
        return self.numbered(number), 1 if len(simple) > 1 else 9 if simple[0] else 2

    def range(self, position: Position, name: str) -> str:
        """For which values of a position something is said."""
        if position.length == 1:
            return f"{name} = {self.numbered(position.low)}"
        ends = self.numbered(position.low), self.numbered(position.high - 1)
        return f"{name} = {ends[0]}, {self.a.dots}, {ends[1]}"

    def below(self, position: Position, name: str) -> str:
        """The same under a sign of a sum."""
        if position.low == 0:
            constant = dict(parts(position.high)).get((), 0)
            if constant > 0 and isinstance(position.high, Whole):
                return f"{name} {self.a.at_most} {self.numbered(position.high - 1)}"
            return f"{name} {self.a.less} {self.numbered(position.high)}"
        ends = self.numbered(position.low), self.numbered(position.high - 1)
        return f"{ends[0]} {self.a.at_most} {name} {self.a.at_most} {ends[1]}"

    def product_of(self, shape: nodes.Shape) -> str:
        """A shape."""
        lengths = [self.numbered(n) for n in shape]
        sums = [self.a.parenthesised(n) if " " in n and len(shape) > 1 else n for n in lengths]
        return self.a.times.join(sums)


def needs_of(bodies: Iterable[Node]) -> Counter[Node]:
    """How often each node is written, where these are: the square of one once."""
    bodies = list(bodies)
    found = Counter(bodies)
    for node in every_node(bodies):
        found.update((*node.operands, *inside(node)))
        if isinstance(node, nodes.Contract) and is_square(node):
            found[node.factors[0]] -= 1
    return found


def is_square(node: nodes.Contract) -> bool:
    """Whether it is the sum of the squares of an array's entries."""
    same = len(node.factors) == 2 and node.factors[0] is node.factors[1]
    return same and not node.result and node.axes[0] == node.axes[1]


def symbols_of(number: WholeNumber, kind: type[Any] = Size) -> list[Any]:
    every = number.symbols if isinstance(number, Whole) else []
    return [one for one in every if isinstance(one, kind)]
