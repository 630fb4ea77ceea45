"""Norms of sums of products: each monomial is at most a product of norms of its factors.

Each monomial is bounded by itself (triangle inequality). Some of its bound indices are *coordinates*: each stands in
two places, along an end of a known norm. Every other index is summed over outside the absolute value. For fixed values
of those the monomial is a product of vectors and matrices, contracted along coordinates; an end of the norm is
contracted with a unit vector. Each factor has at most two coordinates, so what hangs together is a path, at most the
product of its factors' norms (submultiplicativity, and Cauchy–Schwarz at its ends), or a cycle, a trace, at most the
dimension times that product. A guard about one coordinate takes away entries of a vector, which makes no norm larger.
An entry, too, is at most the norm of the vector that it stands in.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from fractions import Fraction
from typing import NamedTuple

from ..kernel.index import Index, declared, facts, variable
from ..kernel.inequalities import implied
from ..kernel.term import NUMBER, Factor, Monomial, Pairs, Term, body, function_of, made
from .absolute import absolute
from .certificate import Plan
from .signs import ABS, Signs
from .statements import Inequality, Refused, expect, joined, summed, total


class Instance(NamedTuple):
    """A bound of one factor, with indices for its variables."""

    bound: Inequality
    images: dict[int, Index]

    def ends(self, coordinate: int) -> list[int]:
        """The ends of the norm whose image has this coordinate."""
        return [e for e in self.bound.ends if coordinate in self.images[e].variables()]


def majorised(left: Term, ends: Sequence[int], plans: Sequence[Plan | None], signs: Signs) -> Term:
    """A term without the ends that is at least the norm of `left` along them, each monomial by its plan.

    Without a plan a monomial stays as it is.
    """
    for end in ends:
        left = total(left, end)
    expect(len(plans) == len(left.parts), "a plan for each monomial")
    pairs, scope = [], left.scope
    for (m, c), plan in zip(left.parts.items(), plans, strict=True):
        if plan is None:
            pairs.append((m, c))
            continue
        most = bound(m, set(range(-m.bound, -m.bound + len(ends))), plan, scope, signs)
        pairs += [(n, d * abs(c)) for n, d in most.parts.items()]
        scope = scope | most.scope
    return made(pairs, scope | signs.spoken)


def bound(m: Monomial, ends: set[int], plan: Plan, scope: frozenset[int], signs: Signs) -> Term:
    """The bound of a monomial; the bound indices `ends` are those of the norm's axes."""
    fixed, diagonal = facts(scope), set[int]()
    if plan.diagonal:  # it is at most its largest entry
        expect(len(ends) == 2, "a diagonal of what is not a matrix")
        a, b = sorted(ends)
        gap = variable(a) - variable(b)
        equal = all(implied(g, fixed | m.guards) for g in (gap, -gap))
        expect(equal, "what is called a diagonal is none")
        m, diagonal, ends = m.substitute({b: variable(a)}, m.bound), {a, b}, set()
    coordinates = set(plan.coordinates)
    along = coordinates | diagonal
    expect(coordinates <= set(range(-m.bound, 0)), "a coordinate that is not there")
    for g in plan.region:
        expect(along.isdisjoint(g.variables()), "a region that depends on a coordinate")
        expect(implied(g, fixed | m.guards), "a region that leaves something out")
    region = frozenset(plan.region)
    rows, all_rows = fixed | region, fixed | m.guards
    expect(len(plan.bounds) == len(m.factors), "a bound, or none, for each factor")
    chosen: list[Instance | None] = []
    own: list[Factor] = []
    for f, use in zip(m.factors, plan.bounds, strict=True):
        if use is None:
            expect(along.isdisjoint(f.variables()), f"no bound of {f.name} along an axis")
            own.append(f if signs.factor(f, rows) else absolute(f))
            chosen.append(None)
        else:
            one = Instance(signs.known(use.fact), dict(use.images))
            expect_bound(one, f, m.bound, along, rows, all_rows, signs)
            chosen.append(one)
    expect_coordinates(m, coordinates, ends, chosen)
    own += dimensions(coordinates - ends, plan.dimensions, chosen, rows)
    pairs = [(Monomial(m.bound, region, tuple(sorted(own))), Fraction(1))]
    for one in filter(None, chosen):
        right, images = one.bound.right.parts.items(), one.images
        pairs = joined(pairs, right, images)
        scope = scope | (one.bound.variables - images.keys())
    return Term(summed([(_without(along, p), c) for p, c in pairs]), scope)


