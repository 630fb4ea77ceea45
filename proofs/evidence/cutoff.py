"""All sizes from finitely many: a claim's footprint bounds how large a smallest counterexample can be.

*Theorem.* Let both sides of an equation have footprints (`reading.footprint`), and let f be the free positions of an
entry: those along its axes, and those of loops. For a size n from `least` on write

    V = |f| + k,   T = max(reach + spread, ranges of f, largest offset of f + 1, rim + 1),
    B = max(least, (V + 1) T + k · spread + |f| · (range of offsets of f) + 2 rim) + D,

D = degree + the number of poles, counted with multiplicity. If the equation holds for all sizes with every n ≤ its B,
it holds at all sizes. Where the footprint is even in n, n = max(least, V), …, max(least, V) + D are enough.

*Proof.* Multiply by the poles, which are nowhere 0. The coefficient of a monomial m in left − right at an entry f is
a sum over the terms, and over the ways to choose the bound positions j such that the term's coordinates are those of
m. Every j is a position that m touches, less an offset ≤ spread. Which choices there are follows from comparing
differences of the points 0, n, f, m with offsets; each is < T, so it follows from these differences cut off at T. For
a choice φ depends on the points 0, n, f, j; a difference with a j is one with a position of m but for at most
`spread`, so φ's dependence on gaps up to its reach is one on gaps between 0, n, f, m up to T. So, for the order and
the gaps < T given, the coefficient is a polynomial Q of degree ≤ D in the lengths of the gaps ≥ T.

Suppose Q ≠ 0 somewhere at sizes ≥ least. Fix the gaps < T, and shorten the others to lengths b ≥ T with Σ b as small
as can be while n ≥ least. A polynomial of degree ≤ D that vanishes at all b + e, e ≥ 0 whole with Σ e ≤ D, is 0; so
at one of these points Q ≠ 0. What n is there? The positions lie in V + 2 clusters: one about each point of f and each
j, and one about either end. The clusters' widths add up to what stands in B beside (V + 1) T; between them are V + 1
gaps, each ≤ T. So n ≤ B, and the equation fails at that size. For several sizes do this for each: Q has degree ≤ D in
the gaps along each of them. In the even case Q depends on n and on which positions are equal, and m has at most V of
them: for n ≥ V every case occurs, and Q is a polynomial of degree ≤ D in n. ∎

That the claim has such a footprint is what `read` computes, without the kernel, by running its body once with symbols
for sizes. It rests on what every reading rests on: a body may branch on sizes only where that is decided by their
least values, and a loop over `each` carries nothing from turn to turn. The latter is tested: two turns are read, and
a statement that speaks of another turn's position is refused; and with numbers the loops must say the same backwards.
The checks up to the bound run the claim itself.
"""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from math import prod
from typing import Any

import numpy as np

from ..exact.scalar import DivisionByZero, NotPolynomial
from ..language.claim import Claim, call
from ..language.errors import UsageError
from ..language.sizes import grid, shape
from ..language.statements import Equal
from ..reading.affine import Affine, NotUniform, Size, Symbol, Turns, of, turns
from ..reading.footprint import Footprint, add, point, scale
from ..reading.footprint_array import FootprintArray, aligned, array, symbols
from ..reading.footprint_cells import separate
from ..reading.footprint_namespace import Namespace
from ..reading.questions import Unreadable, listening
from .engines import FLINT, holds, sides

TURNS = 3
"""Loops are run backwards at this size, or the least that has to be checked."""
SECONDS = 60.0
"""A claim is given up when its checks up to the bound take longer."""
MONOMIALS = 10_000_000
"""It is not begun where the two sides may have more monomials than about this many."""


@dataclass(frozen=True)
class Bound:
    """Along one size: the largest value to check, and whether the smaller ones need no check."""

    first: int
    last: int


@dataclass(frozen=True)
class Cutoff:
    """An identity that holds at all sizes because it does up to the bounds."""

    bounds: dict[str, int]
    checked: list[dict[str, int]] = field(default_factory=list)
    seconds: float = 0.0

    def evidence(self) -> dict[str, Any]:
        entry = {"method": "cutoff", "scope": "all-sizes", "sizes": self.checked}
        return {**entry, "engine": "flint", "axioms": []}


def cutoff(claim: Claim, seconds: float = SECONDS) -> Cutoff | str:
    """The claim at all sizes, or why not.

    Args:
        claim: the claim; all its statements must be equations.
        seconds: how long the checks up to the bound may take.
    """
    if not claim.ranges:
        return "it speaks of no sizes"
    try:
        measured = _measured(claim)
    except Unreadable as error:
        return f"no cutoff is known: {error}"
    except Exception as error:  # a claim's body is foreign code
        return f"no cutoff is known ({type(error).__name__}): {error}"
    return _checked(claim, measured, seconds)


