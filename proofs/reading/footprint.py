"""Footprints: what is known of a family of polynomials, one for every size, without writing it down.

A family a(v) with free positions v is a finite sum, over *terms*, of

    Σ_{j ∈ Z^k} φ(v, j; n) · Π X[…]

where every coordinate of an entry X[…] is a free position, a bound one j, the low end 0 or the high end n, plus a
constant. Every bound position stands in some coordinate; how many there are is k. A footprint holds, for each size n,

- k, which free positions stand in coordinates, and with which offsets; which free positions are tied (v = u + c);
- T ("reach") and D ("degree"): φ is a polynomial of degree ≤ D in the lengths of those gaps between neighbours among
  0, n, v, j that are ≥ T, for each order of these and all values of the gaps < T. T = 0: φ is one polynomial;
- `even`: φ depends on n and on which positions are equal, all coordinates run over [0, n) without offset: nothing
  changes when the values 0, …, n − 1 are permuted;
- the largest offsets: within one bound position ("spread"), and from the ends ("rim");
- poles: φ may be divided by these affine numbers, which are never 0.

Every function below says why its result is of this kind again. Sums may be too large a set of terms; that is sound,
since all that is read off are upper bounds. Coefficients are not kept, but for zero (no terms) and for numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, NamedTuple

from .affine import Affine, NotUniform, Symbol, least, nonnegative, of

TERMS = 400
"""More terms than this are too many."""
USED = ("used",)


class Bounds(NamedTuple):
    """What is known for one size."""

    reach: int = 0
    degree: int = 0
    even: bool = True
    spread: int = 0
    rim: int = 0

    def joined(self, other: Bounds, degree: int) -> Bounds:
        return Bounds(
            max(self.reach, other.reach),
            degree,
            self.even and other.even,
            max(self.spread, other.spread),
            max(self.rim, other.rim),
        )


NOTHING = Bounds()


@dataclass(frozen=True)
class Term:
    """The positions in one kind of monomial."""

    touches: tuple[tuple[Symbol, int, int], ...] = ()
    """Free positions that stand in coordinates, with the least and the greatest offset."""
    ties: tuple[tuple[Symbol, Affine], ...] = ()
    """v = u + c for the root u of v's class, a position, a size or 0; no root is tied."""
    bound: tuple[tuple[Symbol, int], ...] = ()
    """How many bound positions there are, by size."""
    carry: tuple[Any, ...] | None = None
    """The state of a scan itself, with the positions at which it stands, or `USED`: something made of it."""


@dataclass(frozen=True)
class Footprint:
    """The terms, and what is known of all of them."""

    terms: frozenset[Term] = frozenset()
    bounds: Mapping[Symbol, Bounds] = field(default_factory=dict)
    order: frozenset[Symbol] = frozenset()
    """Free positions that φ depends on."""
    poles: Mapping[Affine, int] = field(default_factory=dict)
    number: Affine | None = None
    """The exact value, where that is an affine number and known."""

    def __post_init__(self) -> None:
        if len(self.terms) > TERMS:
            raise NotUniform(f"more than {TERMS} kinds of monomials")

    def of(self, size: Symbol) -> Bounds:
        return self.bounds.get(size, NOTHING)

    def having(self, size: Symbol, order: Iterable[Symbol] = (), **changes: Any) -> Footprint:
        """The same with other bounds for one size; no exact number any more."""
        bounds = {**self.bounds, size: self.of(size)._replace(**changes)}
        return replace(self, bounds=bounds, order=self.order.union(order), number=None)

    def positions(self) -> set[Symbol]:
        """Every free position that it speaks of."""
        found = set(self.order)
        for t in self.terms:
            found |= {v for v, _, _ in t.touches} | {v for v, _ in t.ties}
            found |= {s for _, e in t.ties for s in e.symbols if not s.is_size}
            found |= set(t.carry[2]) if t.carry not in (None, USED) else set()
        return found | {s for p in self.poles for s in p.symbols if not s.is_size}


ZERO = Footprint(number=Affine(0))


def number(value: Affine) -> Footprint:
    """A number that may depend on sizes and positions: a polynomial of degree 1, everywhere the same one."""
    if value == Affine(0):
        return ZERO
    bounds = {}
    for s in value.symbols:
        even = s.is_size and bounds.get(s.size, NOTHING).even
        bounds[s.size] = Bounds(degree=1, even=even)
    order = frozenset(s for s in value.symbols if not s.is_size)
    return Footprint(frozenset([Term()]), bounds, order, number=value)


