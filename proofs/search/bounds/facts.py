"""What bounds rest on: norms of an array's entries that are at most a term, and terms that are ≥ 0."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, NamedTuple

from ...inequalities.certificate import Use
from ...kernel.index import Index, declared
from ...kernel.inequalities import implied
from ...kernel.term import INVERSE, Factor, Monomial, Term, function_of
from ..steps import matched
from .book import Book


class Bounded(NamedTuple):
    """The norm of `left` along the places `axes` is at most `right`, for all values of `over` in their ranges.

    It is the absolute value if there is no such place, the Euclidean norm if there is one, and the largest singular
    value if there are two. The variables at these places are among `over`, and `right` speaks of none of them.
    """

    left: Factor
    axes: tuple[int, ...]
    over: frozenset[int]
    right: Term
    number: int
    """What it is called in the book."""


class AtLeast0(NamedTuple):
    """term ≥ 0 for all values of `over` in their ranges."""

    term: Term
    over: frozenset[int]
    number: int
    """What it is called in the book."""


@dataclass(frozen=True)
class Known:
    """All that is known at one place of a proof."""

    book: Book
    """What is known anywhere, and how."""
    bounds: tuple[Bounded, ...] = ()
    """The ones that are to be used rather than others come first."""
    gaps: tuple[AtLeast0, ...] = ()
    squares: tuple[AtLeast0, ...] = ()
    """Bounds of norms once more, as right² − Σ entry² ≥ 0."""
    signs: dict[str, list[AtLeast0]] = field(default_factory=dict)
    """The gaps that are one entry times a positive number, by its name."""
    never_negative: dict[tuple[Monomial, frozenset[Index]], bool] = field(
        default_factory=dict, init=False, compare=False
    )
    """Of monomials, and rows that hold, that were asked about: whether the monomial is seen to be ≥ 0."""
    worth: dict[Any, Term | None] = field(default_factory=dict, init=False, compare=False)
    """Of pieces that were tried, as they look: what each comes to in normal form; None if that is not found."""

    def also(
        self,
        bounds: Iterable[Bounded] = (),
        gaps: Iterable[AtLeast0] = (),
        squares: Iterable[AtLeast0] = (),
    ) -> Known:
        """The same with more that is known."""
        gaps = tuple(gaps)
        signs = {name: list(found) for name, found in self.signs.items()}
        for gap in gaps:
            f = single(gap.term)
            if f is not None and f[1] > 0:
                signs.setdefault(f[0].name, []).append(gap)
        return replace(
            self,
            bounds=(*bounds, *self.bounds),
            gaps=(*self.gaps, *gaps),
            squares=(*self.squares, *squares),
            signs=signs,
        )

    def uses(self, f: Factor, inside: Mapping[Monomial, Fraction]) -> Iterable[Use]:
        """What may say of this factor, or if it is an inverse of what is inside, that it is ≥ 0."""
        if function_of(f) == INVERSE:
            alike = [g for g in self.gaps if not g.over and g.term.parts.keys() == inside.keys()]
            yield from (Use(gap.number) for gap in alike)
            return
        for gap in self.signs.get(f.name, ()):
            own = single(gap.term)
            images = None if own is None else matched(own[0], gap.over, f)
            if images is not None:
                yield Use(gap.number, tuple(sorted(images.items())))


def single(term: Term) -> tuple[Factor, Fraction] | None:
    """(f, c) if the term is, as written, c · f for one entry f."""
    if len(term.parts) != 1:
        return None
    ((m, c),) = term.parts.items()
    return (m.factors[0], c) if not m.bound and not m.guards and len(m.factors) == 1 else None


def within(over: Iterable[int], images: Mapping[int, Index], rows: Iterable[Index]) -> bool:
    """Whether each of the variables is given an index that the rows say is in its range."""
    over, rows = set(over), frozenset(rows)
    ends = [fact.substitute(images) for v in over for fact in declared(v)]
    return over == set(images) and all(implied(end, rows) for end in ends)