def bounds(claim: Claim, mutate: Callable[[Any], Any] | None = None) -> dict[str, Bound]:
    """The sizes that have to be checked, from `first` to `last` for each.

    Args:
        claim: the claim.
        mutate: a change of the construction's parameters.

    Raises:
        NotUniform: if none are known; or what a body raises that cannot do with symbols.
    """
    return _measured(claim, mutate).ends


@dataclass(frozen=True)
class _Measured:
    ends: dict[str, Bound]
    work: float
    loops: bool
    """Whether the body has loops over `each`."""


def _measured(claim: Claim, mutate: Callable[[Any], Any] | None = None) -> _Measured:
    """The bounds of whichever sizes are kept separate (`footprint_cells.separate`) with the least to check."""
    sizes = {n: Symbol(n, Affine(min(values))) for n, values in claim.ranges.items()}
    found, reason = [], None
    for r in range(len(sizes) + 1):
        for apart in combinations(sizes.values(), r):
            token = separate.set(frozenset(apart))
            loops = Turns()
            try:
                sides = read(claim, sizes, loops, mutate)
            except Unreadable as error:
                reason = reason or error
                continue
            finally:
                separate.reset(token)
            entries = [e for left, right in sides for e in _entries(left, right)]
            ends = {n: _bound([_of(e, s) for e in entries], s) for n, s in sizes.items()}
            last = {s: ends[n].last for n, s in sizes.items()}
            work = sum(e.monomials(last) for e in entries)
            found.append(_Measured(ends, work, bool(loops.every)))
    if reason is not None and not found:
        raise reason
    best = min(found, key=lambda one: one.work)
    if best.work > MONOMIALS:
        last = ", ".join(f"{n} ≤ {b.last}" for n, b in best.ends.items())
        raise NotUniform(f"up to {last} there may be {best.work:.0e} monomials, too many to check")
    return best


def read(
    claim: Claim,
    sizes: Mapping[str, Symbol],
    loops: Turns,
    mutate: Callable[[Any], Any] | None = None,
) -> list[tuple[FootprintArray, FootprintArray]]:
    """Both sides of the claim's equations as arrays of footprints."""
    if claim.body is None:
        raise NotUniform("it is not checked by machine")
    token = turns.set(loops)
    try:
        known: Any = {name: Size(of(s)) for name, s in sizes.items()}
        given = {name: symbols(shape(text, known)) for name, text in claim.given.items()}
        values = {**given, **known, "xp": Namespace()}
        with listening():
            parameters = claim.construct(values)
            if mutate is not None:
                parameters = mutate(parameters)
            found = call(claim.body, {**values, "p": parameters, **claim.options})
            if not inspect.isgenerator(found):
                found = list(found) if isinstance(found, Iterable) else [found]
                if loops.every:
                    raise NotUniform("a loop whose statements are collected, not yielded")
            return [_sides(statement, loops) for statement in found]
    finally:
        turns.reset(token)


def _sides(statement: Any, loops: Turns) -> tuple[FootprintArray, FootprintArray]:
    if not isinstance(statement, Equal):
        raise NotUniform("it says more than equations")
    left, right = aligned(array(statement.left), array(statement.right))
    for one in _entries(left, right):
        own = one.free - one.axes
        if own - loops.running:
            raise NotUniform("a loop that carries something from turn to turn")
    return left, right


@dataclass(frozen=True)
class _Entry:
    """left − right at entries with these free positions."""

    difference: Footprint
    axes: frozenset[Symbol]
    free: frozenset[Symbol]
    """All that it speaks of, the positions along its axes among them."""

    def monomials(self, last: Mapping[Symbol, int]) -> float:
        """About how many there are in all these entries at the largest sizes."""
        entries = prod(last[v.size] for v in self.axes)
        each = [prod(last[s] ** k for s, k in t.bound) for t in self.difference.terms]
        return entries * max(each, default=0)


def _entries(left: FootprintArray, right: FootprintArray) -> Iterator[_Entry]:
    for place in np.ndindex(left.entries.shape):
        difference = add(left.entries[place], scale(right.entries[place], -1))
        cells = [a[j] for a, j in zip(left.axes, place, strict=True)]
        axes = frozenset(c.at for c in cells if c.at is not None)
        free = difference.positions() | axes
        more = set(free)
        while more:
            ranges = {s for v in more for e in v.ends for s in e.symbols}
            more = {s for s in ranges if not s.is_size} - free
            free |= more
        yield _Entry(difference, axes, frozenset(free))