def coordinate(axes: Iterable[tuple[Symbol, bool]]) -> Footprint:
    """An entry of an array of symbols at these positions, each with whether its axis is all of [0, n)."""
    touches, bounds = [], {}
    for v, whole in axes:
        touches.append((v, 0, 0))
        even = whole and bounds.get(v.size, NOTHING).even
        bounds[v.size] = Bounds(even=even)
    return Footprint(frozenset([Term(tuple(sorted(touches)))]), bounds)


def add(a: Footprint, b: Footprint) -> Footprint:
    """a + b: the terms of both."""
    terms = a.terms | b.terms
    carried = [t for x in (a, b) for t in x.terms if t.carry not in (None, USED)]
    if len(carried) > 1:  # twice the state is not the state
        terms = frozenset(t if t.carry is None else replace(t, carry=USED) for t in terms)
    known = a.number is not None and b.number is not None
    value = a.number + b.number if known else None  # type: ignore[operator]
    if value == Affine(0):
        return ZERO
    if not a.terms or not b.terms:
        return b if not a.terms else a
    sizes = {*a.bounds, *b.bounds}
    bounds = {s: a.of(s).joined(b.of(s), max(a.of(s).degree, b.of(s).degree)) for s in sizes}
    poles = {p: max(a.poles.get(p, 0), b.poles.get(p, 0)) for p in {*a.poles, *b.poles}}
    return Footprint(terms, bounds, a.order | b.order, poles, value)


def either(a: Footprint, b: Footprint) -> Footprint:
    """One footprint for two families: a sum with coefficients of which nothing is known."""
    if a.number is not None and a.number == b.number:
        return a
    a, b = (replace(e, number=None, terms=frozenset(_used(t) for t in e.terms)) for e in (a, b))
    return add(a, b)


def multiply(a: Footprint, b: Footprint) -> Footprint:
    """a · b: bound positions of the two are different ones; φ of the product depends on the gaps of them all.

    The gaps between some of the points are sums of the gaps between all, and min(Σ g, T) follows from min(g, T).
    """
    if not a.terms or not b.terms:
        return ZERO
    one = Affine(1)
    if a.number == one or b.number == one:
        return a if b.number == one else b
    terms = {t for s in a.terms for r in b.terms if (t := _product(s, r)) is not None}
    bounds = {
        s: a.of(s).joined(b.of(s), a.of(s).degree + b.of(s).degree) for s in {*a.bounds, *b.bounds}
    }
    poles = {p: a.poles.get(p, 0) + b.poles.get(p, 0) for p in {*a.poles, *b.poles}}
    value = None
    for x, y in ((a.number, b.number), (b.number, a.number)):
        if x is not None and y is not None and not x.terms:
            value = y * x.const
    return Footprint(frozenset(terms), bounds, a.order | b.order, poles, value)


def scale(a: Footprint, factor: int | Fraction) -> Footprint:
    return multiply(a, number(Affine(factor)))


def divide(a: Footprint, b: Footprint) -> Footprint:
    """a / b for a number b that is never 0.

    Raises:
        NotUniform: for any other b.
    """
    if b.number is None:
        raise NotUniform("division by what is no number known to be affine in sizes and positions")
    if b.number == Affine(0):
        raise ZeroDivisionError("division by 0")
    if not b.number.terms:
        return scale(a, 1 / Fraction(b.number.const))
    leading = b.number.terms[0][1]
    pole = b.number * (1 / Fraction(leading))
    if all(low is None or low <= 0 for low in (least(pole), least(pole * -1))):
        raise NotUniform(f"division by {b.number}, which may be 0")
    if not a.terms:
        return ZERO
    result = replace(a, poles={**a.poles, pole: a.poles.get(pole, 0) + 1}, number=None)
    for s in pole.symbols:
        result = result.having(s.size, even=result.of(s.size).even and s.is_size)
    return replace(
        result,
        terms=frozenset(_used(t) for t in a.terms),
        order=result.order | {s for s in pole.symbols if not s.is_size},
    )


def guarded(a: Footprint, gap: Affine) -> Footprint:
    """a · [gap ≥ 0] for a difference of two of 0, n and positions, plus a constant.

    d + c ≥ 0 follows from d up to T = max(−c, c + 1), and 0 ≤ d follows from T = 1.
    """
    found = nonnegative(gap)
    if found is not None or not a.terms:
        return a if found else ZERO
    gap = gap.tight()
    return _dependent(a, gap, max(1, -int(gap.const), int(gap.const) + 1))


