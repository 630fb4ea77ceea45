"""How each monomial of a term is bounded along the axes of a norm: which bounds of its factors, which coordinates.

What comes of it is for `inequalities.norms`, which says why it holds, and checks it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from ...inequalities.certificate import Majorised, Plan, Use
from ...inequalities.norms import cycles_of, majorised
from ...inequalities.signs import ABS
from ...inequalities.statements import Inequality, total
from ...kernel import index as declarations
from ...kernel.errors import NotProved
from ...kernel.index import Index, declared, facts, position_number, variable
from ...kernel.inequalities import implied
from ...kernel.term import Factor, Monomial, Term, body, function_of
from ..steps import matched
from .facts import Bounded, Known, within
from .signs import Looking, is_product


class Instance(NamedTuple):
    """A bound of a factor, with indices for its variables."""

    bound: Bounded
    images: Mapping[int, Index]

    @property
    def use(self) -> Use:
        """The certificate's entry for it: which bound, with which indices."""
        return Use(self.bound.number, tuple(sorted(self.images.items())))


def planned(
    term: Term,
    ends: Sequence[Index],
    measure: str,
    known: Known,
    own: frozenset[str] = frozenset(),
    coarse: bool = False,
    keep: bool = False,
) -> int:
    """The number of a bound of the measure of `term` along the positions `ends`.

    Args:
        term: the term, in normal form.
        ends: none for the absolute value, one position for the Euclidean norm, two for the largest singular value.
        measure: which it is.
        known: bounds of entries; the first that fits is used.
        own: the arrays whose entries stay, as absolute values.
        coarse: whether sums run over all that stands in range, as far as sizes show.
        keep: whether monomials that are ≥ 0 stay as they are.

    Raises:
        NotProved: if an axis goes through what nothing is known of.
    """
    whole, rows = term, facts(term.scope)
    kept = [keep and c > 0 and is_product(m, rows, known) for m, c in term.parts.items()]
    for end in ends:
        term = total(term, position_number(end))
    plans: list[Plan | None] = []
    for m, stays in zip(term.parts, kept, strict=True):
        last = set(range(-m.bound, -m.bound + len(ends)))
        plans.append(None if stays else _plan(m, last, term.scope, known, own, coarse))
    return bounded_by(whole, ends, measure, plans, known)


def bounded_by(
    term: Term, ends: Sequence[Index], measure: str, plans: Sequence[Plan | None], known: Known
) -> int:
    """The number of the bound by these plans."""
    looking, numbers = Looking(known), tuple(map(position_number, ends))
    most = majorised(term, numbers, plans, looking)
    step = Majorised(measure, numbers, term, tuple(plans), looking.signs)
    return known.book.note(step, Inequality(measure, numbers, term, most))


def _plan(
    m: Monomial,
    ends: set[int],
    scope: frozenset[int],
    known: Known,
    own: frozenset[str],
    coarse: bool,
) -> Plan:
    """How a monomial is bounded; the bound indices `ends` are those of the norm's axes."""
    known_here = facts(scope) | m.guards
    diagonal: set[int] = set()
    if len(ends) == 2:  # a diagonal matrix is at most its largest entry
        a, b = sorted(ends)
        gap = variable(a) - variable(b)
        if implied(gap, known_here) and implied(-gap, known_here):
            m, diagonal, ends = m.substitute({b: variable(a)}, m.bound), {a, b}, set()
    chosen = [
        None if f.name in own else _first(f, m.bound, known, facts(scope) | m.guards)
        for f in m.factors
    ]
    along = _coordinates(m, ends, chosen)
    _expect_axes(m, diagonal, chosen)
    guards = _region(m, along | diagonal, chosen, facts(scope), coarse)
    dimensions = _traces(m, along - ends, chosen)
    return Plan(
        bool(diagonal),
        tuple(sorted(along)),
        tuple([None if one is None else one.use for one in chosen]),
        tuple(sorted(guards)),
        tuple(dimensions),
    )


def _region(
    m: Monomial,
    along: set[int],
    chosen: Sequence[Instance | None],
    context: frozenset[Index],
    coarse: bool,
) -> frozenset[Index]:
    """Guards without coordinates that follow from those of the monomial: more summands, none of them negative.

    They are its own and what says that entries are in range; if `coarse` only those about one index and sizes.
    """
    rows = context | m.guards
    own = [g for g in m.guards if along.isdisjoint(g.variables())]
    ends = [
        fact.substitute(one.images)
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


def _first(f: Factor, bound: int, known: Known, rows: frozenset[Index]) -> Instance | None:
    """The first bound of this factor of a monomial with this many bound indices; of |X| it is that of X, an entry."""
    if function_of(f) == ABS:
        inside = body(f, bound)
        if len(inside) != 1 or abs(inside[0][1]) != 1:
            return None
        m = inside[0][0]
        plain = m.bound == bound and not m.guards and len(m.factors) == 1
        one = _first(m.factors[0], bound, known, rows) if plain else None
        return None if one is None else Instance(one.bound._replace(axes=()), one.images)
    for one in known.bounds:
        images = matched(one.left, one.over, f)
        if (
            images is not None
            and one.left.substitute(images) == f
            and within(one.over, images, rows)
        ):
            return Instance(one, images)
    return None


def _coordinates(m: Monomial, ends: set[int], chosen: Sequence[Instance | None]) -> set[int]:
    """The bound indices that stand along an axis twice, an end counting once, and nowhere else."""
    found = set()
    for v in range(-m.bound, 0):
        places = list(_places(m, v))
        if len(places) + (v in ends) == 2 and all(_is_axis(m, v, *p, chosen) for p in places):
            found.add(v)
    for e in (*m.guards, *(e for f in m.factors for e in f.at)):
        shared = found & e.variables()
        if len(shared) > 1:  # what two indices share is not a guard, or place, of one vector
            found -= shared
    return found


def _places(m: Monomial, v: int) -> Iterable[tuple[int, int]]:
    """Where a variable stands: (factor, place)."""
    for k, f in enumerate(m.factors):
        yield from ((k, place) for place, e in enumerate(f.at) if v in e.variables())


def _is_axis(m: Monomial, v: int, k: int, place: int, chosen: Sequence[Instance | None]) -> bool:
    one = chosen[k]
    along = one is not None and place in one.bound.axes
    return along and abs(m.factors[k].at[place].coefficient(v)) == 1


def _expect_axes(m: Monomial, diagonal: set[int], chosen: Sequence[Instance | None]) -> None:
    for v in diagonal:
        if not all(_is_axis(m, v, *p, chosen) for p in _places(m, v)):
            raise NotProved("a diagonal matrix whose entries have no known bound")


def _traces(
    m: Monomial, coordinates: set[int], chosen: Sequence[Instance | None]
) -> list[tuple[int, int]]:
    """For every cycle of factors one of them, and which variable of its bound runs through the dimension."""
    met = [coordinates & f.variables() for f in m.factors]
    return [_dimension(m, min(inside), chosen) for inside, _ in cycles_of(met)]


def _dimension(m: Monomial, v: int, chosen: Sequence[Instance | None]) -> tuple[int, int]:
    k, place = next(iter(_places(m, v)))
    one = chosen[k]
    if one is not None:
        for w in one.bound.left.at[place].variables() & one.bound.over:
            if v in one.images[w].variables():
                return k, w  # the place is w + what says which block of a larger matrix it is
    raise NotProved("a trace whose dimension is not known")
