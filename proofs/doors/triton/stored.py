"""What an array holds after all programs have stored into it.

A place that is stored at is a number whose digits are programs, turns and lanes: each of these is a digit of one axis,
of a step that is the product of the numbers of values of those below. So no two write one place, and which one does is
seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...statement import binding, choices, making, nodes, placing
from ...statement.errors import IllFormed
from ...statement.nodes import Node
from ...statement.order import multiples, nonnegative
from ...statement.reshaping import reshaped
from ...statement.whole import Axis, Number, Position, Whole, substituted, whole
from ..infinities import Value
from .lanes import Lanes, Unlike
from .values import Guards

Symbol = Any
"""A program's position, or an axis of what is stored."""


@dataclass(frozen=True)
class Digit:
    """A program, turn or lane as a digit of a place."""

    symbol: Symbol
    step: Number
    count: Number
    """How many values it has where something is stored."""


@dataclass(frozen=True)
class Line:
    """The places along one axis of an array: digits, the one with the greatest step first, and where they begin."""

    digits: tuple[Digit, ...]
    start: Number

    @property
    def reach(self) -> Number:
        """How many places they make."""
        first = self.digits[0] if self.digits else Digit(None, 1, 1)
        return first.step * first.count


def written(at: Any, array: Any, stores: Sequence[Any]) -> Value:
    """An array after its stores, in the program's order.

    Raises:
        Refused: if what is stored where is not seen, or two programs may store at one place.
    """
    layout = array.layout
    held, seen = array.value.node, []
    is_flat = any(_places(at, layout, one) is None for one in stores)
    lengths = (layout.count,) if is_flat else layout.lengths
    if is_flat:
        held = reshaped(making.permuted(held, layout.order), lengths)
    for store in stores:
        at.here = type(at.here)("tt.store", store.line)
        inside = None if is_flat else _places(at, layout, store)
        places = (store.offset,) if inside is None else inside
        one = _Written(at, array.name, store, places, lengths)
        for other in seen:
            _expect_one_program(at, array.name, one, other)
        seen.append(one)
        one.is_alone = len(stores) == 1
        held = one.over(held)
    if is_flat:
        in_memory = reshaped(held, layout.in_memory)
        order = [layout.order.index(k) for k in range(len(layout.order))]
        held = making.permuted(in_memory, order)
    return Value(held, array.value.dtype)


def _places(at: Any, layout: Any, store: Any) -> Sequence[Number] | None:
    return layout.places(store.offset, at.known, store.node.shape, store.guards)


def _expect_one_program(at: Any, name: str, one: _Written, other: _Written) -> None:
    """Refuse two stores unless each place is stored at by one program, and by one turn if both are in loops."""
    for symbol in at.known.programs:
        mine, theirs = (_alone(each.lines, symbol) for each in (one, other))
        if mine is None or mine != theirs:
            raise at.refuse(
                f"that two stores into {name} by different programs are at different places is not seen"
            )
    if one.store.turns and other.store.turns:
        mine, theirs = (_alone(each.lines, Axis(0)) for each in (one, other))
        if mine is None or mine != theirs or one.store.turns + other.store.turns > 2:
            raise at.refuse(f"in which order two stores in loops write into {name} is not seen")


def _alone(lines: Sequence[Line], symbol: Symbol) -> tuple[int, Number] | None:
    """The axis along which a symbol is the place, and where it begins."""
    for k, line in enumerate(lines):
        if len(line.digits) == 1 and line.digits[0].symbol == symbol:
            return k, line.start
    return None


