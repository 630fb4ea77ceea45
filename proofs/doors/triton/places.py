"""What is known of whole numbers while one program is read: signs, quotients, places in arrays.

The number of programs, or of turns, that a quotient such as ⌈T / 64⌉ is, is no polynomial. It is a size of its own of
which the quotient's inequalities are known; what is read may not speak of it in the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import permutations

from ...statement.order import STEPS, multiples, nonnegative
from ...statement.whole import Number, Position, Size, Whole, parts, substituted, whole
from ..refused import Refused
from .values import Guards, Shape

NONE: Guards = frozenset()


class Apart(Exception):
    """A program's number is to be read as that of two axes: q·by + r."""

    def __init__(self, position: Position, by: Number) -> None:
        super().__init__("a program's number is a place on two axes")
        self.position, self.by = position, by


@dataclass(frozen=True)
class Quotient:
    """A whole part that is no polynomial, of which `number` − `by` · it is between 0 and `by` − 1."""

    size: Size
    number: Number
    by: int


@dataclass
class Known:
    """What holds in the program that is read."""

    programs: dict[Position, Number] = field(default_factory=dict)
    """The positions that programs' numbers are made of, with how many values each has."""
    quotients: dict[tuple[Number, int], Quotient] = field(default_factory=dict)
    path: Guards = NONE
    """What is ≥ 0 where the operations that are read are done, inside of conditions."""

    @property
    def always(self) -> Known:
        """What also holds where the conditions around the operations do not."""
        return replace(self, path=NONE)

    @property
    def facts(self) -> Guards:
        """All that is ≥ 0."""
        found: set[Number] = set(self.path)
        for one in self.quotients.values():
            rest = one.number - whole(one.size) * one.by
            found |= {rest, one.by - 1 - rest}
        return frozenset(found)

    def nonnegative(self, number: Number, shape: Shape = (), guards: Guards = NONE) -> bool:
        """Whether a number is ≥ 0 at all sizes and positions where the guards hold."""
        if not isinstance(number, Whole):
            return number >= 0
        return nonnegative(number, shape) or nonnegative(number, shape, self.facts | guards)

    def within(
        self, place: Number, length: Number, shape: Shape = (), guards: Guards = NONE
    ) -> bool:
        """Whether a place lies on an axis of this length."""
        return self.nonnegative(place, shape, guards) and self.nonnegative(
            length - 1 - place, shape, guards
        )

    def divided(
        self, number: Number, by: Number, shape: Shape = (), guards: Guards = NONE
    ) -> tuple[Number, Number] | None:
        """q and r with number = q·by + r and 0 ≤ r < by, where they are seen.

        Raises:
            Apart: if they are once a program's number is one of two axes.
        """
        if by == 1:
            return number, 0
        if not self.nonnegative(by - 1, shape, guards):
            return None
        whole_part, rest = multiples(number, by)
        for _ in range(STEPS):
            if self.within(rest, by, shape, guards):
                return whole_part, rest
            if self.nonnegative(rest - by, shape, guards):
                step = 1
            elif self.nonnegative(-rest - 1, shape, guards):
                step = -1
            else:
                break
            whole_part, rest = whole_part + step, rest - by * step
        self._expect_whole_programs(number, by)
        return None

    def _expect_whole_programs(self, number: Number, by: Number) -> None:
        """Ask for a program's number as one of two axes, where a quotient would then be seen."""
        for position in number.symbols if isinstance(number, Whole) else ():
            if position not in self.programs or not isinstance(position, Position):
                continue
            factor = number - substituted(number, {position: 0})
            factor = substituted(factor, {position: 1})
            if mentions_any(factor, position) or factor == 0:
                continue
            times, rest = multiples(by, factor)
            if rest != 0 or times == 1:
                continue
            count, rest = multiples(self.programs[position], times)
            if rest == 0 and count != 1:
                raise Apart(position, times)

    def quotient(self, number: Number, by: int) -> Number:
        """The whole part of number / by, a size of its own where it is no polynomial.

        Raises:
            Refused: if the number, or what it is divided by, may be below 0, so that the size would be none.
        """
        seen = self.divided(number, by)
        if seen is not None:
            return seen[0]
        if by < 1 or not self.always.nonnegative(number):
            raise Refused("a whole part of a number, or by one, that may be below 0 is not seen")
        if (number, by) not in self.quotients:
            least = 1 if self.nonnegative(number - by) else 0
            size = Size(f"quotient {len(self.quotients)}", least)
            self.quotients[number, by] = Quotient(size, number, by)
        return whole(self.quotients[number, by].size)

    def bounded(self, number: Number) -> Number:
        """A number of sizes that this one exceeds nowhere, without quotients."""
        for one in self.quotients.values():
            found: Number = 0
            for m, c in parts(number):
                rest = tuple(symbol for symbol in m if symbol != one.size)
                term: Number = c
                for symbol in rest:
                    term = term * whole(symbol)
                for _ in range(len(m) - len(rest)):
                    exact = term.parts[0][1] if isinstance(term, Whole) else term
                    if c < 0:
                        term = 0
                    elif exact % one.by == 0:
                        term = multiples(term, one.by)[0] * one.number
                    else:
                        term = term * one.number
                found = found + term
            number = found
        return number

    def speaks_of(self, number: Number) -> Quotient | None:
        """A quotient that a number speaks of."""
        for one in self.quotients.values():
            if mentions_any(number, one.size):
                return one
        return None


def mentions_any(number: Number, *symbols: object) -> bool:
    """Whether a number, or the range of a position in it, speaks of one of these."""
    waiting = [number]
    while waiting:
        one = waiting.pop()
        for symbol in one.symbols if isinstance(one, Whole) else ():
            if symbol in symbols:
                return True
            if isinstance(symbol, Position):
                waiting += [symbol.low, symbol.high]
    return False


@dataclass(frozen=True)
class Layout:
    """How an array lies in memory: its axes, the slowest first, without gaps."""

    lengths: tuple[Number, ...]
    order: tuple[int, ...]

    @property
    def count(self) -> Number:
        """How many entries there are."""
        found: Number = 1
        for one in self.lengths:
            found = found * one
        return found

    @property
    def in_memory(self) -> tuple[Number, ...]:
        """The lengths, those of the slowest axis first."""
        return tuple(self.lengths[k] for k in self.order)

    def places(
        self, offset: Number, known: Known, shape: Shape, guards: Guards
    ) -> tuple[Number, ...] | None:
        """The places along the array's axes of an entry so far behind the first, where they are seen to be inside."""
        found: dict[int, Number] = {}
        for k in reversed(self.order[1:]):
            pair = known.divided(offset, self.lengths[k], shape, guards)
            if pair is None:
                return None
            offset, found[k] = pair
        if self.order:
            found[self.order[0]] = offset
            if not known.within(offset, self.lengths[self.order[0]], shape, guards):
                return None
        elif offset != 0:
            return None
        return tuple(found[k] for k in range(len(self.lengths)))


def layout(lengths: Sequence[Number], strides: Sequence[Number]) -> Layout | None:
    """How an array with these strides lies in memory; None where its entries do not lie side by side."""
    wide = [k for k, n in enumerate(lengths) if n != 1]
    units = [k for k in range(len(lengths)) if k not in wide]
    for order in permutations(wide):
        step: Number = 1
        for k in reversed(order):
            if strides[k] != step:
                break
            step = step * lengths[k]
        else:
            return Layout(tuple(lengths), (*units, *order))
    return None
