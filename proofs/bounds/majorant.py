"""Majorants: a sum that is at least the norm of a term along some of its axes, from norms of entries.

Each monomial is bounded by itself (triangle inequality). Some of its bound indices are *coordinates*: they stand in two
places, along an axis of whose norm something is known. Every other index is summed over outside the absolute value.
For fixed values of those the monomial is a product of vectors and matrices, contracted along coordinates; an axis of
the norm is contracted with a unit vector. Each factor has at most two coordinates, so what hangs together is a path, at
most the product of its factors' norms (submultiplicativity, and Cauchy–Schwarz at its ends), or a cycle, a trace, at
most the dimension times that product. A guard about one coordinate takes away entries of a vector, which makes no norm
larger. An entry, too, is at most the norm of the vector that it stands in.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from ..kernel import index as declarations
from ..kernel.errors import NotProved
from ..kernel.index import Index, declared, facts, variable
from ..kernel.inequalities import implied
from ..kernel.term import NUMBER, Factor, Monomial, Term, as_term, body, function_of
from ..reading.terms import total
from .absolute import ABS, absolute
from .facts import Bounded, Known, fixed, within
from .signs import is_never_negative, match, moved, summed

Notes = dict[str, None]
"""The schemas that were used, and the hypotheses, by name, in order."""
TRIANGLE = "triangle inequality"
CAUCHY_SCHWARZ = "Cauchy–Schwarz"
SUBMULTIPLICATIVITY = "submultiplicativity"
ENTRY = "entry ≤ norm"
TRACE = "trace ≤ dimension · norm"
DIAGONAL = "diagonal ≤ largest entry"
COUNT = "sum ≤ count · max"


class Chosen(NamedTuple):
    """A bound of a factor, with indices for its variables."""

    bound: Bounded
    images: Mapping[int, Index]


def majorant(
    term: Term,
    ends: Sequence[Index],
    known: Known,
    own: frozenset[str] = frozenset(),
    notes: Notes | None = None,
    coarse: bool = False,
) -> Term:
    """A term without the positions `ends` that is at least the norm of `term` along them.

    Args:
        term: the term, in normal form.
        ends: none for the absolute value, one position for the Euclidean norm, two for the largest singular value.
        known: bounds of entries; the first that fits is used.
        own: the arrays whose entries stay, as absolute values.
        notes: gets the names of what is used.
        coarse: whether sums run over all that stands in range, as far as sizes tell.

    Raises:
        NotProved: if an axis goes through what nothing is known of.
    """
    for end in ends:
        term = total(term, end)
    notes = {} if notes is None else notes
    result = as_term(0)
    if len(term.parts) > 1:
        notes[TRIANGLE] = None
    for m, c in term.parts.items():
        last = set(range(-m.bound, -m.bound + len(ends)))
        result = result + _bound(m, last, term.scope, known, own, notes, coarse) * abs(c)
    return result


def _bound(
    m: Monomial,
    ends: set[int],
    scope: frozenset[int],
    known: Known,
    own: frozenset[str],
    notes: Notes,
    coarse: bool,
) -> Term:
    """The bound of a monomial; the bound indices `ends` are those of the norm's axes."""
    known_here = facts(scope) | m.guards
    diagonal: set[int] = set()
    if len(ends) == 2:  # a diagonal matrix is at most its largest entry
        a, b = sorted(ends)
        gap = variable(a) - variable(b)
        if implied(gap, known_here) and implied(-gap, known_here):
            m, diagonal, ends = m.put({b: variable(a)}, m.bound), {a, b}, set()
    chosen = [
        None if f.name in own else _first(f, m.bound, known, facts(scope) | m.guards)
        for f in m.factors
    ]
    summed_over, along = _coordinates(m, ends, chosen), set(diagonal)
    _expect_axes(m, diagonal, chosen)
    along |= summed_over
    guards = _region(m, along, chosen, facts(scope), coarse)
    rows = facts(scope) | guards
    own_factors: list[Factor] = _traces(m, summed_over - ends, chosen, rows, notes)
    uses: list[Chosen] = []
    for f, one in zip(m.factors, chosen, strict=True):
        if one is not None:
            _expect_in_range(one, along, rows)
            uses.append(one)
        elif not along.isdisjoint(f.variables()):
            raise NotProved(f"no bound is known of {f.name} along an axis")
        else:
            own_factors.append(f if is_never_negative(f, rows, known) else absolute(f))
    _note(notes, m, diagonal, summed_over, chosen)
    pairs = [(Monomial(m.bound, guards, tuple(sorted(own_factors))), Fraction(1))]
    for bound, images in uses:
        scope = scope | (bound.right.scope - bound.over) | fixed(bound.over)
        right = bound.right.parts.items()
        pairs = [(p.joined(moved(n, p, images)), c * d) for p, c in pairs for n, d in right]
    return Term(summed([(_without(along, p), c) for p, c in pairs]), scope)


