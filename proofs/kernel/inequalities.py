"""Linear inequalities e ≥ 0 in whole numbers: Fourier–Motzkin elimination with rounding. It may say "don't know"."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from math import gcd
from typing import TypeVar

from .errors import IllTyped, TooHard
from .index import Index

ROWS = 400
"""More inequalities than this at once are too hard."""
KNOWN = 2_000
"""More known inequalities than this are too hard, even if few of them concern the question."""
Terms = tuple[tuple[int, int], ...]
Row = tuple[Terms, int]
"""Σ c · v + const ≥ 0: the pairs (v, c), and const."""
Value = TypeVar("Value")
Linked = dict[int, frozenset[Index]]
Ends = dict[int, tuple[list[Terms], list[Terms]]]


def negation(e: Index) -> Index:
    """e < 0, as an inequality ≥ 0."""
    return -e - 1


def implied(e: Index, known: Iterable[Index]) -> bool:
    """Whether e ≥ 0 wherever all of `known` are ≥ 0; False if that is not seen.

    Only what has to do with e's variables is looked at.
    """
    return _implied(e, frozenset(known)) if e.terms else e.const >= 0


@lru_cache(maxsize=200_000)
def _implied(e: Index, known: frozenset[Index]) -> bool:
    least, linked = _by_variable(known)
    return least.get(e.terms, e.const + 1) <= e.const or _contradicts([negation(e)], linked)


def contradictory(rows: Iterable[Index], known: frozenset[Index] = frozenset()) -> bool:
    """Whether no whole numbers make all rows ≥ 0, and all that is known; False if that is not seen."""
    if not known:
        return _inconsistent(frozenset(rows))
    return _contradicts(rows, _by_variable(known)[1]) or _inconsistent(known)


def regions(
    shares: Iterable[tuple[Iterable[Index], Value]],
    known: frozenset[Index],
    each: Callable[[], None] = lambda: None,
) -> Iterator[tuple[tuple[Index, ...], list[Value]]]:
    """Disjoint regions, which together are where `known` holds: guards for each, and the values that count there.

    Args:
        shares: values, each with the guards under which it counts.
        known: what is ≥ 0.
        each: called for every region that is looked at; it may raise, if there are too many.
    """
    each()
    live = []
    for guards, value in shares:
        rest = [g for g in guards if not implied(g, known)]
        if not contradictory(rest, known):
            live.append((rest, value))
    undecided = [g for rest, _ in live for g in rest]
    if not undecided:
        yield (), [value for _, value in live]
        return
    g = min(undecided)
    for case in (g, negation(g)):
        for region, values in regions(live, known | {case}, each):
            yield (case, *region), values


@lru_cache(maxsize=1_000)
def _by_variable(known: frozenset[Index]) -> tuple[dict[Terms, int], Linked]:
    """The least constant of rows that are otherwise alike, and for each variable all rows that have to do with it."""
    if len(known) > KNOWN:
        raise TooHard(f"more than {KNOWN} inequalities are known")
    least: dict[Terms, int] = {}
    groups: dict[int, tuple[list[int], list[Index]]] = {}
    for row in known:
        terms, const = row
        if const < least.get(terms, const + 1):
            least[terms] = const
        group: tuple[list[int], list[Index]] = ([], [row])
        for v, _ in terms:
            if v not in groups:
                group[0].append(v)
                groups[v] = group
            elif groups[v] is not group:
                for one, more in zip(group, groups[v], strict=True):
                    one += more  # type: ignore[arg-type]
                groups.update(dict.fromkeys(group[0], group))
    frozen: dict[int, frozenset[Index]] = {}
    for variables, rows in groups.values():
        if variables[0] not in frozen:
            frozen.update(dict.fromkeys(variables, frozenset(rows)))
    return least, frozen


def _contradicts(rows: Iterable[Index], linked: Linked) -> bool:
    """Whether rows contradict one another together with those that have to do with their variables."""
    together = frozenset(rows)
    return _contradictory(
        together.union(*[linked[v] for terms, _ in together for v, _ in terms if v in linked])
    )


@lru_cache(maxsize=50_000)
def _inconsistent(known: frozenset[Index]) -> bool:
    """Whether what is known contradicts itself."""
    groups = {*_by_variable(known)[1].values(), frozenset(row for row in known if not row[0])}
    too_hard: TooHard | None = None
    for group in groups:
        try:
            if _contradictory(group):
                return True
        except TooHard as error:
            too_hard = error
    if too_hard is not None:
        raise too_hard
    return False


@lru_cache(maxsize=200_000)
def _contradictory(rows: frozenset[Index]) -> bool:
    if not {type(row) for row in rows} <= {Index}:
        raise IllTyped("inequalities are of indices")
    # Other variables often stand in the same order in the same rows: the answer is theirs, too.
    place = {v: k for k, v in enumerate(sorted({v for terms, _ in rows for v, _ in terms}))}
    return _unsatisfiable(
        frozenset([(tuple([(place[v], c) for v, c in e]), const) for e, const in rows])
    )


@lru_cache(maxsize=50_000)
def _unsatisfiable(rows: frozenset[Row]) -> bool:
    """Whether no whole numbers make all rows ≥ 0, as far as is seen."""
    # Rounding makes the answer depend on the order, and these rows may have come in any.
    new: Iterable[Row] = sorted(rows)
    left: dict[Terms, int] = {}
    while True:
        for terms, const in new:
            if not terms:
                if const < 0:
                    return True
                continue
            if abs(terms[0][1]) != 1 and (divisor := gcd(*[c for _, c in terms])) != 1:
                # As strong as whole numbers allow.
                terms, const = tuple([(v, c // divisor) for v, c in terms]), const // divisor
            if const < left.get(terms, const + 1):
                left[terms] = const
        if len(left) > ROWS:
            raise TooHard(f"more than {ROWS} inequalities")
        ends = _ends(left)
        if not left:
            return False
        new = _eliminated(left, ends)


def _ends(left: dict[Terms, int]) -> Ends:
    """For each variable the rows that bound it from above, and from below.

    Where one kind is missing the variable can be so large, or small, that its rows are true: they go.
    """
    while True:
        ends: Ends = {}
        for terms in left:
            for v, c in terms:
                if v not in ends:
                    ends[v] = [], []
                ends[v][c > 0].append(terms)
        gone = {
            terms for one, other in ends.values() if not one or not other for terms in one + other
        }
        if not gone:
            return ends
        for terms in gone:
            del left[terms]


def _eliminated(left: dict[Terms, int], ends: Ends) -> list[Row]:
    """Puts away a variable: rows that mention it go, and what follows from each two of them is handed back.

    Where it has the coefficient 1 in all rows of one kind, no whole number is lost: such a variable is first.
    """

    def loses(rows: list[Terms], v: int) -> bool:
        return any(w == v and abs(c) != 1 for terms in rows for w, c in terms)

    def order(v: int) -> tuple[bool, int]:
        above, below = ends[v]
        return loses(above, v) and loses(below, v), len(above) * len(below)

    v = min(ends, key=order)
    above, below = ([(dict(e)[v], e, left.pop(e)) for e in rows] for rows in ends[v])
    new = []
    for p, one, high in above:
        for q, other, low in below:
            total = {w: c * q for w, c in one}
            for w, c in other:
                total[w] = total.get(w, 0) - c * p
            new.append((tuple(sorted([t for t in total.items() if t[1]])), high * q - low * p))
    return new