class _Written:
    """One store by all programs."""

    def __init__(
        self, at: Any, name: str, store: Any, places: Sequence[Number], lengths: Sequence[Number]
    ) -> None:
        self.at, self.name, self.store, self.lengths = at, name, store, tuple(lengths)
        self.is_alone = True
        """Whether nothing else is stored into the array."""
        self.shape = store.node.shape
        self.counts: dict[Symbol, Number] = {
            **{Axis(k): n for k, n in enumerate(self.shape) if n != 1},
            **at.known.programs,
        }
        units = {Axis(k): 0 for k, n in enumerate(self.shape) if n == 1}
        self.guards: Guards = frozenset(substituted(g, units) for g in store.guards)
        self.lines = [self._line(substituted(place, units)) for place in places]
        used = [digit.symbol for line in self.lines for digit in line.digits]
        if len(set(used)) < len(used):
            raise at.refuse(f"a place of {name} of which two axes have one program, turn or lane")
        for symbol in self.counts:
            if symbol not in used:
                raise at.refuse(f"{self._said(symbol)} store at one place of {name}")

    def _said(self, symbol: Symbol) -> str:
        if isinstance(symbol, Position):
            return f"several programs ({self.at.said(whole(symbol))})"
        return "several turns of a loop" if symbol.number < self.store.turns else "several lanes"

    def _line(self, place: Number) -> Line:
        """A place as digits."""
        steps: dict[Symbol, Number] = {}
        start = place
        for symbol in self.counts:
            step = substituted(place, {symbol: 1}) - substituted(place, {symbol: 0})
            if step != 0:
                steps[symbol] = step
                start = start - step * whole(symbol)
        if any(
            s in self.counts for n in (start, *steps.values()) for s in getattr(n, "symbols", ())
        ):
            raise self.at.refuse(
                f"a place of {self.name} that is no sum of programs, turns and lanes"
            )
        digits: list[Digit] = []
        radix: Number = 1
        below: Number = 0
        while steps:
            symbol = next((s for s, step in steps.items() if step == radix), None)
            if symbol is None:
                raise self._not_digits(place)
            count = self.counts[symbol]
            del steps[symbol]
            below = below + whole(symbol) * radix
            following = self._following(steps, radix, count, below)
            if following is None and steps:
                raise self._not_digits(place)
            if following is not None:
                count, _ = multiples(following, radix)
            digits.insert(0, Digit(symbol, radix, count))
            radix = 1 if following is None else following  # the last one has no following
        return Line(tuple(digits), start)

    def _following(
        self, steps: dict[Symbol, Number], radix: Number, count: Number, below: Number
    ) -> Number | None:
        """The next digit's step: the least number that all below do not reach where something is stored."""
        for step in steps.values():
            if step == radix * count:
                return step
        for step in steps.values():
            times, rest = multiples(step, radix)
            if (
                rest == 0
                and nonnegative(count - times)
                and self.at.known.nonnegative(step - 1 - below, self.shape, self.guards)
            ):
                return step
        return None

    def _not_digits(self, place: Number) -> Any:
        return self.at.refuse(
            f"that programs and lanes store at different places of {self.name}, and leave none out, is not seen: "
            f"place {self.at.said(place)}"
        )

    # What the array holds.

    def over(self, held: Node) -> Node:
        """The array with what is stored."""
        guards = self._guards()
        value = self._array(self.store.node)
        if self.store.mask is None and not guards:
            self._expect_polynomial(value)
            return value
        if self.is_alone and isinstance(held, nodes.Opaque):
            where = [self.at.said(g) for g in sorted(guards, key=str)] or ["a mask of data"]
            raise self.at.refuse(
                f"{self.name}, which is not written before, is written where {' and '.join(where)} ≥ 0 alone"
            )
        mask = making.take(making.number(1), (), self.lengths, guards)
        if self.store.mask is not None:
            mask = choices.both(mask, self._array(self.store.mask))
        found = choices.select(mask, value, held)
        self._expect_polynomial(found)
        return found

    def _guards(self) -> Guards:
        """Where something is stored, in the positions of the array."""
        images: dict[Any, Number] = {}
        kept: set[Number] = set()
        for k, line in enumerate(self.lines):
            here = whole(Axis(k + MARK)) - line.start
            if not line.digits:
                kept |= {here, -here}
                continue
            kept |= {here, line.reach - 1 - here}
            last = line.digits[-1]
            for digit in line.digits[:-1]:
                here = here - whole(digit.symbol) * digit.step
            images[last.symbol] = here
        for guard in self.guards:
            if self.at.known.nonnegative(guard, self.shape):
                continue
            image = substituted(guard, images)
            if any(s in self.counts for s in getattr(image, "symbols", ())):
                if self._is_of_digits(guard):
                    continue
                raise self.at.refuse(
                    f"a mask under which is stored into {self.name} that says something of lanes, and not of places"
                )
            kept.add(image)
        back = {Axis(k + MARK): whole(Axis(k)) for k in range(len(self.lines))}
        found = (substituted(one, back) for one in kept)
        return frozenset(g for g in found if not self.at.known.nonnegative(g, self.lengths))

    def _is_of_digits(self, guard: Number) -> bool:
        """Whether a mask says no more than that a digit is one."""
        inside = {
            digit.count - 1 - whole(digit.symbol) for line in self.lines for digit in line.digits
        }
        return self.at.known.nonnegative(guard, self.shape, frozenset(inside))

    def _array(self, node: Node) -> Node:
        """What is stored at each place; beyond the guards it is anything."""
        lines = list(self.lines)
        for k, line in enumerate(lines):
            if len(line.digits) > 1:
                pushed = self._by_places(node, lines, k)
                if pushed is not None:
                    node = pushed
                    last = line.digits[-1].symbol
                    lines[k] = Line((Digit(last, 1, self.lengths[k]),), 0)
        order: list[Symbol] = [digit.symbol for line in lines for digit in line.digits]
        node = self._along(node, order)
        shape = [digit.count for line in lines for digit in line.digits]
        for k, (own, wanted) in enumerate(zip(node.shape, shape, strict=True)):
            if own != wanted:
                node = placing.sliced(node, k, 0, wanted)
        node = reshaped(node, [line.reach for line in lines])
        places = [whole(Axis(k)) - line.start for k, line in enumerate(lines)]
        places = [0 if line.reach == 1 else p for p, line in zip(places, lines, strict=True)]
        guards = [
            g
            for place, line in zip(places, lines, strict=True)
            for g in placing.within(place, line.reach)
            if not self.at.known.nonnegative(g, self.lengths)
        ]
        node = making.take(node, places, self.lengths, guards)
        if node.free & set(self.at.known.programs):
            raise self.at.refuse(
                f"what is stored into {self.name} depends on which program stores it"
            )
        return node

    def _along(self, node: Node, order: Sequence[Symbol]) -> Node:
        """The node with programs as axes, in this order; axes of length 1 are gone."""
        gone = [k for k in range(len(node.shape)) if Axis(k) not in order]
        kept = [k for k in range(len(node.shape)) if Axis(k) in order]
        axes: list[Number] = [0] * len(node.shape)
        for n, k in enumerate(kept):
            axes[k] = whole(Axis(n))
        node = making.take(node, axes, tuple(node.shape[k] for k in kept)) if gone else node
        symbols: list[Symbol] = [Axis(k) for k in kept]
        for symbol in order:
            if isinstance(symbol, Position):
                node = binding.build(symbol, node)
                symbols.insert(0, symbol)
        return making.permuted(node, [symbols.index(symbol) for symbol in order])

    def _by_places(self, node: Node, lines: Sequence[Line], k: int) -> Node | None:
        """The node with one axis for an axis of the array in the place of its last digit, where the others vanish."""
        line = lines[k]
        last = line.digits[-1].symbol
        if not isinstance(last, Axis):
            return None
        stand_ins: dict[Any, Position] = {}
        place = whole(last) - line.start
        for digit in line.digits[:-1]:
            symbol = digit.symbol
            if isinstance(symbol, Axis):
                stand_ins[symbol] = binding.fresh(0, digit.count)
                symbol = stand_ins[symbol]
            place = place - whole(symbol) * digit.step
        places = [
            place if Axis(n) == last else whole(stand_ins.get(Axis(n), Axis(n)))
            for n in range(len(node.shape))
        ]
        shape = list(node.shape)
        shape[last.number] = self.lengths[k]
        for symbol in stand_ins:
            shape[symbol.number] = 1
        gone = frozenset(s for s in getattr(place, "symbols", ()) if isinstance(s, Position))
        lanes = Lanes(self.at.known, whole(last) - place, self.lengths[k], gone)
        try:
            found = lanes.of(node, places, tuple(shape))
        except (Unlike, IllFormed):
            return None
        return None if gone & found.free or found.free - node.free else found

    def _expect_polynomial(self, node: Node) -> None:
        """Refuse what speaks of a quotient of sizes that is no polynomial."""
        seen: set[Node] = set()
        waiting = [node]
        while waiting:
            one = waiting.pop()
            if one in seen:
                continue
            seen.add(one)
            for number in _numbers(one):
                quotient = self.at.known.speaks_of(number)
                if quotient is not None:
                    number, by = self.at.said(quotient.number), quotient.by
                    raise self.at.hinges(
                        quotient.number,
                        by,
                        f"what is stored depends on the whole part of ({number}) / {by}; give that length as a "
                        f"multiple of {by}, such as n*{by}",
                    )
            waiting += _inside(one)


MARK = 10_000
"""Axes of arrays are told from those of what is stored by numbers as great."""


def _numbers(node: Node) -> list[Number]:
    """The whole numbers that a node speaks of itself."""
    found: list[Any] = [*node.shape]
    match node:
        case nodes.Take():
            found += [*node.places, *node.guards]
        case nodes.Number():
            found.append(node.value)
        case nodes.Positions():
            found.append(node.length)
        case nodes.Loop():
            found.append(node.recursion.turns)
    return [n for n in found if isinstance(n, Whole)]


def _inside(node: Node) -> list[Node]:
    found = list(node.operands)
    match node:
        case nodes.Build():
            found.append(node.entry)
        case nodes.Loop():
            found += node.recursion.steps
    return found
