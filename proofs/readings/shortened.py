"""A statement as a person would write it, still in nodes: zeros and ones leave, steps of recursions are next states.

Every node that is made here has the entries of the one that it stands for. Conditions that what leaves had put on the
inputs are those of the statement that was recorded, not of this one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..statement import binding, making, nodes
from ..statement.conditions import asked
from ..statement.nodes import Node
from ..statement.order import nonnegative
from ..statement.statement import OUTERMOST, Relation, Statement, every_node
from ..statement.whole import Axis, Position, Whole, substituted, whole
from ..statement.whole import Number as WholeNumber
from .reading import is_matrix_product
from .recognised import (
    indicator,
    is_identity,
    is_part,
    is_plain,
    is_small,
    is_zero,
    number_everywhere,
    squared,
    zeros,
)
from .taking import affine

SMALL = 4
"""Of so many operations at most an entry is written where it is taken, and not as an entry of the whole array."""
LARGE = 40
"""The same where a relation is told entry by entry."""
PEELED = OUTERMOST + 1_000
"""Marks from here on are those of positions of entries that a relation is told for, one by one."""


class Shortening:
    """Rewrites nodes; `of` is to be asked for the sides of a statement, and for whatever else is in it."""

    def __init__(self) -> None:
        self._known: dict[Node, Node] = {}
        self._turns: dict[nodes.Recursion, nodes.Recursion] = {}
        self._after: dict[Node, Node] = {}
        """What a step makes of the states of a recursion at some time, with the state after that step."""
        self._told: set[Any] = set()
        self._total: dict[Node, bool] = {}
        self._small = SMALL

    def statement(self, statement: Statement) -> Statement:
        """The statement, with its relations told entry by entry where a side is an array that is made so."""
        for side in statement.nodes:
            self._find_steps(side)
        return replace(
            statement,
            relations=tuple(map(self._relation, statement.relations)),
            hypotheses=tuple(
                replace(one, bounds=tuple(map(self._relation, one.bounds)))
                for one in statement.hypotheses
            ),
            parameters=tuple(
                nodes.Parameter(one.path, self.of(one.of)) for one in statement.parameters
            ),
        )

    def _relation(self, one: Relation) -> Relation:
        left, right, each = self.of(one.left), self.of(one.right), list(one.each)
        while one.kind in ("equal", "at_most"):
            built = [s.position for s in (left, right) if isinstance(s, nodes.Build)]
            deep = all(len(s.shape) > 2 and not number_everywhere(s) for s in (left, right))
            if not built and not deep:
                break
            low, high = (built[0].low, built[0].high) if built else (0, left.shape[0])
            position = Position(PEELED + len(each), low, high)
            each.append(position)
            place = whole(position) - low
            self._small = LARGE
            left, right = (self._row(s, place) if s.shape else s for s in (left, right))
            self._small = SMALL
        return replace(one, left=left, right=right, each=tuple(each))

    def _row(self, node: Node, place: WholeNumber) -> Node:
        if isinstance(node, nodes.Build):
            return self._entered(node, place)
        return self.taken(node, (place, *making.places_of(node.shape[1:])), node.shape[1:])

    def _entered(self, node: nodes.Build, place: WholeNumber) -> Node:
        found = binding.replaced(node.entry, {node.position: place + node.position.low})
        return self.of(found) if found in self._after else found

    # Nodes.

    def of(self, node: Node) -> Node:
        """The node that stands for a node."""
        if node not in self._known:
            for one in nodes.operands_first(node, lambda n: n not in self._known):
                later = self._after.get(one)
                self._known[one] = self._node(one) if later is None else self.of(later)
        return self._known[node]

    def _node(self, node: Node) -> Node:
        match node:
            case nodes.Build():
                position, entry = binding.opened(node)
                self._find_steps(entry)
                return self._built(position, self.of(entry))
            case nodes.Gradient():
                point, loss = binding.opened_loss(node)
                self._find_steps(loss)
                return binding.gradient(point, self.of(loss), self.of(node.at))
            case nodes.Loop():
                return nodes.Loop(self._recursion(node.recursion), node.number)
            case nodes.Take():
                return self.taken(self.of(node.of), node.places, node.lengths, node.guards)
            case nodes.Map():
                return self._map(node.function, [*map(self.of, node.arguments)], node.lengths)
            case nodes.Contract():
                return self._contracted([*map(self.of, node.factors)], node.axes, node.result)
            case nodes.Norm():
                return self._norm(node.kind, self.of(node.of))
            case nodes.Fold():
                return self._fold(node.operation, self.of(node.of))
        kind: Any = type(node)
        made = kind(*map(self._inside, nodes.arguments(node)))
        if isinstance(made, nodes.Join):
            return self._join(made)
        return made

    def _is_total(self, node: Node) -> bool:
        """Whether it has a value whatever the inputs are, so that it may leave with a factor 0."""
        if node not in self._total:
            self._total[node] = not any(map(asked, every_node([node])))
        return self._total[node]

    def _inside(self, value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(map(self._inside, value))
        return self.of(value) if isinstance(value, Node) else value

    def _recursion(self, r: nodes.Recursion) -> nodes.Recursion:
        if r not in self._turns:
            time, states, steps = binding.opened_turns(r)
            for step in steps:
                self._find_steps(step)
            start = [*map(self.of, r.start)]
            self._turns[r] = binding.recursion(time, states, start, [*map(self.of, steps)])
        return self._turns[r]

    def _find_steps(self, node: Node) -> None:
        """Note what steps make of states that the node speaks of: it is their next state."""
        for one in every_node([node]):
            if not (isinstance(one, nodes.Take) and isinstance(one.of, nodes.Loop)):
                continue
            r, place = one.of.recursion, one.places[0]
            axes = isinstance(place, Whole) and any(isinstance(s, Axis) for s in place.symbols)
            if axes or (r, place) in self._told:
                continue
            self._told.add((r, place))
            if not (nonnegative(place) and nonnegative(r.turns - 1 - place)):
                continue
            rows = [making.row(nodes.Loop(r, k), place) for k in range(len(r.states))]
            images = {r.time: r.time.low + place, **dict(zip(r.states, rows, strict=True))}
            known: dict[Node, Node] = {}
            for k, step in enumerate(r.steps):
                after = binding.replaced(step, images, known)
                if isinstance(after, nodes.Map | nodes.Contract):
                    self._after[after] = making.row(nodes.Loop(r, k), place + 1)

    def _built(self, position: Position, entry: Node) -> Node:
        """An array by its entries: a part of another one where these are its entries in order."""
        shape = (position.length, *entry.shape)
        if position not in entry.free:
            if isinstance(entry, nodes.Number | nodes.Take) and making.constant(entry) is not None:
                return making.take(entry, making.places_of(shape)[1:], shape)
        elif isinstance(entry, nodes.Take) and position not in entry.of.free:
            images: dict[Any, Any] = {position: whole(Axis(0)) + position.low}
            images |= {Axis(k): whole(Axis(k + 1)) for k in range(len(entry.shape))}
            if not any(isinstance(n, Whole) and position in n.free for n in shape):
                places = [substituted(place, images) for place in entry.places]
                guards = [substituted(guard, images) for guard in entry.guards]
                return making.take(entry.of, places, shape, guards)
        return binding.build(position, entry)

    def _map(self, function: str, arguments: Sequence[Node], shape: nodes.Shape) -> Node:
        zero = [is_zero(a) for a in arguments]
        numbers = [number_everywhere(a) for a in arguments]
        if shape and None not in numbers:
            return making.spread(self._map(function, [n for n in numbers if n], ()), shape)
        if function == "multiply":
            if any(zero) and all(map(self._is_total, arguments)):
                return zeros(shape)
            both = indicator(arguments[0], arguments[1], shape)
            if both is not None:
                return both
        elif function == "negative" and zero[0]:
            return zeros(shape)
        elif function == "divide" and zero[0]:
            made = making.entrywise(function, *arguments)
            if self._is_total(made):
                return zeros(shape)
        elif (
            function == "subtract" and arguments[0] is arguments[1] and self._is_total(arguments[0])
        ):
            return zeros(shape)
        elif function == "subtract" and zero[0] and not zero[1]:
            return making.spread(making.entrywise("negative", arguments[1]), shape)
        elif function in ("add", "subtract") and any(zero):
            kept = arguments[0 if zero[1] else 1]
            return making.spread(kept, shape)
        elif function == "power" and arguments[1] == making.number(1):
            return making.spread(arguments[0], shape)
        return making.spread(making.entrywise(function, *arguments), shape)

    def _join(self, node: nodes.Join) -> Node:
        parts = [part for part in node.parts if part.shape[node.axis] != 0]
        if all(map(is_zero, node.parts)) or not parts:
            return zeros(node.shape)
        return making.joined(parts, node.axis)

    def _norm(self, kind: str, of: Node) -> Node:
        rank = 1 if kind == "euclidean" else 2
        if len(of.shape) == rank:
            return nodes.Norm(kind, of)
        return self._by_rows(of.shape[0], lambda place: self._norm(kind, self._row(of, place)))

    def _fold(self, operation: str, of: Node) -> Node:
        if making.constant(of) == 1:
            return making.number(1)
        return nodes.Fold(operation, self._by_entries(of) if len(of.shape) == 1 else of)

    def _by_entries(self, of: Node) -> Node:
        """A vector by its entries; where it is a part of another one, counted as that one's."""
        if isinstance(of, nodes.Build):
            return of
        low: WholeNumber = 0
        if isinstance(of, nodes.Take) and len(of.places) and not of.guards:
            start, steps = affine(of.places[0])
            low = start if steps == {0: 1} else 0
        position = binding.fresh(low, low + of.shape[0])
        return binding.build(position, self._row(of, whole(position) - low))

    def _by_rows(self, length: WholeNumber, entry: Callable[[WholeNumber], Node]) -> Node:
        position = binding.fresh(0, length)
        return self._built(position, entry(whole(position)))

    # Products.

    def _contracted(
        self, factors: Sequence[Node], axes: Sequence[Sequence[int]], result: Sequence[int]
    ) -> Node:
        if len(factors) == 1:
            factors, axes = squared(factors[0], axes[0])
        lengths: dict[int, WholeNumber] = {}
        for names, one in zip(axes, factors, strict=True):
            lengths |= dict(zip(names, one.shape, strict=True))
        shape = tuple(lengths[name] for name in result)
        if len(factors) < 3 and any(n == 1 and name not in result for name, n in lengths.items()):
            return self._without_ones(factors, axes, result, lengths)
        if any(map(is_zero, factors)) and all(map(self._is_total, factors)):
            return zeros(shape)
        made = making.contracted(factors, axes, result)
        if not isinstance(made, nodes.Contract):
            return made
        for one, other in ((0, 1), (1, 0)) if is_matrix_product(made) else ():
            if is_identity(made.factors[one]) and len(made.shape) < 3:
                return made.factors[other]
        if is_plain(made):
            return made
        factors, axes, result = made.factors, made.axes, made.result
        batch = result[:1] if result else ()
        if batch:
            length = made.shape[0]
            return self._by_rows(
                length, lambda place: self._peeled(factors, axes, result, batch[0], place)
            )
        summed = next(name for names in axes for name in names)
        (length,) = {
            n
            for p, f in zip(axes, factors, strict=True)
            for a, n in zip(p, f.shape, strict=True)
            if a == summed
        }
        position = binding.fresh(0, length)
        entry = self._peeled(factors, axes, result, summed, whole(position))
        return making.total(binding.build(position, entry))

    def _without_ones(
        self,
        factors: Sequence[Node],
        axes: Sequence[Sequence[int]],
        result: Sequence[int],
        lengths: Mapping[int, WholeNumber],
    ) -> Node:
        """The same product without the sums over axes of length 1."""
        name = next(k for k, n in lengths.items() if n == 1 and k not in result)
        return self._peeled(factors, axes, result, name, 0)

    def _peeled(
        self,
        factors: Sequence[Node],
        axes: Sequence[Sequence[int]],
        result: Sequence[int],
        name: int,
        place: WholeNumber,
    ) -> Node:
        """The same product at one place of an axis."""
        found: list[Node] = []
        left: list[list[int]] = []
        for one, names in zip(factors, axes, strict=True):
            kept = [k for k, n in enumerate(names) if n != name]
            at = iter(range(len(kept)))
            places = [place if n == name else whole(Axis(next(at))) for n in names]
            found.append(self.taken(one, places, tuple(one.shape[k] for k in kept)))
            left.append([names[k] for k in kept])
        kept_result = [n for n in result if n != name]
        scalars = [one for one, names in zip(found, left, strict=True) if not names]
        rest = [(one, names) for one, names in zip(found, left, strict=True) if names]
        product: Node | None = None
        if rest:
            product = self._contracted([o for o, _ in rest], [n for _, n in rest], kept_result)
        for one in reversed(scalars):
            product = (
                one if product is None else self._map("multiply", [one, product], product.shape)
            )
        return making.number(1) if product is None else product

    # Entries taken from elsewhere.

    def taken(
        self,
        of: Node,
        places: Sequence[WholeNumber],
        shape: nodes.Shape,
        guards: Any = frozenset(),
    ) -> Node:
        """Entries of an array that is short already: those of its operands where they are as short."""
        ends = {Axis(k): 0 for k, length in enumerate(shape) if length == 1}
        places = [substituted(place, ends) for place in places]
        guards = frozenset(substituted(guard, ends) for guard in guards)
        node = making.take(of, places, shape, guards)
        if is_zero(node):
            return zeros(shape)
        if not isinstance(node, nodes.Take) or node.guards:
            return node
        of, places = node.of, node.places
        found: Node | None = None
        match of:
            case nodes.Positions() if not shape:
                return making.number(places[0])  # type: ignore[arg-type]
            case nodes.Join():
                found = self._of_join(of, places, shape)
            case nodes.Build() if not affine(places[0])[1] and (
                of.position.length == 1 or self._is_small(of.entry)
            ):
                found = self.taken(self._entered(of, places[0]), places[1:], shape)
            case nodes.Map() if self._is_small(of) and is_part(node):
                arguments = []
                for one in of.arguments:
                    lacking = len(of.shape) - len(one.shape)
                    at = [0 if n == 1 else places[lacking + k] for k, n in enumerate(one.shape)]
                    arguments.append(self.taken(one, at, shape) if at else one)
                found = self._map(of.function, arguments, shape)
            case nodes.Contract() if self._is_small(of) and is_plain(of) and is_part(node):
                found = self._of_product(of, places, shape)
        return node if found is None else found

    def _is_small(self, node: Node) -> bool:
        return is_small(node, self._small)

    def _of_product(
        self, of: nodes.Contract, places: Sequence[WholeNumber], shape: nodes.Shape
    ) -> Node:
        """Rows, columns or entries of a matrix product, by those of its factors."""
        factors, axes, result = [*of.factors], [*map(list, of.axes)], list(of.result)
        left: list[WholeNumber] = []
        for name, place in zip(of.result, places, strict=True):
            _, steps = affine(place)
            n = next(n for n, names in enumerate(axes) if name in names)
            names, one = axes[n], factors[n]
            kept = [k for k, other in enumerate(names) if other != name or steps]
            at = {k: whole(Axis(m)) for m, k in enumerate(kept)}
            length = 0
            if steps:
                ((axis, _),) = steps.items()
                left.append(whole(Axis(axis)))
                length = shape[axis]
                place = substituted(place, {Axis(axis): at[names.index(name)]})
            else:
                axes[n] = [other for other in names if other != name]
                result.remove(name)
            inside = [place if other == name else at[k] for k, other in enumerate(names)]
            lengths = [length if names[k] == name else one.shape[k] for k in kept]
            factors[n] = self.taken(one, inside, tuple(lengths))
        found = self._contracted(factors, axes, result)
        return self.taken(found, left, shape) if left else making.spread(found, shape)

    def _of_join(
        self, of: nodes.Join, places: Sequence[WholeNumber], shape: nodes.Shape
    ) -> Node | None:
        """Entries of the one part that they all lie in."""
        place, start = places[of.axis], 0
        _, steps = affine(place)
        if len(steps) == 1 and is_part(nodes.Take(of, tuple(places), frozenset(), shape)):
            ((axis, step),) = steps.items()
            whole_axis = shape[axis] == of.shape[of.axis] and place == whole(Axis(axis))
            if whole_axis and step == 1 and all(map(self._is_small, of.parts)):
                parts = []
                for part in of.parts:
                    lengths = [*shape]
                    lengths[axis] = part.shape[of.axis]
                    parts.append(self.taken(part, places, tuple(lengths)))
                return making.joined(parts, axis)
        for part in of.parts:
            end = start + part.shape[of.axis]
            if nonnegative(place - start, shape) and nonnegative(end - 1 - place, shape):
                inside = [*places]
                inside[of.axis] = place - start
                return self.taken(part, inside, shape)
            start = end
        return None


def shortened(statement: Statement) -> Statement:
    """The statement as a person would write it."""
    return Shortening().statement(statement)