def _region(
    m: Monomial,
    along: set[int],
    chosen: Sequence[Chosen | None],
    context: frozenset[Index],
    coarse: bool,
) -> frozenset[Index]:
    """Guards without coordinates that follow from those of the monomial: more summands, none of them negative.

    They are its own and what says that entries are in range; if `coarse` only those about one index and sizes.
    """
    rows = context | m.guards
    own = [g for g in m.guards if along.isdisjoint(g.variables())]
    ends = [
        fact.put(one.images)
        for one in chosen
        if one is not None
        for v in one.bound.over
        for fact in declared(v)
    ]
    ends = [e for e in ends if any(v < 0 for v in e.variables()) and implied(e, rows)]
    ends = [e for e in ends if along.isdisjoint(e.variables())]
    if not coarse:
        return frozenset([*own, *(e for e in ends if not implied(e, context.union(own)))])
    sizes = declarations.current.sizes
    return frozenset([g for g in (*own, *ends) if len(g.variables() - sizes) == 1])


def _note(
    notes: Notes,
    m: Monomial,
    diagonal: set[int],
    along: set[int],
    chosen: Sequence[Chosen | None],
) -> None:
    """Say what is used."""
    outer = {v for v in range(-m.bound, 0) if v not in along | diagonal}
    if outer:
        notes[TRIANGLE] = None
    if diagonal:
        notes[DIAGONAL] = None
    stays = {v for f, one in zip(m.factors, chosen, strict=True) if not one for v in f.variables()}
    if any(outer & f.variables() - stays for f in m.factors):
        notes[COUNT] = None
    for f, one in zip(m.factors, chosen, strict=True):
        if one is None:
            continue
        used = [place for place in one.bound.axes if along & f.at[place].variables()]
        if len(used) == 2:
            notes[SUBMULTIPLICATIVITY] = None
        if len(used) < len(one.bound.axes):
            notes[ENTRY] = None
        notes[one.bound.why] = None
    if any(len(list(_places(m, v))) == 2 for v in along):
        notes[CAUCHY_SCHWARZ] = None


def _first(f: Factor, bound: int, known: Known, rows: frozenset[Index]) -> Chosen | None:
    """The first bound of this factor of a monomial with so many bound indices; of |X| it is that of X, an entry."""
    if function_of(f) == ABS:
        inside = body(f, bound)
        if len(inside) != 1 or abs(inside[0][1]) != 1:
            return None
        m = inside[0][0]
        plain = m.bound == bound and not m.guards and len(m.factors) == 1
        one = _first(m.factors[0], bound, known, rows) if plain else None
        return None if one is None else Chosen(one.bound._replace(axes=()), one.images)
    for one in known.bounds:
        images = match(one.left, one.over, f)
        if images is not None and one.left.put(images) == f and within(one.over, images, rows):
            return Chosen(one, images)
    return None


