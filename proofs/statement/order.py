"""What holds of whole numbers at all sizes: linear inequalities as the kernel sees them, products by least values.

An answer is True where it is seen, and False where it is not.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from math import prod

from ..kernel.index import Index
from ..kernel.inequalities import implied
from .whole import Axis, Monomial, Number, Position, Size, Symbol, Whole, at, parts, whole


def nonnegative(
    number: Number,
    shape: tuple[Number, ...] = (),
    given: frozenset[Number] = frozenset(),
) -> bool:
    """Whether number ≥ 0 at all sizes and positions where all that is `given` is ≥ 0.

    An `Axis` in it runs along the axis of `shape`.
    """
    if not isinstance(number, Whole):
        return number >= 0
    return _nonnegative(number, shape, given)


def excluded(given: frozenset[Number], shape: tuple[Number, ...] = ()) -> bool:
    """Whether these numbers are seen to be ≥ 0 all at once nowhere."""
    return any(nonnegative(-one - 1, shape, given - {one}) for one in given)


def sign(number: Number) -> bool | None:
    """Whether number ≥ 0 at all sizes (True), or < 0 at all (False); None if neither is seen."""
    if nonnegative(number):
        return True
    return False if nonnegative(-number - 1) else None


@lru_cache(maxsize=100_000)
def _nonnegative(number: Whole, shape: tuple[Number, ...], given: frozenset[Number]) -> bool:
    known = [number, *given, *(f for one in (number, *given) for f in _facts(one, shape))]
    known += [f for one in (number, *given) for f in _multiplied(one, shape)]
    numbers: dict[Monomial, int] = {}
    rows = [_linear(one, numbers) for one in known]
    for m in [m for m in numbers if len(m) > 1]:  # a product is at least that of the least values
        if all(map(_is_natural, m)):
            rows.append(Index(-prod(_least(symbol) or 0 for symbol in m), {numbers[m]: 1}))
    return implied(rows[0], rows[1:]) or _by_least_values(number)


def _linear(number: Number, numbers: dict[Monomial, int]) -> Index:
    """The number as an index of the kernel, each monomial a variable."""
    terms = {m: c for m, c in parts(number) if m}
    for m in terms:
        numbers.setdefault(m, len(numbers) + 1)
    constant = dict(parts(number)).get((), 0)
    return Index(constant, {numbers[m]: c for m, c in terms.items()})


def _facts(number: Number, shape: tuple[Number, ...]) -> Iterator[Number]:
    """What is ≥ 0 of all symbols that a number speaks of, and of those in the ranges of these."""
    seen: set[Symbol] = set()
    waiting = list(number.symbols) if isinstance(number, Whole) else []
    while waiting:
        symbol = waiting.pop()
        if symbol in seen:
            continue
        seen.add(symbol)
        for fact in _of_symbol(symbol, shape):
            yield fact
            waiting += fact.symbols if isinstance(fact, Whole) else []


def _multiplied(number: Number, shape: tuple[Number, ...]) -> Iterator[Number]:
    """What is ≥ 0 of products in a number: what is of one factor, times the others where these are ≥ 0."""
    for m, _ in parts(number):
        for k, symbol in enumerate(m):
            others = m[:k] + m[k + 1 :]
            if others and all(map(_is_natural, others)):
                yield from (_monomial(others, 1) * fact for fact in _of_symbol(symbol, shape))


def _of_symbol(symbol: Symbol, shape: tuple[Number, ...]) -> tuple[Number, ...]:
    one = whole(symbol)
    if isinstance(symbol, Size):
        return (one - symbol.least,)
    if isinstance(symbol, Axis):
        return one, shape[symbol.number] - 1 - one
    return one - symbol.low, symbol.high - 1 - one


def largest(number: Number, shape: tuple[Number, ...] = ()) -> Number:
    """A number of sizes alone that this one exceeds nowhere: positions take their ends, those of axes first."""
    while isinstance(number, Whole):
        axes = [one for one in number.symbols if isinstance(one, Axis)]
        positions = [one for one in number.symbols if isinstance(one, Position)]
        if axes:
            number = _at_ends(number, axes[0], 0, shape[axes[0].number])
        elif positions:
            last = max(positions, key=lambda one: one.mark)
            number = _at_ends(number, last, last.low, last.high)
        else:
            break
    return number


def _at_ends(number: Whole, symbol: Symbol, low: Number, high: Number) -> Number:
    """The number with an end of its range for a symbol, in each monomial that which makes it greater."""

    def value(one: Symbol, end: Number) -> Number:
        return end if one == symbol else whole(one)

    every = [(_monomial(m, c), high - 1 if c > 0 else low) for m, c in number.parts]
    return sum((at(one, lambda s, end=end: value(s, end)) for one, end in every), start=0)


def _least(symbol: Symbol) -> int | None:
    if isinstance(symbol, Size):
        return symbol.least
    low = symbol.low if isinstance(symbol, Position) else 0
    return low if isinstance(low, int) else None


def _is_natural(symbol: Symbol) -> bool:
    least = _least(symbol)
    return least is not None and least >= 0


def _by_least_values(number: Whole) -> bool:
    """Whether all coefficients are ≥ 0 once each symbol is written as its least value and what it is more."""
    if any(_least(symbol) is None for symbol in number.symbols):
        return False
    above = at(number, lambda symbol: whole(symbol) + (_least(symbol) or 0))
    return all(c >= 0 for _, c in parts(above))


def divided(
    number: Number, by: Number, shape: tuple[Number, ...] = ()
) -> tuple[Number, Number] | None:
    """q and r with number = q·by + r and 0 ≤ r < by at all sizes and positions, where they are seen."""
    if not nonnegative(by - 1, shape):
        return None
    whole_part, rest = multiples(number, by)
    for _ in range(STEPS):
        if nonnegative(rest, shape) and nonnegative(by - 1 - rest, shape):
            return whole_part, rest
        step = 1 if nonnegative(rest - by, shape) else -1 if nonnegative(-rest - 1, shape) else 0
        if not step:
            return None
        whole_part, rest = whole_part + step, rest - by * step
    return None


def multiples(number: Number, by: Number) -> tuple[Number, Number]:
    """q and r with number = q·by + r: q is of the terms that the first term of the divisor, not 0, divides."""
    whole_part: Number = 0
    ((lead, scale), *_) = parts(by)
    for m, c in parts(number):
        left = list(m)
        for symbol in lead:
            if symbol in left:
                left.remove(symbol)
        if len(left) == len(m) - len(lead) and (c % scale == 0 or not m):
            whole_part = whole_part + _monomial(tuple(left), c // scale)
    return whole_part, number - whole_part * by


STEPS = 64
"""How often a divisor is taken off what is left."""


def quotient(number: Number, by: int) -> tuple[Number, int] | None:
    """The whole part and the remainder of number / by where they are seen; by ≥ 1."""
    left = {m: c for m, c in parts(number) if c % by}
    if any(left.keys()):
        return None
    rest = left.get((), 0) % by
    kept: Number = sum((_monomial(m, c // by) for m, c in parts(number - rest)), start=0)
    return kept, rest


def _monomial(m: Monomial, c: int) -> Number:
    return Whole(((m, c),)) if m and c else c
