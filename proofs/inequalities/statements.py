"""What is said: inequalities between terms, for all values of their variables, and problems made of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

from ..kernel import index
from ..kernel.errors import NotProved, TooHard
from ..kernel.index import Index, declared, position_number, reach, variable
from ..kernel.term import Monomial, Term, made

Key = TypeVar("Key")
ENDS = {"": 0, "absolute": 0, "norm": 1, "operator": 2}
"""The measures, with how many indices each is taken along: nothing, |x|, Euclidean norm, largest singular value."""


PRODUCTS = 100_000
"""No two terms are multiplied that have more monomials to be multiplied than this."""
MALFORMED = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""What is raised by data that is not what it should be."""


class Refused(NotProved):
    """A certificate that does not show what it is to show, and why."""


def expect(held: bool, why: str) -> None:
    """Refuse, for this reason, what does not hold."""
    if not held:
        raise Refused(why)


@dataclass(frozen=True)
class Inequality:
    """measure(left) ≤ right for all values of its variables in their ranges, whatever the sizes are.

    The measure is taken along the indices `ends`, each of which runs through its range; of an empty array it is 0.
    """

    measure: str
    ends: tuple[int, ...]
    left: Term
    right: Term

    def __post_init__(self) -> None:
        ends = frozenset(self.ends)
        expect(self.measure in ENDS, "a measure that is not known")
        expect(len(self.ends) == len(ends) == ENDS[self.measure], "too many or too few ends")
        for e in self.ends:
            position_number(variable(e))
            ranged = declared(e)
            expect(sorted(g.coefficient(e) for g in ranged) == [-1, 1], "an end without a range")
            expect(not any(ends - {e} & g.variables() for g in ranged), "ends that hang together")
        expect(ends.isdisjoint(self.right.scope), "the right side speaks of an end")
        spoken = {u for v in self.variables for g in declared(v) for u in g.variables()}
        expect(ends.isdisjoint(spoken), "a variable's range speaks of an end")

    @property
    def variables(self) -> frozenset[int]:
        """The variables for all values of which it holds: all that its terms' scopes and its ends' ranges mention."""
        spoken = reach(self.left.scope.union(self.right.scope, self.ends))
        return frozenset(spoken.difference(self.ends, index.current.sizes))


@dataclass(frozen=True)
class Problem:
    """If all hypotheses hold then so do all goals."""

    hypotheses: tuple[Inequality, ...]
    names: tuple[str, ...]
    """What each hypothesis is called; they may share a name."""
    goals: tuple[Inequality, ...]


def same(one: Term, other: Term) -> bool:
    """Whether two terms are written alike."""
    return one.parts == other.parts


def is_same(one: Inequality, other: Inequality) -> bool:
    """Whether two inequalities are written alike; each may be for values of other variables besides."""
    sides = same(one.left, other.left) and same(one.right, other.right)
    return (one.measure, one.ends) == (other.measure, other.ends) and sides


def with_scope(term: Term, more: Iterable[int]) -> Term:
    """The term, where these variables, too, are in range."""
    return made(term.parts.items(), term.scope.union(more))


def total(term: Term, end: int) -> Term:
    """Σ of the term over the whole range of a variable with two ends; it becomes the last bound index."""
    ranged, pairs = frozenset(declared(end)), []
    for m, c in term.parts.items():
        images = {end: variable(-m.bound - 1)}
        pairs.append((m._replace(guards=m.guards | ranged).substitute(images, m.bound + 1), c))
    spoken = {v for g in ranged for v in g.variables()}
    return made(pairs, (term.scope | spoken) - {end})


def product(one: Term, other: Term) -> Term:
    """The product of two terms.

    Raises:
        TooHard: if they are long.
    """
    if len(one.parts) * len(other.parts) > PRODUCTS:
        raise TooHard(f"a product of more than {PRODUCTS} monomials")
    return one * other


def instance_beside(n: Monomial, m: Monomial, images: Mapping[int, Index]) -> Monomial:
    """A monomial with indices for its variables that speak of m's bound ones, to be joined to m."""
    after = n.after(m.bound)
    return after.substitute(images, after.bound)


def joined(
    pairs: Sequence[tuple[Monomial, Fraction]],
    more: Collection[tuple[Monomial, Fraction]],
    images: Mapping[int, Index],
) -> list[tuple[Monomial, Fraction]]:
    """Each of the first times each of the others, as an instance beside it.

    Raises:
        TooHard: if they are many.
    """
    if len(pairs) * len(more) > PRODUCTS:
        raise TooHard(f"a product of more than {PRODUCTS} monomials")
    return [(p.joined(instance_beside(n, p, images)), c * d) for p, c in pairs for n, d in more]


def summed(pairs: Iterable[tuple[Key, Fraction]]) -> dict[Key, Fraction]:
    """The sum of the coefficients of each monomial."""
    found: dict[Key, Fraction] = {}
    for m, c in pairs:
        found[m] = found[m] + c if m in found else c
    return found