def _coordinates(m: Monomial, ends: set[int], chosen: Sequence[Chosen | None]) -> set[int]:
    """The bound indices that stand along an axis twice, an end counting once, and nowhere else."""
    found = set()
    for v in range(-m.bound, 0):
        places = list(_places(m, v))
        if len(places) + (v in ends) == 2 and all(_is_axis(m, v, *p, chosen) for p in places):
            found.add(v)
    for e in (*m.guards, *(e for f in m.factors for e in f.at)):
        shared = found & e.variables()
        if len(shared) > 1:  # what two indices share is no guard, or place, of one vector
            found -= shared
    return found


def _places(m: Monomial, v: int) -> Iterable[tuple[int, int]]:
    """Where a variable stands: (factor, place)."""
    for k, f in enumerate(m.factors):
        yield from ((k, place) for place, e in enumerate(f.at) if v in e.variables())


def _is_axis(m: Monomial, v: int, k: int, place: int, chosen: Sequence[Chosen | None]) -> bool:
    one = chosen[k]
    along = one is not None and place in one.bound.axes
    return along and abs(m.factors[k].at[place].coefficient(v)) == 1


def _expect_axes(m: Monomial, diagonal: set[int], chosen: Sequence[Chosen | None]) -> None:
    for v in diagonal:
        if not all(_is_axis(m, v, *p, chosen) for p in _places(m, v)):
            raise NotProved("a diagonal matrix whose entries have no known bound")


def _expect_in_range(one: Chosen, along: set[int], rows: frozenset[Index]) -> None:
    """That the vector stands in the bound's range whatever the coordinates, which are seen to be in theirs."""
    for v in one.bound.over:
        for fact in declared(v):
            end = fact.put(one.images)
            if along.isdisjoint(end.variables()) and not implied(end, rows):
                raise NotProved(f"a bound of {one.bound.left.name} is used outside its range")


def _traces(
    m: Monomial,
    coordinates: set[int],
    chosen: Sequence[Chosen | None],
    rows: frozenset[Index],
    notes: Notes,
) -> list[Factor]:
    """The dimension, as a number, for every cycle of factors."""
    groups = [({k}, set[int]()) for k in range(len(m.factors))]
    for v in sorted(coordinates):
        ks = {k for k, _ in _places(m, v)}
        met = [group for group in groups if group[0] & ks]
        groups = [group for group in groups if not group[0] & ks]
        groups.append((set().union(*(g[0] for g in met)), {v}.union(*(g[1] for g in met))))
    cycles = [inside for ks, inside in groups if len(inside) == len(ks)]  # a path has one fewer
    if cycles:
        notes[TRACE] = None
    return [_dimension(m, min(inside), coordinates, chosen, rows) for inside in cycles]


def _dimension(
    m: Monomial,
    v: int,
    coordinates: set[int],
    chosen: Sequence[Chosen | None],
    rows: frozenset[Index],
) -> Factor:
    k, place = next(iter(_places(m, v)))
    one = chosen[k]
    if one is not None:
        for w in one.bound.left.at[place].variables() & one.bound.over:
            if v not in one.images[w].variables():
                continue  # the place is w + what says which block of a larger matrix it is
            ends = declared(w)
            length = (ends[0] + ends[1] + 1).put(one.images) if len(ends) == 2 else Index(-1)
            free = coordinates.isdisjoint(length.variables())
            if free and implied(length, rows):
                return Factor(NUMBER, (length,))
    raise NotProved("a trace whose dimension is not known")


def _without(gone: set[int], m: Monomial) -> Monomial:
    """The monomial without bound indices that no longer occur."""
    if gone & m.variables():
        raise NotProved("a bound that depends on a coordinate")
    kept = [v for v in range(-1, -m.bound - 1, -1) if v not in gone]
    images = {v: variable(-k) for k, v in enumerate(kept, start=1)}
    return m.put(images, len(kept))
