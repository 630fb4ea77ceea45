"""Nodes as formulas, as a careful author writes them: products of matrices and vectors, sums, fractions once.

A number beside an array stands for each of its entries; 𝟏 is a vector of ones. What is needed more than once, and is
long, gets a name in a line before it; so do recursions, and arrays that are told entry by entry.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from ...statement import making, nodes
from ...statement.nodes import Node
from ...statement.statement import Relation, Turns
from ...statement.table import Table
from ...statement.whole import Axis, Whole, whole
from ...statement.whole import Number as WholeNumber
from ..recognised import number_everywhere
from ..slices import Expression
from .binders import Binders
from .naming import Line
from .products import SUMS

ARCS = {
    **{f"a{name}": f"arc{name}" for name in ("sin", "cos", "tan")},
    **{f"a{name}": f"ar{name}" for name in ("sinh", "cosh", "tanh")},
}


class Formulas(Binders):
    """Writes each kind of node."""

    @property
    def table(self) -> Table[Any]:
        return FORMULAS

    def lines_of(self, every: Sequence[Relation | Turns], stated: bool = True) -> list[Any]:
        """The lines of relations, in the scope that is open."""
        for one in every:
            if isinstance(one, Relation):
                self._scopes[-1].append(self.relation(one, stated))  # type: ignore[arg-type]
                continue
            name, outer = self.letter_for(one.position), self._scopes[-1]
            over = self.range(one.position, name)
            with self.scope({one.position: name}) as lines:
                self.needed_by(*_sides([one]))
                self.lines_of(one.inside, stated)
            outer += self.over(lines, over)  # type: ignore[arg-type]
            self.free(name)
        return self._scopes[-1]

    def relation(self, one: Relation, stated: bool = True) -> Line:
        """A relation as a line."""
        a = self.a
        left, right = self.side(one.left), self.side(one.right)
        label = self.label(one.label)
        signs = {"equal": "=", "at_most": a.at_most, "differs": a.unequal, "approaches": a.arrow}
        if one.kind in signs:
            rank = max(len(one.left.shape), len(one.right.shape))
            end = "in every entry" if one.kind == "at_most" and rank else ""
            end = "for some inputs" if one.kind == "differs" else end
            return Line(left, signs[one.kind], right, [], end and a.words(end), stated, label)
        verb = "determines" if one.kind == "determines" else "does not determine"
        shared = ", ".join(map(a.letter, one.shared))
        end = f"{a.words('given ')}{shared}" if shared else ""
        return Line(left, a.words(verb), right, [], end, stated, label)

    def side(self, node: Node) -> str:
        """A side of a relation: a number where every entry is that."""
        number = number_everywhere(node)
        return self.text(node if number is None else number)[0]

    def label(self, pieces: Sequence[Any]) -> str:
        """A relation's name; of its positions the formula's end tells which they are."""
        found = ""
        for piece in pieces:
            if isinstance(piece, str):
                found += piece
            elif isinstance(piece, Whole) and piece.free:
                cut = re.sub(r"(,| at|^) ?\w+ ?= ?$", "", found)
                shown = self.numbered(piece)
                shown = self.a.index(shown) if found.endswith("_") else shown
                found = cut if cut != found else found + shown
            else:
                found += self.whole(piece)[0]
        return found.strip(" ,")

    def input(self, node: nodes.Input) -> Expression:
        return self.a.letter(node.name), 9

    def number(self, node: nodes.Number) -> Expression:
        return self.shown(self.piece(node))

    def positions(self, node: nodes.Positions) -> Expression:
        return f"(0, {self.a.dots}, {self.numbered(node.length - 1)})", 9

    def map(self, node: nodes.Map) -> Expression:
        function, first = node.function, node.arguments[0]
        a = self.a
        if function in SUMS:
            return self.added(self._terms(node))
        if function in ("multiply", "divide"):
            found = (
                self._product(node, False)
                if function == "multiply"
                else self._quotient(node, False)
            )
            if found is not None:
                return self.shown(found)
            left, right = (
                a.within(self.text(self._full(n, node.shape)), 3) for n in node.arguments
            )
            return f"{left}{a.entrywise if function == 'multiply' else a.over_entries}{right}", 2
        inside = self.text(first)
        if function == "sqrt":
            return a.root(inside), 9
        if function in ("abs", "floor", "ceil"):
            how = {"abs": a.absolute, "floor": a.floor, "ceil": a.ceil}[function]
            return how(inside[0]), 9
        if function == "nonnegative":
            return a.truth(f"{inside[0]} {a.at_least} 0"), 9
        if function in ("step", "zero"):
            return a.truth(f"{inside[0]} {'>' if function == 'step' else '='} 0"), 9
        if function == "relu":
            return a.call(a.function("max"), f"{inside[0]}, 0"), 9
        if function == "power":
            return self._power(node)
        return a.call(a.function(ARCS.get(function, function)), inside[0]), 9

    def _full(self, node: Node, shape: nodes.Shape) -> Node:
        return making.spread(node, shape)

    def _power(self, node: nodes.Map) -> Expression:
        base, exponent = node.arguments
        sign = self.a.entrywise.strip() if base.shape else ""
        power = self.text(exponent)
        shown = sign + (self.a.within(power, 9) if sign else power[0].replace(" ", ""))
        return self.a.sup(self.a.within(self.text(base), 9), shown), 4

    def contract(self, node: nodes.Contract) -> Expression:
        found = self._chain(node, False)
        if found is not None:
            return self.alone(found)
        names = self.letters(8)
        gone = sorted({n for axes in node.axes for n in axes if n not in node.result})
        factors = [
            self.a.sub(self.a.within(self.text(one), 9), "".join(names[k] for k in axes))
            for one, axes in zip(node.factors, node.axes, strict=True)
        ]
        text = self.a.gap.join(factors)
        if gone:
            text = self.a.running(self.a.sum_sign, ", ".join(names[k] for k in gone), text)
        kept = "".join(names[k] for k in node.result)
        return (self.a.sub(self.a.parenthesised(text), kept), 9) if kept else (text, 1.5)

    def opaque(self, node: nodes.Opaque) -> Expression:
        arguments = ", ".join(self.text(one)[0] for one in node.arguments)
        return self.a.call(self.a.letter(node.name), arguments), 9

    def lookup(self, node: nodes.Lookup) -> Expression:
        return self.a.sub(self.a.within(self.text(node.of), 9), f"[{self.text(node.places)[0]}]"), 9

    def solve(self, node: nodes.Solve) -> Expression:
        of = self.text(node.matrix)[0]
        tril = self.a.function("tril")
        lower = self.a.call(tril, of)
        if node.unit:
            lower = self.a.parenthesised(f"I + {self.a.call(tril, f'{of}, {self.a.minus}1')}")
        return f"{self.a.inverse(lower)}{self.a.gap}{self.a.within(self.text(node.right), 3)}", 2

    def held(self, node: nodes.Held) -> Expression:
        return self.a.call(self.a.function(node.format.name), self.text(node.of)[0]), 9

    def norm(self, node: nodes.Norm) -> Expression:
        return self.a.norm(self.text(node.of)[0], "2" if node.kind == "operator" else ""), 9

    def fold(self, node: nodes.Fold) -> Expression:
        sign = self.a.maximum_sign if node.operation == "maximum" else self.a.product_sign
        if isinstance(node.of, nodes.Build):
            return self.running(sign, node.of)
        return self.a.running(sign, "i", self.a.sub(self.a.within(self.text(node.of), 9), "i")), 1.5

    def reshape(self, node: nodes.Reshape) -> Expression:
        inner = node.of
        if _is_interleaved(inner, node):
            rows = [
                self.short.taken(part, _dropped(part), (part.shape[0], *part.shape[2:]))
                for part in inner.operands
            ]
            texts = ", ".join(self.text(one)[0] for one in rows)
            return self.a.call(self.a.function("interleave"), texts), 9
        shape = self.product_of(node.lengths)
        return self.a.call(self.a.function("reshape"), f"{self.text(node.of)[0]}, {shape}"), 9

    def join(self, node: nodes.Join) -> Expression:
        parts = [self.part(part) for part in node.parts]
        if len(node.shape) == 1:
            if all(part.shape == (1,) for part in node.parts):
                return self.a.parenthesised(", ".join(parts)), 9
            return self.a.stacked(parts), 9
        if node.axis == len(node.shape) - 1:
            return self.a.bracketed(parts), 9
        if node.axis == len(node.shape) - 2:
            return self.a.stacked(parts), 9
        return self.a.call(self.a.function("stack"), ", ".join(parts)), 9

    def part(self, node: Node) -> str:
        """A part of an array that is joined: numbers as such, ones that fill it by a number."""
        if node.shape == (1,):
            return self.text(self.short.taken(node, (0,), ()))[0]
        return self.text(node)[0]


FORMULAS: Table[Any] = Table(
    "formula",
    {
        nodes.Input: Formulas.input,
        nodes.Parameter: Formulas.parameter,
        nodes.Number: Formulas.number,
        nodes.Positions: Formulas.positions,
        nodes.Map: Formulas.map,
        nodes.Opaque: Formulas.opaque,
        nodes.Lookup: Formulas.lookup,
        nodes.Solve: Formulas.solve,
        nodes.Held: Formulas.held,
        nodes.Contract: Formulas.contract,
        nodes.Norm: Formulas.norm,
        nodes.Fold: Formulas.fold,
        nodes.Take: Formulas.take,
        nodes.Reshape: Formulas.reshape,
        nodes.Join: Formulas.join,
        nodes.Build: Formulas.build,
        nodes.Placeholder: Formulas.placeholder,
        nodes.Loop: Formulas.loop,
        nodes.Gradient: Formulas.gradient,
    },
)
"""How each kind of node is written."""


def _is_interleaved(of: Node, node: nodes.Reshape) -> bool:
    """Whether the rows of some matrices follow one another: the first of each, then the second of each, …"""
    stacked = isinstance(of, nodes.Join) and of.axis == 1
    flat = len(of.shape) == len(node.shape) + 1 and of.shape[2:] == node.shape[1:]
    return stacked and flat and all(part.shape[1] == 1 for part in of.operands)


def _dropped(part: Node) -> list[WholeNumber]:
    """The places of an array whose second axis, of length 1, is left out."""
    return [whole(Axis(0)), 0, *(whole(Axis(k - 1)) for k in range(2, len(part.shape)))]


def _sides(every: Sequence[Relation | Turns]) -> Iterator[Node]:
    """The sides of relations."""
    for one in every:
        yield from (one.left, one.right) if isinstance(one, Relation) else _sides(one.inside)
