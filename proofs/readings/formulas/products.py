"""Nodes as products and sums of matrices, vectors and numbers."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from ...statement import making, nodes
from ...statement.nodes import Node
from ...statement.whole import Axis, Whole, whole
from ...statement.whole import Number as WholeNumber
from ..reading import is_matrix_product
from ..recognised import is_identity
from ..slices import Expression
from ..taking import affine
from .naming import is_square, symbols_of
from .pieces import Piece, Pieces

SUMS = ("add", "subtract", "negative")


class Products(Pieces):
    """Writes what is multiplied, divided and added."""

    def piece(self, node: Node, turned: bool = False) -> Piece:
        """A node as a product, or the transpose of a matrix as one; a vector's is a row."""
        if isinstance(node, nodes.Take) and node.places and len(node.shape) == 2:
            core, axes = self.core(node, node.shape)
            if len(axes) == 1 and node.shape[1 - axes[0]] == 1:
                return self.piece(core, (axes == (1,)) != turned)
            if is_transposed(node):
                return self.piece(making.permuted(node, (1, 0)), not turned)
        text = self.named(node)
        if text is not None:
            return self._atom(node, text, turned)
        match node:
            case nodes.Number(value=Fraction() as value) if is_decimal(value):
                sign = Fraction(-1 if value < 0 else 1)
                return Piece(sign, ((f"{float(abs(value)):.15g}", 9),))
            case nodes.Number(value=int() | Fraction() as value):
                return Piece(Fraction(value))
            case nodes.Number(value=Whole() as value):
                return self._factors(value)
            case nodes.Map(function="add" | "subtract"):
                every = self._terms(node)
                found = every[0] if len(every) == 1 and not turned else None
            case nodes.Map(function="negative"):
                return Piece(Fraction(-1)).times(self.piece(node.arguments[0], turned))
            case nodes.Map(function="multiply"):
                found = self._product(node, turned)
            case nodes.Map(function="divide"):
                found = self._quotient(node, turned)
            case nodes.Contract():
                found = self._chain(node, turned)
            case nodes.Take():
                value = making.constant(node)
                if value is not None and not isinstance(value, Whole):
                    return Piece(Fraction(value)).times(self._all_ones(node.shape, turned))
                if not node.places and making.constant(node.of) != 1:
                    return self.scaled_indicator(node, turned)
                found = None
            case _:
                found = None
        return self._atom(node, self.text(node), turned) if found is None else found

    def _all_ones(self, shape: nodes.Shape, turned: bool) -> Piece:
        """An array of ones: none where it is a number."""
        if not shape:
            return Piece()
        vector = self.a.ones, 9
        if len(shape) == 1:
            return Piece(rest=((self.a.transposed(vector[0]), 9) if turned else vector,))
        return Piece(rest=(vector, (self.a.transposed(self.a.ones), 9)))

    def _factors(self, number: WholeNumber) -> Piece:
        """A whole number in sizes."""
        if isinstance(number, Whole) and len(number.parts) == 1:
            ((m, c),) = number.parts
            return Piece(Fraction(c), tuple((self.symbol(s), 9) for s in m))  # type: ignore[misc]
        return Piece(over=(self.whole(number),))

    def _atom(self, node: Node, text: Expression, turned: bool = False) -> Piece:
        if not node.shape:
            return Piece(over=(text,))
        if turned:
            return Piece(rest=((self.a.transposed(self.a.within(text, 9)), 8),))
        return Piece(rest=(text,))

    def core(self, node: Node, shape: nodes.Shape) -> tuple[Node, tuple[int, ...]]:
        """An operand without the axes of a result along which it does not change, and those that it has."""
        lacking = len(shape) - len(node.shape)
        used = [k for k in range(len(node.shape)) if node.shape[k] != 1 or shape[lacking + k] == 1]
        if isinstance(node, nodes.Take) and (node.places or not node.guards):
            asked = {s.number for p in (*node.places, *node.guards) for s in symbols_of(p, Axis)}
            used = [k for k in used if k in asked and node.shape[k] != 1]
        elif making.constant(node) is not None:
            used = []
        if len(used) == len(node.shape):
            return node, tuple(lacking + k for k in used)
        at = iter(range(len(used)))
        places = [whole(Axis(next(at))) if k in used else 0 for k in range(len(node.shape))]
        cut = self.short.taken(node, places, tuple(node.shape[k] for k in used))
        return cut, tuple(lacking + k for k in used)

    def _product(self, node: nodes.Map, turned: bool) -> Piece | None:
        (one, ours), (other, theirs) = (self.core(n, node.shape) for n in node.arguments)
        if not ours or not theirs:
            number, array = (one, other) if not ours else (other, one)
            axes = ours or theirs
            left = self.number_piece(number)
            if not axes:
                return left.times(self.number_piece(array)).times(
                    self._all_ones(node.shape, turned)
                )
            if len(axes) == len(node.shape):
                return left.times(self.piece(array, turned))
            return left.times(self._spread(array, axes, node.shape, turned))
        rank, both = len(node.shape), {*ours, *theirs}
        if rank == 2 and len(ours) == len(theirs) == 1 and len(both) == 2:
            column, row = (one, other) if ours == (0,) else (other, one)
            return self._outer(column, row, turned)
        if rank == 2 and {len(ours), len(theirs)} == {1, 2}:
            vector, axes, matrix = (one, ours, other) if len(ours) == 1 else (other, theirs, one)
            scale, scaled = self._diagonal(vector), self.piece(matrix, turned)
            if is_identity(matrix):
                return scale
            first = (axes == (0,)) != turned
            rest = (*scale.rest, *scaled.rest) if first else (*scaled.rest, *scale.rest)
            return replace(scale.times(scaled), rest=rest)
        if len(ours) == rank == len(theirs):
            for mask, array in ((one, other), (other, one)):
                shown = self.triangle(mask)
                if shown is not None and rank == 2:
                    inner = self.piece(array)
                    inside = self.shown(replace(inner, coefficient=Fraction(1), over=(), under=()))
                    return self._atom(node, (shown(inside[0]), 9), turned).times(
                        replace(inner, rest=())
                    )
            left, right = self.piece(one), self.piece(other)
            if left == right and len(left.rest) and self.chained(left.rest)[1] < 9:
                base = self.a.within(self.chained(left.rest), 9)
                squared = self.a.sup(base, f"{self.a.entrywise.strip()}2"), 4
                return replace(left.times(right), rest=()).times(self._atom(node, squared, turned))
            numbers = replace(left, rest=()).times(replace(right, rest=()))
            texts = [self.shown(Piece(rest=p.rest)) for p in (left, right)]
            sides = [
                self.a.within(text, 2.2 if "⊙" in text[0] or "odot" in text[0] else 3)
                for text in texts
            ]
            return numbers.times(self._atom(node, (self.a.entrywise.join(sides), 2.2), turned))
        return None

    def number_piece(self, node: Node) -> Piece:
        """The number that an array has at every entry, as a product."""
        value = making.constant(node)
        if value is not None and node.shape == ():
            return self.piece(node if isinstance(node, nodes.Number) else making.number(value))
        found = self.piece(node)
        if found.rest:  # a product of vectors is one factor beside others
            return replace(found, rest=(), over=(*found.over, self.chained(found.rest)))
        return found

    def scaled_indicator(self, node: nodes.Take, turned: bool) -> Piece:
        """A number where guards hold, as that number times ones."""
        ones = making.take(making.number(1), (), node.shape, node.guards)
        return self.number_piece(node.of).times(self.piece(ones, turned))

    def _outer(self, column: Node, row: Node, turned: bool) -> Piece:
        if turned:
            column, row = row, column
        left, right = self.piece(column), self.piece(row, True)
        return left.times(right)

    def _diagonal(self, vector: Node) -> Piece:
        inner = self.piece(vector)
        inside = self.chained(inner.rest)[0] if inner.rest else "1"
        return replace(inner, rest=((self.a.call(self.a.function("diag"), inside), 9),))

    def _spread(
        self, array: Node, axes: tuple[int, ...], shape: nodes.Shape, turned: bool
    ) -> Piece:
        """A vector beside a matrix: the same in each column or row."""
        if len(axes) == 1 and len(shape) == 2 and shape[1 - axes[0]] == 1:
            return self.piece(array, (axes == (1,)) != turned)
        if len(axes) == 1 and len(shape) == 2:
            ones = making.full(making.number(1), (shape[1 - axes[0]],))
            return self._outer(*((array, ones) if axes == (0,) else (ones, array)), turned)
        letters = self.letters(len(shape))
        text = self.a.sub(self.a.within(self.text(array), 9), "".join(letters[k] for k in axes))
        return Piece(rest=((self.a.sub(f"({text})", "".join(letters)), 9),))

    def _quotient(self, node: nodes.Map, turned: bool) -> Piece | None:
        (top, ours), (low, theirs) = (self.core(n, node.shape) for n in node.arguments)
        if not theirs:
            below = self.number_piece(low)
            if below.coefficient == 0:
                return None
            if len(ours) == len(node.shape):
                return self.piece(top, turned).times(below.inverse)
            if not ours:
                return (
                    self.number_piece(top)
                    .times(below.inverse)
                    .times(self._all_ones(node.shape, turned))
                )
            return self._spread(top, ours, node.shape, turned).times(below.inverse)
        rank = len(node.shape)
        if rank == 2 and len(theirs) == 1 and len(ours) == 2:
            scale = self.text(low)[0]
            diagonal = (self.a.inverse(self.a.call(self.a.function("diag"), scale)), 9)
            scaled = self.piece(top, turned)
            first = (theirs == (0,)) != turned
            rest = (diagonal, *scaled.rest) if first else (*scaled.rest, diagonal)
            return replace(scaled, rest=rest)
        if len(theirs) == rank and not ours:
            above = self.number_piece(top)
            return above.times(self._atom(node, self.a.quotient(("1", 9), self.text(low)), turned))
        if len(theirs) == rank == len(ours):
            above = self.piece(top)
            numbers = replace(above, rest=())
            text = self.chained(above.rest) if above.rest else ("1", 9)
            sides = self.a.within(text, 3), self.a.within(self.text(low), 3)
            return numbers.times(self._atom(node, (self.a.over_entries.join(sides), 2.2), turned))
        return None

    def _chain(self, node: nodes.Contract, turned: bool) -> Piece | None:
        """A product of matrices and vectors, or an outer one."""
        if len(node.factors) == 1:
            return self._sum(node, turned)
        one, other = node.factors
        ranks = len(one.shape), len(other.shape)
        if not node.shape:
            return self._inner(node)
        if is_matrix_product(node) and max(ranks) < 3:
            if ranks == (1, 2):  # a row; as a column it is the transposed matrix by the vector
                return (
                    self._joined((other, not turned), (one, False))
                    if not turned
                    else (self._joined((one, True), (other, False)))
                )
            if not turned:
                return self._joined((one, False), (other, False))
            return self._joined((other, True), (one, True))
        if ranks == (1, 1):
            return self._outer(one, other, turned)
        return None

    def _joined(self, *factors: tuple[Node, bool]) -> Piece:
        found = Piece()
        for node, turned in factors:
            one = self.piece(node, turned)
            if len(one.rest) == 0:
                one = replace(one, rest=(("1", 9),))
            found = found.times(one)
        return found

    def _inner(self, node: nodes.Contract) -> Piece:
        """A number: the product of two vectors, or that of the entries of two matrices, summed."""
        (one, other), (ours, theirs) = node.factors, node.axes
        if is_square(node):
            found = self.piece(one)
            inside = self.chained(found.rest)[0] if found.rest else "1"
            under = "F" if len(ours) == 2 else ""
            squared = self.a.sup(self.a.norm(inside, under), "2"), 4
            numbers = replace(found, rest=())
            return numbers.times(numbers).times(Piece(over=(squared,)))
        if len(ours) == 1:
            return self._joined((one, True), (other, False))
        found = self._joined((one, ours == theirs), (other, False))
        trace = self.a.call(self.a.function("tr"), self.chained(found.rest)[0])
        return replace(found, rest=(), over=(*found.over, (trace, 9)))

    def _sum(self, node: nodes.Contract, turned: bool) -> Piece | None:
        (of,), (axes,) = node.factors, node.axes
        if isinstance(of, nodes.Build) and node.result == axes[1:]:
            text = self.running(self.a.sum_sign, of)
            return self._atom(node, text, turned)
        if len(axes) > 2:
            return None
        ones = self.a.ones, 9
        row = self.a.transposed(self.a.ones), 9
        if not node.shape:
            left, right = Piece(rest=(row,)), Piece(rest=(ones,) if len(axes) == 2 else ())
            return left.times(self.piece(of)).times(right)
        flips = node.result == axes[1:]
        if turned:
            return Piece(rest=(row,)).times(self.piece(of, not flips))
        return self.piece(of, flips).times(Piece(rest=(ones,)))

    def running(self, sign: str, of: nodes.Build) -> Expression:
        """A sum or product over the entries that a position has."""
        ranges: list[str] = []
        names: list[str] = []
        images: dict[Any, str] = {}
        while True:
            names.append(self.letter_for(of.position))
            with self.scope({**images, of.position: names[-1]}):
                ranges.append(self.below(of.position, names[-1]))
            images[of.position] = names[-1]
            inner = of.entry
            deeper = isinstance(inner, nodes.Contract) and len(inner.factors) == 1
            within = inner.factors[0] if deeper else None  # type: ignore[union-attr]
            if sign != self.a.sum_sign or not isinstance(within, nodes.Build) or inner.shape:
                break
            of = within
        outer = self._scopes[-1]
        with self.scope(images) as made:
            lines: list[Any] = made
            self.needed_by(inner)
            self._sums += [(len(self._scopes) - 1, name) for name in names]
            body = self.a.within(self.text(inner), 2)
        del self._sums[len(self._sums) - len(names) :]
        for line in lines:  # what has a name in it
            line.over[:0] = ranges
        outer += lines
        self.free(*names)
        return self.a.running(sign, ", ".join(ranges), body), 1.5

    def terms(self, node: Node) -> list[Piece]:
        """The terms of a sum."""
        if isinstance(node, nodes.Map) and node.function in SUMS and self.named(node) is None:
            return self._terms(node)
        return [self._as_term(node, node.shape)]

    def _terms(self, node: nodes.Map) -> list[Piece]:
        found: list[Piece] = []
        for k, argument in enumerate(node.arguments):
            minus = node.function == "negative" or (node.function == "subtract" and k)
            same = argument.shape == node.shape
            every = self.terms(argument) if same else [self._as_term(argument, node.shape)]
            for one in every:
                one = replace(one, coefficient=-one.coefficient) if minus else one
                alike = [
                    n for n, p in enumerate(found) if replace(p, coefficient=one.coefficient) == one
                ]
                total = one.coefficient + sum(found[n].coefficient for n in alike)
                number = not (one.over or one.under or one.rest)
                if alike and total:
                    found[alike[0]] = replace(one, coefficient=total)
                elif alike and number and len(found) > 1:
                    del found[alike[0]]
                else:
                    found.append(one)
        return found

    def _as_term(self, node: Node, shape: nodes.Shape) -> Piece:
        core, axes = self.core(node, shape)
        if not axes:
            return self.number_piece(core)
        if len(axes) == len(shape) or (node.shape == shape and not isinstance(node, nodes.Take)):
            return self.piece(core)
        return self._spread(core, axes, shape, False)


def is_transposed(node: nodes.Take) -> bool:
    """Whether it is a part of a matrix, with rows for columns."""
    axes = [[*affine(place)[1]] for place in node.places if affine(place)[1]]
    return len(node.shape) == 2 and axes == [[1], [0]]


def is_decimal(value: Fraction) -> bool:
    """Whether a number is written as a decimal: one with few places, and not a usual fraction."""
    return value.denominator > 9 and 10**6 % value.denominator == 0 and abs(value) < 10**8