def expect_bound(
    one: Instance,
    f: Factor,
    depth: int,
    along: set[int],
    rows: frozenset[Index],
    all_rows: frozenset[Index],
    signs: Signs,
) -> None:
    """That the bound is one of this factor, and used where it holds.

    Its variables are in their ranges in all of the region, whatever the coordinates are, so that its right side is ≥ 0
    there; the ends are where the monomial counts.
    """
    bound, images = one
    expect(bool(bound.measure), "a bound without a norm")
    if function_of(f) == ABS:
        expect(along.isdisjoint(f.variables()), "an absolute value along an axis")
        f = _single(body(f, depth), depth)
    entry = _single(bound.left.parts.items(), 0)
    spoken = {v for e in images.values() for v in e.variables()}
    expect(min(spoken, default=0) >= -depth, "a bound speaks of an index that is not there")
    ends = set(bound.ends)
    expect(ends <= images.keys() <= ends | bound.variables - signs.fixed, "an index too many")
    expect(entry.substitute(images) == f, f"a bound that is none of {f.name}")
    for v, image in images.items():
        met = along & image.variables()
        if v in ends:
            expect(len(met) <= 1, "an end with two coordinates")
            expect(all(abs(image.coefficient(w)) == 1 for w in met), "a coordinate in steps")
        else:
            expect(not met, "a coordinate that is not an end of the norm")
        known = all_rows if v in ends else rows
        held = all(implied(g.substitute(images), known) for g in declared(v))
        expect(held, "a bound is used outside the range of its variables")
    gone = {v for v in images if v not in ends}
    staying = bound.variables - gone
    hung = any(gone & g.variables() for w in staying for g in declared(w))
    expect(not hung, "the range of a variable that stays speaks of one that goes")


def _single(parts: Pairs, depth: int) -> Factor:
    """The entry that a term is, up to its sign."""
    for m, c in parts:
        alone = abs(c) == 1 and m.bound == depth and not m.guards
        expect(alone and len(m.factors) == len(list(parts)) == 1, "a bound of what is not an entry")
        return m.factors[0]
    raise Refused("a bound of what is not an entry")


def expect_coordinates(
    m: Monomial, coordinates: set[int], ends: set[int], chosen: Sequence[Instance | None]
) -> None:
    """That each coordinate joins two ends, and that no guard and no place joins two of them."""
    for v in coordinates:
        places = sum(len(one.ends(v)) for one in chosen if one is not None)
        expect(places + (v in ends) == 2, "a coordinate that does not join two factors")
    for e in (*m.guards, *(e for f in m.factors for e in f.at)):
        expect(len(coordinates & e.variables()) <= 1, "a guard, or a place, of two coordinates")


def dimensions(
    inner: set[int],
    named: Sequence[tuple[int, int]],
    chosen: Sequence[Instance | None],
    rows: frozenset[Index],
) -> list[Factor]:
    """The dimension, as a number, for every cycle of factors: how many values an end of one of them has."""
    cycles = cycles_of([{v for v in inner if one and one.ends(v)} for one in chosen])
    expect(len(cycles) == len(named), "a dimension for each trace")
    found = []
    for (inside, ks), (k, end) in zip(cycles, named, strict=True):
        one = chosen[k] if k in ks else None
        if one is None or end not in one.bound.ends or not inside & one.images[end].variables():
            raise Refused("a trace whose dimension is not that of one of its factors")
        low, high = declared(end)
        length = (low + high + 1).substitute(one.images)
        free = inner.isdisjoint(length.variables())
        expect(free and implied(length, rows), "a trace whose dimension is not known")
        found.append(Factor(NUMBER, (length,)))
    return found


def cycles_of(met: Sequence[set[int]]) -> list[tuple[set[int], list[int]]]:
    """The cycles among factors that meet these coordinates: the coordinates, and the factors' numbers.

    What hangs together and is not a cycle is a path, which has one coordinate fewer than factors.
    """
    cycles = [(inside, ks) for inside, ks in linked(met) if len(inside) == len(ks)]
    return sorted(cycles, key=lambda one: max(one[0]))


def linked(sets: Sequence[Set[int]]) -> list[tuple[set[int], list[int]]]:
    """What hangs together: the union of sets that share something, one with another, and their numbers."""
    found: list[tuple[set[int], list[int]]] = []
    for k, one in enumerate(sets):
        met = [other for other in found if other[0] & one]
        found = [other for other in found if not other[0] & one]
        inside = set(one).union(*(other for other, _ in met))
        found.append((inside, [*(n for _, ks in met for n in ks), k]))
    return found


def _without(gone: Iterable[int], m: Monomial) -> Monomial:
    """The monomial without bound indices that no longer occur."""
    gone = set(gone)
    expect(gone.isdisjoint(m.variables()), "a bound that depends on a coordinate")
    kept = [v for v in range(-1, -m.bound - 1, -1) if v not in gone]
    images = {v: variable(-k) for k, v in enumerate(kept, start=1)}
    return m.substitute(images, len(kept))