@dataclass(frozen=True)
class _Case:
    """What the theorem needs, for one entry and one size."""

    positions: int
    degree: int
    even: bool
    width: int
    """(V + 1) T and the widths of the clusters."""


def _of(one: _Entry, size: Symbol) -> _Case:
    known, terms = one.difference.of(size), one.difference.terms
    free = [v for v in one.free if v.size is size]
    bound = max((dict(t.bound).get(size, 0) for t in terms), default=0)
    poles = one.difference.poles.items()
    degree = known.degree + sum(n for p, n in poles if any(s.size is size for s in p.symbols))
    offsets = {o for t in terms for v, *ends in t.touches if v.size is size for o in ends} | {0}
    reach, even = max(known.reach, 1), known.even
    for v in free:
        even = even and (v.low, v.high) == (Affine(0), of(size))
        for end in v.ends:
            _, offset = point(end)
            reach = max(reach, abs(offset) + 1)
    far = max(reach + known.spread, *(abs(o) + 1 for o in offsets), known.rim + 1)
    V = len(free) + bound
    width = (V + 1) * far + bound * known.spread + 2 * known.rim
    return _Case(V, degree, even, width + len(free) * (max(offsets) - min(offsets)))


def _bound(cases: list[_Case], size: Symbol) -> Bound:
    least = int(size.low.const)
    degree = max((c.degree for c in cases), default=0)
    if all(c.even for c in cases):
        first = max([least, *(c.positions for c in cases)])
        return Bound(first, first + degree)
    return Bound(least, max([least, *(c.width for c in cases)]) + degree)


def _checked(claim: Claim, measured: _Measured, seconds: float) -> Cutoff | str:
    """The claim itself at every choice of sizes, smallest first."""
    began, ranges = time.perf_counter(), measured.ends
    last = {name: b.last for name, b in ranges.items()}
    checked: list[dict[str, int]] = []
    took: dict[tuple[int, ...], float] = {}
    every = grid({name: range(b.first, b.last + 1) for name, b in ranges.items()})
    for sizes in every:
        before = time.perf_counter()
        if before - began + _expected(took, sizes) > seconds:
            return f"checks up to {last} take longer than {seconds:.0f} s; {len(checked)} were made"
        try:
            statements = FLINT.statements(claim, sizes)
            if not all(isinstance(s, Equal) and holds(s) for s in statements):
                return f"it does not hold at {sizes}"
        except NotPolynomial:
            return "it needs exp or log"
        except (UsageError, DivisionByZero, ValueError) as error:
            return f"at {sizes}: {error}"
        took[tuple(sizes.values())] = time.perf_counter() - before
        checked.append(sizes)
    few = {name: max(b.first, TURNS) for name, b in ranges.items()}
    if measured.loops and not _same_backwards(claim, few):
        return (
            "a loop may carry something from turn to turn: run backwards it does not say the same"
        )
    return Cutoff(last, checked, time.perf_counter() - began)


class _Backwards(int):
    """A size from which `each` counts down."""

    loops = 0

    def __add__(self, other: int) -> _Backwards:
        return _Backwards(int(self) + other)

    __radd__ = __add__

    def __sub__(self, other: int) -> _Backwards:
        return _Backwards(int(self) - other)

    def symbolic_range(self, first: int, last: int) -> Iterable[int]:
        _Backwards.loops += 1
        return reversed(range(int(first), int(last) + 1))


def _same_backwards(claim: Claim, few: Mapping[str, int]) -> bool:
    """Whether the claim says the same when its loops, of which there are some, run backwards."""
    before, said = _Backwards.loops, []
    for count in (int, _Backwards):
        statements = FLINT.statements(claim, {name: count(n) for name, n in few.items()})
        pairs = [sides(s) for s in statements]
        said.append(sorted(str([list(map(str, a.entries.flat)) for a in p]) for p in pairs))
    return said[0] == said[1] and _Backwards.loops > before


def _expected(took: dict[tuple[int, ...], float], sizes: dict[str, int]) -> float:
    """What the next check may take: the growth from two steps below to one step below, once more."""
    place, worst = tuple(sizes.values()), 0.0
    for k in range(len(place)):
        one, two = (took.get((*place[:k], place[k] - d, *place[k + 1 :])) for d in (1, 2))
        if one is not None:
            worst = max(worst, one * (min(max(one / two, 1), 8) if two else 2))
    return worst