def _dependent(a: Footprint, gap: Affine, reach: int) -> Footprint:
    """A factor of φ that depends on one difference of two points, up to `reach`."""
    sizes = {s.size for s in gap.symbols}
    if len(sizes) != 1 or sorted(c for _, c in gap.terms) not in ([-1], [1], [-1, 1]):
        raise NotUniform(f"a condition on {gap}, which is no difference of two points")
    size = sizes.pop()
    now = a.of(size)
    result = a.having(size, reach=max(now.reach, reach), even=False)
    order = {s for s in gap.symbols if not s.is_size}
    return replace(result, order=a.order | order, terms=frozenset(_used(t) for t in a.terms))


def tied(a: Footprint, v: Symbol, target: Affine) -> Footprint:
    """a · [v = target], target being a point plus a constant."""
    u, offset = point(target)
    terms = {t for s in a.terms if (t := _tie(s, v, target)) is not None}
    if not terms:
        return ZERO
    now = a.of(v.size)
    even = now.even and offset == 0 and u is not None and not u.is_size
    result = a.having(v.size, reach=max(now.reach, abs(offset) + 1), even=even)
    order = a.order | {v} | ({u} if u is not None and not u.is_size else set())
    return replace(result, terms=frozenset(_used(t) for t in terms), order=order)


def point(e: Affine) -> tuple[Symbol | None, int]:
    """(symbol, offset), or (None, offset) from the low end."""
    if not e.terms:
        return None, int(e.const)
    if len(e.terms) != 1 or e.terms[0][1] != 1:
        raise NotUniform(f"{e} as an index")
    return e.terms[0][0], int(e.const)


def put(a: Footprint, v: Symbol, target: Affine) -> Footprint:
    """a with v := u + c: differences move by |c|, so that T grows by as much where φ depends on v."""
    if v not in a.positions():
        return a
    u, offset = point(target)
    if u is not None and u.size is not v.size:
        raise NotUniform(f"a position along {v.size} is put along {u.size}")
    terms = {t for s in a.terms if (t := _put(s, v, target)) is not None}
    now = a.of(v.size)
    rim = now.rim
    if u is None or u.is_size:
        ends = [
            abs(e + offset) for t in a.terms for w, lo, hi in t.touches if w is v for e in (lo, hi)
        ]
        rim = max([rim, *ends])
    reach = now.reach + (abs(offset) if now.reach and v in a.order else 0)
    even = now.even and offset == 0 and u is not None and not u.is_size
    if not terms:
        return ZERO
    value = None if a.number is None else a.number.put(v, target)
    order = a.order - {v}
    if v in a.order and u is not None and not u.is_size:
        order |= {u}
    bounds = {**a.bounds, v.size: now._replace(reach=reach, even=even, rim=rim)}
    poles: dict[Affine, int] = {}
    for p, n in a.poles.items():
        moved = p.put(v, target)
        poles[moved] = poles.get(moved, 0) + n
    constant = {p for p in poles if not p.terms}
    return Footprint(
        frozenset(terms),
        bounds,
        order,
        {p: n for p, n in poles.items() if p not in constant},
        value,
    )


def total(a: Footprint, v: Symbol, count: Affine) -> Footprint:
    """Σ over 0 ≤ v < count.

    In a term where v is tied to another point it is that point. Where v stands in a coordinate it becomes bound; it
    is renamed so that its least offset is 0. Else the sum over v of φ is taken gap by gap: a gap g ≥ 2T between
    neighbours has T values of v near either end and g − 2T + 1 between, over which φ is one polynomial in v; so its
    sum is a polynomial in g of one degree more, for g ≥ 2T.
    """
    if not a.terms:
        return ZERO
    if any(v in p.symbols for p in a.poles):
        raise NotUniform("a sum over a position that is divided by")
    size = v.size
    carried = frozenset(_used(t) for t in a.terms)
    if all(_free_of(t, v) for t in a.terms) and not a.of(size).reach:
        # φ is one polynomial, and so is its sum over a range whose length is ≥ 0.
        value = count * a.number.const if a.number is not None and not a.number.terms else None
        result = a.having(
            size, degree=a.of(size).degree + 1, even=a.of(size).even and count == of(size)
        )
        order = (a.order - {v}) | {s for s in count.symbols if not s.is_size}
        return replace(result, terms=carried, order=order, number=value)
    if count != of(size):
        a = _dependent(a, count - of(v), max(1, abs(int(count.const)) + 1))
    now = a.of(size)
    reach, degree, spread, rim = max(now.reach, 1), now.degree, now.spread, now.rim
    even = now.even
    most = reach
    terms = set()
    for t in carried:
        tie = _root_of(t, v)
        if tie is not None:
            u, offset = point(tie)
            most = max(most, reach + abs(offset))
            even = even and offset == 0 and u is not None and not u.is_size
            if u is None or u.is_size:
                rim = max(
                    [rim, *(abs(e + offset) for w, *ends in t.touches if w is v for e in ends)]
                )
            found = _put(t, v, tie)
            terms |= {found} if found is not None else set()
            continue
        touched = [(lo, hi) for w, lo, hi in t.touches if w is v]
        if touched:
            lo, hi = touched[0]
            most, spread = max(most, reach + abs(lo)), max(spread, hi - lo)
            bound = dict(t.bound)
            bound[size] = bound.get(size, 0) + 1
            rest = tuple(w for w in t.touches if w[0] is not v)
            terms.add(replace(t, touches=rest, bound=tuple(sorted(bound.items()))))
        else:
            most, degree = max(most, reach if even else 2 * reach), now.degree + 1
            terms.add(t)
    if not terms:
        return ZERO
    bounds = {**a.bounds, size: Bounds(most, degree, even, spread, rim)}
    return Footprint(frozenset(terms), bounds, a.order - {v}, a.poles)


def _free_of(t: Term, v: Symbol) -> bool:
    return all(w is not v for w, _, _ in t.touches) and _root_of(t, v) is None


def _used(t: Term) -> Term:
    return t if t.carry is None else replace(t, carry=USED)


def _root_of(t: Term, v: Symbol) -> Affine | None:
    """What v is in this term by its ties, in terms of another point."""
    for w, e in t.ties:
        if w is v:
            return e
    for w, e in t.ties:
        if v in e.symbols:
            return of(w) - e + of(v)
    return None


def _product(s: Term, t: Term) -> Term | None:
    bound = dict(s.bound)
    for size, count in t.bound:
        bound[size] = bound.get(size, 0) + count
    carry = None if s.carry is None and t.carry is None else USED
    result: Term | None = Term(
        _joined(s.touches + t.touches), s.ties, tuple(sorted(bound.items())), carry
    )
    for v, e in t.ties:
        result = None if result is None else _tie(result, v, e)
    return None if result is None else _settled(result)


def _joined(touches: Iterable[tuple[Symbol, int, int]]) -> tuple[tuple[Symbol, int, int], ...]:
    found: dict[Symbol, tuple[int, int]] = {}
    for v, lo, hi in touches:
        old = found.get(v, (lo, hi))
        found[v] = min(lo, old[0]), max(hi, old[1])
    return tuple(sorted((v, lo, hi) for v, (lo, hi) in found.items()))


def _tie(t: Term, v: Symbol, e: Affine) -> Term | None:
    """The term where v = e too; None where that is never so."""
    ties = dict(t.ties)
    gap = of(v) - e
    for s in gap.symbols:
        if s in ties:
            gap = gap.put(s, ties[s])
    free = [s for s in gap.symbols if not s.is_size]
    if not free:
        never = nonnegative(gap) is False or nonnegative(gap * -1) is False
        return None if never else t
    newest = free[-1]
    image = of(newest) - gap if dict(gap.terms)[newest] == 1 else of(newest) + gap
    ties = {w: f.put(newest, image) for w, f in ties.items()} | {newest: image}
    return _settled(replace(t, ties=tuple(sorted(ties.items()))))


def _settled(t: Term) -> Term:
    """Coordinates at a tied position are coordinates at its root, if that is a position."""
    ties = dict(t.ties)
    touches = []
    for v, lo, hi in t.touches:
        u, offset = point(ties[v]) if v in ties else (None, 0)
        known = u is not None and not u.is_size
        touches.append((u, lo + offset, hi + offset) if known else (v, lo, hi))
    return replace(t, touches=_joined(touches))


def _put(t: Term, v: Symbol, target: Affine) -> Term | None:
    u, offset = point(target)
    carry = t.carry
    if carry not in (None, USED):
        same = u is not None and not u.is_size and offset == 0
        places = tuple(u if w is v else w for w in carry[2])
        carry = carry if v not in carry[2] else (*carry[:2], places) if same else USED
    moved = [one for one in t.touches if one[0] is not v]
    if u is not None and not u.is_size:
        moved += [(u, lo + offset, hi + offset) for w, lo, hi in t.touches if w is v]
    result: Term | None = Term(_joined(moved), (), t.bound, carry)
    for w, e in t.ties:
        left, right = (target if w is v else of(w)), e.put(v, target)
        gap = left - right
        free = [s for s in gap.symbols if not s.is_size]
        if not free:
            if nonnegative(gap) is False or nonnegative(gap * -1) is False:
                return None
            continue
        newest = free[-1]
        image = of(newest) - gap if dict(gap.terms)[newest] == 1 else of(newest) + gap
        result = _tie(result, newest, image) if result is not None else None
    return result
